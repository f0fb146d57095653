"""Which memories stand in doubt beside each other. What was written before is in none."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "doubts",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("memory", sa.String(), nullable=False),
        sa.Column("other", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "memory", "other"),
    )
    op.create_index("doubts_other", "doubts", ["tenant", "other"])
    secure(op.get_bind(), "doubts")
