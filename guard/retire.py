"""Memories that give way to another: kept, and hidden unless somebody asks for the past."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from guard.leaves import leaf_of
from guard.nouns import Change, Label, Leaf, Row, Sealed
from guard.principal import Principal
from guard.rooms import Rooms
from memory.types import Epoch, LeafId, MemoryId, Owner, State

REASON_NEWER: Final = "relate.newer"
"""Why a memory took the place of those that the reasons after it name."""
REASON_OLDER: Final = "relate.older"
"""Why one was history when it came: the one named after it was said later."""
REASON_CONFLICT: Final = "relate.conflict"
"""Why one is held: those named after it say otherwise and have more trust."""
REASON_REVISION: Final = "relate.revision"
"""Why one is to take the place of that which is named after it: somebody said so."""
REASON_RESTORED: Final = "relate.restored"
"""Why one stands again; those named after it gave way."""
REASON_DOUBT: Final = "relate.doubt"
"""Why a person should look at one: whether it can hold beside those named after it is not known."""
_NAME: Final = "memory."
_DOUBTED: Final = "doubt."
"""Before the other side of a doubt: a release is no decision against that one."""

Made = tuple[Sealed, Leaf]
"""A row's next version, and the leaf that tells of it."""


def named(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of memories, for reasons."""
    return tuple(name_of(row.sealed.label.id) for row in rows)


def name_of(id: MemoryId) -> str:
    """Return how a reason names another memory."""
    return _NAME + id


def in_doubt(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the reasons that tell of a doubt, none where there is no row."""
    names = tuple(_DOUBTED + row.sealed.label.id for row in rows)
    return (REASON_DOUBT, *names) if names else ()


def named_in(reasons: Sequence[str]) -> frozenset[MemoryId]:
    """Return the memories that reasons name."""
    return frozenset(MemoryId(r.removeprefix(_NAME)) for r in reasons if r.startswith(_NAME))


def other_of(reason: str) -> MemoryId | None:
    """Return the memory that a reason names, also as the other side of a doubt, or None."""
    for before in (_NAME, _DOUBTED):
        if reason.startswith(before):
            return MemoryId(reason.removeprefix(before))
    return None


def ranked(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return each row once, the most trusted first and of equals the newest."""
    each = {row.sealed.label.id: row for row in rows}.values()
    return tuple(sorted(each, key=_weight, reverse=True))


async def retire(
    rows: Sequence[Row],
    by: MemoryId,
    at: datetime,
    told: Callable[[Label], Leaf],
    rooms: Rooms,
) -> list[Made]:
    """Return the next version of each of these rows, superseded by `by`, with the leaf for it."""
    made = []
    for row in rows:
        sealed = await rooms.vault.relabel(
            row.sealed,
            state=State.SUPERSEDED,
            leaf=LeafId(rooms.new_id()),
            at=at,
            superseded_by=by,
        )
        made.append((sealed, told(sealed.label)))
    return made


def teller(principal: Principal, owner: Owner, by: MemoryId) -> Callable[[Label], Leaf]:
    """Return what makes the leaf of a memory that gave way because of what `principal` decided."""

    def told(label: Label) -> Leaf:
        return leaf_of(
            principal,
            label.leaf,
            label.changed_at,
            action="supersede",
            object=label.id,
            outcome=label.state,
            owner=owner,
            version=label.version,
            policy=label.policy,
            digest=label.digest,
            reasons=(REASON_NEWER, name_of(by)),
        )

    return told


def change_of(owner: Owner, epoch: Epoch, made: Sequence[Made]) -> Change:
    """Return all of it as one change."""
    return Change(owner, epoch, tuple(row for row, _ in made), tuple(leaf for _, leaf in made))


def _weight(row: Row) -> tuple[int, datetime, MemoryId]:
    label = row.sealed.label
    return label.trust, label.recorded_at, label.id
