"""How far an origin reaches: its memories, all that was derived from them, and who was shown them.

A reviewer's doors that change nothing of any memory (Q5). No text is shown: see `guard.reveal`.
"""

import re
from datetime import datetime
from typing import Final

import msgspec

from guard.errors import UnavailableError, UnreadableError
from guard.nouns import Label, Leaf
from guard.origins import Ban, Groups, Kind, Origins, Place, Reach, Tally
from guard.ports import Filter
from guard.principal import Principal, Scope
from guard.rooms import Rooms
from memory.types import ClientId, MemoryId, Owner, State, SubjectId, TenantId, TraceId

EVERY_STATE: Final = tuple(State)
MOST_SHOWN: Final = 200
"""Recalls that one report tells of, the newest; it says when there were more."""
_SUBJECTS: Final = 20
"""Subjects whose older memories are read for what they were derived from, in one call."""
_ROWS: Final = 500
_KEYED: Final = re.compile(r"[0-9a-f]{32}")
_TRACE: Final = "trace."


class Reached(msgspec.Struct, frozen=True):
    """A memory that an origin reaches: its own, or one that was derived from such."""

    label: Label
    derived: bool


class Viewing(msgspec.Struct, frozen=True):
    """That a recall showed a memory to a subject, over which client, and in which trace."""

    memory: MemoryId
    subject: SubjectId
    client: ClientId
    trace: TraceId
    at: datetime


class Report(msgspec.Struct, frozen=True):
    """How far an origin reaches. `items` are one page, by id, and `cursor` is where the next
    begins; `viewings` are the newest. `ban` stands on it, if one does. Not `complete`, some of
    what was derived before derivations were kept has yet to be read: ask again.
    """

    place: Place
    tally: Tally
    items: tuple[Reached, ...]
    cursor: MemoryId | None
    viewings: tuple[Viewing, ...]
    more_viewings: bool
    ban: Ban | None
    complete: bool


async def origins(
    principal: Principal, kind: Kind, cursor: str | None, limit: int, rooms: Rooms
) -> Groups:
    """Return one page of the origins of the reviewer's tenant, those first that wrote last."""
    principal.require(Scope.QUARANTINE_READ)
    return await followed(rooms).groups(principal.owner.tenant, kind, cursor, limit)


async def report(
    principal: Principal, place: Place, after: MemoryId | None, limit: int, rooms: Rooms
) -> Report:
    """Return how far an origin of the reviewer's tenant reaches, and who was shown any of it."""
    principal.require(Scope.QUARANTINE_READ)
    tenant, where = principal.owner.tenant, followed(rooms)
    place = await keyed(tenant, place, rooms)
    # (1) What was derived before anybody kept it is read first, a few subjects at a time.
    complete = await read_lineages(tenant, place, rooms)
    # (2) What it reaches, and (3) who was shown it.
    rows = await where.reached(tenant, Reach(place, EVERY_STATE, after), limit + 1)
    labels = [row.sealed.label for row in rows[:limit]]
    shown = await where.shown(tenant, place, MOST_SHOWN)
    standing = await rooms.bans.standing(tenant)
    return Report(
        place=place,
        tally=await where.tally(tenant, place),
        items=tuple(Reached(label, not place.covers(label)) for label in labels),
        cursor=labels[-1].id if len(rows) > limit else None,
        viewings=tuple(_viewing(leaf) for leaf in shown.leaves),
        more_viewings=shown.more,
        ban=next((ban for ban in standing if ban.place == place), None),
        complete=complete,
    )


def followed(rooms: Rooms) -> Origins:
    """Return what follows origins. Raises UnavailableError where nobody does."""
    if rooms.origins is None:
        raise UnavailableError("origins")
    return rooms.origins


async def keyed(tenant: TenantId, place: Place, rooms: Rooms) -> Place:
    """Return an origin by its keyed id, be it named so, as cases show it, or as its writers did."""
    if place.kind not in (Kind.SOURCE, Kind.SESSION) or _KEYED.fullmatch(place.name):
        return place
    return Place(place.kind, await rooms.marks.source(tenant, place.name))


async def read_lineages(tenant: TenantId, place: Place, rooms: Rooms) -> bool:
    """Read what was derived before derivations were kept; return whether nothing is left to read.

    What was forgotten says no more what it was derived from.
    """
    where = followed(rooms)
    for subject in await where.unread(tenant, place, _SUBJECTS):
        owner, cursor = Owner(tenant, subject), None
        pairs: list[tuple[MemoryId, MemoryId]] = []
        while True:
            page = await rooms.ledger.page(
                tenant, subject, Filter(states=EVERY_STATE), cursor, _ROWS
            )
            for row in page.rows:
                try:
                    opened = await rooms.vault.open(owner, row.sealed)
                except UnreadableError:
                    continue
                pairs += [(opened.label.id, parent) for parent in opened.body.parents]
            cursor = page.cursor
            if cursor is None:
                break
        await where.learn(tenant, subject, pairs)
    return not await where.unread(tenant, place, 1)


def _viewing(leaf: Leaf) -> Viewing:
    traces = [reason.removeprefix(_TRACE) for reason in leaf.reasons if reason.startswith(_TRACE)]
    return Viewing(
        memory=MemoryId(leaf.object),
        subject=SubjectId(leaf.subject),
        client=leaf.client,
        trace=TraceId(next(iter(traces), "")),
        at=leaf.at,
    )
