"""Held memories that a reviewer left to others."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "escalations",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("memory", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "memory"),
    )
    secure(op.get_bind(), "escalations")
