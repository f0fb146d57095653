"""Going through all of a tenant's active memories, and judging again what is outdated (Q4).

The eager form of what recall does for what it would show. Each memory that was judged again names
the version it was judged by, so a run that was broken off is taken up by the next. It works beside
gateways that serve: what somebody else changes meanwhile is read again.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from guard.checks import is_current
from guard.errors import ConflictError, GuardError, NotFoundError, UnavailableError
from guard.governing import version_for
from guard.nouns import Row
from guard.ports import Stock, Sweep
from guard.reread import reread_all
from guard.rescreen import REASON_MODELS, Redecided, commit, redecide
from guard.revise import prove
from guard.rooms import Rooms
from memory.types import MemoryId, Owner, State, SubjectId, TenantId

_STRETCH: Final = 64
_AT_ONCE: Final = 4
"""Memories that are looked at together: as many as keep the models busy, and no more."""

Progress = Callable[[int], None]
"""Told how many memories have been seen so far."""


class Rescanned(msgspec.Struct, frozen=True):
    """What a rescan did for one tenant, by number of memories.

    `looked_at` again by stages and models, `decided` again on stored findings; of both, `held` and
    `redacted`. `unreadable` failed their proof, `unfinished` met something that did not answer:
    both are as outdated as before, and are not shown. `reread` were read for claims by an older
    reader, and are found by today's slots now.
    """

    tenant: TenantId
    looked_at: int = 0
    decided: int = 0
    held: int = 0
    redacted: int = 0
    unreadable: int = 0
    unfinished: int = 0
    reread: int = 0

    def __add__(self, other: "Rescanned") -> "Rescanned":
        """Return both together, as of this one's tenant."""
        numbers = msgspec.structs.asdict(self)
        del numbers["tenant"]
        return Rescanned(self.tenant, **{n: v + getattr(other, n) for n, v in numbers.items()})


def outdated(tenant: TenantId, rooms: Rooms) -> Sweep:
    """Return the sweep over what is to be judged again now."""
    return Sweep(states=(State.ACTIVE,), unless=version_for(tenant, rooms), alive_at=rooms.clock())


async def rescan(tenant: TenantId, stock: Stock, rooms: Rooms, progress: Progress) -> Rescanned:
    """Judge every outdated active memory of a tenant again; return what became of them.

    Raises UnavailableError when the ledger does not answer; what was done by then is done.
    """
    total, seen = Rescanned(tenant), 0
    sweep = outdated(tenant, rooms)
    after: MemoryId | None = None
    while True:
        stretch = await stock.rows(tenant, sweep, after, _STRETCH)
        subjects: defaultdict[Owner, list[Row]] = defaultdict(list)
        for row in stretch.rows:
            subjects[Owner(tenant, SubjectId(row.sealed.label.subject))].append(row)
        for owner, rows in subjects.items():
            total += await _of_subject(owner, rows, rooms)
            seen += len(rows)
            progress(seen)
        if stretch.last is None:
            break
        after = stretch.last
    return msgspec.structs.replace(total, reread=await reread_all(tenant, stock, rooms))


async def _of_subject(owner: Owner, rows: Sequence[Row], rooms: Rooms) -> Rescanned:
    total = Rescanned(owner.tenant)
    for start in range(0, len(rows), _AT_ONCE):
        total += await _together(owner, rows[start : start + _AT_ONCE], rooms)
    return total


async def _together(owner: Owner, rows: Sequence[Row], rooms: Rooms) -> Rescanned:
    """Judge a few of a subject's memories at once, and again while somebody else changes them."""
    for _ in range(rooms.bounds.commit_attempts):
        judged = await asyncio.gather(*(_again(owner, row, rooms) for row in rows))
        found = [one for one in judged if isinstance(one, Redecided)]
        try:
            await commit(owner, found, rooms)
        except ConflictError:
            rows = await _still_outdated(owner, rows, rooms)
            continue
        return Rescanned(
            owner.tenant,
            looked_at=sum(one.reason == REASON_MODELS for one in found),
            decided=sum(one.reason != REASON_MODELS for one in found),
            held=sum(one.sealed.label.state is State.HELD for one in found),
            redacted=sum(one.redacted for one in found),
            unreadable=judged.count(False),
            unfinished=judged.count(None),
        )
    raise UnavailableError("ledger")


async def _again(owner: Owner, row: Row, rooms: Rooms) -> Redecided | bool | None:
    """Return how a memory stands now; False when it failed its proof, None when it is for later."""
    try:
        memory = await prove(owner, row, rooms)
    except NotFoundError:
        return False
    try:
        return await redecide(memory, rooms, record=True)
    except GuardError:
        return None


async def _still_outdated(owner: Owner, rows: Sequence[Row], rooms: Rooms) -> list[Row]:
    """Return those rows again that are still active and not yet judged by the present version."""
    ids = [row.sealed.label.id for row in rows]
    fresh = await rooms.ledger.rows(owner.tenant, owner.subject, ids)
    version = version_for(owner.tenant, rooms)
    return [
        row
        for row in fresh
        if row.sealed.label.state is State.ACTIVE
        and row.sealed.label.policy != version
        and is_current(row)
    ]
