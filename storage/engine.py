"""Engines for the ledger: how a database is opened, for work and for migration alike.

SQLite runs in WAL mode with synchronous FULL, so a commit that returned survives power loss. Its
driver would start transactions by itself, and only at the first write: a read followed by a write
could then fail half way. So the driver's own control is off and the `begin` hook says what is
meant: nothing for a single read, BEGIN for several reads of one state, BEGIN IMMEDIATE to write
(https://docs.sqlalchemy.org/en/21/dialects/sqlite.html#sqlite-transactions).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

BUSY_SECONDS: Final = 5.0
"""How long a write waits for another process's; `?timeout=` in the URL overrides it."""

_OPTION: Final = "memguard_begin"
SNAPSHOT: Final[Mapping[str, Any]] = {_OPTION: "BEGIN"}
"""Execution options of a transaction whose reads all see one moment."""
WRITE: Final[Mapping[str, Any]] = {_OPTION: "BEGIN IMMEDIATE"}
"""Execution options of a transaction that writes."""

_POOL: Final[Mapping[str, Any]] = {"pool_size": 6, "max_overflow": 6, "pool_timeout": 10.0}
_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA trusted_schema = OFF",
)


def parse(url: str) -> URL:
    """Return `url` in parts. Raises ValueError, without quoting it, when it can't hold a ledger."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        # The parser's message would quote the URL, which may hold a password.
        raise ValueError("the ledger's URL is malformed") from None
    in_memory = parsed.database in (None, "", ":memory:") or "uri" in parsed.query
    if is_sqlite(parsed) and in_memory:
        raise ValueError("the ledger on SQLite needs a file")
    return parsed


def is_sqlite(url: URL) -> bool:
    """Tell whether `url` names an SQLite file."""
    return url.get_backend_name() == "sqlite"


def claim_file(url: URL) -> None:
    """Make sure that the SQLite file exists and is its owner's alone; WAL files take its mode."""
    file = Path(str(url.database))
    file.touch(mode=0o600)
    file.chmod(0o600)


def engine_for(url: URL) -> AsyncEngine:
    """Return an engine whose transactions begin as its execution options say."""
    if not is_sqlite(url):
        return create_async_engine(url, hide_parameters=True, pool_pre_ping=True, **_POOL)
    wait = {} if "timeout" in url.query else {"timeout": BUSY_SECONDS}
    engine = create_async_engine(url, hide_parameters=True, connect_args=wait, **_POOL)
    event.listen(engine.sync_engine, "connect", _prepare)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    # A text column spoilt from outside must make its own row unreadable, not the whole answer.
    connection.driver_connection.text_factory = _readable
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _readable(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get(_OPTION)
    if statement is not None:
        connection.exec_driver_sql(statement)
