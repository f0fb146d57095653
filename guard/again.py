"""A question that is asked again: answered by what it came to, once that has been checked anew."""

from collections.abc import Sequence
from datetime import datetime

from guard.barred import standing
from guard.browse import memory_of
from guard.errors import UnreadableError
from guard.governing import version_for
from guard.hot import Came, Standpoint
from guard.origins import Ban
from guard.outcomes import Query, Recalled
from guard.principal import Principal
from guard.proof import Proof
from guard.rooms import Rooms
from guard.trace import Trail
from memory.types import Epoch, TraceId


class Again:
    """One question, looked up before it is answered and kept afterwards."""

    def __init__(  # noqa: PLR0917 - all that an answer holds for
        self,
        principal: Principal,
        query: Query,
        now: datetime,
        epoch: Epoch,
        bans: Sequence[Ban],
        rooms: Rooms,
    ) -> None:
        self._principal = principal
        self._query = query
        self._now = now
        # What is barred is withheld before its label tells, and comes back so; no epoch moves then.
        decided_by = (version_for(principal.owner.tenant, rooms), *(ban.id for ban in bans))
        self._standpoint = Standpoint(epoch, " ".join(decided_by))
        self._rooms = rooms
        self._key = rooms.hot.key(principal, query)

    @classmethod
    async def of(
        cls, principal: Principal, query: Query, now: datetime, rooms: Rooms
    ) -> "Again | None":
        """Return the question at the subject's present epoch, None for one that is never kept.

        The epoch is read before anything else, so that a commit meanwhile is noticed. What the
        turns of a session decide, or an instant of the past, is not kept: no epoch tells of those.
        """
        if not rooms.hot.is_open or query.as_of is not None or query.session is not None:
            return None
        owner = principal.owner
        epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
        return cls(principal, query, now, epoch, await standing(owner.tenant, rooms), rooms)

    async def answer(self, trail: Trail) -> tuple[Recalled, ...] | None:
        """Return what it came to, None when it must be answered afresh.

        What is kept nominates and decides nothing. If any of it is not to be shown any more, a
        memory that expired just now, say, the whole is found anew.
        """
        hot = self._rooms.hot
        came = hot.find(self._key, self._standpoint, self._now)
        items = None if came is None else await self._checked(came)
        if came is None or items is None:
            hot.misses += 1
            hot.drop(self._key)
            return None
        hot.hits += 1
        trail.repeated(came.trace, dict(came.items))
        return items

    def keep(self, trail: Trail, trace: TraceId) -> None:
        """Keep what it came to, unless the answer is empty or partial, or depends on the hour.

        An empty one names no memory that could be checked. What "yesterday" means changes without
        a commit, unless the caller said from when. One that a model should have helped with, and
        did not, is found anew as soon as it does.
        """
        ids = trail.items
        timeless = not trail.timed or self._query.reference_time is not None
        if ids and timeless and not trail.degraded and not trail.unassisted:
            items = tuple((id, trail.factors[id]) for id in ids)
            self._rooms.hot.put(self._key, Came(self._now, self._standpoint, items, trace))

    async def _checked(self, came: Came) -> tuple[Recalled, ...] | None:
        owner, rooms = self._principal.owner, self._rooms
        rows = await rooms.ledger.rows(owner.tenant, owner.subject, [id for id, _ in came.items])
        if len(rows) != len(came.items):
            return None
        proof = Proof(self._principal, self._query, {}, self._now, rooms, trail=Trail())
        found = []
        for row, (id, factors) in zip(rows, came.items, strict=True):
            if row.sealed.label.id != id or not await proof.stands(row):
                return None
            try:
                opened = await rooms.vault.open(owner, row.sealed)
            except UnreadableError:
                return None
            found.append(Recalled(memory_of(opened), factors.score))
        return tuple(found)
