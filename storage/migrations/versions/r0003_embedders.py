"""Which embedder made the vectors of this ledger. Until now there was one that could have."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "embedders",
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("dimensions", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("place"),
    )
    op.execute(
        """INSERT INTO embedders (place, name, dimensions)
        SELECT 'current', 'packaged-minilm-use@1', '{"en"\\:384,"multi"\\:512}'
        WHERE EXISTS (SELECT 1 FROM memories)"""
    )
