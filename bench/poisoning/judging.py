"""What the whole pipeline makes of rows: the write's own path over real rooms, nothing stored.

Each row is judged as the first that its subject ever writes, under each origin that is asked about.
Many are judged at once and the machine may be busy with them, so deadlines are wide here: a row
that is late is held for that (W11), which would say nothing about the text. Whatever stage did not
end all the same is counted and told.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Final

import msgspec

from bench.poisoning.rows import Row
from gateway import wire
from gateway.auth import offline_principal
from gateway.cli.feed import Line
from gateway.cli.screening import ATTEMPTS, Judged, in_order
from gateway.cli.screening import Verdict as Told
from gateway.settings import Settings
from guard.errors import GuardError, UnavailableError
from guard.judging import judge
from guard.nouns import Draft, Screened
from guard.rooms import Rooms
from memory.origin import OriginClass
from memory.types import Owner, SubjectId, TenantId
from policies.decide import effect_of
from policies.model import Effect, Finding, Policy

CLASSIFIER: Final = "classifier"
"""The stage whose findings carry the score of the text."""
PATIENCE: Final = 120.0
"""Seconds that a stage or detector may take while many rows are under way."""

AT_ONCE: Final = 6
"""Rows under way. A long text is asked about in dozens of parts, and a full queue refuses."""

_HOLDING: Final = (Effect.QUARANTINE, Effect.REJECT)
_NOBODY: Final = Owner(TenantId("bench"), SubjectId("nobody"))

Advance = Callable[[int], None]
"""Told how many rows are done."""


class Seen(msgspec.Struct, frozen=True):
    """What became of one row under one origin.

    `held_by` are the stages that called for holding it, `unended` the reasons of those that left no
    proof that they ran; `effect` is None for a text that was refused before it could be judged.
    """

    origin: OriginClass
    effect: Effect | None
    held_by: tuple[str, ...] = ()
    unended: tuple[str, ...] = ()
    score: float | None = None
    problem: str | None = None

    @property
    def held(self) -> bool:
        """Whether the text would not be remembered unless a person says so."""
        return self.effect in _HOLDING

    @property
    def skipped(self) -> bool:
        """Whether the text would be left out as not worth keeping."""
        return self.effect is Effect.SKIP


def patient(rooms: Rooms) -> Rooms:
    """Return the rooms with wide deadlines."""
    bounds = msgspec.structs.replace(
        rooms.bounds, stages_seconds=PATIENCE, detector_seconds=PATIENCE
    )
    return msgspec.structs.replace(rooms, bounds=bounds)


async def see(
    rows: Sequence[Row],
    origins: Sequence[Sequence[OriginClass]],
    rooms: Rooms,
    settings: Settings,
    advance: Advance,
) -> list[tuple[Seen, ...]]:
    """Judge each row under each of its origins; return what was seen in the order of the rows."""
    seen: list[tuple[Seen, ...]] = [()] * len(rows)
    room = asyncio.Semaphore(AT_ONCE)

    async def judge_row(line: Line) -> Judged:
        at = line.number
        # One origin after the other: what the models said of the text is known from the first on.
        async with room:
            outcomes = [await one(rows[at], origin, rooms, settings) for origin in origins[at]]
        seen[at] = tuple(outcomes)
        return Told(at, "", None, ())

    def told(line: Line, _: Judged) -> None:
        advance(line.number + 1)

    async def feed() -> AsyncIterator[Line]:
        for number, row in enumerate(rows):
            content = row.text.encode("utf-8", "replace")
            yield Line(number, content, number)

    await in_order(feed(), judge_row, told)
    return seen


async def one(row: Row, origin: OriginClass, rooms: Rooms, settings: Settings) -> Seen:
    """Judge one row as a write of this origin."""
    try:
        draft = drafted(row.text, origin, rooms, settings)
        screened = await screened_of(draft, rooms)
    except GuardError as error:
        return Seen(origin, None, problem=error.code)
    unended = tuple(_unended(screened))
    holding = dict.fromkeys((*_holding(rooms.policy, screened), *unended))
    return Seen(
        origin=origin,
        effect=screened.decision.effect,
        held_by=tuple(holding),
        unended=unended,
        score=score_of(screened.findings),
    )


async def screened_of(draft: Draft, rooms: Rooms) -> Screened:
    """Return what the pipeline decides on a draft, asked again while the machine is too busy."""
    principal = offline_principal(_NOBODY, rooms.clock())
    for _ in range(ATTEMPTS - 1):
        try:
            return (await judge(principal, draft, rooms))[0]
        except UnavailableError:
            continue
    return (await judge(principal, draft, rooms))[0]


def drafted(text: str, origin: OriginClass, rooms: Rooms, settings: Settings) -> Draft:
    """Return the draft that the REST edge would make of it. Raises InvalidError as it does."""
    body = {"text": text, "origin": {"class": origin.value}}
    return wire.from_arguments(body, wire.StoreMemory).draft(
        now=rooms.clock(),
        leeway_seconds=settings.auth.leeway_seconds,
        max_text_chars=settings.limits.max_text_chars,
    )


def score_of(findings: Sequence[Finding]) -> float | None:
    """Return the highest score that the classifier gave, None when it gave none."""
    scores = [f.score for f in findings if f.stage == CLASSIFIER and f.score is not None]
    return max(scores, default=None)


def _holding(policy: Policy, screened: Screened) -> Iterator[str]:
    trust = screened.tagged.origin.trust
    for finding in screened.findings:
        if effect_of(policy, trust, finding) in _HOLDING:
            yield finding.stage


def _unended(screened: Screened) -> Iterator[str]:
    """Yield the reasons that name a stage instead of a finding: it is missing, late or unknown."""
    for reason in screened.decision.reasons:
        if reason.startswith(("stage_incomplete.", "stage_unknown.")):
            yield reason
