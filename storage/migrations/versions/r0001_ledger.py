"""The first ledger: subjects, audit leaves, memories, outbox, tenants and clients."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "leaves",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("object", sa.String(), nullable=False),
        sa.Column("row_version", sa.Integer(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=True),
        sa.Column("chain", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "id"),
        sa.UniqueConstraint("tenant", "sequence", name="leaves_sequence"),
    )
    op.create_index("leaves_object", "leaves", ["tenant", "object", "row_version", "id"])
    op.create_index(
        "leaves_waiting",
        "leaves",
        ["sequence", "tenant", "id"],
        sqlite_where=sa.text("sequence IS NULL"),
        postgresql_where=sa.text("sequence IS NULL"),
    )
    op.create_table(
        "subjects",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "subject"),
    )
    op.create_table(
        "tenants",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("suspended", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "clients",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("ceiling", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name="clients_tenant"),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_table(
        "memories",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("layer", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("trust", sa.Integer(), nullable=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("client", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("session", sa.String(), nullable=False),
        sa.Column("importance", sa.Double(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("recorded_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("superseded_by", sa.String(), nullable=True),
        sa.Column("policy", sa.String(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("entry_digest", sa.LargeBinary(), nullable=False),
        sa.Column("leaf", sa.String(), nullable=False),
        sa.Column("indexed_version", sa.Integer(), nullable=False),
        sa.Column("tag", sa.LargeBinary(), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.Column("entry", sa.LargeBinary(), nullable=False),
        sa.Column("evidence", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant", "leaf"], ["leaves.tenant", "leaves.id"], name="memories_leaf"
        ),
        sa.ForeignKeyConstraint(
            ["tenant", "subject"], ["subjects.tenant", "subjects.subject"], name="memories_subject"
        ),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_index("memories_newest", "memories", ["tenant", "subject", "recorded_at", "id"])
    op.create_index("memories_state", "memories", ["tenant", "state", "recorded_at", "id"])
    op.create_index("memories_twins", "memories", ["tenant", "subject", "fingerprint"])
    op.create_index(
        "memories_unindexed",
        "memories",
        ["tenant", "subject", "state", "recorded_at", "id"],
        sqlite_where=sa.text("indexed_version < version"),
        postgresql_where=sa.text("indexed_version < version"),
    )
    op.create_table(
        "outbox",
        sa.Column("place", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant", "id"], ["memories.tenant", "memories.id"], name="outbox_memory"
        ),
        sa.PrimaryKeyConstraint("place"),
        sa.UniqueConstraint("tenant", "id", "version", name="outbox_version"),
    )
    op.create_index("outbox_due", "outbox", ["due_at", "place"])
