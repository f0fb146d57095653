"""What was derived from what, which origins are barred, and indexes by which origins are found.

Derivations from before are sealed in the memories; they are read when somebody asks for them.
"""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "derivations",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("parent", sa.String(), nullable=False),
        sa.Column("child", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "parent", "child"),
    )
    op.create_index("derivations_child", "derivations", ["tenant", "child", "parent"])
    op.create_table(
        "lineages",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "subject"),
    )
    op.create_table(
        "bans",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("lifted_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_table(
        "barred",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("ban", sa.String(), nullable=False),
        sa.Column("memory", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "ban", "memory"),
    )
    op.create_index("barred_memory", "barred", ["tenant", "memory"])
    for table in ("derivations", "lineages", "bans", "barred"):
        secure(op.get_bind(), table)
    for name, columns in (("source", ()), ("session", ()), ("client", ("origin",))):
        every = ["tenant", name, *columns, "recorded_at", "state"]
        op.create_index(f"memories_by_{name}", "memories", every)
