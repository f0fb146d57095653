"""The registry in memory."""

from collections.abc import Sequence
from typing import Final

import msgspec

from guard.errors import ConflictError, NotFoundError
from guard.nouns import Leaf
from guard.ports import Client, Enrolment, Tenant
from memory.types import ClientId, TenantId
from storage.registry import check_clients, check_enrolment


class MemoryRegistry:
    """Fulfils `guard.ports.Registry` in memory. `leaves` are those of its changes, oldest first."""

    def __init__(self) -> None:
        self.leaves: Final[list[Leaf]] = []
        self._tenants: Final[dict[TenantId, Tenant]] = {}
        self._clients: Final[dict[tuple[TenantId, ClientId], Client]] = {}

    async def tenant(self, tenant: TenantId) -> Tenant | None:
        """Return the tenant, or None when it is not registered."""
        return self._tenants.get(tenant)

    async def client(self, tenant: TenantId, client: ClientId) -> Client | None:
        """Return the tenant's client, or None when it is not registered."""
        return self._clients.get((tenant, client))

    async def tenants(self, after: TenantId | None, limit: int) -> list[Tenant]:
        """Return tenants in the order of their ids, after `after`."""
        found = sorted(id for id in self._tenants if after is None or id > after)
        return [self._tenants[id] for id in found[:limit]]

    async def clients(self, tenant: TenantId, after: ClientId | None, limit: int) -> list[Client]:
        """Return clients of a tenant in the order of their ids, after `after`."""
        mine = (id for of, id in self._clients if of == tenant)
        found = sorted(id for id in mine if after is None or id > after)
        return [self._clients[tenant, id] for id in found[:limit]]

    async def register(self, tenant: Tenant, clients: Sequence[Client]) -> None:
        """Create or replace a tenant and add or replace clients. Idempotent."""
        check_clients(tenant.id, clients)
        self._tenants[tenant.id] = tenant
        for client in clients:
            self._clients[client.tenant, client.id] = client

    async def amend(self, change: Enrolment) -> None:
        """Apply all of `change`, or nothing.

        Raises ConflictError when a new tenant is there already, NotFoundError when another one, or
        a client to be removed, is not.
        """
        check_enrolment(change)
        before = self._tenants.get(change.tenant)
        if change.new and before is not None:
            raise ConflictError("conflict")
        known = {id for of, id in self._clients if of == change.tenant}
        known |= {client.id for client in change.clients}
        if (before is None and not change.new) or not known.issuperset(change.removed):
            raise NotFoundError
        terms = {
            "suspended": change.suspended,
            "ceiling": change.ceiling,
            "allowed": change.allowed,
            "indexing": change.indexing,
        }
        self._tenants[change.tenant] = msgspec.structs.replace(
            before or Tenant(change.tenant, suspended=False),
            **{name: value for name, value in terms.items() if value is not None},
        )
        for client in change.clients:
            self._clients[client.tenant, client.id] = client
        for gone in change.removed:
            del self._clients[change.tenant, gone]
        self.leaves.extend(change.leaves)
