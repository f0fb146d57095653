"""A stored memory put into the other of the two long-term layers by a reviewer (L5).

What lasts belongs to the semantic layer: it is kept longer, fades later, and goes first where all
else is equal. Nothing else of the memory changes, least of all its trust; nor is its text shown.
"""

from datetime import datetime
from typing import Final

from guard.admit import expiry
from guard.checks import is_alive
from guard.deciding import Decision, repeated, settle
from guard.errors import InvalidError, NotFoundError
from guard.hold import active_of
from guard.nouns import Label, Laid
from guard.outcomes import Case
from guard.principal import Principal
from guard.revise import prove
from guard.rooms import Rooms
from guard.ruling import Ruling
from memory.types import INDEXED_LAYERS, Layer, LeafId, MemoryId

_ACTIONS: Final = {Layer.SEMANTIC: "promote", Layer.EPISODIC: "demote"}


async def move(
    principal: Principal, id: MemoryId, layer: Layer, rooms: Rooms, ruling: Ruling
) -> Case:
    """Put an active memory of the tenant into the other long-term layer; return it as a case.

    It is kept from now on as long as that layer keeps what it gets, and never shorter than it was
    to be kept. Raises NotFoundError for an id of which nothing is active in the tenant,
    ForbiddenError for the reviewer's own memory, InvalidError for the layer that it is in.
    """
    return await repeated(lambda: _move(principal, id, layer, rooms, ruling), rooms)


def _until(label: Label, layer: Layer, at: datetime, rooms: Rooms) -> datetime | None:
    """Return the later of both expiries: nobody erases what is another's by moving it."""
    if label.expires_at is None:
        return None
    return max(label.expires_at, expiry(at, layer, None, rooms.bounds))


async def _move(
    principal: Principal, id: MemoryId, layer: Layer, rooms: Rooms, ruling: Ruling
) -> Case:
    row, owner = await active_of(principal, id, rooms)
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    memory, at = await prove(owner, row, rooms), rooms.clock()
    # What has expired and is not removed yet must not come back by this.
    if not is_alive(row, at):
        raise NotFoundError
    label = row.sealed.label
    if {label.layer, layer} != set(INDEXED_LAYERS):
        raise InvalidError("layer: from one of the long-term layers to the other")
    # It becomes no younger by this: it was said when it was said.
    sealed = await rooms.vault.relabel(
        memory.sealed,
        state=label.state,
        leaf=LeafId(rooms.new_id()),
        at=label.changed_at,
        laid=Laid(layer, _until(label, layer, at, rooms)),
    )
    deciding = Decision(principal, owner, epoch, _ACTIONS[layer], ruling, at=at)
    await settle(deciding, sealed, rooms)
    return Case(sealed.label, memory.evidence.reasons)
