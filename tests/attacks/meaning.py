"""The whole gateway in one process: real edges, doors and models over adapters in memory."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from litestar import Litestar

from gateway.app.embedding import bounds_of, opened_embedder
from gateway.app.screening import opened_detectors
from gateway.app.serving import prepare_models
from gateway.doors import UseCases
from gateway.edge import build
from gateway.settings import Settings, load
from guard.magnets import Magnets
from guard.ports import Detector, Embedder, EmbedderId, Purpose
from guard.rooms import Rooms
from memory.signals import Vectors
from storage.fakes.index import MemoryIndex
from tests.attacks.callers import Caller
from tests.edges.guarded import Guarded
from tests.edges.world import bearer, token
from tests.house import House


class Remembering:
    """An embedder that embeds each text once: scenes are played again and again."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[tuple[bytes, Purpose], Vectors] = {}

    @property
    def id(self) -> EmbedderId:
        """The model that answers."""
        return self._embedder.id

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Return the vectors of texts, made now or before."""
        keys = [(hashlib.sha256(t.encode(errors="replace")).digest(), purpose) for t in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        made = await self._embedder.embed(list(new.values()), purpose) if new else []
        self._known.update(zip(new, made, strict=True))
        return [self._known[key] for key in keys]


class Models:
    """The packaged embedder, and all that judges with models in a gateway as served, loaded."""

    def __init__(
        self, settings: Settings, embedder: Embedder, detectors: Mapping[str, Detector]
    ) -> None:
        self.settings = settings
        self.embedder = embedder
        self.detectors = detectors
        self.magnets = Magnets(embedder)


class Whole:
    """One gateway over adapters in memory, at whose edges subjects call."""

    def __init__(self, app: Litestar, guarded: Guarded) -> None:
        self._app = app
        self._guarded = guarded
        self._http: list[httpx2.AsyncClient] = []

    def caller(self, tenant: str, subject: str) -> Caller:
        """Return one subject, with a token of his own."""
        http = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=self._app),  # type: ignore[arg-type]
            base_url="http://127.0.0.1",
            headers=bearer(token(self._guarded.key, tid=tenant, sub=subject, exp=_far())),
        )
        self._http.append(http)
        return Caller(http)

    async def close(self) -> None:
        """Let go of the clients."""
        for one in self._http:
            await one.aclose()


@asynccontextmanager
async def packaged(folder: Path) -> AsyncIterator[Embedder]:
    """Lend the packaged embedder, as the gateway loads it."""
    async with opened_embedder(_prepared(folder)) as embedder:
        yield embedder


@asynccontextmanager
async def models(folder: Path) -> AsyncIterator[Models]:
    """Lend everything that a gateway on its defaults judges with."""
    settings = _prepared(folder)
    async with AsyncExitStack() as stack:
        embedder = await stack.enter_async_context(opened_embedder(settings))
        detectors = await stack.enter_async_context(opened_detectors(settings, embedder=embedder))
        yield Models(settings, Remembering(embedder), detectors)


@asynccontextmanager
async def opened(
    folder: Path,
    loaded: Models,
    composed: Callable[[Rooms], Rooms] = lambda rooms: rooms,
    doors: Callable[[UseCases], UseCases] = lambda use_cases: use_cases,
) -> AsyncIterator[Whole]:
    """Lend a gateway with these models; a bench may take away from its rooms and doors."""
    house = House()
    house.index = MemoryIndex(loaded.embedder.id.dimensions)
    guarded = Guarded(folder, house)
    changes: dict[str, Any] = {
        "embedder": loaded.embedder,
        "index": house.index,
        "detectors": loaded.detectors,
        "magnets": loaded.magnets,
        "bounds": bounds_of(loaded.settings),
    }
    guarded.change(**changes)
    edge = guarded.edge(composed(guarded.rooms))
    app = build(msgspec.structs.replace(edge, use_cases=doors(edge.use_cases)))
    async with _living(app):
        whole = Whole(app, guarded)
        try:
            yield whole
        finally:
            await whole.close()
            await guarded.close()


@asynccontextmanager
async def _living(app: Litestar) -> AsyncIterator[None]:
    """Keep an application up meanwhile, in one task: a fixture ends in another than it began in."""
    up, stop = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with app.lifespan():
            up.set()
            await stop.wait()

    living, starting = asyncio.create_task(live()), asyncio.create_task(up.wait())
    await asyncio.wait((living, starting), return_when=asyncio.FIRST_COMPLETED)
    starting.cancel()
    try:
        if not living.done():
            yield
    finally:
        stop.set()
        await living


def _prepared(folder: Path) -> Settings:
    settings = load(environ={}, overrides={"storage.data_dir": str(folder / "data")})
    settings.storage.data_dir.mkdir(mode=0o700, exist_ok=True)
    prepare_models(settings, lambda _step, _done, _total: None)
    return settings


def _far() -> int:
    """Return an expiry that no run outlives."""
    return int(time.time()) + 86_000
