"""All that a write's decision may look at, fetched in one concurrent round."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec

from guard.ahead import beginning
from guard.aside import aside
from guard.checks import is_current
from guard.content import content_of
from guard.errors import InvalidError, UnreadableError
from guard.hear import quoted
from guard.kin import LIKENESS, entities_for, named_slots, read
from guard.near import Neighbours, neighbours
from guard.nouns import Deferred, Draft, Facts, Row, Tagged, View
from guard.ports import Purpose
from guard.principal import Principal
from guard.relating import Reading, Said
from guard.rooms import Rooms
from guard.views import normalised, views_of
from memory.entities import entities_of
from memory.origin import RELAYED, TRUST_OF_SUBJECT, Origin, OriginClass, classify
from memory.signals import Blinded, Signals, Vectors
from memory.terms import terms_of
from memory.types import MemoryId, Owner, State

_CLAIM: Final = "claim"
"""What is keyed, so that no other keyed id of a subject equals that of a claim."""


class Legible(msgspec.Struct, frozen=True):
    """A draft as it reads: nothing of it waits for a model or a store.

    `plain` is the normal form of its text, `reading` what it says, `terms` and `named` are what it
    is found by.
    """

    views: tuple[View, ...]
    plain: str
    reading: Reading
    terms: Mapping[str, float]
    named: tuple[str, ...]


async def tag(principal: Principal, draft: Draft, rooms: Rooms) -> Tagged:
    """Fix identity, time and origin of a draft (W3, W4).

    Raises InvalidError when a parent is not an active memory of the caller.
    """
    at = rooms.clock()
    trusts = await _parent_trusts(principal.owner, draft.hint.parents, rooms)
    class_, trust = classify(principal.ceiling, draft.hint.class_, trusts)
    # What an agent relays is the subject's own word when he said just that, and no parent of it is
    # anybody else's.
    vouched = None
    if class_ in RELAYED and all(one >= TRUST_OF_SUBJECT for one in trusts):
        vouched = await quoted(principal.owner, draft, rooms)
    if vouched is not None:
        class_, trust = OriginClass.USER_STATED, OriginClass.USER_STATED.trust
    origin = Origin(
        class_=class_,
        trust=trust,
        channel=principal.channel,
        client=principal.client,
        credential=principal.credential,
        session=draft.session,
        reference=draft.hint.reference,
        parents=draft.hint.parents,
        at=at,
        quoted=vouched,
    )
    return Tagged(draft, MemoryId(rooms.new_id()), principal.owner, at, origin)


def tag_again(owner: Owner, id: MemoryId, deferred: Deferred, rooms: Rooms) -> Tagged:
    """Return a draft as it was tagged when it was accepted, to be decided and stored now."""
    return Tagged(deferred.draft, id, owner, rooms.clock(), deferred.origin)


async def count(tagged: Tagged, rooms: Rooms) -> int:
    """Count a draft as one write; return how many its origin made lately, this one included."""
    return await rooms.rates.note(tagged.owner.tenant, _rate_key(tagged), tagged.at)


async def read_of(tagged: Tagged, rooms: Rooms) -> Legible:
    """Return a tagged draft as it reads."""
    draft = tagged.draft
    # A long hostile text takes a second, and everybody waits for the loop.
    content = content_of(draft)
    views, plain = await aside(len(content), _read, content, draft.text)
    reading = await read(Said(draft.text, at_of(tagged)), rooms)
    terms, named = await aside(len(draft.text), _named, draft.text)
    return Legible(views, plain, reading, terms, named)


async def gather(
    tagged: Tagged,
    text: Legible,
    embedding: asyncio.Task[list[Vectors]],
    rooms: Rooms,
    recent_writes: int | None = None,
) -> Facts:
    """Return the facts about a tagged draft that reads so, at the subject's epoch.

    It is counted as one write, unless `recent_writes` says what was counted when it was accepted.
    `embedding` is waited for as late as can be.
    """
    draft, owner, reading = tagged.draft, tagged.owner, text.reading
    # The epoch is read before the rows, so that a commit in between is noticed and not missed.
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    if recent_writes is None:
        recent_writes = await count(tagged, rooms)
    mark = await rooms.marks.fingerprint(owner, text.plain)
    claim = await claim_of(owner, reading, rooms)
    twins, placed = await asyncio.gather(
        rooms.ledger.twins(owner.tenant, owner.subject, mark, claim),
        _placed(owner, draft, text, embedding, rooms),
    )
    signals, blinded, pull, around = placed
    return Facts(
        epoch=epoch,
        views=text.views,
        signals=signals,
        blinded=blinded,
        fingerprint=mark,
        # A memory that is looked at again is no twin of itself, and not near itself.
        twins=tuple(row for row in twins if row.sealed.label.id != tagged.id),
        recent_writes=recent_writes,
        near=tuple(one for one in around.near if one.row.sealed.label.id != tagged.id),
        unseen=around.unseen,
        pull=pull,
        kin=kin_in(around, tagged.id),
        claim=claim,
        reading=reading.record,
    )


async def _placed(
    owner: Owner,
    draft: Draft,
    text: Legible,
    embedding: asyncio.Task[list[Vectors]],
    rooms: Rooms,
) -> tuple[Signals, Blinded, float, Neighbours]:
    """Return what a draft is found by, plain and blinded, its pull, and what the subject has near
    to it.

    What the index lacks is read, and slots are blinded, while the vectors are made. What speaks of
    them is asked for with the vectors: to ask twice, and to compare what is found sooner, was tried
    twice, and took more of the processor and no less time. The pull is found while the index is
    at work.
    """
    fresh, slots = await _fresh(owner, entities_for(text.reading.slots), rooms)
    (vectors,) = await embedding
    signals = _signals(draft, vectors, text.terms, text.named, text.reading.slots)
    blinded = await rooms.vault.blind(owner, signals)
    # A task begins when this one waits: by then the index has been asked.
    with beginning(_pull(draft, signals, rooms)) as pull:
        around = await neighbours(owner, blinded, fresh, rooms, slots)
        return signals, blinded, await pull, around


async def claim_of(owner: Owner, reading: Reading, rooms: Rooms) -> bytes:
    """Return the keyed id of what a text says, empty when that is not understood."""
    gist = sorted(set(reading.gist))
    return await rooms.marks.keyed(owner, _CLAIM, *gist) if gist else b""


async def refreshed(tagged: Tagged, facts: Facts, rooms: Rooms) -> Facts:
    """Return the facts with what other writes of the subject can have changed read again (R13).

    What was found in the draft stands: it was judged beside what there was a moment ago.
    """
    owner = tagged.owner
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    twins, around = await asyncio.gather(
        rooms.ledger.twins(owner.tenant, owner.subject, facts.fingerprint, facts.claim),
        around_of(owner, facts.signals, facts.blinded, rooms),
    )
    others = tuple(row for row in twins if row.sealed.label.id != tagged.id)
    return msgspec.structs.replace(facts, epoch=epoch, twins=others, kin=kin_in(around, tagged.id))


async def around_of(owner: Owner, signals: Signals, blinded: Blinded, rooms: Rooms) -> Neighbours:
    """Return what the subject has near to a text with this search material."""
    fresh, slots = await _fresh(owner, named_slots(signals), rooms)
    return await neighbours(owner, blinded, fresh, rooms, slots)


async def _fresh(
    owner: Owner, slots: tuple[str, ...], rooms: Rooms
) -> tuple[list[Row], tuple[str, ...]]:
    """Return the rows that the index lacks, and the slots of a text as the index is asked for them.

    The rows are read before the index is asked, so that one which is being indexed just now is in
    one of the two answers.
    """
    limit = rooms.bounds.near_fresh
    fresh = await rooms.ledger.unindexed(owner.tenant, owner.subject, limit)
    # Keyed apart from other entities: a caller's own must not crowd out what is compared.
    if not slots:
        return fresh, ()
    return fresh, (await rooms.vault.blind(owner, Signals({}, {}, slots))).entities


def kin_in(around: Neighbours, but: MemoryId) -> tuple[Row, ...]:
    """Return the rows to compare with, each once: of one slot, or near enough; `but` left out."""
    near = [one.row for one in around.near if max(one.likeness.values(), default=0.0) >= LIKENESS]
    rows = {row.sealed.label.id: row for row in (*near, *around.kin)}
    return tuple(row for id, row in rows.items() if id != but)


def at_of(tagged: Tagged) -> datetime:
    """Return when what a draft says was so, else when it was said."""
    return tagged.draft.occurred_at or tagged.origin.at


async def search_material(
    owner: Owner,
    draft: Draft,
    rooms: Rooms,
    purpose: Purpose = Purpose.MEMORY,
    *,
    slots: tuple[str, ...] = (),
) -> tuple[Signals, Blinded]:
    """Return what a draft will be found by, or finds by as a question; plain and blinded.

    A memory is also found by the slots that it speaks of.
    """
    (vectors,) = await rooms.embedder.embed([draft.text], purpose)
    terms, named = await aside(len(draft.text), _named, draft.text)
    signals = _signals(draft, vectors, terms, named, slots)
    return signals, await rooms.vault.blind(owner, signals)


def _signals(
    draft: Draft,
    vectors: Vectors,
    terms: Mapping[str, float],
    named: tuple[str, ...],
    slots: tuple[str, ...],
) -> Signals:
    entities = dict.fromkeys((*draft.entities, *named, *entities_for(slots)))
    return Signals(vectors, terms, tuple(entities))


async def _pull(draft: Draft, signals: Signals, rooms: Rooms) -> float:
    return 0.0 if rooms.magnets is None else await rooms.magnets.pull(draft.text, signals.vectors)


def _read(content: str, text: str) -> tuple[tuple[View, ...], str]:
    views = views_of(content)
    return views, normalised(text, views)


def _named(text: str) -> tuple[Mapping[str, float], tuple[str, ...]]:
    return terms_of(text), entities_of(text)


async def _parent_trusts(owner: Owner, parents: tuple[MemoryId, ...], rooms: Rooms) -> list[int]:
    if not parents:
        return []
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, parents)
    if len(rows) != len(set(parents)):
        raise InvalidError("origin.parents: not all are memories of yours")
    try:
        opened = [await rooms.vault.open(owner, row.sealed) for row in rows]
    except UnreadableError:
        raise InvalidError("origin.parents: not all are memories of yours") from None
    alive = all(memory.label.state is State.ACTIVE for memory in opened)
    if not (alive and all(map(is_current, rows))):
        raise InvalidError("origin.parents: not all are memories of yours")
    return [memory.label.trust for memory in opened]


def _rate_key(tagged: Tagged) -> str:
    """Return what writes are counted by: subject, client and class.

    Not the reference: it is the caller's to choose, and one that is new with each write would make
    each write the first of its origin.
    """
    origin = tagged.origin
    return f"{tagged.owner.subject}\x1f{origin.client}\x1f{origin.class_}"
