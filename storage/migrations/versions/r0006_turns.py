"""Turns of sessions, sealed and for a short while."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "turns",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("session", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_index("turns_session", "turns", ["tenant", "subject", "session", "at", "id"])
    op.create_index("turns_expiry", "turns", ["tenant", "expires_at"])
    secure(op.get_bind(), "turns")
