"""A reviewer's decision undone while its time is not over: the memory is held again as it was (Q2).

Nothing is let through by that: what was released stops being recalled, and what was rejected waits
once more. So any reviewer may undo what any other decided, and says why.
"""

from collections.abc import Sequence

import msgspec

from guard.checks import REASON_ESCALATED, is_current
from guard.deciding import UNDO, Decision, repeated, settle
from guard.errors import ForbiddenError, InvalidError, NotFoundError, UnreadableError
from guard.leaves import leaf_of
from guard.nouns import Row, Undoable
from guard.outcomes import Case
from guard.ports import Record
from guard.principal import Principal
from guard.retire import REASON_RESTORED, Made
from guard.revise import Proven
from guard.rooms import Rooms
from guard.ruling import UNSTATED, Ruling
from guard.undoable import Before
from memory.types import LeafId, MemoryId, State


async def undo(principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling = UNSTATED) -> Case:
    """Take back the last decision on a memory of the tenant; return it, held as before.

    What gave way to a release stands again. Raises NotFoundError when no decision can be undone any
    more, ForbiddenError for the reviewer's own memory, InvalidError when something else became of
    it since.
    """
    return await repeated(lambda: _undo(principal, id, rooms, ruling), rooms)


async def _undo(principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling) -> Case:
    at = rooms.clock()

    # (1) The last decision, and the memory as it left it.
    last = await rooms.undoing.last(principal.owner.tenant, id, at)
    if last is None:
        raise NotFoundError
    owner = last.owner
    if owner.subject == principal.owner.subject:
        raise ForbiddenError
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    row = next(iter(await rooms.ledger.rows(owner.tenant, owner.subject, [id])), None)
    before, memory = await _before(last, rooms)
    if row is None or not is_current(row):
        raise NotFoundError
    label = row.sealed.label
    lowered = label.leaf != last.leaf and label.trust < before.row.label.trust
    if label.state is not before.left or lowered:
        # Taken back, the trust from before would come back too: that takes two reviewers.
        raise InvalidError("it has changed since")

    # (2) The row from before, as the next version of the one that stands.
    sealed = await rooms.vault.relabel(
        before.row, state=State.HELD, leaf=LeafId(rooms.new_id()), at=at, over=row.sealed
    )

    # (3) What gave way to it stands again, unless something else has its place by now.
    made = await _back(Decision(principal, owner, epoch, UNDO, ruling), id, before, rooms)
    reasons = memory.evidence.reasons
    decision = Decision(principal, owner, epoch, UNDO, ruling, escalated=_is_marked(reasons))
    await settle(decision, sealed, rooms, made)
    return Case(sealed.label, reasons)


def _is_marked(reasons: Sequence[str]) -> bool:
    return REASON_ESCALATED in reasons


async def _before(last: Undoable, rooms: Rooms) -> tuple[Before, Proven]:
    """Return what a decision replaced, proved to be what it says it is."""
    place = (last.memory.encode(), last.leaf.encode())
    try:
        plain = await rooms.envelopes.unwrap(last.owner, Record.UNDO, place, last.token)
        before = msgspec.msgpack.decode(plain, type=Before)
        opened = await rooms.vault.open(last.owner, before.row)
        evidence = await rooms.vault.open_evidence(last.owner, before.row)
    except (UnreadableError, msgspec.MsgspecError):
        raise NotFoundError from None
    return before, Proven(last.owner, before.row, opened, evidence)


async def _back(decision: Decision, id: MemoryId, before: Before, rooms: Rooms) -> list[Made]:
    owner, at = decision.owner, rooms.clock()
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, before.gave_way)
    made = []
    for row in (one for one in rows if _gave_way(one, id)):
        sealed = await rooms.vault.relabel(
            row.sealed, state=State.ACTIVE, leaf=LeafId(rooms.new_id()), at=at
        )
        label = sealed.label
        leaf = leaf_of(
            decision.principal,
            label.leaf,
            at,
            action="restore",
            object=label.id,
            outcome=label.state,
            owner=owner,
            version=label.version,
            policy=label.policy,
            digest=label.digest,
            reasons=(REASON_RESTORED,),
        )
        made.append((sealed, leaf))
    return made


def _gave_way(row: Row, id: MemoryId) -> bool:
    label = row.sealed.label
    return label.state is State.SUPERSEDED and label.superseded_by == id and is_current(row)
