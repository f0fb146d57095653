"""Every Index adapter by name, and entries to put into them."""

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

import httpx
import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient

from guard.ports import Entry, Probe
from memory.signals import Blinded, Sparse, Vector
from memory.types import INDEXED_LAYERS, Layer, MemoryId, SubjectMark, TenantId
from storage.fakes.index import MemoryIndex
from storage.index.connection import Server, connect
from storage.index.credentials import ApiKey, Credential, NoCredential
from storage.index.divided import DividedIndex
from storage.index.embedded import EmbeddedIndex
from storage.index.placement import Spread
from storage.index.server import ServerIndex
from storage.repair import Rebuildable
from tests.contracts.qdrant_double import QdrantDouble
from tests.contracts.sealed_shelf import Shelved

DIMENSIONS: Final = {"en": 8, "multi": 12}
ACME, GLOBEX = TenantId("acme"), TenantId("globex")
ALICE, BOB = SubjectMark("a" * 32), SubjectMark("b" * 32)
START: Final = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NO_TERMS: Final = Sparse((), ())

Opener = Callable[[Path], AbstractAsyncContextManager[Rebuildable]]


@asynccontextmanager
async def _memory(_root: Path) -> AsyncIterator[Rebuildable]:
    yield MemoryIndex(DIMENSIONS)


@asynccontextmanager
async def _sealed(_root: Path) -> AsyncIterator[Rebuildable]:
    index = Shelved(DIMENSIONS)
    yield index
    await index.close()


@asynccontextmanager
async def _divided(root: Path) -> AsyncIterator[Rebuildable]:
    """Acme's in process memory, everybody else's in an engine."""

    async def is_sealed(tenant: TenantId) -> bool:
        return tenant == ACME

    async with _sealed(root) as sealed:
        yield DividedIndex(MemoryIndex(DIMENSIONS), sealed, is_sealed, is_sealed)


@asynccontextmanager
async def _embedded(root: Path) -> AsyncIterator[Rebuildable]:
    index = await EmbeddedIndex.open(root / "index", DIMENSIONS, timeout_seconds=30)
    try:
        yield index
    finally:
        await index.close()


async def mark_of(tenant: TenantId) -> str:
    """Return what marks a tenant in these tests."""
    return blake2b(tenant.encode(), digest_size=16).hexdigest()


async def no_tenants() -> list[TenantId]:
    """Return no tenant: nothing has been written yet."""
    return []


def server_index(
    spread: Spread,
    *,
    url: str = "http://qdrant.test:6333",
    credential: Credential | None = None,
    prefix: str = "memguard",
    wire: httpx.AsyncBaseTransport | None = None,
) -> ServerIndex:
    """Return the index on a server that was never used before."""
    return connect(
        Server(url=url, credential=credential or NoCredential(), timeout_seconds=30),
        (spread, prefix, mark_of),
        DIMENSIONS,
        no_tenants,
        clock=lambda: datetime.now(UTC),
        new_id=lambda: str(uuid4()),
        wire=wire,
    )


def _doubled(spread: Spread) -> Opener:
    @asynccontextmanager
    async def opened(_root: Path) -> AsyncIterator[Rebuildable]:
        double = QdrantDouble()
        index = server_index(spread, wire=double.wire)
        try:
            yield index
        finally:
            await index.close()
            await double.engine.close()

    return opened


def _live(spread: Spread) -> Opener:
    @asynccontextmanager
    async def opened(_root: Path) -> AsyncIterator[Rebuildable]:
        url, key = os.environ["QDRANT_TEST_URL"], os.environ.get("QDRANT_TEST_API_KEY")
        prefix = f"memguard-test-{uuid4().hex}"
        credential = None if key is None else ApiKey(key)
        index = server_index(spread, url=url, credential=credential, prefix=prefix)
        client = AsyncQdrantClient(url=url, api_key=key)
        try:
            yield index
        finally:
            for one in (await client.get_collections()).collections:
                if one.name.startswith(prefix):
                    await client.delete_collection(one.name)
            await client.close()
            await index.close()

    return opened


OPENERS: Final[Mapping[str, Opener]] = {
    "memory": _memory,
    "sealed": _sealed,
    "divided": _divided,
    "embedded": _embedded,
    "server": _doubled(Spread.PER_TENANT),
    "server-shared": _doubled(Spread.SHARED),
    "live-server": _live(Spread.PER_TENANT),
    "live-server-shared": _live(Spread.SHARED),
}
_NO_SERVER: Final = pytest.mark.skipif(
    "QDRANT_TEST_URL" not in os.environ, reason="QDRANT_TEST_URL names no Qdrant server"
)
ADAPTERS: Final = [
    pytest.param(name, marks=[pytest.mark.live, _NO_SERVER] if name.startswith("live-") else [])
    for name in OPENERS
]


def id_of(number: int) -> MemoryId:
    """Return the id with this number; ids order as their numbers do."""
    return MemoryId(str(UUID(int=(0x0197 << 112) | (7 << 76) | (2 << 62) | number)))


def axis(size: int, *weights: float) -> Vector:
    """Return the unit vector along `weights`, padded with zeros."""
    vector = np.zeros(size, dtype=np.float32)
    vector[: len(weights)] = weights
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def blinded(
    subject: SubjectMark = ALICE,
    *,
    vectors: Mapping[str, Vector] | None = None,
    terms: Mapping[int, float] | None = None,
    entities: tuple[str, ...] = (),
) -> Blinded:
    """Return search material with just the parts that are given."""
    sparse = Sparse(tuple(terms), tuple(terms.values())) if terms else NO_TERMS
    return Blinded(subject, vectors or {}, sparse, entities)


def entry(
    number: int,
    material: Blinded,
    *,
    layer: Layer = Layer.SEMANTIC,
    occurred: datetime | None = None,
    token: bytes | None = None,
) -> Entry:
    """Return entry `number`, recorded that many hours after `START`."""
    return Entry(
        id=id_of(number),
        layer=layer,
        blinded=material,
        recorded_at=START + timedelta(hours=number),
        occurred_at=occurred,
        token=f"sealed {number}".encode() if token is None else token,
    )


def probe(
    material: Blinded,
    *,
    layers: tuple[Layer, ...] = INDEXED_LAYERS,
    limit: int = 20,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Probe:
    """Return a probe over both layers unless told otherwise."""
    return Probe(material, layers, limit, since, until)


def rich(subject: SubjectMark = ALICE) -> Blinded:
    """Return material that every route finds."""
    return blinded(
        subject,
        vectors={"en": axis(8, 1, 2), "multi": axis(12, 2, 1)},
        terms={7: 1.0, 4_294_967_295: 0.5},
        entities=("e1", "e2"),
    )
