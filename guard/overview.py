"""What a reviewer sees of his tenant at a glance: counts of the last days, and nobody's words (Q8).

Made from the audit, so that what was decided and erased long since still counts. Of a long record
the newest leaves alone are looked at; what is told says from when on.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from statistics import median
from typing import Final

import msgspec

from guard.docket import MOST_COUNTED
from guard.findings import Event, Told
from guard.nouns import Label
from guard.principal import Principal, Scope
from guard.provenance import provenance_in, reasons_in
from guard.reporting import events_in
from guard.rooms import Rooms
from memory.types import MemoryId, SubjectId, TenantId

MOST_LOOKED_AT: Final = 10_000
"""Leaves that are looked at, the newest ones."""
LONGEST_DAYS: Final = 90
_BATCH: Final = 500
_CAUGHT: Final = frozenset({Event.HELD, Event.REFUSED})
_DECIDED: Final = frozenset({Event.RELEASED, Event.REJECTED})
_PLAIN: Final = frozenset({"review", "rescreen", "memory", "decide", "origin", "relate"})
"""Families of reasons that say what became of a write, not what is wrong with its text."""
UNKNOWN: Final = "other"
"""The kind and the origin of what tells none."""


class Day(msgspec.Struct, frozen=True):
    """What was caught on one day (UTC): by kind, which is a reason's family, and by origin class.

    Each caught write counts once in each.
    """

    day: date
    kinds: Mapping[str, int]
    origins: Mapping[str, int]


class Overview(msgspec.Struct, frozen=True):
    """The days up to today without a gap, and what they come to.

    `held` counts what waits now, up to `MOST_COUNTED` for at least so many. `events` are all of
    those days. `review_minutes` is the median from the write to a person's decision, None without
    any. `since` is from when on all is counted: later than was asked for in a long record.
    """

    held: int
    events: Mapping[Event, int]
    review_minutes: float | None
    days: tuple[Day, ...]
    since: datetime


async def overview(principal: Principal, days: int, rooms: Rooms) -> Overview:
    """Return what happened in the caller's tenant on the last `days` (1 to 90), today included."""
    principal.require(Scope.QUARANTINE_READ)
    tenant, now = principal.owner.tenant, rooms.clock()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    since = midnight - timedelta(days=min(max(days, 1), LONGEST_DAYS) - 1)
    held = await rooms.quarantine.count(tenant, most=MOST_COUNTED)

    # The newest leaves, oldest first, in the record's own numbers.
    size = (await rooms.audit.head(tenant)).size
    after = max(0, size - MOST_LOOKED_AT)
    told: list[Told] = []
    counted = since if after == 0 else now
    while after < size and (batch := await rooms.audit.leaves(tenant, after, _BATCH)):
        after = batch[-1].sequence
        counted = max(since, min(counted, batch[0].leaf.at))
        recent = [one for one in batch if one.leaf.at >= since]
        told += await events_in(tenant, recent, rooms.audit)
        # A page of the console must not keep everybody else waiting.
        await asyncio.sleep(0)
    return summed(told, await _labels(tenant, told, rooms), held, counted, now)


def summed(
    told: Sequence[Told], known: Mapping[str, Label], held: int, since: datetime, now: datetime
) -> Overview:
    """Return what events come to. Pure; `known` are the labels of their memories, by id."""
    kinds: defaultdict[date, Counter[str]] = defaultdict(Counter)
    origins: defaultdict[date, Counter[str]] = defaultdict(Counter)
    waited: list[float] = []
    for one in told:
        label = known.get(one.leaf.object)
        if one.event in _CAUGHT:
            day = one.leaf.at.date()
            came = provenance_in(one.leaf) if label is None else label
            kinds[day][kind_of(reasons_in(one.leaf))] += 1
            origins[day][UNKNOWN if came is None else str(came.origin)] += 1
        elif one.event in _DECIDED and label is not None:
            waited.append((one.leaf.at - label.recorded_at).total_seconds() / 60)
    return Overview(
        held,
        Counter(one.event for one in told),
        median(waited) if waited else None,
        tuple(Day(day, kinds[day], origins[day]) for day in _days(since, now)),
        since,
    )


def kind_of(reasons: Iterable[str]) -> str:
    """Return the family of the first reason that says what is wrong with a text."""
    families = (reason.partition(".")[0] for reason in reasons)
    return next((one for one in families if one not in _PLAIN), UNKNOWN)


async def _labels(tenant: TenantId, told: Sequence[Told], rooms: Rooms) -> dict[str, Label]:
    subjects: defaultdict[str, set[str]] = defaultdict(set)
    for one in told:
        subjects[one.leaf.subject].add(one.leaf.object)
    found: dict[str, Label] = {}
    for subject, ids in subjects.items():
        wanted = [MemoryId(id) for id in sorted(ids)]
        for row in await rooms.ledger.rows(tenant, SubjectId(subject), wanted):
            found[row.sealed.label.id] = row.sealed.label
    return found


def _days(since: datetime, now: datetime) -> Iterable[date]:
    return (since.date() + timedelta(days=n) for n in range((now.date() - since.date()).days + 1))
