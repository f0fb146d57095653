"""Stored memories are judged again when the policy, or what looks at texts, has changed (R5, Q4).

When only the policy is newer, it decides again on the stored findings. When the stages or models
are newer, they look at the text again. What would no longer be stored is held for a reviewer; what
a reviewer released or the subject confirmed stays, unless policy rejects it outright. Nothing is
decided on half a screening: a memory whose stages did not all end is as outdated as before.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from guard.admit import confidence_of
from guard.checks import STANDING, lets_stay
from guard.detectors.quota import OVER_QUOTA
from guard.errors import ConflictError, GuardError, UnavailableError
from guard.governing import models_of, policy_for, versioned
from guard.judging import judged
from guard.leaves import leaf_of_rescreening
from guard.nouns import Change, Decided, Evidence, Leaf, Row, Screened, Sealed
from guard.revise import Proven, next_revision, origin_of, prove, tag_stored
from guard.rooms import Rooms
from memory.ranking import bound_low_trust
from memory.types import LeafId, MemoryId, Owner, State
from policies.decide import decide, to_redact
from policies.model import Policy, Status

REASON_POLICY: Final = "rescreen.policy"
"""Why a memory is held whose stored findings a newer policy does not let through."""
REASON_MODELS: Final = "rescreen.models"
"""Why one is held in which newer stages or models found something."""
LASTING: Final = frozenset({"origin", "turn", "relate", "review", "memory", "doubt"})
"""Families of reasons that tell of where a memory came from and what persons made of it."""
MOMENTARY: Final = frozenset({"rate.burst", "anomaly.flood", "anomaly.unseen"})
"""Findings that tell of the moment of writing: what was found then stands, and today's don't count.
"""


class Redecided(msgspec.Struct, frozen=True):
    """A memory as it stands now. Without a leaf it is as it was, and nothing is to be committed."""

    sealed: Sealed
    reason: str
    leaf: Leaf | None
    redacted: bool = False


async def settle(owner: Owner, rows: Sequence[Row], rooms: Rooms) -> Mapping[MemoryId, Sealed]:
    """Judge active rows of one owner again, the first few, and commit what became of them.

    Returns how each stands now; what is missing could not be judged in time and is not to be shown.
    """
    bounds = rooms.bounds
    first = _in_turn(rows, bounds.low_trust_items)[: bounds.rescreen_items]
    tasks = [asyncio.create_task(_tried(owner, row, rooms)) for row in first]
    if not tasks:
        return {}
    try:
        done, _ = await asyncio.wait(tasks, timeout=bounds.rescreen_seconds)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    # In the order of the rows; `wait` has none.
    found = [one for task in tasks if task in done and (one := task.result()) is not None]
    # Not written down, it is found again next time; what is to be held is not shown now either.
    with contextlib.suppress(ConflictError, UnavailableError):
        await commit(owner, found, rooms)
    return {one.sealed.label.id: one.sealed for one in found}


def _in_turn(rows: Sequence[Row], low: int) -> Sequence[Row]:
    """Return the rows in the order in which they are judged: of low trust only `low` before others.

    Or whoever had pages remembered that a model does not get through would have every place, at
    each question, and the subject's own memories would never be looked at.
    """
    before = bound_low_trust(rows, len(rows), low, lambda row: row.sealed.label.trust)
    named = {row.sealed.label.id for row in before}
    return [*before, *(row for row in rows if row.sealed.label.id not in named)]


async def redecide(memory: Proven, rooms: Rooms, *, record: bool) -> Redecided | None:
    """Return how a proven active memory stands now, None when it could not be looked at.

    `record` asks for a next version even where nothing changed but the version of the decision.
    """
    # (1) Have today's stages and models looked at it?
    fresh = await looked_at(memory, rooms)
    if fresh is None:
        return None
    looked = fresh is not memory
    reason = REASON_MODELS if looked else REASON_POLICY

    # (2) Decide, and let stand what a person decided.
    label, evidence = memory.opened.label, fresh.evidence
    policy = policy_for(memory.owner.tenant, rooms)
    decision = decide(policy, label.trust, evidence.completions, evidence.findings)
    stays = lets_stay(decision.effect, evidence.reasons)
    if stays and not looked and not record:
        return Redecided(memory.sealed, reason, None)
    standing = [r for r in evidence.reasons if r.partition(".")[0] in LASTING]
    reasons = tuple(dict.fromkeys((*decision.reasons, *standing, *(() if stays else (reason,)))))

    # (3) Make the next version, without what must not be kept.
    version = versioned(policy, evidence.models)
    decision = msgspec.structs.replace(decision, reasons=reasons, policy=version)
    leaf_id = LeafId(rooms.new_id())
    cut = to_redact(policy, label.trust, evidence.findings) if stays else []
    redacted = any(finding.spans for finding in cut)
    if redacted:
        origin = msgspec.structs.replace(origin_of(memory.opened), at=label.changed_at)
        sealed = await next_revision(fresh, decision, origin, leaf_id, rooms)
    else:
        keeps = not stays or set(standing) & set(STANDING)
        sealed = await rooms.vault.relabel(
            memory.sealed,
            state=State.ACTIVE if stays else State.HELD,
            leaf=leaf_id,
            # What stays is as old as it was, and ranks by that; what is held waits from now on.
            at=label.changed_at if stays else rooms.clock(),
            decided=Decided(
                msgspec.structs.replace(evidence, reasons=reasons),
                version,
                label.confidence if keeps else confidence_of(decision, label.trust, rooms.bounds),
            ),
        )
    leaf = leaf_of_rescreening(sealed.label, rooms.clock(), (*reasons, reason))
    return Redecided(sealed, reason, leaf, redacted)


async def looked_at(memory: Proven, rooms: Rooms) -> Proven | None:
    """Return the memory with what today's stages and models find in it; itself if they have looked.

    None when one of them did not end. The reasons stay those of the earlier decision.
    """
    models, stored = models_of(rooms), memory.evidence
    if stored.models == models:
        return memory
    tagged = tag_stored(memory, origin_of(memory.opened))
    screened, _ = await judged(tagged, rooms, recent_writes=1)
    if any(finding.code == OVER_QUOTA for finding in screened.findings):
        return None  # A model was asked too often of late: nobody has looked at this one.
    evidence = _joined(screened, stored)
    if not _ended(evidence, policy_for(memory.owner.tenant, rooms)):
        return None
    return msgspec.structs.replace(memory, evidence=evidence)


async def commit(owner: Owner, some: Sequence[Redecided], rooms: Rooms) -> None:
    """Make next versions true at once. Raises ConflictError when one of them is outrun."""
    made = [(one.sealed, one.leaf) for one in some if one.leaf is not None]
    if not made:
        return
    rows, leaves = zip(*made, strict=True)
    async with rooms.turns.of(owner):
        epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
        await rooms.ledger.commit(Change(owner, epoch, rows, leaves))


async def _tried(owner: Owner, row: Row, rooms: Rooms) -> Redecided | None:
    try:
        return await redecide(await prove(owner, row, rooms), rooms, record=False)
    except GuardError:
        return None  # It does not open, or something does not answer: it stays as it is.


def _joined(screened: Screened, stored: Evidence) -> Evidence:
    """Return what was found now; of what tells of the moment of writing, what was found then."""
    return Evidence(
        findings=(
            *(f for f in screened.findings if f.reason not in MOMENTARY),
            *(f for f in stored.findings if f.reason in MOMENTARY),
        ),
        completions=screened.completions,
        reasons=stored.reasons,
        models=screened.models,
    )


def _ended(evidence: Evidence, policy: Policy) -> bool:
    """Say whether every stage that the policy requires ran to its end, and none failed."""
    done = {c.stage for c in evidence.completions if c.status is Status.DONE}
    return done >= set(policy.stages) and all(c.status is Status.DONE for c in evidence.completions)
