"""Webhooks of tenants, and what is yet to be posted to them."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_PLACE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("events", sa.String(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("paused", sa.String(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_table(
        "webhook_seals",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
        sa.ForeignKeyConstraint(
            ["tenant", "id"], ["webhooks.tenant", "webhooks.id"], name="webhook_seals_of"
        ),
    )
    op.create_table(
        "posts",
        sa.Column("place", _PLACE, primary_key=True),
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("hook", sa.String(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("dead_at", sa.BigInteger()),
        sa.Column("reason", sa.String(), nullable=False),
        sa.UniqueConstraint("tenant", "hook", "sequence", name="posts_once"),
        sa.ForeignKeyConstraint(
            ["tenant", "hook"], ["webhooks.tenant", "webhooks.id"], name="posts_of"
        ),
    )
    op.create_index("posts_due", "posts", ["dead_at", "due_at"])
    bind = op.get_bind()
    # Background work finds what is due of every tenant; it sees no address and no secret.
    secure(bind, "webhooks", system=("SELECT",))
    secure(bind, "webhook_seals")
    secure(bind, "posts", system=("SELECT", "UPDATE"))
