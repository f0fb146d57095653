"""Administration without a running gateway."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.app.enrolling import LedgerDesk
from gateway.app.keep import ledger_url, start_keys
from gateway.app.serving import new_id, now
from gateway.settings import Settings
from guard.tenants import Desk
from storage.database import Database
from storage.registry import SqlRegistry


@asynccontextmanager
async def registry_desk(settings: Settings) -> AsyncIterator[Desk]:
    """Lend what administration needs, over the configured ledger; a gateway may run beside it."""
    start_keys(settings)
    database = await Database.open(ledger_url(settings))
    try:
        yield LedgerDesk(now, new_id, SqlRegistry(database))
    finally:
        await database.close()
