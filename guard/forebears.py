"""Where a memory came from: what it was derived from, upward to what was derived from nothing."""

from typing import Final

import msgspec

from guard.nouns import Label
from guard.opposed import opened_or_check
from guard.revise import Proven
from guard.rooms import Rooms
from memory.types import MemoryId

MOST_FOREBEARS: Final = 64


class Forebear(msgspec.Struct, frozen=True):
    """A memory that another was derived from, and what it was derived from itself.

    One that failed a check, or was forgotten, says nothing of its own parents.
    """

    label: Label
    parents: tuple[MemoryId, ...]
    check: str | None = None


class Chain(msgspec.Struct, frozen=True):
    """The forebears of a memory, nearest first. `whole` is false where some are not told: there are
    more of them than anybody reads, or one can't be read.
    """

    items: tuple[Forebear, ...]
    whole: bool


async def forebears(memory: Proven, rooms: Rooms) -> Chain:
    """Return what a proven memory was derived from, each once, and each proved for itself."""
    owner = memory.owner
    found: dict[MemoryId, Forebear] = {}
    seen = {memory.opened.label.id}
    generation = [id for id in dict.fromkeys(memory.opened.body.parents) if id not in seen]
    whole = True
    while generation:
        room = MOST_FOREBEARS - len(found)
        if room < len(generation):
            whole, generation = False, generation[:room]
        seen.update(generation)
        rows = await rooms.ledger.rows(owner.tenant, owner.subject, generation)
        whole = whole and len(rows) == len(generation)
        above: dict[MemoryId, None] = {}
        for row in rows:
            opened, check = await opened_or_check(owner, row, rooms)
            parents = () if opened is None else opened.body.parents
            found[row.sealed.label.id] = Forebear(row.sealed.label, parents, check)
            whole = whole and check is None
            above |= dict.fromkeys(parents)
        generation = [id for id in above if id not in seen]
    return Chain(tuple(found.values()), whole)
