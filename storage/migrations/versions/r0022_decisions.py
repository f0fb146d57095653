"""What reviewers' decisions replaced, sealed, until they can be undone no more."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "decisions",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("memory", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("leaf", sa.String(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "memory"),
    )
    op.create_index("decisions_expiry", "decisions", ["tenant", "expires_at"])
    secure(op.get_bind(), "decisions")
