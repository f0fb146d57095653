"""Visits to the console: the token that somebody signed in with, sealed."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "visits",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_index("visits_expiry", "visits", ["tenant", "expires_at"])
    secure(op.get_bind(), "visits")
