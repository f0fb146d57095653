"""`tenant …`: who is served. Works on the ledger, so that a fresh production can be set going."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Annotated, Any, Final

import msgspec
import typer

from gateway import app
from gateway.auth import operator_principal
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, settings_of
from gateway.settings import Name, Settings
from guard import tenants
from guard.errors import ConflictError, NotFoundError
from guard.ports import Allowed, Client, Indexing, Tenant
from guard.principal import Principal
from guard.tenants import Desk, Terms
from memory.origin import OriginClass
from memory.types import ClientId, TenantId

_NOBODYS: Final = TenantId("")
"""Whose the operator is while he concerns himself with no tenant in particular."""
_PAGE: Final = 100

Id = Annotated[str, typer.Argument(metavar="TENANT", help="The tenant, as its tokens name it.")]
Units = Annotated[
    int | None,
    typer.Option(min=1, max=1_000_000_000, metavar="N", help="Units a minute, not the settings'."),
]


class Listed(msgspec.Struct, frozen=True):
    """A tenant with its clients, as the command line reports them."""

    id: str
    suspended: bool
    ceiling: OriginClass
    units: Allowed
    index: Indexing
    clients: dict[str, OriginClass]


def register(
    id: Id,
    *,
    ceiling: Annotated[
        OriginClass, typer.Option(help="The highest class of origin its clients may claim.")
    ] = OriginClass.USER_STATED,
    client: Annotated[
        list[str] | None,
        typer.Option(metavar="ID=CLASS", help="A client and its ceiling; may be repeated."),
    ] = None,
    tenant_units: Units = None,
    origin_units: Units = None,
    subject_units: Units = None,
    sealed: Annotated[
        bool, typer.Option("--sealed", help="No index may ever have entries of it.")
    ] = False,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Register a tenant with its clients. Exit code 1 if it is registered already."""
    tenant = TenantId(_name(id, "TENANT"))
    clients = [_client(tenant, one) for one in client or ()]
    indexing = Indexing.SEALED if sealed else Indexing.OPEN
    terms = Terms(ceiling, Allowed(tenant_units, origin_units, subject_units), indexing)

    async def change(operator: Principal, desk: Desk) -> Tenant:
        return await tenants.register(operator, tenant, terms, clients, desk)

    _changed(settings_of(data_dir, config), TenantId(id), change, json=json)


def show(*, data_dir: DataDir = None, config: Config = None, json: Json = False) -> None:
    """List all tenants with their clients."""
    found = asyncio.run(_all(settings_of(data_dir, config)))
    if json:
        say.report(found)
        return
    columns = ("tenant", "is", "ceiling", "clients")
    say.table("tenants", columns, [_row(one) for one in found])


def suspend(id: Id, *, data_dir: DataDir = None, config: Config = None, json: Json = False) -> None:
    """Serve a tenant nothing from now on; all it has is kept."""

    async def change(operator: Principal, desk: Desk) -> Tenant:
        return await tenants.suspend(operator, TenantId(id), desk)

    _changed(settings_of(data_dir, config), TenantId(id), change, json=json)


def resume(id: Id, *, data_dir: DataDir = None, config: Config = None, json: Json = False) -> None:
    """Serve a suspended tenant again."""

    async def change(operator: Principal, desk: Desk) -> Tenant:
        return await tenants.resume(operator, TenantId(id), desk)

    _changed(settings_of(data_dir, config), TenantId(id), change, json=json)


def seal(id: Id, *, data_dir: DataDir = None, config: Config = None, json: Json = False) -> None:
    """Keep no entries of a tenant in any index from now on, and remove those there are.

    A gateway on an embedded index must not be running.
    """
    _switched(app.seal(settings_of(data_dir, config), TenantId(id)), json=json)


def unseal(id: Id, *, data_dir: DataDir = None, config: Config = None, json: Json = False) -> None:
    """Let a tenant's memories be indexed again, and index them.

    A gateway on an embedded index must not be running.
    """
    _switched(app.unseal(settings_of(data_dir, config), TenantId(id)), json=json)


