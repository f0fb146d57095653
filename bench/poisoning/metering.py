"""What one write costs and where the time goes, one text at a time."""

import asyncio
import statistics
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
from guard.nouns import Draft
from guard.ports import Embedder, EmbedderId, Purpose
from guard.rooms import Rooms
from guard.watch import Unwatched
from memory.origin import OriginClass
from memory.signals import Vectors

WARM_UP: Final = 5
"""Texts judged before any is timed: the first ones load what is loaded late."""
EMBEDDING: Final = "embedding"
PACKAGED: Final = "packaged model"
WHOLE: Final = "whole"
BESIDE: Final = "all beside embedding and packaged model"
_STEPS: Final = {
    "remember.gather": "readings, words, keys, neighbours",
    "remember.detect": "detectors beside the packaged model",
    "remember.screen": "stages and policy",
}
_BESIDE: Final = (*_STEPS.values(), BESIDE)
_REST: Final = 1.0
"""Seconds after which the threads of the numerical libraries have stopped waiting for work."""


class Timed(msgspec.Struct, frozen=True):
    """Times of single writes, by part; `ratio` is the median share of what is beside the models.

    `elapsed` is by the clock on the wall. `worked` is the processor's, with models that answer from
    memory: other work on the machine hardly changes it.
    """

    texts: int
    elapsed: Mapping[str, Spread]
    worked: Mapping[str, Spread]
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
    drafts = [drafted(row.text, origin, rooms, settings) for row in rows]
    elapsed = await _elapsed(drafts, rooms, advance)
    worked = await _worked(drafts, rooms)
    ratios = sorted(one[BESIDE] / one[WHOLE] for one in elapsed)
    return Timed(len(rows), _by_part(elapsed), _by_part(worked), statistics.median(ratios))


async def _elapsed(
    drafts: Sequence[Draft], rooms: Rooms, advance: Callable[[int], None]
) -> list[dict[str, float]]:
    """Return how long the parts of each write took, models included."""
    clock = _Clock(time.perf_counter)
    embedder = _TimedEmbedder(rooms.embedder, clock)
    timed = msgspec.structs.replace(rooms, embedder=embedder, watch=clock)
    for draft in drafts[:WARM_UP]:
        await screened_of(draft, timed)
    taken = []
    with reading(clock.counted):
        for number, draft in enumerate(drafts, start=1):
            taken.append(await _one(draft, timed, clock))
            advance(number)
    return taken


async def _worked(drafts: Sequence[Draft], rooms: Rooms) -> list[dict[str, float]]:
    """Return the processor time of the parts of each write beside the models."""
    clock = _Clock(time.process_time)
    embedder = Remembering(rooms.embedder)
    knowing = msgspec.structs.replace(rooms, embedder=embedder, watch=clock)
    with asked_once():
        for draft in drafts:
            await screened_of(draft, knowing)
        await asyncio.sleep(_REST)
        taken = [await _one(draft, knowing, clock) for draft in drafts]
    return [{name: of for name, of in one.items() if name in _BESIDE} for one in taken]


async def _one(draft: Draft, rooms: Rooms, clock: "_Clock") -> dict[str, float]:
    """Judge one draft; return what each part took by itself: the steps contain the models."""
    clock.taken.clear()
    with clock.step(WHOLE):
        await screened_of(draft, rooms)
    taken = clock.taken
    embedding, packaged = taken.get(EMBEDDING, 0.0), taken.get(PACKAGED, 0.0)
    gather, detect, screen = (taken[step] for step in _STEPS)
    parts = (gather - embedding, detect - packaged, screen)
    return {
        EMBEDDING: embedding,
        PACKAGED: packaged,
        **dict(zip(_STEPS.values(), parts, strict=True)),
        BESIDE: taken[WHOLE] - embedding - packaged,
        WHOLE: taken[WHOLE],
    }


def _by_part(taken: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    return {name: spread([one[name] for one in taken]) for name in taken[0]}


class _Clock(Unwatched):
    """Adds up what the parts of one write take; one write at a time."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.taken: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count the block as this part."""
        start = self._now()
        try:
            yield
        finally:
            self.taken[name] = self.taken.get(name, 0.0) + self._now() - start

    def counted(self, read: Read) -> Read:
        """Return the packaged model's reading, counted."""

        def read_and_count(model: Any, texts: Sequence[str]) -> Any:
            with self.step(PACKAGED):
                return read(model, texts)

        return read_and_count


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
