"""One worker's share of the index: its open shards, and what each request does to them.

Synchronous on purpose: the engine holds the interpreter while it works, so a worker does one thing
at a time and the gateway's event loop lives in another process.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, assert_never

from memory.types import INDEXED_LAYERS, Layer, MemoryId, TenantId
from storage.index import wire
from storage.index.places import Places
from storage.index.shard import Candidate, Shard

_PASSING = ("WouldBlock", "os error 24", "os error 28", "os error 12", "No space left")
"""Marks of trouble that is not the shard's own: open elsewhere, out of handles, disk or memory."""


class ShardError(Exception):
    """A shard can't be served now; `code` says which kind of trouble."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Share:
    """Serves the tenants of one worker, with a bounded number of shards open."""

    def __init__(
        self, configure: wire.Configure, notify: Callable[[wire.Incomplete], None]
    ) -> None:
        self._configure = configure
        self._notify = notify
        self._places = Places(Path(configure.root), configure.share, configure.shares)
        self._open: OrderedDict[tuple[TenantId, Layer], Shard] = OrderedDict()
        self._dirty: set[tuple[TenantId, Layer]] = set()
        for tenant in configure.condemned:
            for layer in INDEXED_LAYERS:
                self._places.set_aside(tenant, layer)

    def ready(self) -> wire.Ready:
        """Return what the gateway should know before it asks."""
        return wire.Ready(self._places.incomplete(), self._places.strays)

    def handle(self, request: wire.Request) -> wire.Result:
        """Do what `request` asks; trouble with a shard is a result, not an exception."""
        try:
            return self._dispatch(request)
        except ShardError as error:
            return wire.Failed(error.code)

    def _dispatch(self, request: wire.Request) -> wire.Result:
        match request:
            case wire.Search():
                return self._search(request)
            case wire.Upsert():
                self._upsert(request)
            case wire.Remove():
                self._remove(request.tenant, request.ids, INDEXED_LAYERS)
            case wire.Inventory():
                return self._inventory(request)
            case wire.Drop():
                self._forget(request.tenant)
                self._places.drop(request.tenant)
            case wire.BeginRebuild():
                self._forget(request.tenant)
                self._places.empty(request.tenant)
            case wire.EndRebuild():
                self._places.complete(request.tenant)
            case wire.Ping():
                pass
            case wire.Configure():
                raise ShardError("protocol")
            case _:
                assert_never(request)
        return wire.Done()

    def _search(self, ask: wire.Search) -> wire.Findings:
        if self._places.is_incomplete(ask.tenant):
            # Half an index would answer with silence; the ledger can answer meanwhile (R11).
            raise ShardError("incomplete")
        found: dict[str, list[_Placed]] = {}
        for layer in ask.layers:
            with self._using(ask.tenant, layer) as shard:
                routes = {} if shard is None else shard.search(ask)
            for name, hits in routes.items():
                found.setdefault(name, []).extend(_Placed(hit, layer) for hit in hits)
        best = {name: _best(hits, ask.limit) for name, hits in found.items()}
        tokens: dict[MemoryId, bytes] = {}
        for layer in ask.layers if ask.contents else ():
            ids = {hit.candidate.id for hits in best.values() for hit in hits if hit.layer is layer}
            with self._using(ask.tenant, layer) as shard:
                if shard is not None and ids:
                    tokens |= shard.tokens(sorted(ids))
        routes_found = {
            name: tuple((hit.candidate.id, hit.candidate.score) for hit in hits)
            for name, hits in best.items()
        }
        return wire.Findings(routes_found, tokens)

    def _upsert(self, request: wire.Upsert) -> None:
        for layer in INDEXED_LAYERS:
            here = [point for point in request.points if point.layer is layer]
            moved = tuple(point.id for point in request.points if point.layer is not layer)
            if here:
                with self._using(request.tenant, layer, create=True) as shard:
                    if shard is not None:
                        shard.upsert(here)
                        self._dirty.add((request.tenant, layer))
            if moved:
                self._remove(request.tenant, moved, (layer,))

    def _remove(
        self, tenant: TenantId, ids: tuple[MemoryId, ...], layers: tuple[Layer, ...]
    ) -> None:
        for layer in layers:
            with self._using(tenant, layer) as shard:
                if shard is not None and shard.remove(ids):
                    self._dirty.add((tenant, layer))

    def _inventory(self, request: wire.Inventory) -> wire.Listed:
        listed: list[tuple[MemoryId, bytes]] = []
        for layer in INDEXED_LAYERS:
            with self._using(request.tenant, layer) as shard:
                if shard is not None:
                    listed += shard.inventory(request.after, request.limit)
        return wire.Listed(tuple(sorted(listed)[: request.limit]))

    def flush(self) -> None:
        """Write what is pending to the disk."""
        for tenant, layer in tuple(self._dirty):
            self._dirty.discard((tenant, layer))
            with suppress(ShardError), self._using(tenant, layer) as shard:
                if shard is not None:
                    shard.flush()

    def close(self) -> None:
        """Flush and close every shard."""
        for key in tuple(self._open):
            self._shut(key)

    @contextmanager
    def _using(
        self, tenant: TenantId, layer: Layer, *, create: bool = False
    ) -> Iterator[Shard | None]:
        """Give the open shard, or None; after trouble the shard is closed and opened anew later."""
        shard = self._find(tenant, layer) or (self._create(tenant, layer) if create else None)
        try:
            yield shard
        except BaseException as error:  # the engine raises bare Exception, or a panic beneath it
            self._shut((tenant, layer))
            raise ShardError("engine") from error

    def _find(self, tenant: TenantId, layer: Layer) -> Shard | None:
        key = (tenant, layer)
        if key in self._open:
            self._open.move_to_end(key)
            return self._open[key]
        path = self._places.find(tenant, layer)
        if path is None:
            return None
        try:
            shard = Shard.load(path, self._configure.dimensions)
        except BaseException as error:
            if any(mark in str(error) for mark in _PASSING):
                raise ShardError("busy") from error
            self._places.set_aside(tenant, layer)
            self._notify(wire.Incomplete(tenant))
            raise ShardError("damaged") from error
        return self._keep(key, shard)

    def _create(self, tenant: TenantId, layer: Layer) -> Shard:
        try:
            shard = Shard.create(self._places.make(tenant, layer), self._configure.dimensions)
        except BaseException as error:
            raise ShardError("create") from error
        return self._keep((tenant, layer), shard)

    def _keep(self, key: tuple[TenantId, Layer], shard: Shard) -> Shard:
        while len(self._open) >= self._configure.open_shards:
            self._shut(next(iter(self._open)))
        self._open[key] = shard
        return shard

    def _shut(self, key: tuple[TenantId, Layer]) -> None:
        shard = self._open.pop(key, None)
        self._dirty.discard(key)
        # What a failing close leaves behind, the next opening meets and judges.
        with suppress(BaseException):
            if shard is not None:
                shard.close()

    def _forget(self, tenant: TenantId) -> None:
        for layer in INDEXED_LAYERS:
            self._shut((tenant, layer))


class _Placed(NamedTuple):
    candidate: Candidate
    layer: Layer


def _best(hits: list[_Placed], limit: int) -> list[_Placed]:
    def order(hit: _Placed) -> tuple[float, int, MemoryId]:
        return (-hit.candidate.score, -hit.candidate.when, hit.candidate.id)

    return sorted(hits, key=order)[:limit]
