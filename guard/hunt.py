"""Looking back: what of the stored memories would be held, by a version of rules that does not hold
yet or by what was found in them (Q4). The dry form of a rescan: nothing is changed, nothing told.

Each call goes through a stretch of the tenant's active memories and says where the next one begins.
What newer models have not looked at is looked at now, a few a call; a stretch ends before more.
"""

from datetime import timedelta
from typing import Final

import msgspec

from guard.checks import lets_stay
from guard.enact import candidate
from guard.errors import GuardError, NotFoundError, UnavailableError
from guard.governing import models_of, policy_for, policy_with
from guard.nouns import Row
from guard.ports import Stock, Sweep
from guard.principal import Principal, Scope
from guard.rescreen import looked_at
from guard.revise import Proven, prove
from guard.rooms import Rooms
from memory.origin import OriginClass
from memory.types import MemoryId, Owner, State, SubjectId
from policies.decide import decide
from policies.model import Decision, Policy

_STRETCH: Final = 32
"""Rows that are read at once."""


class Scent(msgspec.Struct, frozen=True):
    """What a hunt is after: what would be held by `version` (by what holds now for None), stored in
    the last `days`, found for one of these `reasons` and of one of these `origins`, if any are
    named. With those and without a version, everything that matches them.
    """

    version: int | None = None
    reasons: frozenset[str] = frozenset()
    origins: frozenset[OriginClass] = frozenset()
    days: int = 3650

    @property
    def takes_all(self) -> bool:
        """Whether it lists what would stay, too."""
        return self.version is None and bool(self.reasons or self.origins)


class Found(msgspec.Struct, frozen=True):
    """One memory that a hunt is after. `reasons` are why, without what a person decided on it."""

    row: Row
    decision: Decision
    would_be_held: bool


class Bag(msgspec.Struct, frozen=True):
    """What a stretch had. `seen` were gone through; of those `unreadable` failed their proof and
    `unfinished` met something that did not answer. `cursor` is where the next stretch begins.
    """

    policy: str
    items: tuple[Found, ...]
    seen: int
    unreadable: int
    unfinished: int
    cursor: MemoryId | None


async def hunt(
    principal: Principal, scent: Scent, after: MemoryId | None, limit: int, rooms: Rooms
) -> Bag:
    """Go through at most `limit` active memories of the caller's tenant after `after`.

    Raises NotFoundError for a version that there isn't.
    """
    principal.require(Scope.QUARANTINE_READ)
    policy = await _policy(principal, scent, rooms)
    sweep = Sweep(
        states=(State.ACTIVE,),
        since=rooms.clock() - timedelta(days=scent.days),
        alive_at=rooms.clock(),
    )
    stretch = _Stretch(principal, scent, policy, rooms)
    return await stretch.gone_through(stock_of(rooms), sweep, after, limit)


def stock_of(rooms: Rooms) -> Stock:
    """Return the shelves of whoever goes through everything. Raises UnavailableError."""
    if rooms.stock is None:
        raise UnavailableError("stock")
    return rooms.stock


async def _policy(principal: Principal, scent: Scent, rooms: Rooms) -> Policy:
    tenant = principal.owner.tenant
    if scent.version is None:
        return policy_for(tenant, rooms)
    principal.require(Scope.POLICY_READ)
    return policy_with(tenant, await candidate(tenant, scent.version, rooms), rooms)


class _Stretch:
    """One call's way through the memories."""

    def __init__(self, principal: Principal, scent: Scent, policy: Policy, rooms: Rooms) -> None:
        self._tenant = principal.owner.tenant
        self._scent, self._policy, self._rooms = scent, policy, rooms
        self._models = models_of(rooms)
        self._looks = rooms.bounds.rescreen_items
        self._items: list[Found] = []
        self._seen = self._unreadable = self._unfinished = 0

    async def gone_through(
        self, stock: Stock, sweep: Sweep, after: MemoryId | None, limit: int
    ) -> Bag:
        """Return what the next memories have, at most `limit` of them."""
        while self._seen < limit:
            most = min(_STRETCH, limit - self._seen)
            rows = await stock.rows(self._tenant, sweep, after, most)
            for row in rows.rows:
                if not await self._take(row):
                    return self._bag(after)
                after = row.sealed.label.id
            if rows.last is None:
                return self._bag(None)
            after = rows.last
        return self._bag(after)

    async def _take(self, row: Row) -> bool:
        """Judge one memory; False when too many had to be looked at already."""
        label = row.sealed.label
        origins = self._scent.origins
        if origins and label.origin not in origins:
            self._seen += 1
            return True
        try:
            memory = await prove(Owner(self._tenant, SubjectId(label.subject)), row, self._rooms)
        except NotFoundError:
            self._seen += 1
            self._unreadable += 1
            return True
        if memory.evidence.models != self._models:
            if self._looks == 0:
                return False
            self._looks -= 1
        self._seen += 1
        fresh = await self._looked_at(memory)
        if fresh is None:
            self._unfinished += 1
        else:
            self._judge(row, fresh)
        return True

    async def _looked_at(self, memory: Proven) -> Proven | None:
        try:
            return await looked_at(memory, self._rooms)
        except GuardError:
            return None

    def _judge(self, row: Row, memory: Proven) -> None:
        evidence, scent = memory.evidence, self._scent
        known = {finding.reason for finding in evidence.findings} | set(evidence.reasons)
        if scent.reasons and not scent.reasons & known:
            return
        trust = row.sealed.label.trust
        decision = decide(self._policy, trust, evidence.completions, evidence.findings)
        holds = not lets_stay(decision.effect, evidence.reasons)
        if holds or scent.takes_all:
            self._items.append(Found(row, decision, holds))

    def _bag(self, cursor: MemoryId | None) -> Bag:
        return Bag(
            policy=self._policy.edition,
            items=tuple(self._items),
            seen=self._seen,
            unreadable=self._unreadable,
            unfinished=self._unfinished,
            cursor=cursor,
        )
