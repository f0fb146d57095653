"""What recalls left behind, sealed and for some days."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "traces",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_index("traces_subject", "traces", ["tenant", "subject"])
    op.create_index("traces_expiry", "traces", ["tenant", "expires_at"])
    secure(op.get_bind(), "traces")
