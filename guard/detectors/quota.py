"""How often a costly detector may be asked: for a share of a tenant's writes, and no more.

It is counted per tenant, so that one tenant's flood of doubtful texts spends nobody else's share.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final, Protocol

from memory.types import TenantId

WRITES: Final = 100
"""Writes in a row of which a share may be asked about."""
SECONDS: Final = 3600.0
"""After this long a question no longer counts, so that a quiet tenant is not held by old ones."""
TENANTS: Final = 10_000
"""Tenants that are kept count of; beyond that the one longest quiet begins anew."""

OVER_QUOTA: Final = "over_quota"
"""Code of the finding that a detector was not asked. Nobody looked: it says nothing of the text."""


class Metered(Protocol):
    """Says how often somebody may be asked."""

    def looked(self, tenant: TenantId) -> None:
        """Count one write."""
        ...

    def take(self, tenant: TenantId) -> bool:
        """Say whether the tenant's newest write may be asked about; if so, it is counted."""
        ...


class EachAlone:
    """Lets everything through, for an operator who wants to know of each text what it is."""

    def looked(self, tenant: TenantId) -> None:
        """Count nothing."""

    def take(self, tenant: TenantId) -> bool:
        """Return True."""
        del tenant
        return True


class Quota:
    """Of any `WRITES` writes of a tenant in a row within `SECONDS`, at most a share is let through.

    Of a tenant that has written less, that share of `WRITES`: a first doubtful text is no flood.
    """

    def __init__(self, share: float, clock: Callable[[], float]) -> None:
        self._most = int(share * WRITES + 1e-9)
        self._clock = clock
        self._tenants: OrderedDict[TenantId, _Asked] = OrderedDict()

    def looked(self, tenant: TenantId) -> None:
        """Count one write."""
        asked = self._tenants.setdefault(tenant, _Asked())
        self._tenants.move_to_end(tenant)
        asked.writes += 1
        if len(self._tenants) > TENANTS:
            self._tenants.popitem(last=False)

    def take(self, tenant: TenantId) -> bool:
        """Say whether the tenant's newest write may be asked about; if so, it is counted."""
        asked, now = self._tenants.setdefault(tenant, _Asked()), self._clock()
        asked.forget(asked.writes - WRITES, now - SECONDS)
        if len(asked.times) >= self._most:
            return False
        asked.times.append((asked.writes, now))
        return True


class _Asked:
    """What one tenant wrote and was asked about."""

    def __init__(self) -> None:
        self.writes = 0
        self.times: deque[tuple[int, float]] = deque()

    def forget(self, write: int, time: float) -> None:
        """Drop what was asked up to this write or this time."""
        while self.times and (self.times[0][0] <= write or self.times[0][1] <= time):
            self.times.popleft()
