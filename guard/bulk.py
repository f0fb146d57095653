"""Many cases decided at once: shown first, and then exactly those, one by one (Q2).

The preview hands out a token that names its cases, each at the version that was shown, under a
keyed mark of the reviewer. Nothing is kept of it. Whatever comes to fit afterwards is not in it,
and what has changed since is left as it is.
"""

import base64
import binascii
import hmac
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

import msgspec

from guard.deciding import escalate, reject
from guard.docket import Search
from guard.errors import ForbiddenError, InvalidError, NotFoundError
from guard.outcomes import Case
from guard.principal import Principal
from guard.releasing import release
from guard.review import held
from guard.rooms import Rooms
from guard.ruling import Ruling
from memory.types import MemoryId, State

MOST: Final = 500
"""Cases of one preview."""
_SHOWN: Final = 10
_MINUTES: Final = 15
_SECONDS: Final = 10.0
"""After that the rest of a call is left to the next one."""
_PAGE: Final = 100


class Verdict(StrEnum):
    """What may be decided on many cases at once."""

    RELEASE = "release"
    REJECT = "reject"
    ESCALATE = "escalate"


class Preview(msgspec.Struct, frozen=True):
    """How many cases would be decided on, some of them, and the token that decides. `more` fit."""

    count: int
    more: bool
    sample: tuple[MemoryId, ...]
    token: str
    expires_at: datetime


class Became(StrEnum):
    """What became of one case of a preview."""

    DECIDED = "decided"
    HELD = "held"
    """Released, and held still: it contradicts what it did not name."""
    GONE = "gone"
    """Decided already, or erased."""
    CHANGED = "changed"
    REFUSED = "refused"
    """The reviewer's own write, what he held himself and would reject, or what policy rejects."""
    LEFT = "left"
    """Not yet: the same call again goes on with it."""


class Done(msgspec.Struct, frozen=True):
    """One case of a preview, and what became of it."""

    id: MemoryId
    became: Became


class _Named(msgspec.Struct, frozen=True, array_like=True):
    """What a token says: until when, and which cases at which version."""

    verdict: Verdict
    until: int
    cases: tuple[tuple[bytes, int], ...]


_Deciding = Callable[[Principal, MemoryId, Rooms, Ruling], Awaitable[Case]]
_DECIDING: Final[dict[Verdict, _Deciding]] = {
    Verdict.RELEASE: release,
    Verdict.REJECT: reject,
    Verdict.ESCALATE: escalate,
}


async def preview(
    principal: Principal, verdict: Verdict, of: Search | Sequence[MemoryId], rooms: Rooms
) -> Preview:
    """Return what would be decided on: the held cases of these ids, or that a search finds first.

    At most MOST; the reviewer's own writes are left out.
    """
    found, more = await (
        _searched(principal, of, rooms) if isinstance(of, Search) else _named(principal, of, rooms)
    )
    until = rooms.clock().replace(microsecond=0) + timedelta(minutes=_MINUTES)
    cases = tuple((uuid.UUID(one.label.id).bytes, one.label.version) for one in found)
    named = msgspec.msgpack.encode(_Named(verdict, int(until.timestamp()), cases))
    token = _text(named + await _mark(principal, named, rooms))
    sample = tuple(one.label.id for one in found[:_SHOWN])
    return Preview(len(found), more, sample, token, until)


async def decide_all(
    principal: Principal, verdict: Verdict, token: str, ruling: Ruling, rooms: Rooms
) -> tuple[Done, ...]:
    """Decide on exactly the cases of a preview that are as they were; say what became of each.

    Called again it decides on nothing twice. Raises InvalidError for a token that is not this
    reviewer's, not for this verdict, or too old.
    """
    named = await _read(principal, token, rooms)
    if named is None or named.verdict is not verdict:
        raise InvalidError("preview: not a token of yours for this decision")
    if rooms.clock() >= datetime.fromtimestamp(named.until, UTC):
        raise InvalidError("preview: too old; ask for another one")
    deciding, began, done = _DECIDING[verdict], time.monotonic(), []
    for raw, version in named.cases:
        id = MemoryId(str(uuid.UUID(bytes=raw)))
        if time.monotonic() - began >= _SECONDS:
            done.append(Done(id, Became.LEFT))
            continue
        of_this = msgspec.structs.replace(ruling, version=version)
        done.append(Done(id, await _decided(deciding, principal, id, of_this, rooms)))
    return tuple(done)


async def _decided(
    deciding: _Deciding, principal: Principal, id: MemoryId, ruling: Ruling, rooms: Rooms
) -> Became:
    try:
        case = await deciding(principal, id, rooms, ruling)
    except NotFoundError:
        return Became.GONE
    except ForbiddenError:
        return Became.REFUSED
    except InvalidError:
        return Became.CHANGED
    still = deciding is release and case.label.state is State.HELD
    return Became.HELD if still else Became.DECIDED


async def _searched(principal: Principal, search: Search, rooms: Rooms) -> tuple[list[Case], bool]:
    found: list[Case] = []
    cursor: str | None = None
    while True:
        page = await held(principal, cursor, _PAGE, rooms, search)
        found += [one for one in page.items if one.label.subject != principal.owner.subject]
        cursor = page.cursor
        if cursor is None or len(found) >= MOST:
            return found[:MOST], cursor is not None or len(found) > MOST


async def _named(
    principal: Principal, ids: Sequence[MemoryId], rooms: Rooms
) -> tuple[list[Case], bool]:
    if len(ids) > MOST:
        raise InvalidError(f"ids: at most {MOST}")
    rows = [await rooms.quarantine.case(principal.owner.tenant, id) for id in dict.fromkeys(ids)]
    labels = [row.sealed.label for row in rows if row is not None]
    others = [one for one in labels if one.subject != principal.owner.subject]
    return [Case(one, ()) for one in others], False


async def _read(principal: Principal, token: str, rooms: Rooms) -> _Named | None:
    """Return what a token says, None for one that was not made here for this reviewer."""
    try:
        raw = base64.urlsafe_b64decode(token.encode("ascii"))
    except (UnicodeEncodeError, binascii.Error):
        return None
    # A decoder skips what no encoder wrote; one preview has one token.
    if _text(raw) != token:
        return None
    named, mark = raw[:-_MARK], raw[-_MARK:]
    if not hmac.compare_digest(mark, await _mark(principal, named, rooms)):
        return None
    return msgspec.msgpack.decode(named, type=_Named)


_MARK: Final = 32


async def _mark(principal: Principal, named: bytes, rooms: Rooms) -> bytes:
    return await rooms.marks.keyed(principal.owner, "bulk", _text(named))


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii")
