"""What stands beside a memory in its session: an answer often names its subject only in the
question before it.

Nothing of one memory is stored with another. The turns are put together when a question is asked,
from what is sealed of each, so that whatever is forgotten, held or replaced is gone from the
company of its neighbours in the same moment.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from guard.nouns import Label, Row
from guard.outcomes import Query
from guard.ports import Beside
from guard.proof import Proved
from guard.rooms import Rooms
from memory.signals import Blinded
from memory.types import MemoryId, Owner

_PAUSE: Final = timedelta(hours=6)
"""What was recorded longer apart is not one talk, though it may bear one session's name."""

Places = Mapping[MemoryId, Beside]
"""Where memories stand in their sessions."""


async def beside(
    owner: Owner, best: Sequence[MemoryId], known: set[MemoryId], query: Query, rooms: Rooms
) -> tuple[Places, list[Row]]:
    """Return where `best` stand in their sessions, and the rows beside them that are not `known`.

    Rows of layers that were not asked for are left out.
    """
    if not best:
        return {}, []
    places = await rooms.ledger.beside(owner.tenant, owner.subject, best)
    named = [id for place in places.values() for id in (place.before, place.after) if id]
    missing = [id for id in dict.fromkeys(named) if id not in known]
    if not missing:
        return places, []
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, missing)
    return places, [row for row in rows if row.sealed.label.layer in query.layers]


def turns_before(memories: Sequence[Proved], places: Places) -> dict[MemoryId, Blinded]:
    """Return what each memory is read together with: the turn before it, where there is one.

    Only of trust at least as high as its own, or a page would find its readers by what the user
    said; only what may be shown itself; and only of the same talk.
    """
    by_id = {memory.id: memory for memory in memories}
    after = {place.after: id for id, place in places.items() if place.after is not None}
    before = {id: place.before for id, place in places.items() if place.before is not None}
    found = {}
    for id, turn in (after | before).items():
        memory, earlier = by_id.get(id), by_id.get(turn)
        if memory and earlier and _may_join(earlier.row.sealed.label, memory.row.sealed.label):
            found[id] = earlier.blinded
    return found


def _may_join(earlier: Label, label: Label) -> bool:
    if earlier.session != label.session or earlier.trust < label.trust:
        return False
    return label.recorded_at - earlier.recorded_at <= _PAUSE
