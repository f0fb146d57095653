"""Switches a tenant between an index and process memory, entries first (S6).

What is said of a tenant is true at every moment, also when this ends half-way: `sealing` until an
index that nobody writes to any more was seen to be empty, and searches refused until one that is
filled again is whole. Both may be run again at any time.
"""

import asyncio
from typing import Final

from gateway.app.embedding import embedder_of
from gateway.app.enrolling import LedgerDesk
from gateway.app.indexing import opened_index
from gateway.app.keep import opened_keep
from gateway.app.serving import new_id, now
from gateway.auth import operator_principal
from gateway.settings import IndexKind, Settings
from guard.errors import NotFoundError, UnavailableError
from guard.ports import Indexing
from guard.tenants import index_as
from memory.types import MemoryId, TenantId
from storage.registry import SqlRegistry
from storage.repair import Rebuildable, rebuild

_PAGE: Final = 256
_ATTEMPTS: Final = 3


async def seal(settings: Settings, tenant: TenantId) -> int:
    """Remove a tenant's entries from the index for good; return how many there were.

    Raises NotFoundError for an unknown tenant, UnavailableError while a gateway serves from an
    embedded index or when entries come back.
    """
    operator = operator_principal(tenant, now())
    async with opened_keep(settings) as keep:
        desk = LedgerDesk(now, new_id, SqlRegistry(keep.database))
        if await desk.registry.tenant(tenant) is None:
            raise NotFoundError
        dimensions = (await embedder_of(keep.database, settings)).dimensions
        async with opened_index(settings, keep, dimensions, grace_seconds=0.0) as index:
            await index_as(operator, tenant, Indexing.SEALING, desk)
            if settings.index.kind is IndexKind.SERVER:
                # A replica that asked just before may still be writing what it read.
                await asyncio.sleep(settings.auth.registry_seconds + settings.index.timeout_seconds)
            entries = await _count(index.engine, tenant)
            await _emptied(index.engine, tenant)
            await index_as(operator, tenant, Indexing.SEALED, desk)
    return entries


async def unseal(settings: Settings, tenant: TenantId) -> int:
    """Index a tenant's memories again; return how many. Raises like `seal`."""
    operator = operator_principal(tenant, now())
    async with opened_keep(settings) as keep:
        desk = LedgerDesk(now, new_id, SqlRegistry(keep.database))
        if await desk.registry.tenant(tenant) is None:
            raise NotFoundError
        dimensions = (await embedder_of(keep.database, settings)).dimensions
        async with opened_index(settings, keep, dimensions, grace_seconds=0.0) as index:
            # Refused before it is open: else an empty index would answer with silence.
            await index.engine.begin_rebuild(tenant)
            await index_as(operator, tenant, Indexing.OPEN, desk)
            return await rebuild(tenant, keep.outbox, keep.vault, index)


async def _emptied(engine: Rebuildable, tenant: TenantId) -> None:
    for _ in range(_ATTEMPTS):
        await engine.drop(tenant)
        if not await engine.inventory(tenant, None, 1):
            return
    raise UnavailableError("index")


async def _count(engine: Rebuildable, tenant: TenantId) -> int:
    count, after = 0, None
    while page := await engine.inventory(tenant, after, _PAGE):
        count += len(page)
        after = MemoryId(page[-1][0])
    return count
