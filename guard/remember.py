"""The door in: every write of every edge passes here and is decided here (W1)."""

from typing import Protocol, assert_never

import msgspec

from guard.admit import admit
from guard.content import redact_draft
from guard.errors import ConflictError, UnavailableError, UnreadableError
from guard.gather import search_material, tag
from guard.governing import policy_for, version_for
from guard.held import require_room
from guard.judging import judged
from guard.leaves import leaf_of_write
from guard.nouns import (
    Answer,
    Change,
    Draft,
    Facts,
    Later,
    Leaf,
    Row,
    Screened,
    Sealed,
    Tagged,
)
from guard.outcomes import (
    Merged,
    Quarantined,
    Redacted,
    Rejected,
    Skipped,
    Stored,
    WriteOutcome,
)
from guard.principal import Principal
from guard.relate import New, Relation, Same, Unlearned, relate
from guard.revise import without_places
from guard.rooms import Rooms
from memory.signals import Signals
from memory.types import LeafId, State
from policies.decide import strictest, to_redact
from policies.model import Effect, Finding

REASON_UNLEARNED = "relate.forgotten"
REASON_SAME = "relate.same"


class Beside(Protocol):
    """What has to become true in the very transaction that stores a draft, if anything has."""

    async def standing(self) -> WriteOutcome | None:
        """Return what this same write came to already; asked whenever a commit met a conflict."""
        ...

    async def along(self, outcome: WriteOutcome) -> tuple[Answer | None, Later | None]:
        """Return what is committed together with this outcome."""
        ...


class _Work(msgspec.Struct, frozen=True):
    """A screened draft and all that settling it needs."""

    screened: Screened
    facts: Facts
    rooms: Rooms
    beside: Beside | None


async def remember(principal: Principal, draft: Draft, rooms: Rooms) -> WriteOutcome:
    """Screen, decide, relate, seal and commit one draft; return what became of it.

    Raises InvalidError for a parent that is not the caller's, UnavailableError when nothing could
    be written. A draft is never half written.
    """
    # (1) Tag: who says so, over which channel, derived from what.
    return await decided(await tag(principal, draft, rooms), rooms)


async def decided(
    tagged: Tagged, rooms: Rooms, beside: Beside | None = None, recent_writes: int | None = None
) -> WriteOutcome:
    """Take a tagged draft through the rest of the pipeline; the one way to the ledger (W1)."""
    outcome = await _decided(tagged, rooms, beside, recent_writes)
    rooms.watch.wrote(outcome)
    return outcome


async def _decided(
    tagged: Tagged, rooms: Rooms, beside: Beside | None, recent_writes: int | None
) -> WriteOutcome:
    # (2) Gather, (3) screen and decide. From here to the commit no fact changes.
    screened, facts = await judged(tagged, rooms, recent_writes)
    tagged = screened.tagged

    async with rooms.turns.of(tagged.owner):
        for _ in range(rooms.bounds.commit_attempts):
            # (4) Relate to what the subject already has.
            held = screened.decision.effect is Effect.QUARANTINE
            relation = relate(tagged, State.HELD if held else State.ACTIVE, facts.twins)

            # (5) Seal and (6) commit; (7) answer.
            try:
                return await _settle(_Work(screened, facts, rooms, beside), relation)
            except ConflictError:
                # Another write of this subject came between, or this same one was made elsewhere.
                stands = None if beside is None else await beside.standing()
                if stands is not None:
                    return stands
                # Look again, then relate again (R13).
                facts = await _refreshed(tagged, facts, rooms)
    raise UnavailableError("ledger")


async def _settle(work: _Work, relation: Relation) -> WriteOutcome:
    decision = work.screened.decision
    if decision.effect in (Effect.REJECT, Effect.SKIP):
        return await _leave(work)
    match relation:
        case Same(row) if decision.effect is Effect.QUARANTINE:
            return await _refer(work, _known(row, (*decision.reasons, REASON_SAME)))
        case Same(row):
            return await _merge(work, row)
        case Unlearned(row) if row is not None:
            return await _refer(work, _known(row, (*decision.reasons, REASON_UNLEARNED)))
        case Unlearned():
            held = _held_for(work.screened, REASON_UNLEARNED)
            return await _store(work, held, work.facts.signals)
        case New():
            return await _store_new(work)
        case _ as never:
            assert_never(never)


async def _store_new(work: _Work) -> WriteOutcome:
    """Store the draft, without what must go if policy says so.

    The search material is then made anew from what is left, or the index would tell what went.
    """
    screened, rooms = work.screened, work.rooms
    if screened.decision.effect is not Effect.REDACT:
        return await _store(work, screened, work.facts.signals)
    tagged = screened.tagged
    draft = redact_draft(tagged.draft, _to_redact(screened, rooms))
    signals, _ = await search_material(tagged.owner, draft, rooms)
    # The origin quotes the draft, and what was taken out of the one must not stay in the other.
    origin = msgspec.structs.replace(
        tagged.origin, reference=draft.hint.reference, session=draft.session
    )
    clean = msgspec.structs.replace(
        without_places(screened), tagged=msgspec.structs.replace(tagged, draft=draft, origin=origin)
    )
    return await _store(work, clean, signals)


