"""Which rules tenants enacted: known to this gateway in memory, as it was a moment ago (W11, Q4).

Each replica reads what was enacted since it last looked, every `seconds`. A replica that could not
look for `stale_seconds` decides nothing until it can; and nothing for a tenant whose rules it does
not understand, since deciding without them would be looser than the tenant wants it.
"""

import asyncio
import hmac
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from gateway.telemetry import LOGGER
from guard.enact import digest_of
from guard.errors import UnavailableError, UnreadableError
from guard.statutes import NO_RULES, POLICIES, Enactment, Ruleset, Statutes
from memory.types import TenantId
from policies.draft import enacted
from policies.load import Override, PolicyError

_OVERLAP: Final = timedelta(minutes=2)
"""How far back it looks again: for decisions of a replica whose clock is behind, or whose commit
came late."""
_EVERYTHING_SECONDS: Final = 600.0
"""How often it reads everything, for what came later still."""


class _Held(msgspec.Struct, frozen=True):
    """What holds for a tenant since a place; `is_known` unless its rules were not understood."""

    place: int
    own: Override | None
    is_known: bool


class Enacted:
    """Fulfils `guard.statutes.InForce`. Fresh by `run`; tells nobody anything when it is not."""

    def __init__(
        self,
        store: Statutes,
        stages: frozenset[str],
        seconds: float,
        stale_seconds: float,
        *,
        now: Callable[[], float] = time.monotonic,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store, self._stages = store, stages
        self._seconds, self._stale_seconds = seconds, stale_seconds
        self._now, self._clock = now, clock
        self._read_at = self._whole_at = -float("inf")
        self._newest: datetime | None = None
        self._held: dict[TenantId, _Held] = {}

    def own(self, tenant: TenantId) -> Override | None:
        """Return the rules that a tenant enacted. Raises UnavailableError if that isn't known."""
        if self._now() - self._read_at > self._stale_seconds:
            raise UnavailableError(POLICIES)
        held = self._held.get(tenant)
        if held is None:
            return None
        if not held.is_known:
            raise UnavailableError(POLICIES)
        return held.own

    async def look(self) -> None:
        """Learn what was enacted since the last time. Raises UnavailableError."""
        began = self._now()
        whole = self._newest is None or began - self._whole_at >= _EVERYTHING_SECONDS
        since = None if whole or self._newest is None else self._since(self._newest)
        for one in await self._current(since):
            await self._take(one)
        self._read_at = began
        if whole:
            self._whole_at = began

    async def run(self) -> None:
        """Look again and again until cancelled."""
        while True:
            await asyncio.sleep(self._seconds)
            try:
                await self.look()
            except UnavailableError:
                LOGGER.warning("tenants' policies were not read")

    async def _current(self, since: datetime | None) -> list[Enactment]:
        try:
            return list(await self._store.current(since))
        except UnreadableError:
            raise UnavailableError(POLICIES) from None

    def _since(self, newest: datetime) -> datetime:
        """Return from when on to read: one of a clock that is ahead must hide none after it."""
        return min(newest, self._clock()) - _OVERLAP

    async def _take(self, one: Enactment) -> None:
        known = self._held.get(one.tenant)
        if known is None or known.place < one.place or not known.is_known:
            held = await self._read(one)
            # Somebody else may have looked meanwhile, and have seen more.
            known = self._held.get(one.tenant)
            if known is None or known.place <= held.place:
                self._held[one.tenant] = held
        self._newest = one.at if self._newest is None else max(self._newest, one.at)

    async def _read(self, one: Enactment) -> _Held:
        """Return what an enactment has hold; not known when that can't be made out."""
        if one.number == NO_RULES:
            return _Held(one.place, None, is_known=True)
        try:
            ruleset = await self._store.one(one.tenant, one.number)
            if ruleset is not None and _is_meant(ruleset, one):
                own = enacted(ruleset.text, one.tenant, one.number, self._stages)
                return _Held(one.place, own, is_known=True)
        except (UnreadableError, PolicyError):
            pass
        LOGGER.warning("the policy of a tenant is not understood: it is served nothing")
        return _Held(one.place, None, is_known=False)


def _is_meant(ruleset: Ruleset, one: Enactment) -> bool:
    """Say whether the text is the one that was enacted."""
    of_text = digest_of(ruleset.text)
    return hmac.compare_digest(of_text, one.digest) and hmac.compare_digest(of_text, ruleset.digest)