def _switched(switching: Coroutine[Any, Any, int], *, json: bool) -> None:
    """Switch a tenant, and report how many entries came or went."""
    try:
        entries = asyncio.run(switching)
    except NotFoundError:
        say.error("there is no such tenant")
        raise typer.Exit(say.Exit.PROBLEM) from None
    if json:
        say.report({"entries": entries})
    else:
        say.line(f"{entries} entries")


def client(
    id: Id,
    name: Annotated[str, typer.Argument(metavar="CLIENT", help="As `azp` in tokens names it.")],
    *,
    ceiling: Annotated[
        OriginClass | None, typer.Option(help="Add or replace it, with this highest class.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Serve it no longer.")] = False,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Add, replace or remove one client of a tenant."""
    if (ceiling is None) != remove:
        raise typer.BadParameter("give either --ceiling or --remove", param_hint="--ceiling")
    tenant, named = TenantId(id), ClientId(_name(name, "CLIENT"))

    async def change(operator: Principal, desk: Desk) -> Tenant:
        if ceiling is None:
            await tenants.remove_client(operator, named, desk)
        else:
            await tenants.put_client(operator, named, ceiling, desk)
        return await _registered(tenant, desk)

    _changed(settings_of(data_dir, config), TenantId(id), change, json=json)


def _changed(
    settings: Settings,
    id: TenantId,
    change: Callable[[Principal, Desk], Awaitable[Tenant]],
    *,
    json: bool,
) -> None:
    """Make a change and report the tenant as it is then."""

    async def made() -> Listed:
        async with app.registry_desk(settings) as desk:
            tenant = await change(operator_principal(id, desk.clock()), desk)
            return await _with_clients(tenant, desk)

    try:
        listed = asyncio.run(made())
    except ConflictError:
        say.error("the tenant is registered already")
        raise typer.Exit(say.Exit.PROBLEM) from None
    except NotFoundError:
        say.error("there is no such tenant or client")
        raise typer.Exit(say.Exit.PROBLEM) from None
    if json:
        say.report(listed)
    else:
        say.line("\t".join(_row(listed)))


async def _all(settings: Settings) -> list[Listed]:
    found: list[Listed] = []
    async with app.registry_desk(settings) as desk:
        operator = operator_principal(_NOBODYS, desk.clock())
        after: TenantId | None = None
        while page := await tenants.registered(operator, after, _PAGE, desk):
            found += [await _with_clients(one, desk) for one in page]
            after = page[-1].id
    return found


async def _with_clients(tenant: Tenant, desk: Desk) -> Listed:
    operator = operator_principal(tenant.id, desk.clock())
    clients: dict[str, OriginClass] = {}
    after: ClientId | None = None
    while page := await tenants.clients(operator, after, _PAGE, desk):
        clients |= {one.id: one.ceiling for one in page}
        after = page[-1].id
    return Listed(
        tenant.id, tenant.suspended, tenant.ceiling, tenant.allowed, tenant.indexing, clients
    )


async def _registered(id: TenantId, desk: Desk) -> Tenant:
    tenant = await desk.registry.tenant(id)
    if tenant is None:
        raise NotFoundError
    return tenant


def _row(listed: Listed) -> Sequence[str]:
    clients = ", ".join(f"{id}={ceiling}" for id, ceiling in listed.clients.items())
    return listed.id, "suspended" if listed.suspended else "served", listed.ceiling, clients


def _client(tenant: TenantId, text: str) -> Client:
    id, _, ceiling = text.rpartition("=")
    if ceiling not in set(OriginClass):
        raise typer.BadParameter(
            f"ID=CLASS, where a class is one of: {' '.join(OriginClass)}", param_hint="--client"
        )
    return Client(ClientId(_name(id, "--client")), tenant, OriginClass(ceiling))


def _name(value: str, hint: str) -> str:
    try:
        named: Any = msgspec.convert(value, Name)
    except msgspec.ValidationError:
        raise typer.BadParameter(
            "1 to 255 characters, none of them a control character", param_hint=hint
        ) from None
    return str(named)
