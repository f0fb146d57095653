"""What the subject has that a draft must be compared with: few rows, each opened and proved.

Candidates come from the nearest memories and from those that speak of one of the draft's slots, all
named by one question to the index and by the rows that it lacks. Texts are compared here, many or
long ones in a thread; what follows from it is decided by `guard.relate`, which is pure.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from guard.aside import aside
from guard.errors import UnreadableError
from guard.nouns import Opened, Row
from guard.relating import Reading, Said, Tie
from guard.rooms import Rooms
from memory.signals import Signals
from memory.types import Owner

LIKENESS: Final = 0.70
"""Least cosine, in any vector, from which two memories are compared though they share no slot."""
TO_COMPARE: Final = 16
"""Bytes of a reading that are compared in the time that one character takes to be read."""
_SLOT: Final = "slot\x1f"
"""Before a slot's name among the entities. No caller's entity has this sign (`gateway.wire`)."""


class Kin(msgspec.Struct, frozen=True):
    """A memory that was compared with a draft, what the draft is to it, and when it was so.

    `revised` says that the draft was made to take its place, `outdated` that slots and claim of the
    memory are those of an older reader.
    """

    row: Row
    tie: Tie
    occurred_at: datetime | None = None
    revised: bool = False
    outdated: bool = False


def entities_for(slots: Sequence[str]) -> tuple[str, ...]:
    """Return slots as entities: keyed like them, and found by the same route."""
    return tuple(_SLOT + name for name in slots)


async def read(said: Said, rooms: Rooms) -> Reading:
    """Return what a text says; a long one is read in a thread."""
    return await aside(len(said.text), rooms.relating.read, said)


def named_slots(signals: Signals) -> tuple[str, ...]:
    """Return the slots among a text's entities."""
    return tuple(name for name in signals.entities if name.startswith(_SLOT))


async def compared(owner: Owner, said: Said, rows: Sequence[Row], rooms: Rooms) -> tuple[Kin, ...]:
    """Return what a text is to each of these rows of its owner. One that can't be read is left out.

    `rows` were proved to be the owner's newest, and alive.
    """
    opened: list[tuple[Row, Opened]] = []
    for row in rows:
        try:
            opened.append((row, await rooms.vault.open(owner, row.sealed)))
        except UnreadableError:
            continue  # It takes part in nothing; recall names it in the audit.
    if not opened:
        return ()
    old = [said_in(one) for _, one in opened]
    relating = rooms.relating.once
    current = [relating.is_current(one.record) for one in (said, *old)]
    length = sum(
        len(one.record) // TO_COMPARE if is_read else len(one.text)
        for one, is_read in zip((said, *old), current, strict=True)
    )
    ties = await aside(length, relating.ties, said, old)
    return tuple(
        Kin(row, tie, one.body.occurred_at, outdated=not is_read)
        for (row, one), tie, is_read in zip(opened, ties, current[1:], strict=True)
    )


def said_in(memory: Opened) -> Said:
    """Return what a memory says, with what it was read as."""
    return Said(memory.body.text, said_at(memory), memory.body.reading)


def said_at(memory: Opened) -> datetime:
    """Return when what a memory says was so, else when it was first written down."""
    return memory.body.occurred_at or memory.label.recorded_at
