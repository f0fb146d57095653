"""What becomes of a draft that is judged and related: sealed and committed in one transaction.

A memory that is replaced is retired in the transaction that writes the one in its place: there is
no moment at which neither stands, and none at which both do (W10).
"""

from collections.abc import Sequence
from typing import Final, Protocol, assert_never

import msgspec

from guard.admit import admit
from guard.content import redact_draft
from guard.errors import UnavailableError, UnreadableError
from guard.gather import at_of, search_material
from guard.governing import policy_for, version_for, versioned
from guard.held import require_room
from guard.kin import read
from guard.leaves import leaf_of_write
from guard.nouns import Answer, Barred, Change, Facts, Label, Later, Leaf, Row, Screened, Tagged
from guard.outcomes import (
    Merged,
    Quarantined,
    Redacted,
    Rejected,
    Skipped,
    Stored,
    Superseded,
    WriteOutcome,
)
from guard.provenance import told_of
from guard.relate import Conflict, New, Newer, Older, Relation, Same, Unlearned
from guard.relating import Said
from guard.retire import (
    REASON_CONFLICT,
    REASON_NEWER,
    REASON_OLDER,
    Made,
    in_doubt,
    name_of,
    named,
    ranked,
    retire,
)
from guard.revise import without_places
from guard.rooms import Rooms
from memory.ranking import LOW_TRUST
from memory.signals import Signals
from memory.types import LeafId, MemoryId, State
from policies.decide import strictest, to_redact
from policies.model import Effect, Finding

REASON_UNLEARNED: Final = "relate.forgotten"
REASON_SAME: Final = "relate.same"


class Beside(Protocol):
    """What has to become true in the very transaction that stores a draft, if anything has."""

    async def standing(self) -> WriteOutcome | None:
        """Return what this same write came to already; asked whenever a commit met a conflict."""
        ...

    async def along(self, outcome: WriteOutcome) -> tuple[Answer | None, Later | None]:
        """Return what is committed together with this outcome."""
        ...


class Work(msgspec.Struct, frozen=True):
    """A screened draft and all that settling it needs.

    `retired` are the memories whose place it takes; `newer` is the one that has its place already.
    `doubtful` are those beside which it stands, though nobody knows whether both can hold.
    `barred` names the ban that holds it, when nothing else does.
    """

    screened: Screened
    facts: Facts
    rooms: Rooms
    beside: Beside | None
    retired: tuple[Row, ...] = ()
    newer: MemoryId | None = None
    doubtful: tuple[Row, ...] = ()
    barred: str | None = None


async def settle(work: Work, relation: Relation) -> WriteOutcome:
    """Make of a draft what decision and relation call for. Raises ConflictError when outrun."""
    if work.screened.decision.effect in (Effect.REJECT, Effect.SKIP):
        return await _leave(work)
    match relation:
        case Same(row):
            return await _repeat(work, row)
        case Unlearned(held):
            return await _hold(work, held, REASON_UNLEARNED)
        case Conflict(rows, held):
            return await _hold(work, held, REASON_CONFLICT, *named(rows))
        case Newer(rows):
            work = _because(work, REASON_NEWER, ranked(rows))
        case Older(row):
            work = msgspec.structs.replace(work, newer=row.sealed.label.id)
            work = _because(work, REASON_OLDER, (row,))
        case New():
            pass
        case _ as never:
            assert_never(never)
    return await _store_new(work)


async def _repeat(work: Work, row: Row) -> WriteOutcome:
    """Point at the held row that says so already, or touch the one that stands."""
    decision = work.screened.decision
    if decision.effect is Effect.QUARANTINE:
        return await _refer(work, _known(row, (*decision.reasons, REASON_SAME)))
    return await _merge(work, row)


async def _hold(work: Work, held: Row | None, *reasons: str) -> WriteOutcome:
    """Hold the draft for these reasons, or point at the row that is held for it already."""
    if held is not None:
        return await _refer(work, _known(held, (*work.screened.decision.reasons, *reasons)))
    facts, work = work.facts, msgspec.structs.replace(work, barred=None)
    return await _store(work, _held_for(work.screened, *reasons), facts.signals, facts.reading)


