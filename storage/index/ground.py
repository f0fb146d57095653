"""What must be there before anything is looked for: the server's age, its collections, their whole.

A server that was emptied, or never filled, answers every search with silence. So one collection,
made last, says that all tenants of the ledger have been indexed here and for which vectors. While
it is not there every tenant waits for a rebuild, which the follower does by itself; it also is how
an installation moves from the embedded index to a server.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final

from qdrant_client import AsyncQdrantClient, models

from guard.errors import UnavailableError
from memory.types import TenantId
from storage.index.credentials import Right
from storage.index.placement import Placement, create, fits, indexes
from storage.index.transport import MissingError, StandsError, Transport

_OLDEST: Final = (1, 20)
"""Older servers ignore the corpus of a term's rarity and would count it over all subjects (R1)."""

Tenants = Callable[[], Awaitable[Sequence[TenantId]]]
"""Every tenant that has something to index."""


class Ground:
    """Knows what is on the server, and which tenants are not whole on it."""

    def __init__(
        self,
        transport: Transport,
        placement: Placement,
        dimensions: Mapping[str, int],
        tenants: Tenants,
    ) -> None:
        self._transport = transport
        self._placement = placement
        self._dimensions = dimensions
        self._tenants = tenants
        self._seen: set[str] = set()
        self._reached: int | None = None
        self._waiting: set[TenantId] | None = None
        self._making = asyncio.Lock()
        self.incomplete: set[TenantId] = set()

    def has_seen(self, collection: str) -> bool:
        """Say whether the collection has been there since the server was reached."""
        return collection in self._seen

    async def is_unfinished(self, collection: str) -> bool:
        """Say whether the collection is only being made: nothing can have been stored in it yet."""
        if collection in self._seen:
            return False
        info = await self._info(collection)
        needed = indexes(shared=self._placement.shared).keys()
        return info is None or not needed <= info.payload_schema.keys()

    async def reach(self) -> None:
        """Return when the server can be used. Looks once, and again after an outage.

        Raises UnavailableError for a server that is too old, or filled for other vectors.
        """
        if self._reached != self._transport.reopenings:
            await self.prove()

    async def prove(self) -> None:
        """Look at the server now. Raises UnavailableError like `reach`."""
        async with self._making:
            version = await self._transport.call(self._placement.about, Right.READ, _version)
            if version < _OLDEST:
                raise UnavailableError("index: the server is older than 1.20")
            info = await self._info(self._placement.about)
            if info is None:
                if self._waiting is None or self._reached != self._transport.reopenings:
                    await self._start_over()
            elif not fits(info, self._dimensions):
                raise UnavailableError("index: built for other vectors")
            self._reached = self._transport.reopenings

    async def prepare(self, collections: Iterable[str]) -> None:
        """Return when the collections are there, with all that searches need. Idempotent."""
        for name in collections:
            if name not in self._seen:
                async with self._making:
                    await self._make(name)

    async def remove(self, collection: str) -> None:
        """Remove a collection with all that is in it. Idempotent."""

        async def send(client: AsyncQdrantClient, seconds: int) -> None:
            await client.delete_collection(collection, timeout=seconds)

        self._seen.discard(collection)
        try:
            await self._transport.call(collection, Right.MANAGE, send)
        except MissingError:
            return

    async def lost(self, tenant: TenantId, collection: str) -> None:
        """Remember that a collection vanished: whoever was in it waits for a rebuild."""
        self.incomplete.add(tenant)
        if self._placement.shared:
            # While this fails the collection counts as seen, so that it is noticed again.
            await self.remove(self._placement.about)
            async with self._making:
                await self._start_over()
        self._seen.discard(collection)

    async def whole(self, tenant: TenantId) -> None:
        """Note that the tenant is whole; when the last one is, say so on the server."""
        self.incomplete.discard(tenant)
        if self._waiting is None:
            return
        self._waiting.discard(tenant)
        if not self._waiting:
            async with self._making:
                await self._finish()

    async def _start_over(self) -> None:
        self._seen.clear()
        self._waiting = set(await self._tenants())
        self.incomplete |= self._waiting
        if not self._waiting:
            await self._finish()

    async def _finish(self) -> None:
        await self._make(self._placement.about)
        self._waiting = None

    async def _make(self, name: str) -> None:
        if name in self._seen:
            return
        info = await self._info(name)
        if info is None:
            await self._create(name)
        elif not fits(info, self._dimensions):
            raise UnavailableError("index: built for other vectors")
        there = {} if info is None else info.payload_schema
        for field, schema in indexes(shared=self._placement.shared).items():
            if field not in there:
                await self._index(name, field, schema)
        self._seen.add(name)

    async def _info(self, name: str) -> models.CollectionInfo | None:
        async def send(client: AsyncQdrantClient, _seconds: int) -> models.CollectionInfo:
            return await client.get_collection(name)

        try:
            return await self._transport.call(name, Right.READ, send)
        except MissingError:
            return None

    async def _create(self, name: str) -> None:
        async def send(client: AsyncQdrantClient, seconds: int) -> None:
            await create(client, name, self._dimensions, seconds)

        try:
            await self._transport.call(name, Right.MANAGE, send)
        except StandsError:
            return  # another gateway was quicker, or an attempt that seemed to fail

    async def _index(self, name: str, field: str, schema: models.PayloadSchemaParams) -> None:
        async def send(client: AsyncQdrantClient, seconds: int) -> None:
            await client.create_payload_index(name, field, schema, wait=True, timeout=seconds)

        await self._transport.call(name, Right.MANAGE, send)


async def _version(client: AsyncQdrantClient, _seconds: int) -> tuple[int, ...]:
    """Return the server's version without its patch level."""
    told = await client.info()
    return tuple(int(part) for part in told.version.split(".")[:2])
