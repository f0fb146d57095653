"""Sends each tenant's calls to where its memories are searched: an engine, or process memory (S6).

Before anything is written, the ledger is asked anew which it is: an entry of a sealed tenant in an
engine is what must never be. A search may go by what was so a moment ago, for a wrong place finds
nothing. What empties a sealed tenant empties the engine, too, so that no stray entry stays.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from guard.ports import Entry, Found, Probe
from memory.types import MemoryId, SubjectMark, TenantId
from storage.repair import Rebuildable

IsSealed = Callable[[TenantId], Awaitable[bool]]
"""Whether a tenant may have no index entries."""


class DividedIndex:
    """Fulfils `storage.repair.Rebuildable` over an engine and the index of sealed tenants."""

    def __init__(
        self, engine: Rebuildable, sealed: Rebuildable, now: IsSealed, lately: IsSealed
    ) -> None:
        """`now` asks the ledger; `lately` may be wrong for some seconds after a change."""
        self.engine: Final = engine
        self.sealed: Final = sealed
        self._now = now
        self._lately = lately

    async def upsert(self, tenant: TenantId, entries: Sequence[Entry]) -> None:
        """Store or replace entries by id; of a sealed tenant, none."""
        await (await self._of(tenant)).upsert(tenant, entries)

    async def remove(self, tenant: TenantId, ids: Sequence[MemoryId]) -> None:
        """Remove entries from every layer. Idempotent."""
        await (await self._of(tenant)).remove(tenant, ids)

    async def search(self, tenant: TenantId, subject: SubjectMark, probe: Probe) -> Found:
        """Run all routes of `probe` in one call, each filtered by subject and layer inside."""
        index = self.sealed if await self._lately(tenant) else self.engine
        return await index.search(tenant, subject, probe)

    async def inventory(
        self, tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        """Return ids in order with the SHA-256 of the content stored, for reconciliation."""
        return await (await self._of(tenant)).inventory(tenant, after, limit)

    async def drop(self, tenant: TenantId) -> None:
        """Remove everything of a tenant, wherever it lies. Idempotent."""
        await self.sealed.drop(tenant)
        await self.engine.drop(tenant)

    async def ping(self) -> None:
        """Return when both answer; raise UnavailableError when one does not."""
        await self.sealed.ping()
        await self.engine.ping()

    async def begin_rebuild(self, tenant: TenantId) -> None:
        """Empty the tenant and refuse its searches, durably in an engine, until `end_rebuild`."""
        if await self._now(tenant):
            await self.engine.drop(tenant)
            await self.sealed.begin_rebuild(tenant)
        else:
            await self.engine.begin_rebuild(tenant)

    async def end_rebuild(self, tenant: TenantId) -> None:
        """Serve the tenant's searches again."""
        await (await self._of(tenant)).end_rebuild(tenant)

    def incomplete(self) -> frozenset[TenantId]:
        """Return the tenants that need a rebuild."""
        return self.engine.incomplete() | self.sealed.incomplete()

    async def _of(self, tenant: TenantId) -> Rebuildable:
        return self.sealed if await self._now(tenant) else self.engine
