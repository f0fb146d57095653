"""The door in: every write of every edge passes here and is decided here (W1)."""

import asyncio
from datetime import datetime, timedelta
from typing import assert_never

import msgspec

from guard.content import redact_draft
from guard.errors import ConflictError, UnavailableError
from guard.gather import gather, search_material, tag
from guard.leaves import leaf_of
from guard.nouns import Admitted, Change, Draft, Facts, Row, Screened, Tagged
from guard.outcomes import Merged, Quarantined, Redacted, Rejected, Stored, WriteOutcome
from guard.pipeline import screen
from guard.principal import Principal
from guard.relate import New, Relation, Same, Unlearned, relate
from guard.revise import without_places
from guard.rooms import Bounds, Rooms
from memory.origin import Origin
from memory.signals import Signals
from memory.types import Body, Kind, Layer, LeafId, State
from policies.decide import effect_of, strictest
from policies.model import Effect, Finding

REASON_UNLEARNED = "relate.forgotten"
REASON_SAME = "relate.same"

_LOWERED = 0.5


async def remember(principal: Principal, draft: Draft, rooms: Rooms) -> WriteOutcome:
    """Screen, decide, relate, seal and commit one draft; return what became of it.

    Raises InvalidError for a parent that is not the caller's, UnavailableError when nothing could
    be written. A draft is never half written.
    """
    # (1) Tag, (2) gather, (3) screen and decide. From here to the commit no fact changes.
    screened, facts = await judge(principal, draft, rooms)
    tagged = screened.tagged

    async with rooms.turns.of(tagged.owner):
        for _ in range(rooms.bounds.commit_attempts):
            # (4) Relate to what the subject already has.
            held = screened.decision.effect is Effect.QUARANTINE
            relation = relate(tagged, State.HELD if held else State.ACTIVE, facts.twins)

            # (5) Seal and (6) commit; (7) answer.
            try:
                return await _settle(principal, screened, facts, relation, rooms)
            except ConflictError:
                # Another write of this subject came between: look again, then relate again (R13).
                facts = await _refreshed(tagged, facts, rooms)
    raise UnavailableError("ledger")


async def judge(principal: Principal, draft: Draft, rooms: Rooms) -> tuple[Screened, Facts]:
    """Return what policy makes of a draft, with the facts it rested on. Writes nothing."""
    # (1) Tag: who says so, over which channel, derived from what.
    tagged = await tag(principal, draft, rooms)

    # (2) Gather the facts in one round, at the subject's epoch.
    facts = await gather(tagged, rooms)

    # (3) Screen and decide; pure, and in a thread for the same reason as the views.
    return await asyncio.to_thread(screen, tagged, facts, rooms.stages, rooms.policy), facts


async def _settle(
    principal: Principal, screened: Screened, facts: Facts, relation: Relation, rooms: Rooms
) -> WriteOutcome:
    effect = screened.decision.effect
    reasons = screened.decision.reasons
    if effect is Effect.REJECT:
        return await _reject(principal, screened, rooms)
    match relation:
        case Same(row) if effect is Effect.QUARANTINE:
            return _known(row, (*reasons, REASON_SAME))
        case Same(row):
            return await _merge(principal, screened, facts, row, rooms)
        case Unlearned(row) if row is not None:
            return _known(row, (*reasons, REASON_UNLEARNED))
        case Unlearned():
            return await _store(
                principal, _held_for(screened, REASON_UNLEARNED), facts, facts.signals, rooms
            )
        case New():
            return await _store_new(principal, screened, facts, rooms)
        case _ as never:
            assert_never(never)


async def _store_new(
    principal: Principal, screened: Screened, facts: Facts, rooms: Rooms
) -> WriteOutcome:
    """Store the draft, without what must go if policy says so.

    The search material is then made anew from what is left, or the index would tell what went.
    """
    if screened.decision.effect is not Effect.REDACT:
        return await _store(principal, screened, facts, facts.signals, rooms)
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
    return await _store(principal, clean, facts, signals, rooms)


async def _store(
    principal: Principal, screened: Screened, facts: Facts, signals: Signals, rooms: Rooms
) -> WriteOutcome:
    """Seal and commit a new row, active or held as the decision says."""
    tagged, decision = screened.tagged, screened.decision
    held = decision.effect is Effect.QUARANTINE
    leaf_id = LeafId(rooms.new_id())
    admitted = admit(
        screened,
        signals,
        facts.fingerprint,
        rooms.bounds,
        state=State.HELD if held else State.ACTIVE,
        leaf=leaf_id,
    )
    sealed = await rooms.vault.seal(admitted)
    outcome = _outcome(screened)
    leaf = leaf_of(
        principal,
        leaf_id,
        tagged.at,
        action="remember",
        object=tagged.id,
        outcome=str(outcome.__struct_config__.tag),
        version=sealed.label.version,
        policy=decision.policy,
        digest=sealed.label.digest,
        reasons=decision.reasons,
    )
    await rooms.ledger.commit(Change(tagged.owner, facts.epoch, (sealed,), (leaf,)))
    return outcome


