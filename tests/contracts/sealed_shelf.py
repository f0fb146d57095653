"""The index of sealed tenants over shelves in memory: what the contract writes is on the shelf."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256

from guard.ports import Entry
from memory.types import Epoch, MemoryId, SubjectMark, TenantId
from storage.sealed import SealedIndex


class Shelf:
    """Fulfils `storage.sealed.Shelves`: entries as the ledger would have them, opened."""

    def __init__(self) -> None:
        self.of: defaultdict[TenantId, dict[MemoryId, tuple[Entry, int]]] = defaultdict(dict)
        self.epochs: Counter[TenantId] = Counter()
        self.opened: list[MemoryId] = []
        """Every entry that was read, in order."""

    def put(self, tenant: TenantId, entries: Sequence[Entry]) -> None:
        """Write the next version of each."""
        shelf = self.of[tenant]
        for entry in entries:
            shelf[entry.id] = (entry, shelf[entry.id][1] + 1 if entry.id in shelf else 1)
        self.epochs[tenant] += 1

    def take(self, tenant: TenantId, ids: Sequence[MemoryId]) -> None:
        """Forget some."""
        for id in ids:
            self.of[tenant].pop(id, None)
        self.epochs[tenant] += 1

    async def epoch(self, tenant: TenantId, subject: SubjectMark) -> Epoch:
        """Return one that moves with every change of the tenant."""
        del subject
        return Epoch(self.epochs[tenant])

    async def versions(self, tenant: TenantId, subject: SubjectMark) -> Mapping[MemoryId, int]:
        """Return the version of each entry of the subject."""
        shelf = self.of[tenant].items()
        return {id: n for id, (entry, n) in shelf if entry.blinded.subject == subject}

    async def entries(
        self, tenant: TenantId, subject: SubjectMark, ids: Sequence[MemoryId]
    ) -> list[Entry]:
        """Return those of `ids` that are there."""
        del subject
        self.opened += ids
        return [self.of[tenant][id][0] for id in ids if id in self.of[tenant]]

    async def inventory(
        self, tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        """Return ids in order, with the digest of their content."""
        ids = sorted(id for id in self.of[tenant] if after is None or id > after)[:limit]
        return [(id, sha256(self.of[tenant][id][0].token).digest()) for id in ids]


class Shelved(SealedIndex):
    """Writes on the shelf what it is told, as the gateway does before it tells an index."""

    def __init__(self, dimensions: Mapping[str, int], bytes_limit: int = 1 << 20) -> None:
        self.shelf = Shelf()
        super().__init__(self.shelf, dimensions, bytes_limit=bytes_limit)

    async def upsert(self, tenant: TenantId, entries: Sequence[Entry]) -> None:
        """Write entries that an index takes."""
        await super().upsert(tenant, entries)
        self.shelf.put(tenant, entries)

    async def remove(self, tenant: TenantId, ids: Sequence[MemoryId]) -> None:
        """Forget entries."""
        await super().remove(tenant, ids)
        self.shelf.take(tenant, ids)

    async def drop(self, tenant: TenantId) -> None:
        """Forget everything of a tenant."""
        await super().drop(tenant)
        self.shelf.take(tenant, list(self.shelf.of[tenant]))