async def _store_new(work: Work) -> WriteOutcome:
    """Store the draft, without what must go if policy says so.

    The search material is then made anew from what is left, or the index would tell what went.
    """
    screened, rooms = work.screened, work.rooms
    if screened.decision.effect is not Effect.REDACT:
        return await _store(work, screened, work.facts.signals, work.facts.reading)
    tagged = screened.tagged
    draft = redact_draft(tagged.draft, _to_redact(screened, rooms))
    reading = await read(Said(draft.text, at_of(tagged)), rooms)
    signals, _ = await search_material(tagged.owner, draft, rooms, slots=reading.slots)
    # The origin quotes the draft, and what was taken out of the one must not stay in the other.
    origin = msgspec.structs.replace(
        tagged.origin, reference=draft.hint.reference, session=draft.session
    )
    clean = msgspec.structs.replace(
        without_places(screened), tagged=msgspec.structs.replace(tagged, draft=draft, origin=origin)
    )
    return await _store(work, clean, signals, reading.record)


async def _store(work: Work, screened: Screened, signals: Signals, reading: bytes) -> WriteOutcome:
    """Seal and commit a new row, active or held as the decision says, and retire what it replaces.

    One that is history when it comes is kept as such.
    """
    rooms = work.rooms
    held = screened.decision.effect is Effect.QUARANTINE
    if held:
        await require_room(screened, rooms)
    doubtful = () if held or work.newer is not None else work.doubtful
    screened = _telling(screened, in_doubt(doubtful))
    tagged, decision = screened.tagged, screened.decision
    past = State.ACTIVE if work.newer is None else State.SUPERSEDED
    leaf_id = LeafId(rooms.new_id())
    admitted = admit(
        screened,
        signals,
        work.facts.fingerprint,
        rooms.bounds,
        state=State.HELD if held else past,
        leaf=leaf_id,
    )
    admitted = msgspec.structs.replace(
        admitted,
        body=msgspec.structs.replace(admitted.body, reading=reading),
        superseded_by=work.newer,
        claim=work.facts.claim,
    )
    sealed = await rooms.vault.seal(admitted)
    retired = [] if held else await _retired(work)
    outcome = _outcome(work, screened)
    told = State.SUPERSEDED if work.newer is not None else outcome.__struct_config__.tag
    leaf = leaf_of_write(
        tagged,
        leaf_id,
        object=tagged.id,
        outcome=str(told),
        version=sealed.label.version,
        policy=decision.policy,
        digest=sealed.label.digest,
        reasons=decision.reasons,
    )
    doubts = tuple((tagged.id, row.sealed.label.id) for row in doubtful)
    change = Change(tagged.owner, work.facts.epoch, (), (), doubts=doubts, derived=_derived(work))
    if work.barred is not None:
        by = Barred(work.barred, tagged.id, sealed.label.version, tagged.at)
        change = msgspec.structs.replace(change, barred=(by,))
    return await _commit(work, [(sealed, leaf), *retired], outcome, change=change)


def _derived(work: Work) -> tuple[tuple[MemoryId, MemoryId], ...]:
    """Return what the draft was derived from: its parents, and what it replaces word by word."""
    tagged = work.screened.tagged
    mark = work.facts.fingerprint
    same = [row.sealed.label.id for row in work.retired if row.sealed.fingerprint == mark]
    return tuple((tagged.id, one) for one in dict.fromkeys((*tagged.origin.parents, *same)))


async def _retired(work: Work) -> list[Made]:
    """Return the next version of each memory that is replaced, superseded by the draft."""
    tagged = work.screened.tagged

    def told(label: Label) -> Leaf:
        return leaf_of_write(
            tagged,
            label.leaf,
            object=label.id,
            outcome=label.state,
            action="supersede",
            version=label.version,
            policy=label.policy,
            digest=label.digest,
            reasons=(REASON_NEWER, name_of(tagged.id)),
        )

    return await retire(work.retired, tagged.id, tagged.at, told, work.rooms)


async def _merge(work: Work, row: Row) -> WriteOutcome:
    """Touch the memory that already says so; no new row, and no rise in trust (W4, W9)."""
    tagged, rooms = work.screened.tagged, work.rooms
    leaf_id = LeafId(rooms.new_id())
    try:
        sealed = await rooms.vault.relabel(
            row.sealed,
            state=row.sealed.label.state,
            leaf=leaf_id,
            at=tagged.at,
            # Said again, it counts in full again; a page that repeats itself changes nothing.
            faded=0 if tagged.origin.trust > LOW_TRUST else None,
        )
    except UnreadableError:
        # Someone edited the twin behind the ledger's back: it takes part in nothing, and what the
        # caller says is kept beside it.
        rooms.journal.record(_spoilt(tagged, row, rooms))
        return await _store_new(work)
    label = sealed.label
    reasons = (*work.screened.decision.reasons, REASON_SAME)
    outcome = Merged(label.id, label.origin, label.trust, reasons)
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
    return await _commit(work, [(sealed, leaf)], outcome)


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


