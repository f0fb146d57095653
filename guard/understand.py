"""What a question is understood as, before anything is searched (R2)."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from guard.errors import InvalidError
from guard.hear import said
from guard.outcomes import Query
from guard.ports import Found, Probe
from guard.rooms import Rooms
from memory.signals import Blinded
from memory.times import Times
from memory.types import Owner
from memory.understanding import Said, completed, leans, shown, understood

_TURNS: Final = 8
"""Turns of a session that are looked at."""


class Understanding(msgspec.Struct, frozen=True):
    """A question as it is searched for, and the times that it speaks of, in the asker's zone.

    `unassisted`: a model should have helped, and did not.
    """

    query: Query
    times: Times
    zone: ZoneInfo
    unassisted: bool = False


async def understand(owner: Owner, query: Query, now: datetime, rooms: Rooms) -> Understanding:
    """Return what the caller's question means, with what it leaves out taken from the turns before.

    Those are the `window` of the question, else what was said in the session that it names: a
    session of this subject's, since another's can't be asked for. Without them it stands alone.
    """
    zone = _zone(query.time_zone)
    turns: list[Said] = [(None, text) for text in query.window]
    if not turns and query.session is not None and leans(query.text):
        heard = await said(owner, query.session, now, rooms)
        turns = [(turn.role, turn.text) for turn in heard[-_TURNS:]]
    reference, unassisted = query.reference_time or now, False
    meant = understood(query.text, turns, reference, zone)
    if rooms.rewording is not None and leans(query.text) and (before := shown(turns)):
        with rooms.watch.step("recall.reword"):
            said_again = await rooms.rewording.reworded(owner.tenant, query.text, before)
        unassisted = said_again is None
        if said_again is not None:
            meant = completed(query.text, meant, said_again, reference, zone)
    query = msgspec.structs.replace(query, text=meant.text, spans=meant.times.spans)
    return Understanding(query, meant.times, zone, unassisted)


def probes(meant: Understanding, blinded: Blinded, limit: int) -> tuple[Probe, ...]:
    """Return what to ask the index for: everywhere, and within the times that are spoken of.

    A time that was only read from words excludes nothing; the bounds that the caller gave do.
    """
    query, spans = meant.query, meant.times.spans
    everywhere = Probe(blinded, query.layers, limit, query.since, query.until)
    if not spans:
        return (everywhere,)
    starts = [span.since for span in spans if span.since is not None]
    ends = [span.until for span in spans if span.until is not None]
    since = _tighter(max, query.since, min(starts) if len(starts) == len(spans) else None)
    until = _tighter(min, query.until, max(ends) if len(ends) == len(spans) else None)
    if since is not None and until is not None and since >= until:
        return (everywhere,)
    return everywhere, Probe(blinded, query.layers, limit, since, until)


def joined(every: Sequence[Found]) -> Found:
    """Return what several probes found as one."""
    routes = {
        f"{n}.{name}": hits for n, one in enumerate(every) for name, hits in one.routes.items()
    }
    return Found(routes, {id: token for one in every for id, token in one.tokens.items()})


def _tighter(
    pick: Callable[[datetime, datetime], datetime], one: datetime | None, two: datetime | None
) -> datetime | None:
    return pick(one, two) if one is not None and two is not None else one or two


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidError("time_zone: not a name in the IANA database") from None
