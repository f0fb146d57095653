"""What replaced what, and keyed ids of what a memory claims. Memories from before claim nothing."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # An empty text in a binary column would come back from SQLite as text, and be no memory's.
    postgres = op.get_bind().dialect.name == "postgresql"
    nothing = sa.text("''::bytea" if postgres else "x''")
    claim = sa.Column("claim", sa.LargeBinary(), nullable=False, server_default=nothing)
    op.add_column("memories", claim)
    op.create_index("memories_claim", "memories", ["tenant", "subject", "claim"])
    op.create_index("memories_chain", "memories", ["tenant", "subject", "superseded_by"])
