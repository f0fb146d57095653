"""Every Index adapter by name, and entries to put into them."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

import numpy as np

from guard.ports import Entry, Probe
from memory.signals import Blinded, Sparse, Vector
from memory.types import INDEXED_LAYERS, Layer, MemoryId, SubjectMark, TenantId
from storage.fakes.index import MemoryIndex
from storage.index.embedded import EmbeddedIndex
from storage.repair import Rebuildable

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
async def _embedded(root: Path) -> AsyncIterator[Rebuildable]:
    index = await EmbeddedIndex.open(root / "index", DIMENSIONS, timeout_seconds=30)
    try:
        yield index
    finally:
        await index.close()


OPENERS: Final[Mapping[str, Opener]] = {"memory": _memory, "embedded": _embedded}


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
