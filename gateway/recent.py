"""What was read of the registry a moment ago, so that requests don't ask the database each time.

What it may be wrong by is bounded: an answer is given again for at most `seconds` after the read of
it *began*, so a suspension holds on every replica within that time. A change that is made through
this registry is seen here at once. Only what was found is kept: who is registered a moment later is
served a moment later, and strangers can't fill the memory.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from guard.ports import Client, Enrolment, Registry, Tenant
from memory.types import ClientId, TenantId

CAPACITY: Final = 10_000
"""Tenants, and clients, that are remembered: some megabytes, and more than are busy at once."""

K = TypeVar("K")
V = TypeVar("V")


class _Kept(Generic[K, V]):
    """Values by key until their time is up, the oldest out first when there are too many."""

    def __init__(self, seconds: float, now: Callable[[], float], capacity: int) -> None:
        self._seconds, self._now, self._capacity = seconds, now, capacity
        self._values: OrderedDict[K, tuple[float, V]] = OrderedDict()

    def get(self, key: K) -> V | None:
        found = self._values.get(key)
        return found[1] if found is not None and self._now() < found[0] else None

    def put(self, key: K, value: V, began: float) -> None:
        self._values[key] = began + self._seconds, value
        self._values.move_to_end(key)
        if len(self._values) > self._capacity:
            self._values.popitem(last=False)

    def drop(self, wrong: Callable[[K], bool]) -> None:
        for key in [key for key in self._values if wrong(key)]:
            del self._values[key]


class RecentRegistry:
    """Fulfils `guard.ports.Registry` over another one."""

    def __init__(
        self,
        registry: Registry,
        seconds: float,
        now: Callable[[], float] = time.monotonic,
        capacity: int = CAPACITY,
    ) -> None:
        self._registry = registry
        self._now = now
        self._tenants: _Kept[TenantId, Tenant] = _Kept(seconds, now, capacity)
        self._clients: _Kept[tuple[TenantId, ClientId], Client] = _Kept(seconds, now, capacity)

    async def tenant(self, tenant: TenantId) -> Tenant | None:
        """Return the tenant as it is, or was a moment ago."""
        known = self._tenants.get(tenant)
        if known is not None:
            return known
        began = self._now()
        found = await self._registry.tenant(tenant)
        if found is not None:
            self._tenants.put(tenant, found, began)
        return found

    async def client(self, tenant: TenantId, client: ClientId) -> Client | None:
        """Return the tenant's client as it is, or was a moment ago."""
        known = self._clients.get((tenant, client))
        if known is not None:
            return known
        began = self._now()
        found = await self._registry.client(tenant, client)
        if found is not None:
            self._clients.put((tenant, client), found, began)
        return found

    async def register(self, tenant: Tenant, clients: Sequence[Client]) -> None:
        """Create or replace a tenant and add or replace clients. Idempotent."""
        await self._registry.register(tenant, clients)
        self._forget(tenant.id)

    async def amend(self, change: Enrolment) -> None:
        """Apply all of `change`, or nothing."""
        try:
            await self._registry.amend(change)
        finally:
            self._forget(change.tenant)  # also when it is not known what became of it

    async def tenants(self, after: TenantId | None, limit: int) -> list[Tenant]:
        """Return tenants in the order of their ids, after `after`."""
        return await self._registry.tenants(after, limit)

    async def clients(self, tenant: TenantId, after: ClientId | None, limit: int) -> list[Client]:
        """Return clients of a tenant in the order of their ids, after `after`."""
        return await self._registry.clients(tenant, after, limit)

    def _forget(self, tenant: TenantId) -> None:
        self._tenants.drop(lambda key: key == tenant)
        self._clients.drop(lambda key: key[0] == tenant)
