"""Administration without a running gateway."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from gateway.app.enrolling import LedgerDesk
from gateway.app.keep import ledger_url, start_keys
from gateway.app.serving import new_id, now
from gateway.settings import Settings
from guard.ports import Clock, NewId
from guard.revoke import Desk as Revoking
from guard.revoke import Revocations
from guard.tenants import Desk
from storage.database import Database
from storage.registry import SqlRegistry
from storage.revocations import SqlRevocations


class RevokingDesk(msgspec.Struct, frozen=True):
    """What revoking needs, over the ledger alone."""

    clock: Clock
    new_id: NewId
    revocations: Revocations


@asynccontextmanager
async def registry_desk(settings: Settings) -> AsyncIterator[Desk]:
    """Lend what administration needs, over the configured ledger; a gateway may run beside it."""
    start_keys(settings)
    database = await Database.open(ledger_url(settings))
    try:
        yield LedgerDesk(now, new_id, SqlRegistry(database))
    finally:
        await database.close()


@asynccontextmanager
async def revocation_desk(settings: Settings) -> AsyncIterator[Revoking]:
    """Lend what revoking needs, over the configured ledger; a gateway may run beside it."""
    start_keys(settings)
    database = await Database.open(ledger_url(settings))
    try:
        yield RevokingDesk(now, new_id, SqlRevocations(database))
    finally:
        await database.close()