async def _merge(
    principal: Principal, screened: Screened, facts: Facts, row: Row, rooms: Rooms
) -> Merged:
    """Touch the memory that already says so; no new row, and no rise in trust (W4, W9)."""
    tagged = screened.tagged
    leaf_id = LeafId(rooms.new_id())
    sealed = await rooms.vault.relabel(
        row.sealed, state=row.sealed.label.state, leaf=leaf_id, at=tagged.at
    )
    leaf = leaf_of(
        principal,
        leaf_id,
        tagged.at,
        action="remember",
        object=sealed.label.id,
        outcome="merged",
        version=sealed.label.version,
        policy=screened.decision.policy,
        digest=sealed.label.digest,
        reasons=(REASON_SAME,),
    )
    await rooms.ledger.commit(Change(tagged.owner, facts.epoch, (sealed,), (leaf,)))
    return Merged(sealed.label.id, sealed.label.origin, sealed.label.trust, (REASON_SAME,))


async def _reject(principal: Principal, screened: Screened, rooms: Rooms) -> Rejected:
    """Keep nothing but the audit leaf."""
    tagged, decision = screened.tagged, screened.decision
    leaf = leaf_of(
        principal,
        rooms.new_id(),
        tagged.at,
        action="remember",
        object=tagged.id,
        outcome="rejected",
        policy=decision.policy,
        reasons=decision.reasons,
    )
    await rooms.audit.note([leaf])
    return Rejected(tagged.origin.class_, tagged.origin.trust, decision.reasons)


async def _refreshed(tagged: Tagged, facts: Facts, rooms: Rooms) -> Facts:
    """Return the facts with what other writes of the subject can have changed read again."""
    tenant, subject = tagged.owner.tenant, tagged.owner.subject
    epoch = await rooms.ledger.epoch(tenant, subject)
    twins = await rooms.ledger.twins(tenant, subject, facts.fingerprint)
    return msgspec.structs.replace(facts, epoch=epoch, twins=tuple(twins))


def admit(
    screened: Screened,
    signals: Signals,
    fingerprint: bytes,
    bounds: Bounds,
    *,
    state: State,
    leaf: LeafId,
) -> Admitted:
    """Return a screened draft ready to be sealed, with layer, importance and expiry settled."""
    tagged = screened.tagged
    draft, origin = tagged.draft, tagged.origin
    layer = draft.layer or Layer.EPISODIC
    confidence = bounds.confidence(origin.trust)
    if screened.decision.effect is Effect.LOWER:
        confidence *= _LOWERED
    return Admitted(
        screened=screened,
        body=_body(draft, origin),
        signals=signals,
        fingerprint=fingerprint,
        layer=layer,
        state=state,
        importance=bounds.importance_default if draft.importance is None else draft.importance,
        confidence=confidence,
        recorded_at=tagged.at,
        expires_at=_expiry(tagged.at, layer, draft.ttl_days, bounds),
        revision=1,
        version=1,
        leaf=leaf,
    )


def _body(draft: Draft, origin: Origin) -> Body:
    return Body(
        text=draft.text,
        kind=draft.kind or Kind.NOTE,
        entities=draft.entities,
        occurred_at=draft.occurred_at,
        metadata=dict(draft.metadata),
        reference=origin.reference,
        session=origin.session,
        parents=origin.parents,
        credential=origin.credential,
    )


def _expiry(at: datetime, layer: Layer, ttl_days: int | None, bounds: Bounds) -> datetime:
    semantic = layer is Layer.SEMANTIC
    default = bounds.ttl_semantic_days if semantic else bounds.ttl_episodic_days
    return at + timedelta(days=default if ttl_days is None else ttl_days)


def _to_redact(screened: Screened, rooms: Rooms) -> list[Finding]:
    """Return the findings that policy answers with redaction."""
    trust = screened.tagged.origin.trust
    return [f for f in screened.findings if effect_of(rooms.policy, trust, f) is Effect.REDACT]


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
        case Effect.QUARANTINE | Effect.REJECT:
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
