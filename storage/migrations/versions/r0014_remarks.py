"""What reviewers remarked, sealed; and indexes by which the queue is filtered."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_FILTERS = ("subject", "client", "origin", "source", "session")
_HELD = sa.text("state = 'held'")


def upgrade() -> None:
    op.create_table(
        "remarks",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("memory", sa.String(), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_index("remarks_memory", "remarks", ["tenant", "memory", "id"])
    secure(op.get_bind(), "remarks")
    for name in _FILTERS:
        op.create_index(
            f"held_{name}",
            "memories",
            ["tenant", name, "recorded_at", "id"],
            sqlite_where=_HELD,
            postgresql_where=_HELD,
        )
