"""How bad what is held is, and an index by which a queue is sorted by it. Of those from before
nobody knows until they are decided again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_HELD = sa.text("state = 'held'")


def upgrade() -> None:
    gravity = sa.Column("gravity", sa.Integer(), nullable=False, server_default="0")
    op.add_column("memories", gravity)
    op.create_index(
        "held_gravity",
        "memories",
        ["tenant", "gravity", "recorded_at", "id"],
        sqlite_where=_HELD,
        postgresql_where=_HELD,
    )
