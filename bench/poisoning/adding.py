"""What judging adds to the time of a write, by the clock on the wall, models included.

The models are at work while a text is read, so times of parts don't add up to the whole. Each text
is written in three ways by turns: as it is, with all that judging it makes out known before, and
not at all: its models are asked alone. Differences are taken text by text, and then their median.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from bench.poisoning.judging import screened_of
from bench.poisoning.models import Submit, instead, submitting
from guard import gather, judging, pipeline
from guard.detectors import classifier
from guard.models import reading
from guard.nouns import Draft
from guard.rooms import Rooms

WHOLE: Final = "a write"
KNOWN: Final = "the same, all that judging makes out known before"
ALONE: Final = "its models alone, asked the same way"
ADDED: Final = "what judging adds"
BESIDE: Final = "all beside the models"
PASSES: Final = 5
"""Times that each text is written in each way; the least counts. Whatever else runs on the machine
only ever adds to what a write takes."""

_JUDGING: Final = (
    (gather, "_read"),
    (pipeline.Run, "read"),
    (classifier, "readings_of"),
    (reading, "_read"),
    (reading.PoisonReader, "judged"),
)
"""What makes something out of a text, or of what the models say of it."""


async def elapsed(
    drafts: Sequence[Draft], rooms: Rooms, advance: Callable[[int], None]
) -> list[dict[str, float]]:
    """Return how long each write took in each way, and what lies between, in seconds."""
    taken = []
    for number, draft in enumerate(drafts, start=1):
        taken.append(await _one(draft, rooms))
        advance(number)
    return taken


async def _one(draft: Draft, rooms: Rooms) -> dict[str, float]:
    asked: list[tuple[Any, Sequence[str]]] = []
    with submitting(_noting(asked)), _remembered() as known:
        await screened_of(draft, rooms)

    async def write() -> None:
        await screened_of(draft, rooms)

    async def alone() -> None:
        await asyncio.gather(*(queue.submit(texts) for queue, texts in asked))

    found: dict[str, list[float]] = {WHOLE: [], KNOWN: [], ALONE: []}
    for _ in range(PASSES):
        found[WHOLE].append(await _seconds(write))
        with known():
            found[KNOWN].append(await _seconds(write))
        found[ALONE].append(await _seconds(alone))
    least = {name: min(seconds) for name, seconds in found.items()}
    return least | {
        ADDED: least[WHOLE] - least[KNOWN],
        BESIDE: least[WHOLE] - least[ALONE],
    }


async def _seconds(work: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await work()
    return time.perf_counter() - began


def _noting(asked: list[tuple[Any, Sequence[str]]]) -> Callable[[Submit], Submit]:
    """Return what notes which model is asked about which texts."""

    def noting(submit: Submit) -> Submit:
        async def submit_and_note(queue: Any, texts: Sequence[str]) -> list[Any]:
            asked.append((queue, texts))
            return await submit(queue, texts)

        return submit_and_note

    return noting


@contextmanager
def _remembered() -> Iterator[Callable[[], Any]]:
    """Note what judging one text makes out; lend what has it known for another write of the text.

    Each part answers once a write, so what it answered last is the answer.
    """
    answers: dict[str, Any] = {}
    screen_within = pipeline.screen_within

    def noting(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def worked(*args: Any) -> Any:
            answers[name] = work(*args)
            return answers[name]

        return worked

    def knowing(name: str) -> Callable[..., Any]:
        return lambda *_: answers[name]

    async def screened(*args: Any) -> Any:
        answers[WHOLE] = await screen_within(*args)
        return answers[WHOLE]

    async def known_screened(*_: Any) -> Any:
        return answers[WHOLE]

    @contextmanager
    def known() -> Iterator[None]:
        with ExitStack() as stack:
            for owner, name in _JUDGING:
                if _key(owner, name) in answers:
                    there = instead(owner, name, knowing(_key(owner, name)))
                    stack.enter_context(there)
            stack.enter_context(instead(judging, "screen_within", known_screened))
            yield

    with ExitStack() as stack:
        for owner, name in _JUDGING:
            work = noting(_key(owner, name), getattr(owner, name))
            stack.enter_context(instead(owner, name, work))
        stack.enter_context(instead(judging, "screen_within", screened))
        yield known


def _key(owner: Any, name: str) -> str:
    return f"{owner.__name__}.{name}"
