"""What one write costs and where the time goes, one text at a time."""

import asyncio
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import msgspec

from bench.poisoning.figures import Spread, spread
from bench.poisoning.judging import drafted, screened_of
from bench.poisoning.models import Submit, asked_once, instead, submitting
from bench.poisoning.rows import Row
from gateway.settings import Settings
from guard import gather
from guard.nouns import Draft
from guard.ports import Embedder, EmbedderId, Purpose
from guard.relating import Reading, Relating, Said, Tie
from guard.rooms import Rooms
from guard.watch import Unwatched
from memory.origin import OriginClass
from memory.signals import Vectors

WARM_UP: Final = 5
"""Texts judged before any is timed: the first ones load what is loaded late."""
EMBEDDING: Final = "embedding"
PACKAGED: Final = "packaged models, for the classifier"
READINGS: Final = "readings of the text"
CLAIMS: Final = "claims, for relating"
WORDS: Final = "words and names, for search"
CLASSIFIER: Final = "classifier beside the packaged models"
STAGES: Final = "stages and policy"
STORE: Final = "keys, ledger, index, neighbours"
REST: Final = "tag, event loop, these clocks"
JUDGING: Final = "judgement: readings, classifier, stages, policy"
READING: Final = "all that reads the text: these, claims, words"
BESIDE: Final = "all beside embedding and packaged models"
BARE: Final = "the same without clocks within"
WHOLE: Final = "whole"
_GATHER: Final = "remember.gather"
_DETECT: Final = "remember.detect"
_SCREEN: Final = "remember.screen"
_PASSES: Final = 3
"""Times that each text is judged for the processor's time; the least counts."""
_LULL: Final = 1.0
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
    with submitting(clock.counted), _within(timed, clock) as inside:
        for number, draft in enumerate(drafts, start=1):
            taken.append(await _one(draft, inside, clock))
            advance(number)
    return taken


async def _worked(drafts: Sequence[Draft], rooms: Rooms) -> list[dict[str, float]]:
    """Return the processor time of the parts of each write beside the models."""
    clock = _Clock(time.process_time)
    timed = msgspec.structs.replace(rooms, watch=clock)
    with asked_once():
        for draft in drafts:
            await screened_of(draft, timed)
        await asyncio.sleep(_LULL)
        bare, within = [], []
        for _ in range(_PASSES):
            bare.append([await _whole(draft, rooms, clock) for draft in drafts])
            with _within(timed, clock) as inside:
                within.append([await _one(draft, inside, clock) for draft in drafts])
    # Whatever else runs takes cache and cores away and so only ever adds to what a write takes.
    taken = [min(same, key=lambda one: one[BESIDE]) for same in zip(*within, strict=True)]
    least = [min(same) for same in zip(*bare, strict=True)]
    models = {EMBEDDING, PACKAGED, WHOLE}
    return [
        {name: of for name, of in one.items() if name not in models} | {BARE: whole}
        for one, whole in zip(taken, least, strict=True)
    ]


async def _whole(draft: Draft, rooms: Rooms, clock: "_Clock") -> float:
    """Judge one draft; return what it took."""
    clock.taken.clear()
    with clock.step(WHOLE):
        await screened_of(draft, rooms)
    return clock.taken[WHOLE]


async def _one(draft: Draft, rooms: Rooms, clock: "_Clock") -> dict[str, float]:
    """Judge one draft; return what each part took by itself: the steps contain the models."""
    whole = await _whole(draft, rooms, clock)
    taken = clock.taken
    embedding, packaged = taken.get(EMBEDDING, 0.0), taken.get(PACKAGED, 0.0)
    beside = whole - embedding - packaged
    parts = {
        READINGS: taken[READINGS],
        CLASSIFIER: taken[_DETECT] - packaged,
        STAGES: taken[_SCREEN],
        CLAIMS: taken[CLAIMS],
        WORDS: taken[WORDS],
    }
    judging = parts[READINGS] + parts[CLASSIFIER] + parts[STAGES]
    reading = judging + parts[CLAIMS] + parts[WORDS]
    text = parts[READINGS] + parts[CLAIMS] + parts[WORDS]
    steps = taken[_GATHER] + taken[_DETECT] + taken[_SCREEN]
    return {
        EMBEDDING: embedding,
        PACKAGED: packaged,
        **parts,
        STORE: taken[_GATHER] - embedding - text,
        REST: whole - steps,
        JUDGING: judging,
        READING: reading,
        BESIDE: beside,
        WHOLE: whole,
    }


@contextmanager
def _within(rooms: Rooms, clock: "_Clock") -> Iterator[Rooms]:
    """Lend the rooms with a clock in front of each part that reads the text while facts are
    gathered: those parts are no steps that anybody else watches.
    """
    with ExitStack() as stack:
        for name, part in (("_read", READINGS), ("_named", WORDS)):
            stack.enter_context(instead(gather, name, clock.around(part, getattr(gather, name))))
        yield msgspec.structs.replace(rooms, relating=_TimedRelating(rooms.relating, clock))


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

    def around(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return `work`, counted as this part."""

        def timed(*args: Any) -> Any:
            with self.step(name):
                return work(*args)

        return timed

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


class _TimedRelating:
    def __init__(self, relating: Relating, clock: _Clock) -> None:
        self._relating = relating
        self._clock = clock

    def read(self, said: Said) -> Reading:
        with self._clock.step(CLAIMS):
            return self._relating.read(said)

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        return self._relating.ties(new, old)

    def is_unread(self, said: Said) -> bool:
        return self._relating.is_unread(said)

    def is_current(self, record: bytes) -> bool:
        return self._relating.is_current(record)
