"""Reading by id and in order: the caller's own memories, each proved before it is shown."""

from datetime import datetime

from guard.checks import misfit, verdict
from guard.errors import NotFoundError, UnreadableError
from guard.leaves import leaf_of
from guard.nouns import Opened, Row
from guard.outcomes import Listing, Memory
from guard.ports import Filter
from guard.principal import Principal
from guard.rooms import Rooms
from memory.origin import TRUST_OF_SUBJECT
from memory.types import MemoryId, SessionId, State


async def fetch(principal: Principal, id: MemoryId, rooms: Rooms) -> Memory:
    """Return one memory of the caller, in full.

    Raises NotFoundError for any id that is not a memory this caller may read, whatever the cause.
    """
    owner = principal.owner
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, [id])
    shown = [m for row in rows if (m := await _shown(principal, row, rooms)) is not None]
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
    items = [m for row in page.rows if (m := await _shown(principal, row, rooms)) is not None]
    return Listing(tuple(items), page.cursor)


def states_visible_to(principal: Principal) -> frozenset[State]:
    """Return the states this caller may read.

    What is held is shown only to a client that speaks for the subject: an agent that could read
    a held instruction could follow it.
    """
    if principal.ceiling.trust >= TRUST_OF_SUBJECT:
        return frozenset({State.ACTIVE, State.SUPERSEDED, State.HELD})
    return frozenset({State.ACTIVE})


async def _shown(principal: Principal, row: Row, rooms: Rooms) -> Memory | None:
    label, now = row.sealed.label, rooms.clock()
    if label.state not in states_visible_to(principal):
        return None
    try:
        opened = await rooms.vault.open(principal.owner, row.sealed)
    except UnreadableError:
        _record(principal, label.id, "unreadable", now, rooms)
        return None
    # Expiry and policy are for what may be recalled; a rollback is one whatever the state.
    if label.state is State.ACTIVE:
        failed = await verdict(principal.owner, row, now, rooms)
    else:
        failed = misfit(principal.owner, row)
    if failed is not None:
        _record(principal, label.id, failed, now, rooms)
        return None
    return memory_of(opened)


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
    )
