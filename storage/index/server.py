"""The Index port on a Qdrant server: for several gateways, and for more than one machine holds.

Many gateways use one server. So what must hold for all of them lies on the server: whether it is
whole (`Ground`), and which tenant is being rebuilt, by a marker point that every search asks for in
the same request as its hits.
"""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from qdrant_client import AsyncQdrantClient, models

from guard.errors import UnavailableError
from guard.ports import Clock, Entry, Found, Hit, NewId, Probe
from memory.types import INDEXED_LAYERS, Layer, MemoryId, SubjectMark, TenantId
from storage.index import entries as accepted
from storage.index import queries, wire
from storage.index.credentials import Right
from storage.index.ground import Ground
from storage.index.placement import Place, Placement
from storage.index.queries import Rebuild
from storage.index.transport import MissingError, RefusedError, Transport

_BATCH: Final = 64
_PAGE: Final = 256
_ABANDONED: Final = 60 * 1_000_000
"""Microseconds without a sign after which a rebuild counts as abandoned, and another begins."""

T = TypeVar("T")


class ServerIndex:
    """Finds, on a Qdrant server that is shared with other gateways."""

    def __init__(
        self,
        transport: Transport,
        placement: Placement,
        ground: Ground,
        dimensions: Mapping[str, int],
        *,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._transport = transport
        self._placement = placement
        self._ground = ground
        self._dimensions = dimensions
        self._clock = clock
        self._new_id = new_id
        self._rebuilds: dict[TenantId, str] = {}

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def incomplete(self) -> frozenset[TenantId]:
        """Return the tenants that this gateway knows to need a rebuild."""
        return frozenset(self._ground.incomplete)

    async def upsert(self, tenant: TenantId, entries: Sequence[Entry]) -> None:
        """Store or replace entries by id, each in the collection of its layer. Idempotent."""
        points = [accepted.point(entry, self._dimensions) for entry in entries]
        place = await self._place(tenant)
        if tenant in self._ground.incomplete and tenant not in self._rebuilds:
            # What lacks the rest must not begin to look whole; the rebuild brings these as well.
            raise UnavailableError("index")
        if points:
            await self._ground.prepare(place.collections.values())
        for start in range(0, len(points), _BATCH):
            part = points[start : start + _BATCH]
            await _all(self._store(tenant, place, layer, part) for layer in INDEXED_LAYERS)

    async def _store(
        self, tenant: TenantId, place: Place, layer: Layer, points: Sequence[wire.Point]
    ) -> None:
        here = [queries.point(place, point) for point in points if point.layer is layer]
        moved = [point.id for point in points if point.layer is not layer]
        operations: list[models.UpdateOperation] = []
        if here:
            operations.append(queries.stored(place, here))
        if moved:
            operations.append(queries.removed(place, moved))
        if tenant in self._rebuilds:
            operations.append(queries.beaten(place, self._sign(tenant)))
        try:
            await self._update(place.collections[layer], operations)
        except MissingError:
            await self._ground.lost(tenant, place.collections[layer])
            raise UnavailableError("index") from None

    async def remove(self, tenant: TenantId, ids: Sequence[MemoryId]) -> None:
        """Remove entries from every layer. Idempotent."""
        checked = [accepted.memory_id(id) for id in ids]
        place = await self._place(tenant)
        for start in range(0, len(checked), _BATCH):
            removal = queries.removed(place, checked[start : start + _BATCH])
            await self._everywhere(place, removal)

    async def search(self, tenant: TenantId, subject: SubjectMark, probe: Probe) -> Found:
        """Run all routes of `probe` in one call, each filtered by subject and layer inside.

        Layers are collections: one request for each, at the same time.
        """
        ask = accepted.search(tenant, subject, probe, self._dimensions)
        names = accepted.routes(ask)
        if not names or not ask.layers or ask.limit < 1:
            return Found(dict.fromkeys(names, ()), {})
        place = await self._place(tenant)
        if tenant in self._ground.incomplete:
            # Half an index would answer with silence; the ledger can answer meanwhile (R11).
            raise UnavailableError("index")
        self._transport.require()  # before the work of asking: a dead server costs no time
        requests = queries.batch(place, ask)
        layers = await _all(self._ask(tenant, place, one, ask, requests) for one in ask.layers)
        best = {name: queries.best(layers, name, ask.limit) for name in names}
        tokens = {id: token for layer in layers for id, token in layer.tokens.items()}
        found = {hit.id for hits in best.values() for hit in hits}
        return Found(
            {name: tuple(Hit(hit.id, hit.score) for hit in hits) for name, hits in best.items()},
            {id: token for id, token in tokens.items() if id in found},
        )

    async def _ask(
        self,
        tenant: TenantId,
        place: Place,
        layer: Layer,
        ask: wire.Search,
        requests: Mapping[str, models.QueryRequest],
    ) -> queries.Layered:
        name = place.collections[layer]
        searches = models.QueryRequestBatch(searches=list(requests.values()))

        async def send(client: AsyncQdrantClient, seconds: int) -> queries.Layered:
            # The client's own method copies all of it first, which costs more than the rest.
            answer = await client.http.search_api.query_batch_points(
                name, timeout=seconds, query_request_batch=searches
            )
            return queries.read(place, ask, list(requests), answer.result or ())

        try:
            layered = await self._transport.call(name, Right.READ, send)
        except MissingError:
            await self._absent(tenant, name)
            return queries.NOTHING
        except RefusedError:
            # Between its making and its payload indexes strict mode refuses every filter.
            if await self._ground.is_unfinished(name):
                return queries.NOTHING
            raise
        if layered.rebuild is not None:
            if self._now() - layered.rebuild.beat > _ABANDONED:
                self._ground.incomplete.add(tenant)
            raise UnavailableError("index")
        return layered

    async def inventory(
        self, tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        """Return ids in order with the SHA-256 of the content stored, for reconciliation."""
        after = None if after is None else accepted.memory_id(after)
        place = await self._place(tenant)
        layers = await _all(self._walk(tenant, place, one, after, limit) for one in INDEXED_LAYERS)
        return sorted(item for layer in layers for item in layer)[: max(limit, 0)]

    async def _walk(
        self, tenant: TenantId, place: Place, layer: Layer, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        name = place.collections[layer]
        within, shown = queries.listing(place)
        offset: Any = after
        walked: list[tuple[MemoryId, bytes]] = []

        async def send(
            client: AsyncQdrantClient, seconds: int
        ) -> tuple[list[models.Record], models.ExtendedPointId | None]:
            return await client.scroll(
                name,
                within,
                min(limit - len(walked) + 1, _PAGE),
                offset=offset,
                with_payload=shown,
                timeout=seconds,
            )

        while len(walked) < limit:
            try:
                records, offset = await self._transport.call(name, Right.READ, send)
            except MissingError:
                await self._absent(tenant, name)
                return []
            walked += [item for item in queries.listed(place, records) if item[0] != after]
            if offset is None:
                break
        return walked[:limit]

    async def drop(self, tenant: TenantId) -> None:
        """Remove everything of a tenant. Idempotent."""
        place = await self._place(tenant)
        if self._placement.shared:
            await self._everywhere(place, queries.dropped(place))
        else:
            await _all(self._ground.remove(name) for name in place.collections.values())
        self._rebuilds.pop(tenant, None)
        await self._ground.whole(tenant)

    async def ping(self) -> None:
        """Return when the engine answers; raise UnavailableError when it does not."""
        await self._ground.prove()

    async def begin_rebuild(self, tenant: TenantId) -> None:
        """Empty the tenant and refuse its searches, durably, until `end_rebuild`.

        The newest rebuild is the one that counts: an older one may go on and ends nothing.
        """
        place = await self._place(tenant)
        self._ground.incomplete.add(tenant)
        self._rebuilds[tenant] = self._new_id()
        await self._ground.prepare(place.collections.values())
        marker = queries.marker(place, self._sign(tenant))
        await self._everywhere(place, queries.stored(place, [marker]), queries.emptied(place))

    async def end_rebuild(self, tenant: TenantId) -> None:
        """Serve the tenant's searches again. Raises UnavailableError for one that did not begin."""
        if tenant not in self._rebuilds:
            raise UnavailableError("index")
        place = await self._place(tenant)
        await self._everywhere(place, queries.ended(place, self._sign(tenant)))
        del self._rebuilds[tenant]
        await self._ground.whole(tenant)

    def _sign(self, tenant: TenantId) -> Rebuild:
        return Rebuild(self._rebuilds[tenant], self._now())

    def _now(self) -> int:
        return wire.micros(self._clock())

    async def _place(self, tenant: TenantId) -> Place:
        await self._ground.reach()
        return await self._placement.of(tenant)

    async def _absent(self, tenant: TenantId, collection: str) -> None:
        """Return when the collection was never there. Raises UnavailableError when it was lost."""
        if self._ground.has_seen(collection):
            await self._ground.lost(tenant, collection)
            raise UnavailableError("index")

    async def _everywhere(self, place: Place, *operations: models.UpdateOperation) -> None:
        """Do this in every layer; what is not there is passed over."""

        async def there(name: str) -> None:
            try:
                await self._update(name, operations)
            except MissingError:
                return

        await _all(there(name) for name in place.collections.values())

    async def _update(self, name: str, operations: Sequence[models.UpdateOperation]) -> None:
        async def send(client: AsyncQdrantClient, seconds: int) -> None:
            answer = await client.http.points_api.batch_update(
                name, wait=True, timeout=seconds, update_operations=updates
            )
            results = answer.result or ()
            done = [result.status is models.UpdateStatus.COMPLETED for result in results]
            if done != [True] * len(operations):
                raise TimeoutError  # it was taken, and is not yet done

        if operations:
            updates = models.UpdateOperations(operations=list(operations))
            await self._transport.call(name, Right.WRITE, send)


async def _all(calls: Iterable[Awaitable[T]]) -> list[T]:
    """Await all, then raise the first error: no call goes on behind the caller's back."""
    results: list[T] = []
    for result in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
        results.append(result)
    return results
