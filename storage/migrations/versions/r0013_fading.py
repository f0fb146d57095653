"""How often a memory was let fade. Those from before never were."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    faded = sa.Column("faded", sa.Integer(), nullable=False, server_default="0")
    op.add_column("memories", faded)
