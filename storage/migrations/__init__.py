"""Bring a ledger to the schema this code knows, with Alembic, from inside the process."""

import asyncio
import threading
from functools import cache
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

# Their tables are granted like the others.
import storage.origin_tables
import storage.review_tables
import storage.statute_tables
import storage.webhook_tables  # noqa: F401
from guard.errors import UnavailableError
from storage.engine import SYSTEM, Begin, Pool, beginning, claim_file, engine_for, is_sqlite, parse
from storage.migrations.security import granting, take_turn
from storage.tables import METADATA

# Alembic works through module-level proxies, so one process can run one migration at a time.
_ONE_AT_A_TIME: Final = threading.Lock()
_PATIENT: Final = Pool(size=1, statement_seconds=0, lock_seconds=120)
"""A migration takes as long as it takes, and waits for another that is at work."""


async def migrate(url: str, role: str | None = None) -> str:
    """Create or upgrade the ledger at `url` in one transaction and return its revision.

    Does nothing to one that is up to date. On PostgreSQL the URL's role becomes the owner, and
    `role` is granted what a gateway needs. Raises UnavailableError for a ledger that a newer
    version wrote, and when the database does not answer.
    """
    return await asyncio.to_thread(_migrate_alone, url, role)


@cache
def head_revision() -> str:
    """Return the revision that this code works with."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise RuntimeError("no migrations are installed")
    return head


def revision_of(connection: Connection) -> str | None:
    """Return the revision of the database, None when it has none."""
    return MigrationContext.configure(connection).get_current_revision()


def _migrate_alone(url: str, role: str | None) -> str:
    with _ONE_AT_A_TIME:
        # A loop of its own: any async driver works, and the gateway's loop is not held up.
        return asyncio.run(_migrate(url, role))


async def _migrate(url: str, role: str | None) -> str:
    parsed = parse(url)
    try:
        if is_sqlite(parsed):
            claim_file(parsed)
        engine = engine_for(parsed, _PATIENT)
        try:
            async with engine.connect() as connection:
                await connection.execution_options(**beginning(Begin.WRITE, SYSTEM))
                async with connection.begin():
                    await connection.run_sync(take_turn, "migration")
                    await connection.run_sync(_upgrade)
                    await connection.run_sync(granting, role, [*METADATA.tables, _VERSIONS])
        finally:
            await engine.dispose()
    except (DBAPIError, OSError) as error:
        raise UnavailableError("ledger") from error
    return head_revision()


_VERSIONS: Final = "alembic_version"


def _upgrade(connection: Connection) -> None:
    current = revision_of(connection)
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if current is not None and current not in known:
        raise UnavailableError("migrations: this ledger needs a newer version of Memguard")
    if current != head_revision():
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
