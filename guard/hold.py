"""A stored memory put back into the queue by a reviewer, who has come to doubt it (Q2).

Nothing is lost by that: it keeps its text, its trust and its past, and is decided on like any other
case, but that whoever held it can't reject it. Recall stops with the commit.
"""

from guard.checks import REASON_RELEASED, REASON_SET_ASIDE
from guard.deciding import HOLD, Decision, held_still, repeated, settle
from guard.errors import ForbiddenError, NotFoundError
from guard.nouns import Row
from guard.outcomes import Case
from guard.principal import Principal
from guard.revise import prove
from guard.rooms import Rooms
from guard.ruling import Ruling
from memory.types import MemoryId, Owner, State, SubjectId


async def hold(principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling) -> Case:
    """Hold a memory of the tenant that is active; return it as a case.

    Raises NotFoundError for an id of which nothing is active in the tenant, ForbiddenError for the
    reviewer's own memory.
    """
    return await repeated(lambda: _hold(principal, id, rooms, ruling), rooms)


async def active_of(principal: Principal, id: MemoryId, rooms: Rooms) -> tuple[Row, Owner]:
    """Return an active row of the reviewer's tenant and its owner, who is not the reviewer."""
    tenant = principal.owner.tenant
    row = await rooms.quarantine.case(tenant, id, State.ACTIVE)
    if row is None or row.sealed.label.tenant != tenant:
        raise NotFoundError
    owner = Owner(tenant, SubjectId(row.sealed.label.subject))
    if owner.subject == principal.owner.subject:
        raise ForbiddenError
    return row, owner


async def _hold(principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling) -> Case:
    row, owner = await active_of(principal, id, rooms)
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    memory = await prove(owner, row, rooms)
    # An earlier release counts no more, nor can it be undone: what that would do is done.
    earlier = (one for one in memory.evidence.reasons if one != REASON_RELEASED)
    reasons = tuple(dict.fromkeys((*earlier, REASON_SET_ASIDE)))
    sealed = await held_still(memory, reasons, rooms)
    await settle(Decision(principal, owner, epoch, HOLD, ruling), sealed, rooms)
    return Case(sealed.label, reasons)
