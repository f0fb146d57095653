"""What was known at an instant (R14), and the story of one memory: all that it replaced.

When the gateway learned of something, and lost it, is in the audit: each version of each memory has
a leaf. So a memory that was held at the time, or superseded and restored since, is told right.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from guard.barred import barred, standing
from guard.browse import memory_of, states_visible_to
from guard.checks import misfit, verdict, verdict_on_past
from guard.errors import NotFoundError, UnreadableError
from guard.leaves import STATE_AFTER
from guard.nouns import Leaf, Row
from guard.origins import CHECK as ORIGIN
from guard.outcomes import History, Memory, Revision
from guard.ports import Filter
from guard.principal import Principal
from guard.rooms import Rooms
from memory.origin import TRUST_OF_SUBJECT
from memory.types import MemoryId, Owner, State

MOST: Final = 200
"""Revisions that one history tells of."""
_KEPT: Final = (State.SUPERSEDED, State.FORGOTTEN, State.REJECTED)


async def known_at(owner: Owner, rows: Sequence[Row], at: datetime, rooms: Rooms) -> list[Row]:
    """Return those rows that were active at an instant, by the leaves of their versions."""
    early = [row for row in rows if row.sealed.label.recorded_at <= at]
    made = await rooms.audit.made(owner.tenant, [row.sealed.label.id for row in early])
    return [row for row in early if _state_at(made[row.sealed.label.id], at) is State.ACTIVE]


async def history(principal: Principal, id: MemoryId, rooms: Rooms) -> History:
    """Return all that is kept of what a memory replaced and was replaced by, newest first.

    Raises NotFoundError for any id that is not a memory which this caller may read. What was
    forgotten is left out: of that there is nothing to tell.
    """
    owner = principal.owner
    # (1) The memory itself, or a later one that took its place.
    found = await rooms.ledger.rows(owner.tenant, owner.subject, [id])
    states = states_visible_to(principal) | {State.SUPERSEDED}
    if not found or found[0].sealed.label.state not in states:
        raise NotFoundError
    if await _told(principal, found[0], rooms) is None:
        raise NotFoundError
    last = await _last(owner, found[0], rooms)

    # (2) All that led to it, and (3) what may be shown of that.
    rows = await _before(owner, last, rooms)
    visible = [row for row in rows.values() if row.sealed.label.state in states]
    memories = [m for row in visible if (m := await _told(principal, row, rooms)) is not None]
    changed = {id: row.sealed.label.changed_at for id, row in rows.items()}
    told = {memory.id: memory for memory in memories}
    revisions = [_revision(memory, told, changed) for memory in memories]
    # Of one instant, what replaced comes before what it replaced.
    return History(tuple(sorted(revisions, key=lambda one: one.memory.stored_at, reverse=True)))


def _state_at(leaves: Sequence[Leaf], at: datetime) -> State | None:
    """Return the state that the last change until then left a memory in."""
    states = [STATE_AFTER.get(leaf.outcome) for leaf in leaves if leaf.at <= at]
    return states[-1] if states else None


async def _last(owner: Owner, row: Row, rooms: Rooms) -> Row:
    """Return the end of the chain that a row is in."""
    seen = {row.sealed.label.id}
    while (after := row.sealed.label.superseded_by) is not None and after not in seen:
        seen.add(after)
        found = await rooms.ledger.rows(owner.tenant, owner.subject, [after])
        if not found or len(seen) > MOST:
            break
        row = found[0]
    return row


async def _before(owner: Owner, last: Row, rooms: Rooms) -> dict[MemoryId, Row]:
    """Return a row with all that it replaced, directly or through others."""
    rows = {last.sealed.label.id: last}
    front = tuple(rows)
    while front and len(rows) < MOST:
        asked = Filter(states=_KEPT, superseded_by=front)
        page = await rooms.ledger.page(owner.tenant, owner.subject, asked, None, MOST - len(rows))
        fresh = {row.sealed.label.id: row for row in page.rows if row.sealed.label.id not in rows}
        rows |= fresh
        front = tuple(fresh)
    return rows


async def _told(principal: Principal, row: Row, rooms: Rooms) -> Memory | None:
    """Return a memory of a history as this caller may see it, None for what fails its proof.

    Who speaks for the subject may see what nobody has judged lately, as in lists; an agent may not.
    """
    owner, now = principal.owner, rooms.clock()
    try:
        opened = await rooms.vault.open(owner, row.sealed)
    except UnreadableError:
        return None
    if principal.ceiling.trust >= TRUST_OF_SUBJECT:
        failed = misfit(owner, row)
    elif await barred(owner.tenant, [row], await standing(owner.tenant, rooms), rooms):
        failed = ORIGIN
    elif row.sealed.label.state is State.ACTIVE:
        failed = await verdict(owner, row, now, rooms)
    else:
        failed = await verdict_on_past(owner, row, now, rooms)
    return memory_of(opened) if failed is None else None


def _revision(
    memory: Memory, told: Mapping[MemoryId, Memory], changed: Mapping[MemoryId, datetime]
) -> Revision:
    """Return a memory with when it was so, and when the gateway learned and left it."""
    after = None if memory.superseded_by is None else told.get(memory.superseded_by)
    left = None if memory.superseded_by is None else changed[memory.id]
    until = left if after is None else _valid_from(after)
    return Revision(memory, _valid_from(memory), until, left)


def _valid_from(memory: Memory) -> datetime:
    return memory.occurred_at or memory.stored_at
