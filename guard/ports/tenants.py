"""Tenants and their clients, as they are registered."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

import msgspec

from guard.nouns import Leaf
from guard.ports.limits import Allowed
from memory.origin import OriginClass
from memory.types import ClientId, TenantId


class Indexing(StrEnum):
    """Where a tenant's memories are searched (S6).

    `sealed` means that no index has an entry of it; `sealing`, that none gets one any more, while
    those from before are still being removed.
    """

    OPEN = "open"
    SEALING = "sealing"
    SEALED = "sealed"


class Tenant(msgspec.Struct, frozen=True):
    """A registered tenant. A suspended one is served nothing; none of its clients may claim a
    higher origin class than `ceiling`, whatever its own says.
    """

    id: TenantId
    suspended: bool
    ceiling: OriginClass = OriginClass.OPERATOR
    allowed: Allowed = Allowed()
    indexing: Indexing = Indexing.OPEN


class Client(msgspec.Struct, frozen=True):
    """A registered client (`azp`) of a tenant, and the highest origin class it may claim."""

    id: ClientId
    tenant: TenantId
    ceiling: OriginClass


class Enrolment(msgspec.Struct, frozen=True, kw_only=True):
    """One change of what is registered of a tenant, and the audit leaves that tell of it.

    What is None stays as it is. A `new` tenant must not be there yet, any other must be.
    """

    tenant: TenantId
    new: bool = False
    suspended: bool | None = None
    ceiling: OriginClass | None = None
    allowed: Allowed | None = None
    indexing: Indexing | None = None
    clients: tuple[Client, ...] = ()
    """To add or replace."""
    removed: tuple[ClientId, ...] = ()
    leaves: tuple[Leaf, ...] = ()


class Registry(Protocol):
    """Who may be served (E13)."""

    async def tenant(self, tenant: TenantId) -> Tenant | None:
        """Return the tenant, or None when it is not registered."""
        ...

    async def client(self, tenant: TenantId, client: ClientId) -> Client | None:
        """Return the tenant's client, or None when it is not registered."""
        ...

    async def register(self, tenant: Tenant, clients: Sequence[Client]) -> None:
        """Create or replace a tenant and add or replace clients. Idempotent."""
        ...

    async def amend(self, change: Enrolment) -> None:
        """Apply all of `change` durably in one transaction, or nothing.

        Raises ConflictError when a new tenant is there already, NotFoundError when another one, or
        a client to be removed, is not.
        """
        ...

    async def tenants(self, after: TenantId | None, limit: int) -> list[Tenant]:
        """Return tenants in the order of their ids, after `after`."""
        ...

    async def clients(self, tenant: TenantId, after: ClientId | None, limit: int) -> list[Client]:
        """Return clients of a tenant in the order of their ids, after `after`."""
        ...
