"""A next revision of a memory that exists: same content or less of it, decided anew.

Used where trust or state may rise: confirmation by the subject, release by a reviewer. Both seal
the content again, so that what they decided is bound by the cipher and can't be edited in.
"""

from collections.abc import Sequence

import msgspec

from guard.admit import confidence_of
from guard.checks import is_alive, is_current, misfit
from guard.content import redact_draft
from guard.errors import NotFoundError, UnreadableError
from guard.gather import around_of, claim_of, kin_in, search_material
from guard.governing import policy_for
from guard.kin import Kin, compared, read, said_at, said_in
from guard.nouns import Admitted, Draft, Evidence, Opened, Row, Screened, Sealed, Tagged
from guard.relating import Said
from guard.retire import REASON_REVISION, named_in
from guard.rooms import Rooms
from memory.origin import Hint, Origin, OriginClass
from memory.types import LeafId, MemoryId, Owner, SessionId, State
from policies.decide import to_redact
from policies.model import Decision, Effect, Finding


class Proven(msgspec.Struct, frozen=True):
    """A stored memory whose tag, digest, cipher and version all held."""

    owner: Owner
    sealed: Sealed
    opened: Opened
    evidence: Evidence


async def prove(owner: Owner, row: Row, rooms: Rooms) -> Proven:
    """Open a row with its evidence. Raises NotFoundError when it is not what it says it is."""
    try:
        opened = await rooms.vault.open(owner, row.sealed)
        evidence = await rooms.vault.open_evidence(owner, row.sealed)
    except UnreadableError:
        raise NotFoundError from None
    if not is_current(row):
        raise NotFoundError
    return Proven(owner, row.sealed, opened, evidence)


async def next_revision(
    memory: Proven,
    decision: Decision,
    origin: Origin,
    leaf: LeafId,
    rooms: Rooms,
    *,
    newer: MemoryId | None = None,
    state: State = State.ACTIVE,
) -> Sealed:
    """Return the memory sealed again, as active unless it says otherwise, with a new origin and
    decision.

    What policy answers with redaction at the new trust is taken out first, and with it what was
    told of the text as it stood. Where a `newer` one has its place already, it is history and not
    active. It counts no more and no less for having been decided on: what was let fade is faded.
    """
    opened, evidence, label = memory.opened, memory.evidence, memory.opened.label
    tagged = tag_stored(memory, origin)
    screened = Screened(tagged, evidence.findings, evidence.completions, decision, evidence.models)
    policy = policy_for(memory.owner.tenant, rooms)
    redacted = to_redact(policy, origin.trust, evidence.findings)
    draft = redact_draft(tagged.draft, redacted)
    if redacted:
        screened = without_places(screened)
    told = opened.body.reading if draft.text == opened.body.text else b""
    reading = await read(Said(draft.text, said_at(opened), told), rooms)
    signals, _ = await search_material(memory.owner, draft, rooms, slots=reading.slots)
    body = msgspec.structs.replace(
        opened.body,
        text=draft.text,
        entities=draft.entities,
        metadata=dict(draft.metadata),
        reference=draft.hint.reference,
        session=draft.session,
        credential=origin.credential,
        reading=reading.record,
    )
    return await rooms.vault.seal(
        Admitted(
            screened=screened,
            body=body,
            signals=signals,
            fingerprint=memory.sealed.fingerprint,
            layer=label.layer,
            state=state if newer is None else State.SUPERSEDED,
            importance=label.importance,
            confidence=confidence_of(decision, origin.trust, rooms.bounds),
            recorded_at=label.recorded_at,
            expires_at=label.expires_at,
            revision=label.revision + 1,
            version=label.version + 1,
            leaf=leaf,
            superseded_by=newer,
            claim=memory.sealed.claim,
            faded=label.faded,
        )
    )


