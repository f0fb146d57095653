"""The index of sealed tenants: no entries anywhere, exact search in process memory (S6).

Their search material lies sealed in the ledger and nowhere else. A subject's is opened when he
asks, kept in memory while it is in use, and read again as far as it changed when his epoch has
moved. What goes is overwritten: when room is needed, when nobody asked for a while, when a memory
is removed, and when the process ends in order.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from guard.errors import UnavailableError
from guard.ports import Entry, Found, Probe
from memory.types import Epoch, MemoryId, SubjectMark, TenantId
from storage.index import entries as accepted
from storage.index import wire
from storage.sealed_matrix import Matrix

_Key = tuple[TenantId, SubjectMark]
_THREAD_ROWS: Final = 2000
"""From here on a search is worth a thread."""
_BATCH: Final = 64
"""Memories opened before others get a turn."""
_FLOAT_BYTES: Final = 4


class Shelves(Protocol):
    """Where search material lies sealed: the ledger, asked by how an index knows a subject.

    All methods raise UnavailableError when it does not answer, or when nobody knows the mark.
    """

    async def epoch(self, tenant: TenantId, subject: SubjectMark) -> Epoch:
        """Return the subject's epoch: while it stays, so does everything below."""
        ...

    async def versions(self, tenant: TenantId, subject: SubjectMark) -> Mapping[MemoryId, int]:
        """Return the version of each active memory of the subject."""
        ...

    async def entries(
        self, tenant: TenantId, subject: SubjectMark, ids: Sequence[MemoryId]
    ) -> list[Entry]:
        """Return, opened, those of `ids` that are the subject's, active, and whole."""
        ...

    async def inventory(
        self, tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        """Return ids of active memories in order, with the digest of their content."""
        ...


class _Loaded:
    """A subject's matrix, the epoch it was read at, and when it was last asked."""

    def __init__(self, epoch: Epoch, matrix: Matrix, used: float) -> None:
        self.epoch, self.matrix, self.used = epoch, matrix, used


class SealedIndex:
    """Fulfils `storage.repair.Rebuildable`, keeping nothing: `upsert` only looks at what comes."""

    def __init__(
        self,
        shelves: Shelves,
        dimensions: Mapping[str, int],
        *,
        bytes_limit: int,
        load_seconds: float = 5.0,
        idle_seconds: float = 600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._shelves = shelves
        self._dimensions = dimensions
        self._bytes_limit = bytes_limit
        self._load_seconds = load_seconds
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._loaded: OrderedDict[_Key, _Loaded] = OrderedDict()
        self._loading: dict[_Key, asyncio.Task[None]] = {}
        self._removed: dict[_Key, set[MemoryId]] = {}
        self._incomplete: set[TenantId] = set()

    @property
    def size(self) -> int:
        """How much memory all matrices take, about."""
        return sum(one.matrix.size for one in self._loaded.values())

    @property
    def subjects(self) -> int:
        """Of how many subjects there are vectors in memory."""
        return len(self._loaded)

    async def upsert(self, tenant: TenantId, entries: Sequence[Entry]) -> None:
        """Refuse what no index takes. The ledger has the rest already."""
        del tenant
        for entry in entries:
            accepted.point(entry, self._dimensions)
        self._sweep()

    async def remove(self, tenant: TenantId, ids: Sequence[MemoryId]) -> None:
        """Overwrite entries in memory at once, also those that are being read just now."""
        gone = {accepted.memory_id(id) for id in ids}
        for key, one in list(self._loaded.items()):
            if key[0] == tenant and not gone.isdisjoint(one.matrix.ids):
                left = {id: v for id, v in one.matrix.versions.items() if id not in gone}
                self._put(key, _Loaded(one.epoch, one.matrix.changed(left, ()), one.used))
        for key, removed in self._removed.items():
            if key[0] == tenant:
                removed.update(gone)
        self._sweep()

    async def search(self, tenant: TenantId, subject: SubjectMark, probe: Probe) -> Found:
        """Run all routes of `probe` over what the ledger has of this subject now."""
        ask = accepted.search(tenant, subject, probe, self._dimensions)
        if tenant in self._incomplete:
            raise UnavailableError("index")
        names = accepted.routes(ask)
        if not names or not ask.layers or ask.limit < 1:
            return Found(dict.fromkeys(names, ()), {})
        with await self._fresh((tenant, subject)) as matrix:
            if len(matrix.ids) < _THREAD_ROWS:
                return matrix.search(ask)
            return await asyncio.to_thread(matrix.search, ask)

    async def inventory(
        self, tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        """Return what a search would look through: what the ledger has."""
        after = None if after is None else accepted.memory_id(after)
        return await self._shelves.inventory(tenant, after, limit)

    async def drop(self, tenant: TenantId) -> None:
        """Overwrite everything of a tenant in memory. Idempotent."""
        for key in [key for key in (*self._loaded, *self._loading) if key[0] == tenant]:
            self._forget(key)
        self._incomplete.discard(tenant)

    async def ping(self) -> None:
        """Return: it answers whenever the ledger does. Lets go of what nobody asks for."""
        self._sweep()

    async def begin_rebuild(self, tenant: TenantId) -> None:
        """Overwrite the tenant in memory and refuse its searches until `end_rebuild`."""
        await self.drop(tenant)
        self._incomplete.add(tenant)

    async def end_rebuild(self, tenant: TenantId) -> None:
        """Serve the tenant's searches again."""
        self._incomplete.discard(tenant)

    def incomplete(self) -> frozenset[TenantId]:
        """Return the tenants that are being rebuilt; called often, so idle ones go here, too."""
        self._sweep()
        return frozenset(self._incomplete)

    async def close(self) -> None:
        """Overwrite everything."""
        for key in (*self._loaded, *self._loading):
            self._forget(key)

    async def _fresh(self, key: _Key) -> Matrix:
        """Return the subject's matrix, no older than this call."""
        epoch = await self._shelves.epoch(*key)
        found = self._loaded.get(key)
        if found is not None and found.epoch >= epoch:
            self._loaded.move_to_end(key)
            found.used = self._clock()
            return found.matrix
        try:
            async with asyncio.timeout(self._load_seconds):
                return await self._read(key, epoch)
        except TimeoutError:
            # It goes on being read, for whoever asks next; the ledger answers meanwhile (R11).
            raise UnavailableError("index") from None

    async def _read(self, key: _Key, epoch: Epoch) -> Matrix:
        while True:
            task = self._loading.get(key)
            if task is None:
                task = asyncio.create_task(self._load(key), name="sealed index")
                self._loading[key] = task
                task.add_done_callback(lambda done: self._ended(key, done))
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError:
                if task.cancelled():
                    raise UnavailableError("index") from None
                raise
            found = self._loaded.get(key)
            # Who joins a reading that began before his own write has it read once more.
            if found is not None and found.epoch >= epoch:
                return found.matrix

    async def _load(self, key: _Key) -> None:
        removed = self._removed[key] = set()
        epoch = await self._shelves.epoch(*key)
        versions = dict(await self._shelves.versions(*key))
        if len(versions) * self._row_bytes() > self._bytes_limit:
            self._forget_loaded(key)
            raise UnavailableError("index")
        known = self._loaded.get(key)
        has = {} if known is None else known.matrix.versions
        stale = [id for id, version in versions.items() if has.get(id) != version]
        points: list[wire.Point] = []
        for start in range(0, len(stale), _BATCH):
            batch = await self._shelves.entries(*key, stale[start : start + _BATCH])
            # Under another mark it is not what this subject's question can be compared with.
            own = [entry for entry in batch if entry.blinded.subject == key[1]]
            points += [accepted.point(entry, self._dimensions) for entry in own]
            await asyncio.sleep(0)
        # What was removed while it was read must not come back.
        left = {id: version for id, version in versions.items() if id not in removed}
        points = [point for point in points if point.id in left]
        known = self._loaded.get(key)
        before = Matrix((), {}) if known is None else known.matrix
        self._put(key, _Loaded(epoch, before.changed(left, points), self._clock()))
        self._sweep(keep=key)
        if key not in self._loaded:
            raise UnavailableError("index")

    def _ended(self, key: _Key, task: asyncio.Task[None]) -> None:
        if self._loading.get(key) is task:
            del self._loading[key]
            self._removed.pop(key, None)
        if not task.cancelled():
            task.exception()  # everybody who waited may have left

    def _put(self, key: _Key, loaded: _Loaded) -> None:
        before = self._loaded.get(key)
        self._loaded[key] = loaded
        if before is not None and before.matrix is not loaded.matrix:
            before.matrix.wipe()
        self._loaded.move_to_end(key)

    def _sweep(self, keep: _Key | None = None) -> None:
        """Overwrite what nobody asked for of late, and the oldest until all fits."""
        now = self._clock()
        for key, one in list(self._loaded.items()):
            if key != keep and now - one.used >= self._idle_seconds:
                self._forget_loaded(key)
        while self._loaded and self.size > self._bytes_limit:
            self._forget_loaded(next(iter(self._loaded)))

    def _forget(self, key: _Key) -> None:
        task = self._loading.pop(key, None)
        if task is not None:
            task.cancel()
        self._forget_loaded(key)

    def _forget_loaded(self, key: _Key) -> None:
        found = self._loaded.pop(key, None)
        if found is not None:
            found.matrix.wipe()

    def _row_bytes(self) -> int:
        return _FLOAT_BYTES * sum(self._dimensions.values())
