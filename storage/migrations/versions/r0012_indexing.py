"""Whether an index may have entries of a tenant. Of those from before, it may."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    kept = sa.Column("indexing", sa.String(), nullable=False, server_default="open")
    if op.get_bind().dialect.name == "postgresql":
        kept.type = sa.String(collation="C")
    op.add_column("tenants", kept)
