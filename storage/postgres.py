"""What is said to PostgreSQL alone: how to connect, how to begin, whose rows are in scope.

Every tenant's table has row-level security, forced on the owner too (`migrations/security.py`). Its
policies compare the row's tenant with `memguard.tenant`, a setting that each transaction makes for
itself and that ends with it: a connection that is handed on, by our pool or another, carries no
scope along, and a transaction without one sees nothing.
"""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.errors import InvalidError

DRIVER: Final = "postgresql+psycopg"
TENANT: Final = "memguard.tenant"
SCOPE: Final = "memguard.scope"
CURRENT: Final = f"substr(NULLIF(current_setting('{TENANT}', true), ''), 2)"
"""The tenant in scope, in SQL: its name after a mark, so that unset is not the platform's own empty
name, and NULL when none is set, which equals nothing."""
_MARK: Final = "="
BEGIN: Final[Mapping[str, str]] = {
    "read": "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY",
    "snapshot": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "write": "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
}

_CONNECT_SECONDS: Final = 5
_SILENT_SECONDS: Final = 15
_IDLE_SECONDS: Final = 15
"""Until a transaction that says nothing is ended: its process hangs, and its locks must not."""
_BEATEN: Final = frozenset({"40001", "40P01"})
_DENIED: Final = "42501"
_REFUSER: Final = "aclcheck_error"
"""Serialisation failure and deadlock: nothing was written, and the next attempt may succeed."""


def connecting(url: URL, *, statement_seconds: float, lock_seconds: float) -> dict[str, Any]:
    """Return the connection's arguments; what the URL says itself wins."""
    times = {
        "statement_timeout": statement_seconds,
        "lock_timeout": lock_seconds,
        "idle_in_transaction_session_timeout": _IDLE_SECONDS,
    }
    options = "".join(f" -c {name}={int(1000 * seconds)}" for name, seconds in times.items())
    said = url.query.get("options", "")
    ours = {
        "connect_timeout": _CONNECT_SECONDS,
        "application_name": "memguard",
        "client_encoding": "utf8",
        # A host that vanished without a word: the kernel gives up, not the caller's patience.
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 1000 * _SILENT_SECONDS,
    }
    return {name: value for name, value in ours.items() if name not in url.query} | {
        "options": f"{said if isinstance(said, str) else ' '.join(said)}{options}",
        # The `begin` hook begins, the driver ends.
        "autocommit": True,
    }


def scoping(tenant: str | None) -> str:
    """Return the statement that puts the rest of a transaction into a tenant's scope, or, for
    None, into that of background work.
    """
    if tenant is None:
        return f"SELECT set_config('{TENANT}', '', true), set_config('{SCOPE}', 'system', true)"
    # In hexadecimal: there is nothing in it to escape, and so nothing to escape from.
    name = f"convert_from('\\x{(_MARK + tenant).encode().hex()}', 'UTF8')"
    return f"SELECT set_config('{TENANT}', {name}, true), set_config('{SCOPE}', '', true)"


def is_beaten(error: BaseException | None) -> bool:
    """Tell whether the database chose this transaction to give way to another."""
    if not isinstance(error, DBAPIError):
        return False
    return getattr(error.orig, "sqlstate", None) in _BEATEN


def is_denied(error: BaseException | None) -> bool:
    """Tell whether this role was never granted what it asked for.

    A row that row-level security refuses has the same code and is another matter: a fault of ours.
    It is told by the function that refused, since messages are translated.
    """
    if not isinstance(error, DBAPIError) or getattr(error.orig, "sqlstate", None) != _DENIED:
        return False
    return getattr(getattr(error.orig, "diag", None), "source_function", None) == _REFUSER


def is_lost(error: BaseException | None) -> bool:
    """Tell whether the connection broke in the middle."""
    return isinstance(error, DBAPIError) and error.connection_invalidated


_UNSAFE: Final = text(
    "SELECT (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user),"
    " current_setting('synchronous_commit') = 'off', current_setting('server_encoding') <> 'UTF8'"
)


async def refuse_unsafe(connection: AsyncConnection) -> None:
    """Raise InvalidError for a database whose promises are less than ours."""
    bypasses, forgets, narrow = (await connection.execute(_UNSAFE)).one()
    if bypasses:
        raise InvalidError("storage: this database role bypasses row-level security")
    if forgets:
        raise InvalidError("storage: synchronous_commit is off: a commit could be lost")
    if narrow:
        raise InvalidError("storage: the database's encoding is not UTF8")
