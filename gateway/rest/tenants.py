"""Tenants for the platform's administrator, clients for a tenant's own.

Ids stand in bodies and never in paths: a client's id may be a URL, and what stands in a path ends
in the logs of every proxy. That a body names a tenant is the platform's administrator's alone.
"""

import base64
import binascii
from typing import Annotated, Any, Final

import msgspec
from litestar import Request, delete, get, post, put
from litestar.handlers import HTTPRouteHandler
from msgspec import Meta

from gateway import wire
from gateway.doors import Edge
from gateway.limits import Shape
from gateway.settings import Name
from guard.errors import InvalidError
from guard.ports import Allowed, Client, Indexing, Tenant
from guard.tenants import Terms
from memory.origin import OriginClass
from memory.types import ClientId, TenantId

Incoming = Request[Any, Any, Any]

_Units = Annotated[int, Meta(ge=1, le=1_000_000_000)]
_Cursor = Annotated[str, Meta(min_length=1, max_length=2048)]
_MAX_CLIENTS: Final = 100


class UnitsBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Units a minute; null is what the settings say."""

    tenant_units_per_minute: _Units | None = None
    origin_units_per_minute: _Units | None = None
    subject_units_per_minute: _Units | None = None

    def allowed(self) -> Allowed:
        """Return the noun."""
        return Allowed(
            self.tenant_units_per_minute,
            self.origin_units_per_minute,
            self.subject_units_per_minute,
        )


class ClientBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A client (`azp`), and the highest class of origin it may claim."""

    id: Name
    ceiling: OriginClass


class RegisterTenant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tenant, what it may claim and spend, and its first clients.

    Of a `sealed` one no index ever has an entry.
    """

    id: Name
    ceiling: OriginClass = OriginClass.USER_STATED
    limits: UnitsBody = UnitsBody()
    sealed: bool = False
    clients: Annotated[tuple[ClientBody, ...], Meta(max_length=_MAX_CLIENTS)] = ()


class GrantTenant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Other terms for a tenant; what is left out stays as it is."""

    id: Name
    ceiling: OriginClass | None = None
    limits: UnitsBody | None = None


class NameTenant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which tenant."""

    id: Name


class NameClient(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which client."""

    id: Name


class ListNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which page, in the order of ids."""

    cursor: _Cursor | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 20

    def after(self) -> str | None:
        """Return the id that the page follows. Raises InvalidError for no cursor of ours."""
        if self.cursor is None:
            return None
        try:
            padded = self.cursor + "=" * (-len(self.cursor) % 4)
            return msgspec.convert(base64.b64decode(padded, b"-_", validate=True).decode(), Name)
        except (binascii.Error, ValueError):
            raise InvalidError("cursor") from None


class TenantAnswer(msgspec.Struct, frozen=True):
    """A tenant as it is registered."""

    id: str
    suspended: bool
    ceiling: OriginClass
    limits: UnitsBody
    index: Indexing

    @classmethod
    def of(cls, tenant: Tenant) -> "TenantAnswer":
        """Return the tenant as administrators see it."""
        units = UnitsBody(tenant.allowed.tenant, tenant.allowed.origin, tenant.allowed.subject)
        return cls(tenant.id, tenant.suspended, tenant.ceiling, units, tenant.indexing)


class TenantsAnswer(msgspec.Struct, frozen=True):
    """One page of tenants, and the cursor of the next one."""

    items: tuple[TenantAnswer, ...]
    cursor: str | None


class ClientAnswer(msgspec.Struct, frozen=True):
    """A client as it is registered."""

    id: str
    ceiling: OriginClass


class ClientsAnswer(msgspec.Struct, frozen=True):
    """One page of clients, and the cursor of the next one."""

    items: tuple[ClientAnswer, ...]
    cursor: str | None


class RemovedAnswer(msgspec.Struct, frozen=True):
    """Which client is served no longer."""

    id: str


def tenant_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/admin/tenants` and `/v1/tenant/clients`."""
    return [*_platform_routes(edge), *_client_routes(edge)]


