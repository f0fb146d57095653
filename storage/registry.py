"""Who may be served, in SQL."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, Table, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.errors import ConflictError, NotFoundError
from guard.ports import Allowed, Client, Enrolment, Indexing, Tenant
from memory.origin import OriginClass
from memory.types import ClientId, TenantId
from storage.database import Database
from storage.engine import SYSTEM
from storage.retrying import retried
from storage.rows import check_changeless, leaf_columns
from storage.tables import CLIENTS, LEAVES, TENANTS


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
        return None if row is None else _tenant(row)

    @retried
    async def client(self, tenant: TenantId, client: ClientId) -> Client | None:
        """Return the tenant's client, or None when it is not registered."""
        query = select(CLIENTS).where(CLIENTS.c.tenant == tenant, CLIENTS.c.id == client)
        async with self._database.reading(tenant) as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else _client(row)

    @retried
    async def tenants(self, after: TenantId | None, limit: int) -> list[Tenant]:
        """Return tenants in the order of their ids, after `after`."""
        query = select(TENANTS).order_by(TENANTS.c.id).limit(limit)
        if after is not None:
            query = query.where(TENANTS.c.id > after)
        async with self._database.reading(SYSTEM) as connection:
            return [_tenant(row) for row in await connection.execute(query)]

    @retried
    async def clients(self, tenant: TenantId, after: ClientId | None, limit: int) -> list[Client]:
        """Return clients of a tenant in the order of their ids, after `after`."""
        query = select(CLIENTS).where(CLIENTS.c.tenant == tenant)
        if after is not None:
            query = query.where(CLIENTS.c.id > after)
        async with self._database.reading(tenant) as connection:
            found = await connection.execute(query.order_by(CLIENTS.c.id).limit(limit))
            return [_client(row) for row in found]

    async def register(self, tenant: Tenant, clients: Sequence[Client]) -> None:
        """Create or replace a tenant and add or replace clients. Idempotent."""
        check_clients(tenant.id, clients)
        try:
            await self._register(tenant, clients)
        except ConflictError:
            # Another process inserted first; now there is something to update.
            await self._register(tenant, clients)

    @retried
    async def _register(self, tenant: Tenant, clients: Sequence[Client]) -> None:
        async with self._database.writing(tenant.id) as connection:
            terms = _columns(tenant.suspended, tenant.ceiling, tenant.allowed, tenant.indexing)
            await _put(connection, TENANTS, {"id": tenant.id}, terms)
            await _put_clients(connection, clients)

    async def amend(self, change: Enrolment) -> None:
        """Apply all of `change` durably in one transaction, or nothing.

        Raises ConflictError when a new tenant is there already, NotFoundError when another one, or
        a client to be removed, is not.
        """
        check_enrolment(change)
        async with self._database.writing(change.tenant) as connection:
            await _amend_tenant(connection, change)
            await _put_clients(connection, change.clients)
            for client in change.removed:
                gone = delete(CLIENTS).where(
                    CLIENTS.c.tenant == change.tenant, CLIENTS.c.id == client
                )
                if not (await connection.execute(gone)).rowcount:
                    raise NotFoundError
            if change.leaves:
                await connection.execute(insert(LEAVES), leaf_columns(change.leaves, {}))


async def _amend_tenant(connection: AsyncConnection, change: Enrolment) -> None:
    values = _columns(change.suspended, change.ceiling, change.allowed, change.indexing)
    if change.new:
        new = {"id": change.tenant, "indexing": Indexing.OPEN.value}
        await connection.execute(insert(TENANTS), new | values)
        return
    here = TENANTS.c.id == change.tenant
    if values:
        found = (await connection.execute(update(TENANTS).where(here).values(values))).rowcount
    else:
        found = len((await connection.execute(select(TENANTS.c.id).where(here))).all())
    if not found:
        raise NotFoundError


async def _put_clients(connection: AsyncConnection, clients: Sequence[Client]) -> None:
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


def check_enrolment(change: Enrolment) -> None:
    """Raise ValueError when the change is not one: a programming error, not an event."""
    check_clients(change.tenant, change.clients)
    check_changeless(change.leaves)
    if any(leaf.tenant != change.tenant for leaf in change.leaves):
        raise ValueError("a leaf is of another tenant")
    if change.new and None in (change.suspended, change.ceiling, change.allowed):
        raise ValueError("a new tenant has terms")


def check_clients(tenant: TenantId, clients: Sequence[Client]) -> None:
    """Raise ValueError when a client is of another tenant."""
    if any(client.tenant != tenant for client in clients):
        raise ValueError("a client is of another tenant")


def _columns(
    suspended: bool | None,  # noqa: FBT001
    ceiling: OriginClass | None,
    allowed: Allowed | None,
    indexing: Indexing | None,
) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if suspended is not None:
        columns["suspended"] = suspended
    if ceiling is not None:
        columns["ceiling"] = ceiling.value
    if allowed is not None:
        columns["tenant_units"] = allowed.tenant
        columns["origin_units"] = allowed.origin
        columns["subject_units"] = allowed.subject
    if indexing is not None:
        columns["indexing"] = indexing.value
    return columns


def _tenant(row: Row[Any]) -> Tenant:
    allowed = Allowed(row.tenant_units, row.origin_units, row.subject_units)
    ceiling, indexing = OriginClass(row.ceiling), Indexing(row.indexing)
    return Tenant(TenantId(row.id), bool(row.suspended), ceiling, allowed, indexing)


def _client(row: Row[Any]) -> Client:
    return Client(ClientId(row.id), TenantId(row.tenant), OriginClass(row.ceiling))
