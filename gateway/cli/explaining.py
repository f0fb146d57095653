"""One text's way through the stages and the rules, told step by step."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from gateway import app
from gateway.auth import offline_principal
from gateway.cli.screening import draft_of
from gateway.settings import Settings
from guard.errors import InvalidError
from guard.governing import policy_for
from guard.judging import judge
from guard.nouns import Screened
from guard.rooms import Rooms
from memory.origin import OriginClass
from memory.types import Owner, SubjectId, TenantId
from policies.decide import effect_of, matching
from policies.model import Finding, Policy

_NOBODY = "explain"
_MOST_BYTES_PER_CHARACTER = 4


class Seen(msgspec.Struct, frozen=True):
    """One finding, the rules that apply to it, and what they call for; `spans` are in the text."""

    reason: str
    severity: str
    score: float | None
    view: str
    spans: tuple[tuple[int, int], ...]
    rules: tuple[str, ...]
    effect: str


class Explanation(msgspec.Struct, frozen=True):
    """What was decided, by which policy and models, and every step that led to it."""

    effect: str
    policy: str
    origin: str
    trust: int
    stages: dict[str, str]
    findings: tuple[Seen, ...]
    reasons: tuple[str, ...]


async def explained(
    text: str, origin: OriginClass, tenant: str | None, settings: Settings
) -> Explanation:
    """Judge a text as the first write of a subject that nobody knows; nothing is stored."""
    owner = Owner(TenantId(tenant or _NOBODY), SubjectId(_NOBODY))
    async with app.judging_rooms(settings) as plain, _governed(plain, tenant, settings) as rooms:
        draft = draft_of(text, origin, settings, rooms)
        screened, _ = await judge(offline_principal(owner, rooms.clock()), draft, rooms)
        return explanation_of(screened, policy_for(owner.tenant, rooms))


@asynccontextmanager
async def _governed(rooms: Rooms, tenant: str | None, settings: Settings) -> AsyncIterator[Rooms]:
    """Lend rooms that know what a tenant enacted; nobody's rules ask for no ledger."""
    if tenant is None:
        yield rooms
        return
    async with app.policy_desk(settings) as desk:
        yield msgspec.structs.replace(rooms, enacted=desk.enacted)


def explanation_of(screened: Screened, policy: Policy) -> Explanation:
    """Return how a screened draft came to its decision under this policy."""
    origin, decision = screened.tagged.origin, screened.decision
    return Explanation(
        effect=decision.effect.value,
        policy=decision.policy,
        origin=origin.class_.value,
        trust=origin.trust,
        stages={one.stage: one.status.value for one in screened.completions},
        findings=tuple(_seen(one, origin.trust, policy) for one in screened.findings),
        reasons=decision.reasons,
    )


def text_of(argument: str | None, settings: Settings) -> str:
    """Return the text that was given, else what standard input holds.

    Raises InvalidError for what is no text, or longer than any text may be.
    """
    if argument is not None:
        return argument
    most = settings.limits.max_text_chars * _MOST_BYTES_PER_CHARACTER + 2
    read = sys.stdin.buffer.read(most)
    try:
        return read.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise InvalidError("not text in UTF-8, or too long") from None


def _seen(finding: Finding, trust: int, policy: Policy) -> Seen:
    return Seen(
        reason=finding.reason,
        severity=finding.severity.name.lower(),
        score=finding.score,
        view=finding.view,
        spans=tuple((span.start, span.end) for span in finding.spans),
        rules=tuple(rule.id for rule in matching(policy.every_rule, trust, finding)),
        effect=effect_of(policy, trust, finding).value,
    )
