"""What one write costs and where the time goes, one text at a time."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from bench.poisoning.figures import Spread, spread
from bench.poisoning.judging import drafted, screened_of
from bench.poisoning.packaged import Read, asked_once, reading
from bench.poisoning.rows import Row
from gateway.settings import Settings
from guard.outcomes import WriteOutcome
from guard.ports import Embedder, EmbedderId, Purpose
from guard.rooms import Rooms
from memory.origin import OriginClass
from memory.signals import Vectors

WARM_UP: Final = 5
"""Texts judged before any is timed: the first ones load what is loaded late."""
EMBEDDING: Final = "embedding"
PACKAGED: Final = "packaged model"
WHOLE: Final = "whole"
BESIDE: Final = "all beside embedding and packaged model"
BESIDE_CPU: Final = f"{BESIDE}, processor time"
_GATHER: Final = "remember.gather"
_DETECT: Final = "remember.detect"
_SCREEN: Final = "remember.screen"


class Timed(msgspec.Struct, frozen=True):
    """Times of single writes, by part; `ratio` is the median share of what is beside the models.

    Processor time is taken with models that answer from memory: a busy machine does not change it.
    """

    texts: int
    parts: Mapping[str, Spread]
    ratio: float


class Remembering:
    """An embedder that asks its model once about each text.

    The same text under another origin has the same vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}

    @property
    def id(self) -> EmbedderId:
        """The model that answers."""
        return self._embedder.id

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Return the vectors of `texts`, in order."""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        if new:
            vectors = await self._embedder.embed(new, purpose)
            self._known.update(zip(new, vectors, strict=True))
        return [self._known[text] for text in texts]


async def time_them(
    rows: Sequence[Row],
    origin: OriginClass,
    rooms: Rooms,
    settings: Settings,
    advance: Callable[[int], None],
) -> Timed:
    """Judge rows one by one, nothing else under way, and return what each part of it took."""
    clock = _Clock()
    timed = msgspec.structs.replace(
        rooms,
        embedder=_TimedEmbedder(rooms.embedder, clock),
        watch=clock,
    )
    knowing = msgspec.structs.replace(rooms, embedder=Remembering(rooms.embedder))
    taken: list[dict[str, float]] = []
    for number, row in enumerate((*rows[:WARM_UP], *rows)):
        draft = drafted(row.text, origin, rooms, settings)
        clock.taken.clear()
        with reading(clock.counted), clock.step(WHOLE):
            await screened_of(draft, timed)
        parts = _parts(clock.taken)
        with asked_once():
            await screened_of(draft, knowing)
            start = time.process_time()
            await screened_of(draft, knowing)
            parts[BESIDE_CPU] = time.process_time() - start
        if number >= WARM_UP:
            taken.append(parts)
            advance(number - WARM_UP + 1)
    return _summed(taken)


def _parts(taken: Mapping[str, float]) -> dict[str, float]:
    """Return what each part took by itself: the steps contain the models."""
    embedding, packaged = taken.get(EMBEDDING, 0.0), taken.get(PACKAGED, 0.0)
    return {
        EMBEDDING: embedding,
        PACKAGED: packaged,
        "reading, words, keys, neighbours": taken[_GATHER] - embedding,
        "detectors beside the packaged model": taken[_DETECT] - packaged,
        "stages and policy": taken[_SCREEN],
        WHOLE: taken[WHOLE],
        BESIDE: taken[WHOLE] - embedding - packaged,
    }


def _summed(taken: Sequence[Mapping[str, float]]) -> Timed:
    names = dict.fromkeys(name for one in taken for name in one)
    parts = {name: spread([one[name] for one in taken]) for name in names}
    ratios = sorted(one[BESIDE] / one[WHOLE] for one in taken)
    return Timed(len(taken), parts, ratios[len(ratios) // 2] if ratios else 0.0)


class _Clock:
    """Adds up what the parts of one write take. Fulfils `Watch`; one write at a time."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count the block as this part."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.taken[name] = self.taken.get(name, 0.0) + time.perf_counter() - start

    def counted(self, read: Read) -> Read:
        """Return the packaged model's reading, counted."""

        def read_and_count(model: Any, texts: Sequence[str]) -> Any:
            with self.step(PACKAGED):
                return read(model, texts)

        return read_and_count

    def wrote(self, outcome: WriteOutcome) -> None:
        """Nothing is written here."""

    def recalled(self, *, reliable: bool, degraded: bool) -> None:
        """Nothing is recalled here."""

    def withheld(self, check: str) -> None:
        """Nothing is recalled here."""


class _TimedEmbedder:
    def __init__(self, embedder: Embedder, clock: _Clock) -> None:
        self._embedder = embedder
        self._clock = clock

    @property
    def id(self) -> EmbedderId:
        return self._embedder.id

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        with self._clock.step(EMBEDDING):
            return await self._embedder.embed(texts, purpose)
