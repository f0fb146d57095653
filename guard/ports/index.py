"""The index: it nominates and decides nothing."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from memory.signals import Blinded
from memory.types import Layer, MemoryId, SubjectMark, TenantId


class Entry(msgspec.Struct, frozen=True):
    """One memory as the index stores it: blinded material (which carries the subject's mark),
    filter labels, and the sealed content. Nothing in it is plain.
    """

    id: MemoryId
    layer: Layer
    blinded: Blinded
    recorded_at: datetime
    occurred_at: datetime | None
    token: bytes


class Probe(msgspec.Struct, frozen=True):
    """What to look for: per route at most `limit` hits, within the layers and time range.

    A route whose part of `blinded` is empty does not run; `time` runs when a bound is given. Who
    reads `contents` from the ledger does without those of the index.
    """

    blinded: Blinded
    layers: tuple[Layer, ...]
    limit: int
    since: datetime | None = None
    until: datetime | None = None
    contents: bool = True


class Hit(msgspec.Struct, frozen=True):
    """One memory that a route found, with the route's own raw score (higher is nearer)."""

    id: MemoryId
    score: float


class Found(msgspec.Struct, frozen=True):
    """Hits by route name (`dense.<vector>`, `keyword`, `entity`, `time`), best first, and the
    sealed content that the index holds for each id in them, where the probe asks for it.
    """

    routes: Mapping[str, tuple[Hit, ...]]
    tokens: Mapping[MemoryId, bytes]


class Index(Protocol):
    """Finds. Per-tenant collections, one per layer; never the truth.

    All methods raise UnavailableError when the engine does not answer in time.
    """

    async def upsert(self, tenant: TenantId, entries: Sequence[Entry]) -> None:
        """Store or replace entries by id, each in the collection of its layer. Idempotent."""
        ...

    async def remove(self, tenant: TenantId, ids: Sequence[MemoryId]) -> None:
        """Remove entries from every layer. Idempotent."""
        ...

    async def search(self, tenant: TenantId, subject: SubjectMark, probe: Probe) -> Found:
        """Run all routes of `probe` in one call, each filtered by subject and layer inside."""
        ...

    async def inventory(
        self, tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        """Return ids in order with the SHA-256 of the content stored, for reconciliation."""
        ...

    async def drop(self, tenant: TenantId) -> None:
        """Remove everything of a tenant. Idempotent."""
        ...

    async def ping(self) -> None:
        """Return when the engine answers; raise UnavailableError when it does not."""
        ...
