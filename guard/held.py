"""How much may wait for a person, and for how long (Q12).

A quarantine that takes everything is a way to fill a disk, and to bury the one case that matters
under thousands that don't. What exceeds its quota is refused, so that the writer hears of it; what
nobody decided in time is given up, and the audit says so.
"""

from datetime import datetime, timedelta
from typing import ClassVar, Final

from guard.errors import ConflictError, LimitedError, UnreadableError
from guard.leaves import leaf_of_expiry, leaf_of_write
from guard.nouns import Change, Row, Screened
from guard.rooms import Rooms
from memory.types import LeafId, MemoryId, Owner, State, SubjectId, TenantId

REASON_FULL: Final = "quarantine.full"
REASON_EXPIRED: Final = "quarantine.expired"

_RETRY_SECONDS: Final = 3600.0
"""Room is made by people and by days."""
_AT_ONCE: Final = 100


class QuarantineFullError(LimitedError):
    """Too much of this origin, or of the whole tenant, waits for review. Nothing was written."""

    code: ClassVar[str] = "quarantine_full"

    def __init__(self) -> None:
        super().__init__(_RETRY_SECONDS)


async def require_room(screened: Screened, rooms: Rooms) -> None:
    """Return when one more write of this origin may be held. Raises QuarantineFullError.

    An origin is a class of source through a client, for one subject: so nobody uses up what is
    another's. Of several at the same time each may find the last place; the quota is exceeded by no
    more than are written at once.
    """
    origin, owner, bounds = screened.tagged.origin, screened.tagged.owner, rooms.bounds
    own = await rooms.quarantine.count_of(owner, origin.class_, origin.client)
    if own < bounds.held_origin and await rooms.quarantine.count(owner.tenant) < bounds.held_tenant:
        return
    # Off the request's path: a flood of refusals must not cost a commit each.
    rooms.journal.record(
        leaf_of_write(
            screened.tagged,
            LeafId(rooms.new_id()),
            object=screened.tagged.id,
            outcome="refused",
            policy=screened.decision.policy,
            reasons=(*screened.decision.reasons, REASON_FULL),
        )
    )
    raise QuarantineFullError


async def expire_held(rooms: Rooms) -> int:
    """Give up what was held for too long or has outlived its own time; return how many.

    The content goes and a tombstone stays. Each is a commit of its own with its audit leaf, so that
    several gateways may do this at the same time. Raises UnavailableError.
    """
    expired, tenant = 0, None
    while some := await rooms.registry.tenants(tenant, _AT_ONCE):
        for one in some:
            expired += await _expire_of(one.id, rooms)
        tenant = some[-1].id
    return expired


async def _expire_of(tenant: TenantId, rooms: Rooms) -> int:
    now = rooms.clock()
    before = now - timedelta(days=rooms.bounds.held_days)
    expired, after = 0, None
    while rows := await rooms.quarantine.lapsed(tenant, before, now, after, _AT_ONCE):
        for row in rows:
            expired += await _expire(row, now, rooms)
        after = MemoryId(rows[-1].sealed.label.id)
    return expired


async def _expire(row: Row, now: datetime, rooms: Rooms) -> bool:
    """Give one up; leave it to the next time when somebody else is at it."""
    label = row.sealed.label
    owner = Owner(TenantId(label.tenant), SubjectId(label.subject))
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    leaf_id = LeafId(rooms.new_id())
    try:
        sealed = await rooms.vault.relabel(row.sealed, state=State.FORGOTTEN, leaf=leaf_id, at=now)
        leaf = leaf_of_expiry(sealed.label, now, (REASON_EXPIRED,))
        await rooms.ledger.commit(Change(owner, epoch, (sealed,), (leaf,)))
    except (ConflictError, UnreadableError):
        # Decided just now, or spoilt: a reviewer sees the latter listed as unreadable.
        return False
    return True