async def _store(work: _Work, screened: Screened, signals: Signals) -> WriteOutcome:
    """Seal and commit a new row, active or held as the decision says."""
    tagged, decision, rooms = screened.tagged, screened.decision, work.rooms
    held = decision.effect is Effect.QUARANTINE
    if held:
        await require_room(screened, rooms)
    leaf_id = LeafId(rooms.new_id())
    admitted = admit(
        screened,
        signals,
        work.facts.fingerprint,
        rooms.bounds,
        state=State.HELD if held else State.ACTIVE,
        leaf=leaf_id,
    )
    sealed = await rooms.vault.seal(admitted)
    outcome = _outcome(screened)
    leaf = leaf_of_write(
        tagged,
        leaf_id,
        object=tagged.id,
        outcome=str(outcome.__struct_config__.tag),
        version=sealed.label.version,
        policy=decision.policy,
        digest=sealed.label.digest,
        reasons=decision.reasons,
    )
    return await _commit(work, (sealed,), leaf, outcome)


async def _merge(work: _Work, row: Row) -> WriteOutcome:
    """Touch the memory that already says so; no new row, and no rise in trust (W4, W9)."""
    tagged, rooms = work.screened.tagged, work.rooms
    leaf_id = LeafId(rooms.new_id())
    try:
        sealed = await rooms.vault.relabel(
            row.sealed, state=row.sealed.label.state, leaf=leaf_id, at=tagged.at
        )
    except UnreadableError:
        # Someone edited the twin behind the ledger's back: it takes part in nothing, and what the
        # caller says is kept beside it.
        rooms.journal.record(_spoilt(tagged, row, rooms))
        return await _store_new(work)
    label = sealed.label
    outcome = Merged(label.id, label.origin, label.trust, (REASON_SAME,))
    leaf = leaf_of_write(
        tagged,
        leaf_id,
        object=label.id,
        outcome="merged",
        version=label.version,
        policy=work.screened.decision.policy,
        digest=label.digest,
        reasons=outcome.reasons,
    )
    return await _commit(work, (sealed,), leaf, outcome)


def _spoilt(tagged: Tagged, row: Row, rooms: Rooms) -> Leaf:
    """Return the audit leaf that tells an operator of a row which failed its proof."""
    return leaf_of_write(
        tagged,
        LeafId(rooms.new_id()),
        object=row.sealed.label.id,
        outcome="withheld",
        policy=version_for(tagged.owner.tenant, rooms),
        reasons=("check.unreadable",),
    )


async def _leave(work: _Work) -> WriteOutcome:
    """Keep nothing but the audit leaf: it is refused, or not worth keeping."""
    tagged, decision = work.screened.tagged, work.screened.decision
    left = Skipped if decision.effect is Effect.SKIP else Rejected
    outcome = left(tagged.origin.class_, tagged.origin.trust, decision.reasons)
    leaf = leaf_of_write(
        tagged,
        LeafId(work.rooms.new_id()),
        object=tagged.id,
        outcome=str(outcome.__struct_config__.tag),
        policy=decision.policy,
        reasons=decision.reasons,
    )
    if work.beside is None:
        await work.rooms.audit.note([leaf])
        return outcome
    return await _commit(work, (), leaf, outcome)


async def _refer(work: _Work, known: Quarantined) -> WriteOutcome:
    """Change no memory: the held one that already says so stands."""
    if work.beside is None:
        return known
    leaf = leaf_of_write(
        work.screened.tagged,
        LeafId(work.rooms.new_id()),
        object=known.id,
        outcome="quarantined",
        policy=work.screened.decision.policy,
        reasons=known.reasons,
    )
    return await _commit(work, (), leaf, known)


async def _commit(
    work: _Work, rows: tuple[Sealed, ...], leaf: Leaf, outcome: WriteOutcome
) -> WriteOutcome:
    """Make all of it true at once; return the outcome."""
    answer, later = (None, None) if work.beside is None else await work.beside.along(outcome)
    owner = work.screened.tagged.owner
    change = Change(owner, work.facts.epoch, rows, (leaf,), answer, later)
    with work.rooms.watch.step("remember.commit"):
        await work.rooms.ledger.commit(change)
    return outcome


async def _refreshed(tagged: Tagged, facts: Facts, rooms: Rooms) -> Facts:
    """Return the facts with what other writes of the subject can have changed read again."""
    tenant, subject = tagged.owner.tenant, tagged.owner.subject
    epoch = await rooms.ledger.epoch(tenant, subject)
    twins = await rooms.ledger.twins(tenant, subject, facts.fingerprint)
    return msgspec.structs.replace(facts, epoch=epoch, twins=tuple(twins))


def _to_redact(screened: Screened, rooms: Rooms) -> list[Finding]:
    """Return the findings that policy answers with redaction."""
    origin, owner = screened.tagged.origin, screened.tagged.owner
    return to_redact(policy_for(owner.tenant, rooms), origin.trust, screened.findings)


def _held_for(screened: Screened, reason: str) -> Screened:
    decision = msgspec.structs.replace(
        screened.decision,
        effect=strictest((screened.decision.effect, Effect.QUARANTINE)),
        reasons=(*screened.decision.reasons, reason),
    )
    return msgspec.structs.replace(screened, decision=decision)


def _outcome(screened: Screened) -> Stored | Redacted | Quarantined:
    """Name what the decision made of a new row."""
    id, origin, reasons = screened.tagged.id, screened.tagged.origin, screened.decision.reasons
    match screened.decision.effect:
        case Effect.QUARANTINE | Effect.SKIP | Effect.REJECT:
            return Quarantined(id, origin.class_, origin.trust, reasons)
        case Effect.REDACT:
            return Redacted(id, origin.class_, origin.trust, reasons)
        case Effect.ALLOW | Effect.LOWER:
            return Stored(id, origin.class_, origin.trust, reasons)
        case _ as never:
            assert_never(never)


def _known(row: Row, reasons: tuple[str, ...]) -> Quarantined:
    """Point at the held row that already says so: a flood of one text is one case to review."""
    label = row.sealed.label
    return Quarantined(label.id, label.origin, label.trust, tuple(dict.fromkeys(reasons)))
