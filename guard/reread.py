"""Memories that an older reader read are read again, little by little, and found by it afterwards.

Slots and claim ids are made of words and rules (`memory.claims.version`). When those change, a
memory of before would be met only where it is near. So what a write is compared with, and what a
rescan meets, is sealed once more with what it is read as today. Nothing else of it changes: neither
when it was said nor what it counts. What was emptied keeps its old ids, for its words are gone.
"""

import contextlib
from collections.abc import Sequence
from typing import Final

from guard.checks import is_alive, misfit
from guard.errors import ConflictError, GuardError, UnavailableError
from guard.leaves import leaf_of_rereading
from guard.nouns import Change, Leaf, Row, Sealed
from guard.ports import Stock, Sweep
from guard.revise import prove, read_anew
from guard.rooms import Rooms
from memory.types import LeafId, MemoryId, Owner, State, SubjectId, TenantId

_AT_ONCE: Final = 4
"""Memories that one write has read again after it is stored: it waits for them."""
_STRETCH: Final = 64


async def reread(owner: Owner, ids: Sequence[MemoryId], rooms: Rooms) -> int:
    """Read again the first few of these active memories of one owner; return how many became new.

    Not done now, it is done when one is met again: what is outrun or does not answer is left.
    """
    made: list[tuple[Sealed, Leaf]] = []
    if not ids:
        return 0
    with contextlib.suppress(ConflictError, UnavailableError):
        async with rooms.turns.of(owner):
            epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
            rows = await rooms.ledger.rows(owner.tenant, owner.subject, ids[:_AT_ONCE])
            again = [await _again(owner, row, rooms) for row in rows]
            made = [one for one in again if one is not None]
            if made:
                sealed, leaves = zip(*made, strict=True)
                await rooms.ledger.commit(Change(owner, epoch, sealed, leaves))
            return len(made)
    return 0


async def reread_all(tenant: TenantId, stock: Stock, rooms: Rooms) -> int:
    """Read again every active memory of a tenant that an older reader read; return how many.

    Raises UnavailableError when the ledger does not answer; what was done by then is done.
    """
    total, after = 0, None
    sweep = Sweep(states=(State.ACTIVE,), alive_at=rooms.clock())
    while True:
        stretch = await stock.rows(tenant, sweep, after, _STRETCH)
        for owner, ids in _by_owner(tenant, stretch.rows).items():
            for start in range(0, len(ids), _AT_ONCE):
                total += await reread(owner, ids[start : start + _AT_ONCE], rooms)
        if stretch.last is None:
            return total
        after = stretch.last


async def _again(owner: Owner, row: Row, rooms: Rooms) -> tuple[Sealed, Leaf] | None:
    """Return the next version of a row that is read otherwise today, with its leaf."""
    now = rooms.clock()
    if misfit(owner, row) is not None or not is_alive(row, now):
        return None
    try:
        memory = await prove(owner, row, rooms)
        if rooms.relating.is_current(memory.opened.body.reading):
            return None
        sealed = await read_anew(memory, LeafId(rooms.new_id()), rooms)
    except UnavailableError:
        raise
    except GuardError:
        return None  # It does not open: recall names it in the audit.
    return None if sealed is None else (sealed, leaf_of_rereading(sealed.label, now))


def _by_owner(tenant: TenantId, rows: Sequence[Row]) -> dict[Owner, list[MemoryId]]:
    found: dict[Owner, list[MemoryId]] = {}
    for row in rows:
        owner = Owner(tenant, SubjectId(row.sealed.label.subject))
        found.setdefault(owner, []).append(row.sealed.label.id)
    return found
