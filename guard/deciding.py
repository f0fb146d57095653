"""A reviewer's decisions on what is held: how each finds its case, and how it becomes true (Q2).

Every decision is one commit with its audit leaf; the leaf says why, the comment is sealed for it.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from guard.checks import REASON_ESCALATED
from guard.errors import (
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    UnavailableError,
    UnreadableError,
)
from guard.leaves import STATE_AFTER, leaf_of
from guard.nouns import Decided, Row, Sealed, Undoable
from guard.outcomes import Case
from guard.ports import Record
from guard.principal import Principal
from guard.retire import Made, change_of
from guard.revise import Proven, prove
from guard.rooms import Rooms
from guard.ruling import UNSTATED, Ruling, remarks_of
from guard.undoable import Before
from memory.types import Epoch, LeafId, MemoryId, Owner, State, SubjectId, TenantId

HOLD: Final = "hold"
"""The action of a reviewer who put a stored memory back into the queue."""
UNDO: Final = "undo"
"""The action of a reviewer who took a decision back."""


async def reject(
    principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling = UNSTATED
) -> Case:
    """Discard a held memory: a tombstone stays, and its content goes when nobody may undo that
    any more.

    Raises NotFoundError for an id that the tenant does not hold, ForbiddenError for the reviewer's
    own write and for what he himself put into the queue: to remove a memory takes two.
    """
    return await repeated(lambda: _reject(principal, id, rooms, ruling), rooms)


async def escalate(
    principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling = UNSTATED
) -> Case:
    """Leave a held memory to other reviewers: it stays held, and is marked until it is decided on.

    Raises NotFoundError for an id that the tenant does not hold, ForbiddenError for the reviewer's
    own write.
    """
    return await repeated(lambda: _escalate(principal, id, rooms, ruling), rooms)


async def repeated(attempt: Callable[[], Awaitable[Case]], rooms: Rooms) -> Case:
    """Return what the attempt made, tried again as long as others were quicker."""
    for _ in range(rooms.bounds.commit_attempts):
        try:
            return await attempt()
        except ConflictError:
            continue
    raise UnavailableError("ledger")


async def found(
    principal: Principal, id: MemoryId, ruling: Ruling, rooms: Rooms
) -> tuple[Row, Owner]:
    """Return a held row of the reviewer's tenant and its owner, who is not the reviewer."""
    row = await rooms.quarantine.case(principal.owner.tenant, id)
    if row is None:
        raise NotFoundError
    owner = Owner(TenantId(row.sealed.label.tenant), SubjectId(row.sealed.label.subject))
    if owner.tenant != principal.owner.tenant:
        raise NotFoundError
    if owner.subject == principal.owner.subject:
        raise ForbiddenError
    if ruling.version not in (None, row.sealed.label.version):
        raise InvalidError("it has changed since")
    return row, owner


class Decision(msgspec.Struct, frozen=True):
    """Who decides what, why, and at which epoch of the subject."""

    principal: Principal
    owner: Owner
    epoch: Epoch
    action: str
    ruling: Ruling
    escalated: bool = False
    before: Sealed | None = None
    """The held row that the decision replaces, where it can be undone."""
    at: datetime | None = None
    """When it was made, where the memory becomes no younger by it."""


async def settle(
    decision: Decision, sealed: Sealed, rooms: Rooms, along: Sequence[Made] = ()
) -> None:
    """Make a decision true at once: its row, its leaf with the reason, and its comment."""
    label, owner, ruling = sealed.label, decision.owner, decision.ruling
    leaf = leaf_of(
        decision.principal,
        label.leaf,
        decision.at or label.changed_at,
        action=decision.action,
        object=label.id,
        outcome=label.state,
        owner=owner,
        version=label.version,
        policy=label.policy,
        digest=label.digest,
        reasons=ruling.reasons,
    )
    change = msgspec.structs.replace(
        change_of(owner, decision.epoch, [(sealed, leaf), *along]),
        remarks=tuple(await remarks_of(ruling, leaf, owner, rooms)),
        escalated=(label.id,) if decision.escalated else (),
        undoable=await _undoable(decision, sealed, along, rooms),
        undone=() if decision.before is not None else (label.id,),
    )
    await rooms.ledger.commit(change)


async def _undoable(
    decision: Decision, sealed: Sealed, along: Sequence[Made], rooms: Rooms
) -> tuple[Undoable, ...]:
    """Return what the decision replaces, sealed for as long as it can be undone."""
    if decision.before is None:
        return ()
    label, owner = sealed.label, decision.owner
    gave_way = tuple(row.label.id for row, _ in along)
    plain = msgspec.msgpack.encode(Before(decision.before, label.state, gave_way))
    place = (label.id.encode(), label.leaf.encode())
    token = await rooms.envelopes.wrap(owner, Record.UNDO, place, plain)
    until = label.changed_at + timedelta(minutes=rooms.bounds.undo_minutes)
    return (Undoable(owner, label.id, label.leaf, until, token),)


async def _reject(principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling) -> Case:
    row, owner = await found(principal, id, ruling, rooms)
    if await _put_there_by(principal, id, rooms):
        raise ForbiddenError
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    decision = Decision(principal, owner, epoch, "reject", ruling, before=row.sealed)
    leaf_id = LeafId(rooms.new_id())
    try:
        sealed = await rooms.vault.relabel(
            row.sealed, state=State.REJECTED, leaf=leaf_id, at=rooms.clock()
        )
    except UnreadableError:
        raise NotFoundError from None
    await settle(decision, sealed, rooms)
    return Case(sealed.label, ())


async def _put_there_by(principal: Principal, id: MemoryId, rooms: Rooms) -> bool:
    """Return whether a case was a memory until this very reviewer had it held, in whichever way:
    by itself, with all of its origin, or by lowering its trust. What he let through himself and
    takes back is the case that it was.
    """
    made = await rooms.audit.made(principal.owner.tenant, [id])
    put = None
    for leaf in reversed(made.get(id, ())):
        if STATE_AFTER.get(leaf.outcome) is not State.HELD:
            break
        put = leaf
    if put is None or put.version == 1 or put.action == UNDO:
        return False
    return put.actor == principal.owner.subject


async def _escalate(principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling) -> Case:
    row, owner = await found(principal, id, ruling, rooms)
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    memory = await prove(owner, row, rooms)
    reasons = tuple(dict.fromkeys((*memory.evidence.reasons, REASON_ESCALATED)))
    sealed = await held_still(memory, reasons, rooms)
    decision = Decision(
        principal, owner, epoch, "escalate", ruling, escalated=True, before=row.sealed
    )
    await settle(decision, sealed, rooms)
    return Case(sealed.label, reasons)


async def held_still(memory: Proven, reasons: tuple[str, ...], rooms: Rooms) -> Sealed:
    """Return the next version of a held memory, held for these reasons."""
    evidence, label = memory.evidence, memory.opened.label
    return await rooms.vault.relabel(
        memory.sealed,
        state=State.HELD,
        leaf=LeafId(rooms.new_id()),
        at=rooms.clock(),
        decided=Decided(
            msgspec.structs.replace(evidence, reasons=reasons), label.policy, label.confidence
        ),
    )
