"""Versions of tenants' own rules, and the history of which of them held."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.security import secure

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rulesets",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("client", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("comment", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "number"),
    )
    op.create_table(
        "enactments",
        sa.Column("tenant", sa.String(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("back", sa.BigInteger(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "place"),
    )
    op.create_index("enactments_at", "enactments", ["at"])
    secure(op.get_bind(), "rulesets")
    # Each gateway reads what was enacted of every tenant, to know it before it has to decide.
    secure(op.get_bind(), "enactments", system=("SELECT",))
