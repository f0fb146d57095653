"""The Index port on the embedded engine: validates, picks the tenant's worker, translates."""

import asyncio
import fcntl
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import msgspec

from guard.errors import InvalidError, UnavailableError
from guard.ports import Entry, Found, Hit, Probe
from memory.types import MemoryId, SubjectMark, TenantId
from storage.index import entries as accepted
from storage.index import wire
from storage.index.places import share_of
from storage.index.pool import Worker

_BATCH = 64
_IDS_LIMIT = 10_000
_OPEN_SHARDS = 256
"""Open shards per worker: about 55 memory maps and one file handle each, of 65,530 and 1,024."""
_FLUSH_SECONDS = 5.0
_SCHEMA = "schema.json"
_LOCK = "lock"


class _Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    dimensions: dict[str, int]


class EmbeddedIndex:
    """Finds, in worker processes that this one owns; a second owner of the directory is refused."""

    def __init__(self, dimensions: Mapping[str, int], workers: Sequence[Worker], lock: int) -> None:
        self._dimensions = dimensions
        self._workers = workers
        self._lock = lock

    @classmethod
    async def open(
        cls,
        root: Path,
        dimensions: Mapping[str, int],
        workers: int = 1,
        timeout_seconds: float = 5.0,
        grace_seconds: float = 5.0,
    ) -> Self:
        """Return the index in `root` when its workers serve.

        Raises UnavailableError when another process has it open, also after `grace_seconds` (the
        workers of a gateway that was killed take a moment to leave), and InvalidError when it was
        built for other vectors.
        """
        root = await asyncio.to_thread(_prepare, root)
        lock = await _acquire(root / _LOCK, grace_seconds)
        pool: list[Worker] = []
        try:
            await asyncio.to_thread(_check_schema, root / _SCHEMA, dimensions)
            for share in range(workers):
                configure = wire.Configure(
                    root=str(root),
                    dimensions=dimensions,
                    share=share,
                    shares=workers,
                    open_shards=_OPEN_SHARDS,
                    flush_seconds=_FLUSH_SECONDS,
                    condemned=(),
                )
                pool.append(Worker(configure, lock, timeout_seconds))
            await asyncio.gather(*(worker.start() for worker in pool))
        except BaseException:
            await asyncio.gather(*(worker.close() for worker in pool))
            os.close(lock)
            raise
        return cls(dimensions, pool, lock)

    async def close(self) -> None:
        """Flush everything and end the workers."""
        await asyncio.gather(*(worker.close() for worker in self._workers))
        os.close(self._lock)

    @property
    def worker_pids(self) -> list[int]:
        """The processes that serve now."""
        return [worker.pid for worker in self._workers if worker.pid is not None]

    @property
    def restarts(self) -> int:
        """How often a worker had to be started again."""
        return sum(worker.restarts for worker in self._workers)

    @property
    def strays(self) -> int:
        """How many directories name no tenant: whose content is lost until a reconciliation."""
        return max(worker.strays for worker in self._workers)

    def incomplete(self) -> frozenset[TenantId]:
        """Return the tenants that need a rebuild: their searches are refused until then."""
        return frozenset().union(*(worker.incomplete for worker in self._workers))

    async def upsert(self, tenant: TenantId, entries: Sequence[Entry]) -> None:
        """Store or replace entries by id, each in the collection of its layer. Idempotent."""
        points = [accepted.point(entry, self._dimensions) for entry in entries]
        for start in range(0, len(points), _BATCH):
            await self._do(tenant, wire.Upsert(tenant, tuple(points[start : start + _BATCH])))

    async def remove(self, tenant: TenantId, ids: Sequence[MemoryId]) -> None:
        """Remove entries from every layer. Idempotent."""
        checked = tuple(accepted.memory_id(id) for id in ids)
        for start in range(0, len(checked), _BATCH):
            await self._do(tenant, wire.Remove(tenant, checked[start : start + _BATCH]))

    async def search(self, tenant: TenantId, subject: SubjectMark, probe: Probe) -> Found:
        """Run all routes of `probe` in one call, each filtered by subject and layer inside."""
        ask = accepted.search(tenant, subject, probe, self._dimensions)
        names = accepted.routes(ask)
        if not names or not ask.layers or ask.limit < 1:
            return Found(dict.fromkeys(names, ()), {})
        result = await self._call(tenant, ask)
        if not isinstance(result, wire.Findings):
            raise UnavailableError("index")
        found = {
            name: tuple(Hit(id, score) for id, score in result.routes.get(name, ()))
            for name in names
        }
        return Found(found, result.tokens)

    async def inventory(
        self, tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        """Return ids in order with the SHA-256 of the content stored, for reconciliation."""
        after = None if after is None else accepted.memory_id(after)
        result = await self._call(tenant, wire.Inventory(tenant, after, min(limit, _IDS_LIMIT)))
        if not isinstance(result, wire.Listed):
            raise UnavailableError("index")
        return list(result.items)

    async def drop(self, tenant: TenantId) -> None:
        """Remove everything of a tenant. Idempotent."""
        await self._do(tenant, wire.Drop(tenant))
        self._worker(tenant).incomplete.discard(tenant)

    async def ping(self) -> None:
        """Return when every worker answers; raise UnavailableError when one does not."""
        await asyncio.gather(*(worker.call(wire.Ping()) for worker in self._workers))

    async def begin_rebuild(self, tenant: TenantId) -> None:
        """Empty the tenant and refuse its searches, durably, until `end_rebuild`."""
        await self._do(tenant, wire.BeginRebuild(tenant))
        self._worker(tenant).incomplete.add(tenant)

    async def end_rebuild(self, tenant: TenantId) -> None:
        """Serve the tenant's searches again."""
        await self._do(tenant, wire.EndRebuild(tenant))
        self._worker(tenant).incomplete.discard(tenant)

    def _worker(self, tenant: TenantId) -> Worker:
        return self._workers[share_of(tenant, len(self._workers))]

    async def _do(self, tenant: TenantId, request: wire.Request) -> None:
        if not isinstance(await self._call(tenant, request), wire.Done):
            raise UnavailableError("index")

    async def _call(self, tenant: TenantId, request: wire.Request) -> wire.Result:
        return await self._worker(tenant).call(request, tenant)


def _prepare(root: Path) -> Path:
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    root.chmod(0o700)
    return root.resolve()


async def _acquire(path: Path, grace_seconds: float) -> int:
    """Return a handle that locks `path`. Workers inherit it: the lock outlives a killed parent."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + grace_seconds
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if loop.time() >= deadline:
                os.close(handle)
                raise UnavailableError("index directory is open in another process") from None
            await asyncio.sleep(0.05)
        else:
            return handle


def _check_schema(path: Path, dimensions: Mapping[str, int]) -> None:
    """Refuse an index that was built for other vectors: it would find nothing, silently."""
    wanted = _Schema(format=1, dimensions=dict(dimensions))
    try:
        stands = msgspec.json.decode(path.read_bytes(), type=_Schema)
    except FileNotFoundError:
        draft = path.with_suffix(".new")
        draft.write_bytes(msgspec.json.encode(wanted))
        draft.chmod(0o600)
        draft.replace(path)
        return
    except msgspec.DecodeError as error:
        raise InvalidError("index schema is unreadable: rebuild the index") from error
    if stands != wanted:
        raise InvalidError("index was built for other vectors: rebuild it with this model")
