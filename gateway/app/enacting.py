"""What tenants enacted: known while a gateway or a command works, and an operator's desk for it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import msgspec

from gateway.app.keep import ledger_url, start_keys
from gateway.app.policing import overrides_of, policy_of
from gateway.enacted import Enacted
from gateway.settings import Settings
from guard.detectors import SCREENING
from guard.ports import Clock, NewId
from guard.statutes import InForce, Statutes
from memory.types import TenantId
from policies.load import Override
from policies.model import Policy
from storage.database import Database
from storage.statutes import SqlStatutes


class PolicyDesk(msgspec.Struct, frozen=True):
    """What the doors of a tenant's rules need, over the ledger alone."""

    clock: Clock
    new_id: NewId
    policy: Policy
    overrides: Mapping[TenantId, Override]
    enacted: InForce
    statutes: Statutes


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


@asynccontextmanager
async def policy_desk(settings: Settings, clock: Clock, new_id: NewId) -> AsyncIterator[PolicyDesk]:
    """Lend a desk over the configured ledger; a gateway may run beside it."""
    start_keys(settings)
    database = await Database.open(ledger_url(settings))
    try:
        async with opened_enacted(settings, database) as enacted:
            yield PolicyDesk(
                clock=clock,
                new_id=new_id,
                policy=policy_of(settings),
                overrides=overrides_of(settings),
                enacted=enacted,
                statutes=SqlStatutes(database),
            )
    finally:
        await database.close()
