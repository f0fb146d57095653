"""Reading by id and in order: the caller's own memories, each proved before it is shown."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime

from guard.barred import barred, standing
from guard.checks import BARRED, OUTDATED, misfit, verdict
from guard.errors import NotFoundError, UnreadableError
from guard.leaves import leaf_of
from guard.nouns import Opened, Row
from guard.origins import CHECK as ORIGIN
from guard.outcomes import Listing, Memory
from guard.ports import Filter
from guard.principal import Principal
from guard.rescreen import settle
from guard.rooms import Rooms
from memory.origin import TRUST_OF_SUBJECT
from memory.types import MemoryId, SessionId, State


async def fetch(principal: Principal, id: MemoryId, rooms: Rooms) -> Memory:
    """Return one memory of the caller, in full.

    Raises NotFoundError for any id that is not a memory this caller may read, whatever the cause.
    """
    owner = principal.owner
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, [id])
    shown = await _shown(principal, rows, states_visible_to(principal), rooms)
    if not shown:
        raise NotFoundError
    return shown[0]


async def browse(
    principal: Principal, filter: Filter, cursor: str | None, limit: int, rooms: Rooms
) -> Listing:
    """Return one page of the caller's memories, newest first.

    A page may hold fewer than `limit` items, since what fails its proof is left out; only a
    missing cursor means the end.
    """
    owner = principal.owner
    page = await rooms.ledger.page(owner.tenant, owner.subject, filter, cursor, limit)
    states = states_visible_to(principal) & set(filter.states)
    return Listing(tuple(await _shown(principal, page.rows, states, rooms)), page.cursor)


def states_visible_to(principal: Principal) -> frozenset[State]:
    """Return the states this caller may read.

    What is held is shown only to a client that speaks for the subject: an agent that could read
    a held instruction could follow it.
    """
    if principal.ceiling.trust >= TRUST_OF_SUBJECT:
        return frozenset({State.ACTIVE, State.SUPERSEDED, State.HELD})
    return frozenset({State.ACTIVE})


async def _shown(
    principal: Principal, rows: Sequence[Row], states: AbstractSet[State], rooms: Rooms
) -> list[Memory]:
    """Return those rows in these states that pass their proof, in order."""
    failed = {row.sealed.label.id: await _failed(principal, row, rooms) for row in rows}
    # What is to be held is shown like what is: to those who may see that, and asked for it.
    if State.HELD not in states:
        tenant = principal.owner.tenant
        found = await barred(tenant, rows, await standing(tenant, rooms), rooms)
        failed |= {id: ORIGIN for id in found if failed[id] in (None, OUTDATED, BARRED)}
    # What is only to be judged again is, as far as the bounds allow.
    doubtful = [row for row in rows if failed[row.sealed.label.id] in (OUTDATED, BARRED)]
    settled = await settle(principal.owner, doubtful, rooms)
    memories = []
    for row in rows:
        id, sealed = row.sealed.label.id, row.sealed
        why = failed[id]
        if id in settled:
            sealed, why = settled[id], None
        # Whoever may see what is held may also see what nobody has looked at yet.
        if why == OUTDATED and State.HELD in states_visible_to(principal):
            why = None
        if sealed.label.state not in states:
            continue
        if why is None:
            memories.append(memory_of(await rooms.vault.open(principal.owner, sealed)))
        else:
            _record(principal, id, why, rooms.clock(), rooms)
    return memories


async def _failed(principal: Principal, row: Row, rooms: Rooms) -> str | None:
    """Return the check that a row of any state fails, if one does."""
    try:
        await rooms.vault.open(principal.owner, row.sealed)
    except UnreadableError:
        return "unreadable"
    # Expiry and policy are for what may be recalled; a rollback is one whatever the state.
    if row.sealed.label.state is State.ACTIVE:
        return await verdict(principal.owner, row, rooms.clock(), rooms)
    return misfit(principal.owner, row)


def _record(principal: Principal, id: MemoryId, why: str, at: datetime, rooms: Rooms) -> None:
    rooms.journal.record(
        leaf_of(
            principal,
            rooms.new_id(),
            at,
            action="read",
            object=id,
            outcome="withheld",
            reasons=(f"check.{why}",),
        )
    )


def memory_of(opened: Opened) -> Memory:
    """Return an opened memory as its owner sees it."""
    label, body = opened.label, opened.body
    return Memory(
        id=label.id,
        text=body.text,
        layer=label.layer,
        kind=body.kind,
        state=label.state,
        origin=label.origin,
        trust=label.trust,
        importance=label.importance,
        confidence=label.confidence,
        stored_at=label.recorded_at,
        occurred_at=body.occurred_at,
        expires_at=label.expires_at,
        superseded_by=label.superseded_by,
        entities=body.entities,
        session_id=None if body.session is None else SessionId(body.session),
        reference=body.reference,
        metadata=body.metadata,
        trigger=body.trigger,
    )
