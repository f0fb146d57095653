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
from bench.poisoning.models import Submit, asked_once, submitting
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
PACKAGED: Final = "packaged models, for the classifier"
WHOLE: Final = "whole"
BESIDE: Final = "all beside embedding and packaged models"
_STEPS: Final = {
    "remember.gather": "readings, words, keys, neighbours",
    "remember.detect": "detectors beside the packaged models",
    "remember.screen": "stages and policy",
}
_BESIDE: Final = (*_STEPS.values(), BESIDE)
_PASSES: Final = 3
"""Times that each text is judged for the processor's time; the least counts."""
_REST: Final = 1.0
"""Seconds after which the threads of the numerical libraries have stopped waiting for work."""


class Timed(msgspec.Struct, frozen=True):
    """Times of single writes, by part; `ratio` is the median share of what is beside the models.

    `elapsed` is by the clock on the wall. `worked` is the processor's, the least of a few passes,
    with models that answer from memory. On a busy machine it is still more than on an idle one.
    """

    texts: int
    elapsed: Mapping[str, Spread]
    worked: Mapping[str, Spread]
    ratio: float


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
    with submitting(clock.counted):
        for number, draft in enumerate(drafts, start=1):
            taken.append(await _one(draft, timed, clock))
            advance(number)
    return taken


async def _worked(drafts: Sequence[Draft], rooms: Rooms) -> list[dict[str, float]]:
    """Return the processor time of the parts of each write beside the models."""
    clock = _Clock(time.process_time)
    knowing = msgspec.structs.replace(rooms, watch=clock)
    with asked_once():
        for draft in drafts:
            await screened_of(draft, knowing)
        await asyncio.sleep(_REST)
        passes = [[await _one(draft, knowing, clock) for draft in drafts] for _ in range(_PASSES)]
    # Whatever else runs takes cache and cores away and so only ever adds to what a write takes.
    taken = [min(same, key=lambda one: one[BESIDE]) for same in zip(*passes, strict=True)]
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
        self._under_way: dict[str, int] = {}
        self._began: dict[str, float] = {}
        self.taken: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count the block as this part; where several are under way, while any of them is."""
        if not self._under_way.get(name):
            self._began[name] = self._now()
        self._under_way[name] = self._under_way.get(name, 0) + 1
        try:
            yield
        finally:
            self._under_way[name] -= 1
            if not self._under_way[name]:
                self.taken[name] = self.taken.get(name, 0.0) + self._now() - self._began[name]

    def counted(self, submit: Submit) -> Submit:
        """Return the way to ask a model, counted unless it is asked for the embedding.

        Models that are asked side by side count once.
        """

        async def submit_and_count(queue: Any, texts: Sequence[Any]) -> list[Any]:
            if self._under_way.get(EMBEDDING):
                return await submit(queue, texts)
            with self.step(PACKAGED):
                return await submit(queue, texts)

        return submit_and_count


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
