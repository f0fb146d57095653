"""What the write pipeline would decide on texts, many at a time and in their order.

Each text is judged as the first that its subject ever writes: rates and earlier memories are facts
about a subject, and texts in a file are not one subject's history.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Annotated, Final

import msgspec

from gateway import wire
from gateway.auth import offline_principal
from gateway.cli.feed import Line
from gateway.settings import Settings
from guard.errors import GuardError, InvalidError
from guard.nouns import Draft
from guard.remember import judge
from guard.rooms import Rooms
from memory.origin import OriginClass
from memory.types import Owner, SubjectId, TenantId

IN_FLIGHT: Final = 32
"""Texts judged at once: the embedder's batch."""
_TENANT: Final = TenantId("screen")
_MAX_ID: Final = 256


class Screenable(msgspec.Struct, frozen=True):
    """One line of input. Other members are ignored, so that a labelled set can be fed as it is."""

    id: Annotated[str, msgspec.Meta(max_length=_MAX_ID)] | int
    text: str


class Verdict(msgspec.Struct, frozen=True):
    """One line of output. `score` is null while no classifier takes part."""

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
            draft = _draft(given.text, origin, settings, rooms)
            # The line's number tells one text from another, and its id might be anybody's words.
            owner = Owner(_TENANT, SubjectId(f"line-{line.number}"))
            principal = offline_principal(owner, rooms.clock())
            screened, _ = await judge(principal, draft, rooms)
        except GuardError as error:
            return Unread(line.number, error.code, str(error) or error.code)
        decision = screened.decision
        return Verdict(given.id, decision.effect.value, None, decision.reasons)

    return judge_line


async def in_order(
    feed: AsyncIterator[Line], judge_line: Judge, told: Callable[[Line, Judged], None]
) -> None:
    """Judge many lines at once, and tell the outcomes in the order of the lines."""
    order: asyncio.Queue[tuple[Line, asyncio.Task[Judged]] | None] = asyncio.Queue(IN_FLIGHT)

    async def start() -> None:
        async for line in feed:
            await order.put((line, group.create_task(judge_line(line))))
        await order.put(None)

    async with asyncio.TaskGroup() as group:
        group.create_task(start())
        while (item := await order.get()) is not None:
            line, judging_of_it = item
            told(line, await judging_of_it)


def _parsed(line: Line) -> Screenable:
    if line.content is None:
        raise InvalidError("too long")
    try:
        return msgspec.json.decode(line.content, type=Screenable)
    except msgspec.ValidationError as error:
        raise InvalidError(wire.explain(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidError("not valid JSON in UTF-8") from None


def _draft(text: str, origin: OriginClass, settings: Settings, rooms: Rooms) -> Draft:
    """Return the draft that the REST edge would make of it, by the same checks."""
    body = {"text": text, "origin": {"class": origin.value}}
    return wire.from_arguments(body, wire.StoreMemory).draft(
        now=rooms.clock(),
        leeway_seconds=settings.auth.leeway_seconds,
        max_text_chars=settings.limits.max_text_chars,
    )
