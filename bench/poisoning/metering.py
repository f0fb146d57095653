"""What one write costs and where the time goes, one text at a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import msgspec

from bench.poisoning.adding import elapsed
from bench.poisoning.figures import Spread, spread
from bench.poisoning.judging import drafted, screened_of
from bench.poisoning.models import asked_once, instead
from bench.poisoning.rows import Row
from gateway.settings import Settings
from guard import gather
from guard.detectors.classifier import Begun
from guard.nouns import Draft
from guard.pipeline import Run
from guard.relating import Reading, Relating, Said, Tie
from guard.rooms import Rooms
from guard.watch import Unwatched
from memory.origin import OriginClass

WARM_UP: Final = 5
"""Texts judged before any is timed: the first ones load what is loaded late."""
READINGS: Final = "readings of the text"
CLAIMS: Final = "claims, for relating"
WORDS: Final = "words and names, for search"
CLASSIFIER: Final = "classifier beside the packaged models"
STAGES: Final = "stages and policy"
STORE: Final = "keys, ledger, index, neighbours, asking the models"
REST: Final = "tag, event loop, these clocks"
JUDGING: Final = "judgement: readings, classifier, stages, policy"
READING: Final = "all that reads the text: these, claims, words"
BESIDE: Final = "all beside embedding and packaged models"
BARE: Final = "the same without clocks within"
WHOLE: Final = "whole"
_GATHER: Final = "remember.gather"
_DETECT: Final = "remember.detect"
_SCREEN: Final = "remember.screen"
_SHOW: Final = "classifier, shown the readings"
_TEXT: Final = "stages, of the text alone"
_PASSES: Final = 3
"""Times that each text is judged for the processor's time; the least counts."""
_LULL: Final = 1.0
"""Seconds after which the threads of the numerical libraries have stopped waiting for work."""


class Timed(msgspec.Struct, frozen=True):
    """Times of single writes.

    `elapsed` is by the clock on the wall, see `bench.poisoning.adding`. `worked` is the
    processor's, by part, the least of a few passes, with models that answer from memory. On a busy
    machine both are still more than on an idle one.
    """

    texts: int
    elapsed: Mapping[str, Spread]
    worked: Mapping[str, Spread]


async def time_them(
    rows: Sequence[Row],
    origin: OriginClass,
    rooms: Rooms,
    settings: Settings,
    advance: Callable[[int], None],
) -> Timed:
    """Judge rows one by one, nothing else under way, and return what it took."""
    drafts = [drafted(row.text, origin, rooms, settings) for row in rows]
    for draft in drafts[:WARM_UP]:
        await screened_of(draft, rooms)
    taken = await elapsed(drafts, rooms, advance)
    worked = await _worked(drafts, rooms)
    return Timed(len(rows), _by_part(taken), _by_part(worked))


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
    return [one | {BARE: whole} for one, whole in zip(taken, least, strict=True)]


async def _whole(draft: Draft, rooms: Rooms, clock: "_Clock") -> float:
    """Judge one draft; return what it took."""
    clock.taken.clear()
    with clock.step(WHOLE):
        await screened_of(draft, rooms)
    return clock.taken[WHOLE]


async def _one(draft: Draft, rooms: Rooms, clock: "_Clock") -> dict[str, float]:
    """Judge one draft; return what each part took by itself: the steps contain others."""
    whole = await _whole(draft, rooms, clock)
    taken = clock.taken
    shown = taken.get(_SHOW, 0.0)
    parts = {
        READINGS: taken[READINGS],
        CLASSIFIER: taken[_DETECT] + shown,
        STAGES: taken[_SCREEN] + taken[_TEXT],
        CLAIMS: taken[CLAIMS],
        WORDS: taken[WORDS],
    }
    judging = parts[READINGS] + parts[CLASSIFIER] + parts[STAGES]
    text = parts[READINGS] + parts[CLAIMS] + parts[WORDS] + shown + taken[_TEXT]
    steps = taken[_GATHER] + taken[_DETECT] + taken[_SCREEN]
    return {
        **parts,
        STORE: taken[_GATHER] - text,
        REST: whole - steps,
        JUDGING: judging,
        READING: judging + parts[CLAIMS] + parts[WORDS],
        BESIDE: whole,
    }


@contextmanager
def _within(rooms: Rooms, clock: "_Clock") -> Iterator[Rooms]:
    """Lend the rooms with a clock in front of each part that reads the text while facts are
    gathered: those parts are no steps that anybody else watches.
    """
    with ExitStack() as stack:
        for owner, name, part in (
            (gather, "_read", READINGS),
            (gather, "_named", WORDS),
            (Run, "read", _TEXT),
        ):
            stack.enter_context(instead(owner, name, clock.around(part, getattr(owner, name))))
        show = clock.around_waiting(_SHOW, Begun.show)
        stack.enter_context(instead(Begun, "show", show))
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

    def around_waiting(
        self, name: str, work: Callable[..., Awaitable[None]]
    ) -> Callable[..., Awaitable[None]]:
        """Return the same of what is waited for."""

        async def timed(*args: Any) -> None:
            with self.step(name):
                await work(*args)

        return timed


class _TimedRelating:
    def __init__(self, relating: Relating, clock: _Clock) -> None:
        self._relating = relating
        self._clock = clock

    def read(self, said: Said) -> Reading:
        with self._clock.step(CLAIMS):
            return self._relating.read(said)

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        return self._relating.ties(new, old)

    @property
    def once(self) -> Relating:
        return self._relating.once

    @property
    def certain(self) -> Relating:
        return self._relating.certain

    def is_unread(self, said: Said) -> bool:
        return self._relating.is_unread(said)

    def is_current(self, record: bytes) -> bool:
        return self._relating.is_current(record)
