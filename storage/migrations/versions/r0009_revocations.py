"""Which tokens are believed no longer."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "revocations",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("before", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_index("revocations_at", "revocations", ["at"])
    # Each gateway reads what was taken back of every tenant, to know it before it is asked.
    secure(op.get_bind(), "revocations", system=("SELECT",))
