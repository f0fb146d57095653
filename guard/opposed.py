"""What a case contradicts: what its reasons name, and what stands against it by now.

The world has moved on since a write was held, and one that was held for something else was compared
with nothing. So it is compared again when a reviewer looks at it, as a release does.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from guard.checks import misfit
from guard.errors import UnavailableError, UnreadableError
from guard.nouns import Opened, Row
from guard.relating import Tie
from guard.retire import other_of
from guard.revise import Proven, compared_again
from guard.rooms import Rooms
from memory.types import MemoryId, Owner

MOST_OPPOSED: Final = 16
REASON_AGAINST: Final = "relate.against"
"""Why one is shown beside a case that no decision named: they can't both hold."""
_RELATED: Final = "relate."
_CHECK: Final = "check."


class Opposed(msgspec.Struct, frozen=True):
    """A memory that a case contradicts, and why it is named. `check` is what it failed, and then
    there is no content: `check.unreadable`, `check.current`, or `check.emptied` for what was
    forgotten or rejected.
    """

    row: Row
    why: str
    opened: Opened | None = None
    check: str | None = None


class Opposition(msgspec.Struct, frozen=True):
    """What a case contradicts. `compared` says that it was compared with what is active now."""

    items: tuple[Opposed, ...]
    compared: bool


async def opposed_to(memory: Proven, rooms: Rooms) -> Opposition:
    """Return what a proven case contradicts, those that its reasons name first."""
    owner = memory.owner
    # (1) What the decision named, and what it did not know.
    why = _named(memory.evidence.reasons)
    now = await _by_now(memory, rooms)
    for id in now or ():
        why.setdefault(id, REASON_AGAINST)

    # (2) Prove each for itself.
    ids = [*why][:MOST_OPPOSED]
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, ids)
    items = [await _proved(owner, row, why[row.sealed.label.id], rooms) for row in rows]
    return Opposition(tuple(items), now is not None)


async def opened_or_check(owner: Owner, row: Row, rooms: Rooms) -> tuple[Opened | None, str | None]:
    """Return a memory's content, or the name of the check that it failed."""
    failed = misfit(owner, row)
    if failed is not None:
        return None, _CHECK + failed
    if not row.sealed.token:
        return None, _CHECK + "emptied"
    try:
        return await rooms.vault.open(owner, row.sealed), None
    except UnreadableError:
        return None, _CHECK + "unreadable"


async def _proved(owner: Owner, row: Row, why: str, rooms: Rooms) -> Opposed:
    return Opposed(row, why, *await opened_or_check(owner, row, rooms))


async def _by_now(memory: Proven, rooms: Rooms) -> list[MemoryId] | None:
    """Return what stands against a case now, None when it can't be compared at the moment."""
    try:
        kin = await compared_again(memory, rooms)
    except UnavailableError:
        return None
    return [one.row.sealed.label.id for one in kin if one.tie is Tie.AGAINST]


def _named(reasons: Sequence[str]) -> dict[MemoryId, str]:
    """Return the memories that reasons name, each with the reason that stands before it."""
    found: dict[MemoryId, str] = {}
    why = ""
    for reason in reasons:
        if reason.startswith(_RELATED):
            why = reason
        elif (id := other_of(reason)) is not None:
            found.setdefault(id, why)
    return found
