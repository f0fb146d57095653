"""What a tenant may claim and spend. Tenants from before keep what they had: no bound of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    kept = sa.Column("ceiling", sa.String(), nullable=False, server_default="operator")
    if op.get_bind().dialect.name == "postgresql":
        kept.type = sa.String(collation="C")
    op.add_column("tenants", kept)
    for name in ("tenant_units", "origin_units", "subject_units"):
        op.add_column("tenants", sa.Column(name, sa.BigInteger(), nullable=True))
