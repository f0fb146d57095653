"""What judging adds to a write, beside the same write that only asks its models, in one run.

    python -m bench.judging [--memories 500] [--writes 300]

One subject gets that many memories, as every write makes them. Then new texts are written by turns
in two ways. `judged` is a write as it is: every reading of the text, all stages, the classifier and
what the text is drawn to. `asked` makes the vectors and asks the packaged injection model about the
text as it is written, both at once as ever, and waits for both; nothing is made of what they say,
there is one reading, and no stage looks for anything. The policy, relating and the commit are the
same both ways. One text in four has three sentences, and every other one is Chinese.

Each text is judged twice: alone, where nothing is related and nothing stored, and as it is written.
Differences are taken pair by pair, texts of one length side by side; pairs of writes of which one
takes another memory's place, and so commits more, are left out. By the clock on the wall they
tell of a machine that has a core to spare, by the processor's of one that has none.
"""

import argparse
import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.filling import fact, fill, followed, processor, registered, worker_pids
from bench.poisoning.models import instead
from gateway.app import serving
from gateway.app.keep import start_keys
from gateway.auth import offline_principal
from gateway.settings import load
from guard import gather
from guard.ahead import Early
from guard.content import content_of
from guard.detectors import UNASKED, classifier
from guard.judging import judge
from guard.models.reading import PoisonReader
from guard.models.vectors import readable
from guard.nouns import Draft, Facts, Tagged, View
from guard.outcomes import Stored
from guard.pipeline import Bounded
from guard.ports import Detector
from guard.remember import remember
from guard.rooms import Rooms
from guard.views import normalised
from guard.views.rewrite import original
from memory.origin import Hint, OriginClass
from memory.signals import Vectors
from memory.types import Owner, SubjectId, TenantId
from policies.model import Finding

_WARM: Final = 30
_JUDGED: Final = "judged"
_ASKED: Final = "asked"
_ALONE: Final = "alone"
_WRITTEN: Final = "written"
_LONG: Final = 4
"""One text in so many has three sentences."""


class Answers(Early):
    """Asks the packaged injection model about a text, waits for it, and makes nothing of it."""

    def __init__(self, reader: PoisonReader) -> None:
        self._reader = reader

    @property
    def version(self) -> str:
        """The reader's."""
        return self._reader.version

    def begin(self, draft: Draft) -> "Answering":
        """Ask at once, and for vectors where those of the draft are of another text."""
        content = content_of(draft)
        answers = self._reader.ask([readable(content)], embedded=content != draft.text)
        return Answering([task for task in answers if task is not None])

    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Ask, and wait."""
        return await self.begin(tagged.draft).detect(tagged, facts, before)


class Answering:
    """Fulfils `guard.ahead.Begun`."""

    def __init__(self, answers: Sequence[asyncio.Task[Any]]) -> None:
        self._answers = answers

    async def show(self, views: Sequence[View]) -> None:
        """Look at no other reading."""

    def know(self, vectors: Vectors) -> None:
        """Make nothing of them."""

    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Wait for the answers."""
        del tagged, facts, before
        for answer in self._answers:
            await answer
        return ()

    def drop(self) -> None:
        """Stop."""
        for answer in self._answers:
            answer.cancel()


class Way:
    """One of the two ways to write, and what its writes took."""

    def __init__(self, rooms: Rooms, *, read: bool) -> None:
        self.rooms = rooms
        self._read = read
        self.seconds: dict[str, list[float]] = {_ALONE: [], _WRITTEN: []}
        self.processor: dict[str, list[float]] = {_ALONE: [], _WRITTEN: []}

    async def timed(self, part: str, work: Awaitable[object], pids: Sequence[int]) -> object:
        """Do the work this way, note what it took, and return what came of it."""
        there = nullcontext() if self._read else instead(gather, "_read", _unread)
        with there:
            spent, begun = processor(pids), time.perf_counter()
            outcome = await work
            self.seconds[part].append(time.perf_counter() - begun)
            self.processor[part].append(processor(pids) - spent)
        return outcome

    def forget(self, part: str) -> None:
        """Forget what the last work took."""
        self.seconds[part].pop()
        self.processor[part].pop()


def _unread(content: str, text: str) -> tuple[tuple[View, ...], str]:
    """Return a text as it is for its only reading, and its normal form, by which it is known."""
    return (original(content),), normalised(text)


async def _measure(folder: Path, memories: int, writes: int) -> None:
    settings = load(environ={}, overrides={"storage.data_dir": str(folder / "data")})
    start_keys(settings)
    serving.prepare_models(settings, lambda _step, _done, _total: None)
    async with serving.adapters_of(settings) as adapters:
        rooms = serving.assembled(settings, adapters).rooms
        principal = offline_principal(Owner(TenantId("bench"), SubjectId("one")), serving.now())
        await registered(adapters, principal.owner.tenant)
        reader = PoisonReader.load(adapters.embedder, shared=True)
        detectors: Mapping[str, Detector] = {**UNASKED, classifier.NAME: Answers(reader)}
        stages = {name: Bounded() for name in rooms.stages}
        bare = msgspec.structs.replace(rooms, detectors=detectors, stages=stages, magnets=None)
        ways = {_JUDGED: Way(rooms, read=True), _ASKED: Way(bare, read=False)}
        await fill(principal, memories, rooms)
        await followed(adapters)
        pids = [os.getpid(), *worker_pids(adapters.index)]
        for number in range(-_WARM, writes):
            if not number:
                for way in ways.values():
                    for taken in (*way.seconds.values(), *way.processor.values()):
                        taken.clear()
            plain = True
            for name in random.sample(sorted(ways), 2):
                way, draft = ways[name], _said(number + _WARM, name, memories)
                await way.timed(_ALONE, judge(principal, draft, way.rooms), pids)
                outcome = await way.timed(_WRITTEN, remember(principal, draft, way.rooms), pids)
                plain = plain and isinstance(outcome, Stored)
                await followed(adapters)
            if not plain:
                for way in ways.values():
                    way.forget(_WRITTEN)
        await reader.close()
        _tell(ways)


def _said(number: int, name: str, memories: int) -> Draft:
    """Return what is written: something new, of other things each way."""
    own = memories + 2 * number + (name == _JUDGED)
    long = number % _LONG == 0
    text = " ".join(fact(own + 3000 * more, 70_000 + own) for more in range(3 if long else 1))
    return Draft(text, hint=Hint(OriginClass.USER_STATED))


def _tell(ways: Mapping[str, Way]) -> None:
    judged, asked = ways[_JUDGED], ways[_ASKED]
    for part in (_ALONE, _WRITTEN):
        for clock, mine, its in (
            ("by the clock on the wall", judged.seconds[part], asked.seconds[part]),
            ("of the processor", judged.processor[part], asked.processor[part]),
        ):
            pairs = [one - other for one, other in zip(mine, its, strict=True)]
            print(
                f"{part}, {clock}: judged {_ms(mine):.2f} ms, asked {_ms(its):.2f} ms,"
                f" difference of pairs {_ms(pairs):.2f} ms (medians of {len(pairs)})"
            )


def _ms(times: Sequence[float]) -> float:
    return 1000 * statistics.median(times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=500)
    parser.add_argument("--writes", type=int, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memguard-bench-") as folder:
        asyncio.run(_measure(Path(folder), given.memories, given.writes))


if __name__ == "__main__":
    main()
