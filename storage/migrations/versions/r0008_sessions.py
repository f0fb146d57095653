"""Which memories stand beside each other in a session, found without reading the session."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    columns = ["tenant", "subject", "session", "recorded_at", "id"]
    op.create_index("memories_session", "memories", columns)