async def _leave(work: Work) -> WriteOutcome:
    """Keep nothing but the audit leaf: it is refused, or not worth keeping."""
    tagged, decision = work.screened.tagged, work.screened.decision
    left = Skipped if decision.effect is Effect.SKIP else Rejected
    outcome = left(tagged.origin.class_, tagged.origin.trust, decision.reasons)
    # Of what is refused no label says where it came from, and whoever hunts an origin asks.
    told = await told_of(tagged, work.rooms.marks) if left is Rejected else ()
    leaf = leaf_of_write(
        tagged,
        LeafId(work.rooms.new_id()),
        object=tagged.id,
        outcome=str(outcome.__struct_config__.tag),
        policy=decision.policy,
        reasons=(*decision.reasons, *told),
    )
    if work.beside is None:
        await work.rooms.audit.note([leaf])
        return outcome
    return await _commit(work, [], outcome, leaf)


async def _refer(work: Work, known: Quarantined) -> WriteOutcome:
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
    return await _commit(work, [], known, leaf)


async def _commit(
    work: Work,
    made: Sequence[Made],
    outcome: WriteOutcome,
    *leaves: Leaf,
    change: Change | None = None,
) -> WriteOutcome:
    """Make all of it true at once; return the outcome. `leaves` are those that no row names, and
    `change` has what is kept beside the rows.
    """
    answer, later = (None, None) if work.beside is None else await work.beside.along(outcome)
    owner = work.screened.tagged.owner
    rows, named = tuple(row for row, _ in made), (*(leaf for _, leaf in made), *leaves)
    change = msgspec.structs.replace(
        change or Change(owner, work.facts.epoch, (), ()),
        rows=rows,
        leaves=named,
        answer=answer,
        later=later,
    )
    with work.rooms.watch.step("remember.commit"):
        await work.rooms.ledger.commit(change)
    return outcome


def _to_redact(screened: Screened, rooms: Rooms) -> list[Finding]:
    """Return the findings that policy answers with redaction.

    Raises UnavailableError when another policy has come into force since it decided: what the one
    holds for harmless the other may want cut out.
    """
    origin, owner = screened.tagged.origin, screened.tagged.owner
    policy = policy_for(owner.tenant, rooms)
    if versioned(policy, screened.models) != screened.decision.policy:
        raise UnavailableError("policy")
    return to_redact(policy, origin.trust, screened.findings)


def _because(work: Work, reason: str, rows: tuple[Row, ...]) -> Work:
    """Return the work with a reason and the memories it names, which are sealed with the memory."""
    screened = _telling(work.screened, (reason, *named(rows)))
    retired = rows if reason == REASON_NEWER else ()
    return msgspec.structs.replace(work, screened=screened, retired=retired)


def _telling(screened: Screened, reasons: tuple[str, ...]) -> Screened:
    """Return it with more reasons."""
    decision = screened.decision
    decision = msgspec.structs.replace(decision, reasons=(*decision.reasons, *reasons))
    return msgspec.structs.replace(screened, decision=decision)


def _held_for(screened: Screened, *reasons: str) -> Screened:
    decision = msgspec.structs.replace(
        screened.decision,
        effect=strictest((screened.decision.effect, Effect.QUARANTINE)),
        reasons=(*screened.decision.reasons, *reasons),
    )
    return msgspec.structs.replace(screened, decision=decision)


def _outcome(work: Work, screened: Screened) -> Stored | Redacted | Superseded | Quarantined:
    """Name what the decision made of a new row."""
    id, origin, reasons = screened.tagged.id, screened.tagged.origin, screened.decision.reasons
    match screened.decision.effect:
        case Effect.QUARANTINE | Effect.SKIP | Effect.REJECT:
            return Quarantined(id, origin.class_, origin.trust, reasons)
        case _ if work.retired:
            first = work.retired[0].sealed.label.id
            return Superseded(id, origin.class_, origin.trust, first, reasons)
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
