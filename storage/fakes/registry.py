"""The registry in memory."""

from collections.abc import Sequence
from typing import Final

from guard.ports import Client, Tenant
from memory.types import ClientId, TenantId


class MemoryRegistry:
    """Fulfils `guard.ports.Registry` in memory."""

    def __init__(self) -> None:
        self._tenants: Final[dict[TenantId, Tenant]] = {}
        self._clients: Final[dict[tuple[TenantId, ClientId], Client]] = {}

    async def tenant(self, tenant: TenantId) -> Tenant | None:
        """Return the tenant, or None when it is not registered."""
        return self._tenants.get(tenant)

    async def client(self, tenant: TenantId, client: ClientId) -> Client | None:
        """Return the tenant's client, or None when it is not registered."""
        return self._clients.get((tenant, client))

    async def register(self, tenant: Tenant, clients: Sequence[Client]) -> None:
        """Create or replace a tenant and add or replace clients. Idempotent."""
        if any(client.tenant != tenant.id for client in clients):
            raise ValueError("a client is of another tenant")
        self._tenants[tenant.id] = tenant
        for client in clients:
            self._clients[(client.tenant, client.id)] = client
