"""On PostgreSQL: row-level security by tenant as a second lock, and texts in the order of bytes."""

from alembic import op

from storage.migrations.security import secure

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = op.get_bind()
    secure(connection, "leaves", system=("SELECT",))
    secure(connection, "subjects", system=("SELECT",))
    secure(connection, "memories")
    secure(connection, "outbox", system=("SELECT", "UPDATE"))
    secure(connection, "tenants", tenant="id", system=("SELECT",))
    secure(connection, "clients")
