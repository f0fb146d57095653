"""First answers by idempotency key, and writes that are decided later."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "answers",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("mark", sa.LargeBinary(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("request", sa.LargeBinary(), nullable=False),
        sa.Column("memory", sa.String(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "mark"),
    )
    op.create_index("answers_expiry", "answers", ["tenant", "expires_at"])
    op.create_index("answers_memory", "answers", ["tenant", "memory"])
    op.create_table(
        "writes",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("accepted_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("memory", sa.String(), nullable=True),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.Column("outcome", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_index("writes_expiry", "writes", ["tenant", "expires_at"])
    op.create_index("writes_memory", "writes", ["tenant", "memory"])
    op.create_table(
        "queue",
        sa.Column("place", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("dead_at", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["tenant", "id"], ["writes.tenant", "writes.id"], name="queue_of"),
        sa.PrimaryKeyConstraint("place"),
        sa.UniqueConstraint("tenant", "id", name="queue_write"),
    )
    op.create_index("queue_due", "queue", ["dead_at", "due_at"])
    connection = op.get_bind()
    secure(connection, "answers")
    secure(connection, "writes")
    secure(connection, "queue", system=("SELECT", "UPDATE"))
