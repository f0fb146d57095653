"""A reviewer says of a doubt that there is nothing in it: both memories stay, and he is believed.

Nothing else follows. What has to give way is forgotten by its subject, replaced or restored. What
was dismissed is raised again only when one of the two was something else in between.
"""

import msgspec

from guard.errors import ConflictError, ForbiddenError, NotFoundError, UnavailableError
from guard.leaves import leaf_of
from guard.principal import Principal
from guard.retire import name_of
from guard.revise import prove
from guard.rooms import Rooms
from guard.ruling import UNSTATED, Ruling, remarks_of
from memory.types import MemoryId, Owner, State, SubjectId, TenantId


class Dismissed(msgspec.Struct, frozen=True):
    """A memory, and those beside which it stands undoubted now."""

    id: MemoryId
    beside: tuple[MemoryId, ...]


async def dismiss(
    principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling = UNSTATED
) -> Dismissed:
    """Dismiss the open doubts of a memory of the reviewer's tenant; return the other sides.

    Raises NotFoundError for any id without an open doubt, ForbiddenError for the reviewer's own.
    """
    for _ in range(rooms.bounds.commit_attempts):
        try:
            return await _dismiss(principal, id, rooms, ruling)
        except ConflictError:
            # One side changed, or another reviewer was quicker: look again.
            continue
    raise UnavailableError("ledger")


async def _dismiss(principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling) -> Dismissed:
    # (1) Find what is open, and prove that the memory is what it says.
    tenant = principal.owner.tenant
    others = await rooms.doubts.beside(tenant, id)
    row = await rooms.quarantine.case(tenant, id, State.ACTIVE) if others else None
    if row is None:
        raise NotFoundError
    owner = Owner(TenantId(row.sealed.label.tenant), SubjectId(row.sealed.label.subject))
    if owner.subject == principal.owner.subject:
        raise ForbiddenError
    await prove(owner, row, rooms)

    # (2) Write down who decided, why, and of which pairs; that ends them.
    leaf = leaf_of(
        principal,
        rooms.new_id(),
        rooms.clock(),
        action="dismiss",
        object=id,
        outcome="dismissed",
        owner=owner,
        reasons=(*ruling.reasons, *map(name_of, others)),
    )
    remarks = await remarks_of(ruling, leaf, owner, rooms)
    await rooms.doubts.dismiss(leaf, others, *remarks or (None,))
    return Dismissed(id, others)
