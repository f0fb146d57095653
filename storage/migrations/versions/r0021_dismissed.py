"""When a reviewer dismissed a doubt. Those from before are open."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("doubts", sa.Column("dismissed_at", sa.BigInteger(), nullable=True))
