"""What a reviewer proposed, sealed, until another one decides or it expires."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "proposals",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("memory", sa.String(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_index("proposals_expiry", "proposals", ["tenant", "expires_at"])
    op.create_index("proposals_memory", "proposals", ["tenant", "memory"])
    secure(op.get_bind(), "proposals")
