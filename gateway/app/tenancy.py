"""Administration without a running gateway."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import msgspec

from gateway.app.enacting import opened_enacted
from gateway.app.enrolling import LedgerDesk
from gateway.app.keep import ledger_url, start_keys
from gateway.app.policing import overrides_of, policy_of
from gateway.app.serving import new_id, now
from gateway.settings import Settings
from guard.ports import Clock, NewId
from guard.revoke import Desk as Revoking
from guard.revoke import Revocations
from guard.statutes import InForce, Statutes
from guard.tenants import Desk
from memory.types import TenantId
from policies.load import Override
from policies.model import Policy
from storage.database import Database
from storage.registry import SqlRegistry
from storage.revocations import SqlRevocations
from storage.statutes import SqlStatutes


class RevokingDesk(msgspec.Struct, frozen=True):
    """What revoking needs, over the ledger alone."""

    clock: Clock
    new_id: NewId
    revocations: Revocations


class PolicyDesk(msgspec.Struct, frozen=True):
    """What the doors of a tenant's rules need, over the ledger alone."""

    clock: Clock
    new_id: NewId
    policy: Policy
    overrides: Mapping[TenantId, Override]
    enacted: InForce
    statutes: Statutes


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


@asynccontextmanager
async def policy_desk(settings: Settings) -> AsyncIterator[PolicyDesk]:
    """Lend what changing a tenant's rules needs, over the configured ledger; a gateway may run
    beside it.
    """
    start_keys(settings)
    database = await Database.open(ledger_url(settings))
    try:
        async with opened_enacted(settings, database) as enacted:
            yield PolicyDesk(
                clock=now,
                new_id=new_id,
                policy=policy_of(settings),
                overrides=overrides_of(settings),
                enacted=enacted,
                statutes=SqlStatutes(database),
            )
    finally:
        await database.close()
