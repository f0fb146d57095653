"""What tenants enacted: kept known while a gateway or a command works."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.enacted import Enacted
from gateway.settings import Settings
from guard.detectors import SCREENING
from storage.database import Database
from storage.statutes import SqlStatutes


@asynccontextmanager
async def opened_enacted(settings: Settings, database: Database) -> AsyncIterator[Enacted]:
    """Lend what tenants enacted, read, and read again meanwhile. Raises UnavailableError."""
    section = settings.policy
    enacted = Enacted(
        SqlStatutes(database), SCREENING, section.tenant_seconds, section.tenant_stale_seconds
    )
    await enacted.look()
    running = asyncio.create_task(enacted.run(), name="enacted")
    try:
        yield enacted
    finally:
        running.cancel()
        await asyncio.wait((running,))
