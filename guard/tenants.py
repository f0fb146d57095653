"""An administrator's doors: who is served, through which clients, and how far those are believed.

Every change is one transaction with its audit leaf, in the chain of the tenant that it concerns.
No door here reads a memory: the platform's administrator learns names, never content.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from guard.errors import InvalidError, NotFoundError
from guard.nouns import Leaf
from guard.ports import Allowed, Client, Clock, Enrolment, Indexing, NewId, Registry, Tenant
from guard.principal import Principal, Scope
from memory.origin import OriginClass
from memory.types import ClientId, LeafId, TenantId


class Desk(Protocol):
    """What administration needs: `Rooms` have it, and so has a command without a gateway."""

    @property
    def clock(self) -> Clock:
        """Now."""
        ...

    @property
    def new_id(self) -> NewId:
        """A fresh id."""
        ...

    @property
    def registry(self) -> Registry:
        """Who may be served."""
        ...


class Terms(msgspec.Struct, frozen=True):
    """What the platform grants a tenant: the most its clients may claim, what it may spend, and
    whether an index may have entries of it.
    """

    ceiling: OriginClass = OriginClass.USER_STATED
    allowed: Allowed = Allowed()
    indexing: Indexing = Indexing.OPEN


async def register(
    principal: Principal, id: TenantId, terms: Terms, clients: Sequence[Client], desk: Desk
) -> Tenant:
    """Register a tenant with its first clients, and return it.

    Raises ConflictError when it is registered already, InvalidError for a client above its terms.
    """
    principal.require(Scope.PLATFORM_ADMIN)
    for client in clients:
        _refuse_above(client.ceiling, terms.ceiling)
    await desk.registry.amend(
        Enrolment(
            tenant=id,
            new=True,
            suspended=False,
            ceiling=terms.ceiling,
            allowed=terms.allowed,
            indexing=terms.indexing,
            clients=tuple(clients),
            leaves=(
                _leaf(principal, id, "tenant.register", id, _told(terms), desk),
                *(_put(principal, client, desk) for client in clients),
            ),
        )
    )
    return Tenant(id, False, terms.ceiling, terms.allowed, terms.indexing)  # noqa: FBT003


async def registered(
    principal: Principal, after: TenantId | None, limit: int, desk: Desk
) -> list[Tenant]:
    """Return tenants in the order of their ids, after `after`."""
    principal.require(Scope.PLATFORM_ADMIN)
    return await desk.registry.tenants(after, limit)


async def grant(
    principal: Principal,
    id: TenantId,
    ceiling: OriginClass | None,
    allowed: Allowed | None,
    desk: Desk,
) -> Tenant:
    """Give a tenant other terms, of which None stays as it is; return the tenant.

    A lower ceiling holds for all its clients from then on, whatever theirs says. Raises
    NotFoundError for an unknown tenant.
    """
    principal.require(Scope.PLATFORM_ADMIN)
    reasons = (
        *(() if ceiling is None else (f"ceiling.{ceiling}",)),
        *(() if allowed is None else _units(allowed)),
    )
    leaf = _leaf(principal, id, "tenant.grant", id, reasons, desk)
    await desk.registry.amend(
        Enrolment(tenant=id, ceiling=ceiling, allowed=allowed, leaves=(leaf,))
    )
    return await _found(id, desk)


async def suspend(principal: Principal, id: TenantId, desk: Desk) -> Tenant:
    """Serve a tenant nothing from now on, and keep all it has. Idempotent; audited each time.

    Raises NotFoundError for an unknown tenant.
    """
    principal.require(Scope.PLATFORM_ADMIN)
    leaf = _leaf(principal, id, "tenant.suspend", id, (), desk)
    await desk.registry.amend(Enrolment(tenant=id, suspended=True, leaves=(leaf,)))
    return await _found(id, desk)


async def resume(principal: Principal, id: TenantId, desk: Desk) -> Tenant:
    """Serve a suspended tenant again. Idempotent; audited each time.

    Raises NotFoundError for an unknown tenant.
    """
    principal.require(Scope.PLATFORM_ADMIN)
    leaf = _leaf(principal, id, "tenant.resume", id, (), desk)
    await desk.registry.amend(Enrolment(tenant=id, suspended=False, leaves=(leaf,)))
    return await _found(id, desk)


async def index_as(principal: Principal, id: TenantId, indexing: Indexing, desk: Desk) -> Tenant:
    """Say where a tenant's memories are searched from now on; audited each time.

    Whoever says `sealed` has looked that no index has an entry of it. Raises NotFoundError for an
    unknown tenant.
    """
    principal.require(Scope.PLATFORM_ADMIN)
    leaf = _leaf(principal, id, "tenant.index", id, (f"index.{indexing}",), desk)
    await desk.registry.amend(Enrolment(tenant=id, indexing=indexing, leaves=(leaf,)))
    return await _found(id, desk)


async def clients(
    principal: Principal, after: ClientId | None, limit: int, desk: Desk
) -> list[Client]:
    """Return clients of the caller's own tenant in the order of their ids, after `after`."""
    principal.require(Scope.TENANT_ADMIN)
    return await desk.registry.clients(principal.owner.tenant, after, limit)


