"""What this gateway knows of revoked tokens: everything, in memory, as it was a moment ago (E6).

Each replica reads what was decided since it last looked, every `seconds`. Who is revoked is refused
on all of them within that time and the time of one query. A replica that could not look for
`stale_seconds` believes no token at all until it can.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from gateway.telemetry import LOGGER
from guard.errors import UnauthenticatedError, UnavailableError
from guard.principal import Principal
from guard.revoke import Of, Revocation, Revocations
from memory.types import Owner, SubjectId, TenantId

_OVERLAP: Final = timedelta(minutes=2)
"""How far back it looks again: for decisions of a replica whose clock is behind, or whose commit
came late.
"""
_EVERYTHING_SECONDS: Final = 600.0
"""How often it reads everything, for what came later still."""


class Revoked:
    """The revocations in force. Fresh by `run`; refuses everybody when it is not."""

    def __init__(
        self,
        store: Revocations,
        seconds: float,
        stale_seconds: float,
        now: Callable[[], float] = time.monotonic,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.seconds: Final = seconds
        self.store: Final = store
        self._stale_seconds = stale_seconds
        self._now, self._clock = now, clock
        self._read_at = self._whole_at = -float("inf")
        self._newest: datetime | None = None
        self._tokens: set[tuple[TenantId, str]] = set()
        self._subjects: dict[Owner, datetime] = {}
        self._tenants: dict[TenantId, datetime] = {}

    def check(self, principal: Principal) -> None:
        """Return when the caller's token has not been taken back.

        Raises UnauthenticatedError when it has, and UnavailableError when that can't be known.
        """
        if self._now() - self._read_at > self._stale_seconds:
            raise UnavailableError("revocations")
        if self.refuses(principal):
            raise UnauthenticatedError

    def refuses(self, principal: Principal) -> bool:
        """Say whether the caller's token has been taken back, as far as is known.

        An issuer tells the second of issue alone, so that what was issued in the very second of the
        revocation counts as issued before it.
        """
        owner = principal.owner
        if (owner.tenant, principal.credential) in self._tokens:
            return True
        ends = (self._subjects.get(owner), self._tenants.get(owner.tenant))
        return any(end is not None and principal.issued_at <= end for end in ends)

    async def look(self) -> None:
        """Read what was decided since the last time. Raises UnavailableError."""
        began = self._now()
        whole = self._newest is None or began - self._whole_at >= _EVERYTHING_SECONDS
        since = None if whole or self._newest is None else self._since(self._newest)
        self._take(await self.store.since(since))
        self._read_at = began
        if whole:
            self._whole_at = began

    def _since(self, newest: datetime) -> datetime:
        """Return from when on to read: a decision of a clock that is ahead must hide none after."""
        return min(newest, self._clock()) - _OVERLAP

    async def run(self) -> None:
        """Look again and again until cancelled."""
        while True:
            await asyncio.sleep(self.seconds)
            try:
                await self.look()
            except UnavailableError:
                LOGGER.warning("revocations were not read")

    def _take(self, decided: Iterable[Revocation]) -> None:
        for one in decided:
            self._newest = one.at if self._newest is None else max(self._newest, one.at)
            match one.of:
                case Of.TOKEN:
                    self._tokens.add((one.tenant, one.name))
                case Of.SUBJECT:
                    owner = Owner(one.tenant, SubjectId(one.name))
                    self._subjects[owner] = max(one.before, self._subjects.get(owner, one.before))
                case Of.TENANT:
                    known = self._tenants.get(one.tenant, one.before)
                    self._tenants[one.tenant] = max(one.before, known)