def _platform_routes(edge: Edge) -> list[HTTPRouteHandler]:
    doors, rooms = edge.use_cases.tenants, edge.rooms

    @post(
        "/v1/admin/tenants",
        opt={"shape": Shape("Register a tenant", TenantAnswer, 201, body=RegisterTenant)},
    )
    async def register(request: Incoming) -> TenantAnswer:
        body = wire.from_json(await request.body(), RegisterTenant)
        id = TenantId(body.id)
        clients = [Client(ClientId(one.id), id, one.ceiling) for one in body.clients]
        indexing = Indexing.SEALED if body.sealed else Indexing.OPEN
        terms = Terms(body.ceiling, body.limits.allowed(), indexing)
        return TenantAnswer.of(await doors.register(request.auth, id, terms, clients, rooms))

    @get(
        "/v1/admin/tenants",
        opt={"shape": Shape("List tenants", TenantsAnswer, query=ListNames)},
    )
    async def registered(request: Incoming) -> TenantsAnswer:
        page = wire.from_query(request.query_params.multi_items(), ListNames)
        after = page.after()
        found = await doors.registered(
            request.auth, None if after is None else TenantId(after), page.limit + 1, rooms
        )
        shown = tuple(TenantAnswer.of(one) for one in found[: page.limit])
        return TenantsAnswer(shown, page_cursor([one.id for one in found], page.limit))

    @post(
        "/v1/admin/tenants/grant",
        status_code=200,
        opt={"shape": Shape("Change a tenant's terms", TenantAnswer, body=GrantTenant)},
    )
    async def grant(request: Incoming) -> TenantAnswer:
        body = wire.from_json(await request.body(), GrantTenant)
        allowed = None if body.limits is None else body.limits.allowed()
        return TenantAnswer.of(
            await doors.grant(request.auth, TenantId(body.id), body.ceiling, allowed, rooms)
        )

    @post(
        "/v1/admin/tenants/suspend",
        status_code=200,
        opt={"shape": Shape("Suspend a tenant", TenantAnswer, body=NameTenant)},
    )
    async def suspend(request: Incoming) -> TenantAnswer:
        body = wire.from_json(await request.body(), NameTenant)
        return TenantAnswer.of(await doors.suspend(request.auth, TenantId(body.id), rooms))

    @post(
        "/v1/admin/tenants/resume",
        status_code=200,
        opt={"shape": Shape("Resume a tenant", TenantAnswer, body=NameTenant)},
    )
    async def resume(request: Incoming) -> TenantAnswer:
        body = wire.from_json(await request.body(), NameTenant)
        return TenantAnswer.of(await doors.resume(request.auth, TenantId(body.id), rooms))

    return [register, registered, grant, suspend, resume]


def _client_routes(edge: Edge) -> list[HTTPRouteHandler]:
    doors, rooms = edge.use_cases.tenants, edge.rooms

    @get(
        "/v1/tenant/clients",
        opt={"shape": Shape("List clients of the own tenant", ClientsAnswer, query=ListNames)},
    )
    async def clients(request: Incoming) -> ClientsAnswer:
        page = wire.from_query(request.query_params.multi_items(), ListNames)
        after = page.after()
        found = await doors.clients(
            request.auth, None if after is None else ClientId(after), page.limit + 1, rooms
        )
        shown = tuple(ClientAnswer(one.id, one.ceiling) for one in found[: page.limit])
        return ClientsAnswer(shown, page_cursor([one.id for one in found], page.limit))

    @put(
        "/v1/tenant/clients",
        opt={"shape": Shape("Add or replace a client", ClientAnswer, body=ClientBody)},
    )
    async def put_client(request: Incoming) -> ClientAnswer:
        body = wire.from_json(await request.body(), ClientBody)
        client = await doors.put_client(request.auth, ClientId(body.id), body.ceiling, rooms)
        return ClientAnswer(client.id, client.ceiling)

    @delete(
        "/v1/tenant/clients",
        status_code=200,
        opt={"shape": Shape("Remove a client", RemovedAnswer, query=NameClient)},
    )
    async def remove_client(request: Incoming) -> RemovedAnswer:
        named = wire.from_query(request.query_params.multi_items(), NameClient)
        await doors.remove_client(request.auth, ClientId(named.id), rooms)
        return RemovedAnswer(named.id)

    return [clients, put_client, remove_client]


def page_cursor(ids: list[Any], limit: int) -> str | None:
    """Return where the next page starts, given one id more than the page holds if there is one."""
    if len(ids) <= limit:
        return None
    return base64.urlsafe_b64encode(ids[limit - 1].encode()).rstrip(b"=").decode()
