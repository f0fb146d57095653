"""What Alembic runs around the versions: always online, on the connection `migrate` hands over."""

from alembic import context

from storage.tables import METADATA

# `migrate` has opened the transaction, so that all versions of one upgrade land together.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
)
context.run_migrations()
