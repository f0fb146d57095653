"""Recall checks (R5): each is a named function that says whether one memory may be shown.

`verdict` runs them all; the name of the first that fails goes to the audit and to nobody else.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from guard.errors import UnreadableError
from guard.governing import models_of, policy_for, versioned
from guard.nouns import Evidence, Row
from guard.rooms import Rooms
from memory.types import Owner, State, TenantId
from policies.decide import decide, strictest
from policies.model import Effect, Policy

REASON_RELEASED: Final = "review.released"
"""Among the sealed reasons of a memory that a reviewer let through."""
REASON_ESCALATED: Final = "review.escalated"
"""Among those of a case that a reviewer left to others."""
REASON_SET_ASIDE: Final = "review.held"
"""Among those of a memory that a reviewer put back into the queue."""
REASON_REDACTED: Final = "review.redacted"
"""Among those of one that a reviewer cut something out of."""
REASON_LOWERED: Final = "review.lowered"
"""Among those of one that a reviewer gave less trust than it had."""
REASON_RAISED: Final = "review.raised"
"""Among those of one that two reviewers gave more trust."""
REASON_CONFIRMED: Final = "origin.confirmed"
"""Among those of one that the subject made his own."""
STANDING: Final = (REASON_RELEASED, REASON_CONFIRMED)
"""What a person decided about a memory; it outlives a newer policy or model that would hold it."""
OUTDATED: Final = "outdated"
"""The check that fails for a memory which today's stages and models have not looked at."""
BARRED: Final = "policy"
"""The check that fails for a memory which today's policy would not let through."""


def is_owned(owner: Owner, row: Row) -> bool:
    """Return whether the label names exactly this owner."""
    label = row.sealed.label
    return label.tenant == owner.tenant and label.subject == owner.subject


def is_current(row: Row) -> bool:
    """Return whether the row is the newest version that the audit knows: it was not rolled back."""
    return row.sealed.label.leaf == row.newest_leaf


def is_alive(row: Row, now: datetime) -> bool:
    """Return whether the memory is active and has not expired."""
    label = row.sealed.label
    return label.state is State.ACTIVE and (label.expires_at is None or label.expires_at > now)


def is_allowed(row: Row, evidence: Evidence, policy: Policy) -> bool:
    """Return whether the policy in force, applied to the stored findings, still lets it through."""
    decision = decide(policy, row.sealed.label.trust, evidence.completions, evidence.findings)
    return lets_stay(decision.effect, evidence.reasons)


def lets_stay(effect: Effect, reasons: Sequence[str]) -> bool:
    """Return whether what is stored may stay active when it is decided anew.

    A reviewer's release and the subject's confirmation, which stand among the sealed reasons,
    outlive a stricter policy, except one that rejects outright.
    """
    bar = Effect.REJECT if set(STANDING) & set(reasons) else Effect.QUARANTINE
    return strictest((effect, bar)) is not effect


def misfit(owner: Owner, row: Row) -> str | None:
    """Return None when a row of any state is the owner's newest, else the check that failed."""
    if not is_owned(owner, row):
        return "owner"
    return None if is_current(row) else "current"


class Today(msgspec.Struct, frozen=True):
    """The policy and the models of one moment, and the version of what they decide."""

    policy: Policy
    models: str
    version: str


def today(tenant: TenantId, rooms: Rooms) -> Today:
    """Return what decides for a tenant now: to be asked once for many memories.

    Raises UnavailableError when it is not known what the tenant enacted.
    """
    policy, models = policy_for(tenant, rooms), models_of(rooms)
    return Today(policy, models, versioned(policy, models))


async def verdict(
    owner: Owner, row: Row, now: datetime, rooms: Rooms, by: Today | None = None
) -> str | None:
    """Return None when the memory may be shown, else the name of the check that failed.

    It is held against what is in force `by` a moment that the caller chose, else by now. For
    `OUTDATED` and `BARRED`, `guard.rescreen` has the next word. Tag, digest and cipher are the
    vault's own checks, made when the memory is opened.
    """
    failed = misfit(owner, row)
    if failed is not None:
        return failed
    return await allowance(owner, row, rooms, by) if is_alive(row, now) else "alive"


async def verdict_on_past(
    owner: Owner, row: Row, now: datetime, rooms: Rooms, by: Today | None = None
) -> str | None:
    """Return None when a memory may be shown to whoever asks for the past, else what failed.

    It may have been superseded since. What expired, was forgotten or is held stays hidden.
    """
    failed = misfit(owner, row)
    if failed is not None:
        return failed
    label = row.sealed.label
    lives = label.expires_at is None or label.expires_at > now
    if not lives or label.state not in (State.ACTIVE, State.SUPERSEDED):
        return "alive"
    return await allowance(owner, row, rooms, by)


async def allowance(owner: Owner, row: Row, rooms: Rooms, by: Today | None = None) -> str | None:
    """Return None when today's policy and models would let a row through, else what failed."""
    by = by or today(owner.tenant, rooms)
    if row.sealed.label.policy == by.version:
        return None
    try:
        evidence = await rooms.vault.open_evidence(owner, row.sealed)
    except UnreadableError:
        return "evidence"
    if evidence.models != by.models:
        return OUTDATED
    return None if is_allowed(row, evidence, by.policy) else BARRED
