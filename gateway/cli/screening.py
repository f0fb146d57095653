"""What the write pipeline would decide on texts, many at a time and in their order.

Each text is judged as the first that its subject ever writes: rates and earlier memories are facts
about a subject, and texts in a file are not one subject's history.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Annotated, Final

import msgspec

from gateway import wire
from gateway.auth import offline_principal
from gateway.cli.feed import Line
from gateway.settings import Settings
from guard.detectors import classifier
from guard.errors import GuardError, InvalidError, UnavailableError
from guard.judging import judge
from guard.nouns import Draft, Screened
from guard.rooms import Rooms
from memory.origin import OriginClass
from memory.types import Owner, SubjectId, TenantId
from policies.model import Finding

IN_FLIGHT: Final = 32
"""Texts judged at once: the embedder's batch."""
BYTES_IN_FLIGHT: Final = 65_536
"""And how long they may be together: more would wait longer than the embedder lets anybody wait."""
ATTEMPTS: Final = 5
"""How often a text is tried on a machine that is too busy. No text goes unjudged for a slow one."""
_NOBODY: Final = Owner(TenantId("screen"), SubjectId("nobody"))
_MAX_ID: Final = 256


class Screenable(msgspec.Struct, frozen=True):
    """One line of input. Other members are ignored, so that a labelled set can be fed as it is."""

    id: Annotated[str, msgspec.Meta(max_length=_MAX_ID)] | int
    text: str


class Verdict(msgspec.Struct, frozen=True):
    """One line of output. `score` is the classifier's, null for a text that is not suspicious."""

    id: str | int
    effect: str
    score: float | None
    reasons: tuple[str, ...]


class Unread(msgspec.Struct, frozen=True):
    """A line without a verdict. `code` tells a line that is wrong from a text that met trouble."""

    number: int
    code: str
    problem: str


Judged = Verdict | Unread
Judge = Callable[[Line], Coroutine[None, None, Judged]]


def judging(origin: OriginClass, settings: Settings, rooms: Rooms) -> Judge:
    """Return the function that judges one line as a write of this origin."""

    async def judge_line(line: Line) -> Judged:
        try:
            given = _parsed(line)
            draft = draft_of(given.text, origin, settings, rooms)
            screened = await _screened(draft, rooms)
        except GuardError as error:
            return Unread(line.number, error.code, str(error) or error.code)
        decision = screened.decision
        return Verdict(given.id, decision.effect.value, _score(screened.findings), decision.reasons)

    return judge_line


async def in_order(
    feed: AsyncIterator[Line], judge_line: Judge, told: Callable[[Line, Judged], None]
) -> None:
    """Judge many lines at once, and tell the outcomes in the order of the lines."""
    order: asyncio.Queue[tuple[Line, asyncio.Task[Judged]] | None] = asyncio.Queue(IN_FLIGHT)
    load = _Load(BYTES_IN_FLIGHT)

    async def start() -> None:
        async for line in feed:
            await load.take(_weight(line))
            await order.put((line, group.create_task(judged(line))))
        await order.put(None)

    async def judged(line: Line) -> Judged:
        try:
            return await judge_line(line)
        finally:
            await load.give_back(_weight(line))

    async with asyncio.TaskGroup() as group:
        group.create_task(start())
        while (item := await order.get()) is not None:
            line, judging_of_it = item
            told(line, await judging_of_it)


class _Load:
    """Bounds what is under way; one thing alone may be heavier than all."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self._changed = asyncio.Condition()

    async def take(self, weight: int) -> None:
        """Return once there is room for `weight`, and fill it."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: not self._taken or self._taken + weight <= self._most
            )
            self._taken += weight

    async def give_back(self, weight: int) -> None:
        """Make room again."""
        async with self._changed:
            self._taken -= weight
            self._changed.notify()


def _weight(line: Line) -> int:
    return len(line.content or b"")


async def _screened(draft: Draft, rooms: Rooms) -> Screened:
    principal = offline_principal(_NOBODY, rooms.clock())
    for attempt in range(1, ATTEMPTS + 1):
        try:
            screened, _ = await judge(principal, draft, rooms)
        except UnavailableError:
            if attempt == ATTEMPTS:
                raise
        else:
            return screened
    raise UnavailableError("embedder")


def _parsed(line: Line) -> Screenable:
    if line.content is None:
        raise InvalidError("too long")
    try:
        return msgspec.json.decode(line.content, type=Screenable)
    except msgspec.ValidationError as error:
        raise InvalidError(wire.explain(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidError("not valid JSON in UTF-8") from None


def draft_of(text: str, origin: OriginClass, settings: Settings, rooms: Rooms) -> Draft:
    """Return the draft that the REST edge would make of it, by the same checks."""
    body = {"text": text, "origin": {"class": origin.value}}
    return wire.from_arguments(body, wire.StoreMemory).draft(
        now=rooms.clock(),
        leeway_seconds=settings.auth.leeway_seconds,
        max_text_chars=settings.limits.max_text_chars,
    )


def _score(findings: Sequence[Finding]) -> float | None:
    scores = [f.score for f in findings if f.stage == classifier.NAME and f.score is not None]
    return max(scores, default=None)