async def put_client(
    principal: Principal, id: ClientId, ceiling: OriginClass, desk: Desk
) -> Client:
    """Add or replace a client of the caller's own tenant, and return it.

    Raises InvalidError for a ceiling above what the platform allows the tenant, or above what the
    caller's own client may claim: else an agent with an administrator's token could raise itself.
    """
    principal.require(Scope.TENANT_ADMIN)
    tenant = await _found(principal.owner.tenant, desk)
    _refuse_above(ceiling, tenant.ceiling)
    _refuse_above(ceiling, principal.ceiling)
    client = Client(id, tenant.id, ceiling)
    leaf = _put(principal, client, desk)
    await desk.registry.amend(Enrolment(tenant=tenant.id, clients=(client,), leaves=(leaf,)))
    return client


async def remove_client(principal: Principal, id: ClientId, desk: Desk) -> None:
    """Serve a client of the caller's own tenant no longer. Raises NotFoundError."""
    principal.require(Scope.TENANT_ADMIN)
    tenant = principal.owner.tenant
    leaf = _leaf(principal, tenant, "client.remove", id, (), desk)
    await desk.registry.amend(Enrolment(tenant=tenant, removed=(id,), leaves=(leaf,)))


async def _found(id: TenantId, desk: Desk) -> Tenant:
    tenant = await desk.registry.tenant(id)
    if tenant is None:
        raise NotFoundError
    return tenant


def _refuse_above(ceiling: OriginClass, bound: OriginClass) -> None:
    if ceiling.trust > bound.trust:
        raise InvalidError(f"ceiling: at most {bound}")


def _put(principal: Principal, client: Client, desk: Desk) -> Leaf:
    reasons = (f"ceiling.{client.ceiling}",)
    return _leaf(principal, client.tenant, "client.put", client.id, reasons, desk)


def _told(terms: Terms) -> tuple[str, ...]:
    sealed = () if terms.indexing is Indexing.OPEN else (f"index.{terms.indexing}",)
    return (f"ceiling.{terms.ceiling}", *_units(terms.allowed), *sealed)


def _units(allowed: Allowed) -> tuple[str, ...]:
    units = msgspec.structs.asdict(allowed).items()
    return tuple(f"units.{name}.{'settings' if n is None else n}" for name, n in units)


def _leaf(  # noqa: PLR0917
    principal: Principal,
    tenant: TenantId,
    action: str,
    object: str,
    reasons: tuple[str, ...],
    desk: Desk,
) -> Leaf:
    """Return the leaf of a change in `tenant`'s chain, which concerns none of its subjects.

    Someone of another tenant is named with it.
    """
    own, actor = principal.owner.tenant, principal.owner.subject
    return Leaf(
        id=LeafId(desk.new_id()),
        tenant=tenant,
        subject="",
        actor=actor if own == tenant else f"{own}/{actor}",
        client=principal.client,
        channel=principal.channel,
        action=action,
        object=object,
        version=0,
        outcome="done",
        policy="",
        digest=b"",
        reasons=reasons,
        at=desk.clock(),
    )
