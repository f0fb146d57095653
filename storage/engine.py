"""Engines for SQL: how a database is opened, and what its transactions begin with.

On both databases the driver's own transaction control is off, and the `begin` hook says what is
meant: what kind of transaction, and in whose scope. `storage/postgres.py` has PostgreSQL's words.

SQLite runs in WAL mode with synchronous FULL, so a commit that returned survives power loss. Its
driver would start transactions by itself, and only at the first write: a read followed by a write
could then fail half way
(https://docs.sqlalchemy.org/en/21/dialects/sqlite.html#sqlite-transactions).
"""

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from memory.types import TenantId
from storage import postgres

BUSY_SECONDS: Final = 5.0
"""How long a write on SQLite waits for another process's; `?timeout=` in the URL overrides it."""


class System(Enum):
    """The scope of background work that looks across tenants. Sees queues and names, no memory."""

    SYSTEM = "system"


SYSTEM: Final = System.SYSTEM
Scope = TenantId | System
"""Whose rows a transaction may touch. On PostgreSQL the database itself holds it to that."""


class Begin(Enum):
    """What a transaction is for."""

    READ = "read"
    """Single statements, each of which sees its own moment."""
    SNAPSHOT = "snapshot"
    """Several reads of one moment."""
    WRITE = "write"


class Pool(msgspec.Struct, frozen=True):
    """How many connections there are at most, and how long anything may take. For PostgreSQL;
    SQLite takes the size alone.
    """

    size: int = 12
    wait_seconds: float = 10.0
    """Until a connection is free; then 503."""
    statement_seconds: float = 10.0
    lock_seconds: float = 3.0
    """For a row that another transaction holds."""


POOL: Final = Pool()

_BEGIN: Final = "memguard_begin"
_SCOPE: Final = "memguard_scope"
_ON_SQLITE: Final[Mapping[Begin, str | None]] = {
    Begin.READ: None,
    Begin.SNAPSHOT: "BEGIN",
    Begin.WRITE: "BEGIN IMMEDIATE",
}
_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA trusted_schema = OFF",
)


def beginning(begin: Begin, scope: Scope) -> dict[str, Any]:
    """Return the execution options of a connection whose transactions begin so."""
    return {_BEGIN: begin, _SCOPE: scope}


def parse(url: str) -> URL:
    """Return `url` in parts, with the driver that is used here.

    Raises ValueError, without quoting it, when it can't hold a ledger.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        # The parser's message would quote the URL, which may hold a password.
        raise ValueError("the database's URL is malformed") from None
    name = parsed.drivername
    if name in ("postgres", "postgresql", postgres.DRIVER):
        return parsed.set(drivername=postgres.DRIVER)
    if name not in ("sqlite", "sqlite+aiosqlite"):
        raise ValueError("the database is neither SQLite nor PostgreSQL")
    if parsed.database in (None, "", ":memory:") or "uri" in parsed.query:
        raise ValueError("the ledger on SQLite needs a file")
    return parsed.set(drivername="sqlite+aiosqlite")


def same_database(one: URL, other: URL) -> bool:
    """Tell whether two URLs name one database, by whatever role."""
    return _where(one) == _where(other)


def _where(url: URL) -> tuple[object, ...]:
    host, port = url.host or url.query.get("host"), url.port or url.query.get("port")
    return url.get_backend_name(), host or "localhost", str(port or 5432), url.database


def is_sqlite(url: URL) -> bool:
    """Tell whether `url` names an SQLite file."""
    return url.get_backend_name() == "sqlite"


def claim_file(url: URL) -> None:
    """Make sure that the SQLite file exists and is its owner's alone; WAL files take its mode."""
    file = Path(str(url.database))
    file.touch(mode=0o600)
    file.chmod(0o600)


def engine_for(url: URL, pool: Pool = POOL) -> AsyncEngine:
    """Return an engine whose transactions begin as their connection's execution options say."""
    size = {"pool_size": pool.size, "max_overflow": 0, "pool_timeout": pool.wait_seconds}
    if not is_sqlite(url):
        arguments = postgres.connecting(
            url, statement_seconds=pool.statement_seconds, lock_seconds=pool.lock_seconds
        )
        engine = create_async_engine(url, hide_parameters=True, connect_args=arguments, **size)
        event.listen(engine.sync_engine, "begin", _begin_on_postgres)
        return engine
    wait = {} if "timeout" in url.query else {"timeout": BUSY_SECONDS}
    engine = create_async_engine(url, hide_parameters=True, connect_args=wait, **size)
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_on_sqlite)
    return engine


def reading_engine(url: URL, size: int) -> Engine:
    """Return an engine for the SQLite file of `url` that reads in the threads of its callers.

    It begins no transaction, so that each statement sees its own moment, and can't write.
    """
    wait = {} if "timeout" in url.query else {"timeout": BUSY_SECONDS}
    engine = create_engine(
        url.set(drivername="sqlite"),
        hide_parameters=True,
        connect_args=wait,
        pool_size=size,
        max_overflow=0,
    )
    event.listen(engine, "connect", _prepare_reading)
    return engine


def scoping(scope: Scope) -> str:
    """Return PostgreSQL's statement that puts the rest of a transaction into a scope."""
    return postgres.scoping(None if isinstance(scope, System) else scope)


def _begin_on_postgres(connection: Connection) -> None:
    options = connection.get_execution_options()
    kind, scope = options.get(_BEGIN), options.get(_SCOPE)
    if kind is None or scope is None:
        raise RuntimeError("a transaction names its scope")
    # One message for both, so that the scope costs no trip of its own.
    connection.exec_driver_sql(f"{postgres.BEGIN[kind.value]}; {scoping(scope)}")


def _begin_on_sqlite(connection: Connection) -> None:
    statement = _ON_SQLITE[connection.get_execution_options().get(_BEGIN, Begin.READ)]
    if statement is not None:
        connection.exec_driver_sql(statement)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    # A text column spoilt from outside must make its own row unreadable, not the whole answer.
    connection.driver_connection.text_factory = _readable
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _prepare_reading(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    connection.text_factory = _readable
    cursor = connection.cursor()
    for pragma in (*_PRAGMAS, "PRAGMA query_only = ON"):
        cursor.execute(pragma)
    cursor.close()


def _readable(value: bytes) -> str:
    return value.decode("utf-8", "replace")
