"""Row-level security and rights on PostgreSQL, for the migrations. Nothing of it is SQLite's.

Each tenant's table gets one policy: a row is visible, and may be written, when its tenant is that
of the transaction (`storage/postgres.py`). It is forced, so that it binds the table's owner too.
Background work that looks across tenants has a scope of its own, and policies for exactly the
commands it needs on the few tables it needs: never on memories.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import Connection, String, inspect, text

from storage.postgres import CURRENT, SCOPE

_WAIT: Final = "SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"
_HURRY: Final = "SET LOCAL lock_timeout = '5s'"
"""A change of a table waits no longer than that for its readers: everybody else waits behind it."""
_EVERYTHING: Final = "SELECT, INSERT, UPDATE, DELETE"
_RIGHTS: Final = {
    "alembic_version": "SELECT",
    # The record is append-only: a gateway can give a leaf its place, and change nothing else of it.
    "leaves": "SELECT, INSERT, UPDATE (sequence, chain)",
    "subjects": "SELECT, INSERT, UPDATE",
    "memories": "SELECT, INSERT, UPDATE",
    "tenants": "SELECT, INSERT, UPDATE",
    # An answer is given once; it can be removed and not become another.
    "answers": "SELECT, INSERT, DELETE",
    # What was taken back stays taken back.
    "revocations": "SELECT, INSERT",
    # What was enacted stays as it was.
    "rulesets": "SELECT, INSERT",
    "enactments": "SELECT, INSERT",
    # Nor does anybody say something else afterwards.
    "turns": "SELECT, INSERT, DELETE",
    "traces": "SELECT, INSERT, DELETE",
    "remarks": "SELECT, INSERT, DELETE",
    "escalations": "SELECT, INSERT, DELETE",
    "decisions": "SELECT, INSERT, DELETE",
    "proposals": "SELECT, INSERT, DELETE",
    # A visit begins and ends, and becomes nobody else's.
    "visits": "SELECT, INSERT, DELETE",
    # What came of what is never untold, and what was barred is told for good.
    "derivations": "SELECT, INSERT",
    "lineages": "SELECT, INSERT",
    "bans": "SELECT, INSERT, UPDATE (lifted_at)",
    "barred": "SELECT, INSERT, DELETE",
    # Recorded once: a gateway can't make the vectors of one model pass for another's.
    "embedders": "SELECT, INSERT",
    # A destroyed key leaves its number behind.
    "tenant_keys": "SELECT, INSERT, UPDATE",
    "subject_keys": "SELECT, INSERT, UPDATE",
}
"""What the gateway's role may do, where that is not everything a table's rows can suffer."""


def take_turn(connection: Connection, name: str) -> None:
    """Wait until nobody else does what `name` says, and hold that to the transaction's end."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(_WAIT), {"name": name})
        connection.exec_driver_sql(_HURRY)


def secure(
    connection: Connection, table: str, *, tenant: str = "tenant", system: Sequence[str] = ()
) -> None:
    """Put a new table under row-level security by its column `tenant`.

    `system` are the commands that background work may run on it across tenants. Texts also get the
    order of their bytes: that of a locale differs from ours, and changes with the C library, which
    silently breaks indexes.
    """
    if connection.dialect.name != "postgresql":
        return
    texts = [
        f'ALTER COLUMN "{column["name"]}" TYPE varchar COLLATE "C"'
        for column in inspect(connection).get_columns(table)
        if isinstance(column["type"], String)
    ]
    mine = f"{tenant} = {CURRENT}"
    across = f"current_setting('{SCOPE}', true) = 'system'"
    statements = [
        f"ALTER TABLE {table} {', '.join(texts)}",
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY {table}_tenant ON {table} USING ({mine}) WITH CHECK ({mine})",
        *(
            f"CREATE POLICY {table}_system_{command.lower()} ON {table}"
            f" FOR {command} USING ({across})"
            for command in system
        ),
    ]
    for statement in statements:
        connection.exec_driver_sql(statement)


def granting(connection: Connection, role: str | None, tables: Iterable[str]) -> None:
    """Grant the gateway's role what it needs of these tables, and nothing that it does not."""
    if role is None or connection.dialect.name != "postgresql":
        return
    quote = connection.dialect.identifier_preparer.quote_identifier
    schema = quote(str(connection.exec_driver_sql("SELECT current_schema()").scalar_one()))
    who = quote(role)
    connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA {schema} TO {who}")
    connection.exec_driver_sql(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {who}")
    for table in tables:
        connection.exec_driver_sql(f"GRANT {_RIGHTS.get(table, _EVERYTHING)} ON {table} TO {who}")
