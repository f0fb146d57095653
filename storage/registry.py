"""Who may be served, in SQL."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Table, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.ports import Client, Tenant
from memory.origin import OriginClass
from memory.types import ClientId, TenantId
from storage.database import Database
from storage.retrying import retried
from storage.tables import CLIENTS, TENANTS


class SqlRegistry:
    """Fulfils `guard.ports.Registry`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def tenant(self, tenant: TenantId) -> Tenant | None:
        """Return the tenant, or None when it is not registered."""
        query = select(TENANTS).where(TENANTS.c.id == tenant)
        async with self._database.reading(tenant) as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else Tenant(TenantId(row.id), bool(row.suspended))

    @retried
    async def client(self, tenant: TenantId, client: ClientId) -> Client | None:
        """Return the tenant's client, or None when it is not registered."""
        query = select(CLIENTS).where(CLIENTS.c.tenant == tenant, CLIENTS.c.id == client)
        async with self._database.reading(tenant) as connection:
            row = (await connection.execute(query)).first()
        if row is None:
            return None
        return Client(ClientId(row.id), TenantId(row.tenant), OriginClass(row.ceiling))

    @retried
    async def register(self, tenant: Tenant, clients: Sequence[Client]) -> None:
        """Create or replace a tenant and add or replace clients. Idempotent."""
        if any(client.tenant != tenant.id for client in clients):
            raise ValueError("a client is of another tenant")
        async with self._database.writing(tenant.id) as connection:
            await _put(connection, TENANTS, {"id": tenant.id}, {"suspended": tenant.suspended})
            for client in clients:
                key = {"tenant": client.tenant, "id": client.id}
                await _put(connection, CLIENTS, key, {"ceiling": client.ceiling.value})


async def _put(
    connection: AsyncConnection, table: Table, key: dict[str, Any], values: dict[str, Any]
) -> None:
    """Update or insert, in words that every database has; the transaction makes them one."""
    found = await connection.execute(
        update(table).where(*(table.c[name] == value for name, value in key.items())).values(values)
    )
    if found.rowcount == 0:
        await connection.execute(insert(table), key | values)