async def read_anew(memory: Proven, leaf: LeafId, rooms: Rooms) -> Sealed | None:
    """Return the memory sealed again with what it is read as today: its slots, its claim, and its
    reading. None when nobody could tell today either.

    All else stays, and so does when it was changed: it was said no later than before.
    """
    opened, evidence, owner = memory.opened, memory.evidence, memory.owner
    label = opened.label
    reading = await read(said_in(opened), rooms)
    if not rooms.relating.is_current(reading.record):
        return None
    origin = msgspec.structs.replace(origin_of(opened), at=label.changed_at)
    tagged = tag_stored(memory, origin)
    decision = Decision(Effect.ALLOW, (), evidence.reasons, label.policy)
    signals, _ = await search_material(owner, tagged.draft, rooms, slots=reading.slots)
    return await rooms.vault.seal(
        Admitted(
            screened=Screened(
                tagged, evidence.findings, evidence.completions, decision, evidence.models
            ),
            body=msgspec.structs.replace(opened.body, reading=reading.record),
            signals=signals,
            fingerprint=memory.sealed.fingerprint,
            layer=label.layer,
            state=label.state,
            importance=label.importance,
            confidence=label.confidence,
            recorded_at=label.recorded_at,
            expires_at=label.expires_at,
            revision=label.revision + 1,
            version=label.version + 1,
            leaf=leaf,
            superseded_by=label.superseded_by,
            claim=await claim_of(owner, reading, rooms),
            faded=label.faded,
        )
    )


async def compared_again(memory: Proven, rooms: Rooms) -> tuple[Kin, ...]:
    """Return what a stored memory is to those that are active now and speak of the same."""
    opened, owner = memory.opened, memory.owner
    draft = _draft_of(opened)
    said = said_in(opened)
    slots = (await read(said, rooms)).slots
    signals, blinded = await search_material(owner, draft, rooms, slots=slots)
    around = await around_of(owner, signals, blinded, rooms)
    return await compared(owner, said, kin_in(around, opened.label.id), rooms)


async def revised_by(memory: Proven, rooms: Rooms) -> list[Row]:
    """Return the active memories whose place a held revision was made to take."""
    owner, reasons = memory.owner, memory.evidence.reasons
    if REASON_REVISION not in reasons:
        return []
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, sorted(named_in(reasons)))
    return [row for row in rows if is_alive(row, rooms.clock()) and misfit(owner, row) is None]


def tag_stored(memory: Proven, origin: Origin) -> Tagged:
    """Return a stored memory as a draft of this origin, to be judged or sealed again."""
    id = memory.opened.label.id
    return Tagged(_draft_of(memory.opened), id, memory.owner, origin.at, origin)


def without_places(screened: Screened) -> Screened:
    """Return it with findings that say what was found and no longer where.

    For a text that something was cut out of: the next revision would cut the rest at these places.
    """
    findings = tuple(msgspec.structs.replace(f, spans=()) for f in screened.findings)
    return msgspec.structs.replace(screened, findings=findings)


def without(memory: Proven, findings: Sequence[Finding]) -> Proven:
    """Return a stored memory with the places of these findings cut out of all that it says."""
    draft, opened = redact_draft(_draft_of(memory.opened), findings), memory.opened
    body = msgspec.structs.replace(
        opened.body,
        text=draft.text,
        entities=draft.entities,
        metadata=dict(draft.metadata),
        reference=draft.hint.reference,
        session=draft.session,
        # What was read, and told, of the whole text may be of what is gone.
        reading=opened.body.reading if draft.text == opened.body.text else b"",
    )
    return msgspec.structs.replace(memory, opened=Opened(opened.label, body))


def origin_of(opened: Opened) -> Origin:
    """Return the origin of a stored memory, from its proven label and content."""
    label, body = opened.label, opened.body
    return Origin(
        class_=label.origin,
        trust=label.trust,
        channel=label.channel,
        client=label.client,
        credential=body.credential,
        session=None if body.session is None else SessionId(body.session),
        reference=body.reference,
        parents=body.parents,
        at=label.recorded_at,
    )


def _draft_of(opened: Opened) -> Draft:
    label, body = opened.label, opened.body
    return Draft(
        text=body.text,
        layer=label.layer,
        kind=body.kind,
        importance=label.importance,
        entities=body.entities,
        session=None if body.session is None else SessionId(body.session),
        occurred_at=body.occurred_at,
        hint=Hint(OriginClass(label.origin), body.reference, body.parents),
        metadata=body.metadata,
        trigger=body.trigger,
    )
