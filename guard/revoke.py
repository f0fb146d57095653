"""An administrator's doors: which tokens are believed no longer before they expire (E6).

A revocation takes back one token by its id, or everything that was issued for a subject or a whole
tenant up to an instant. It stands for good: a token that lives for years must not come back when
somebody tidies up.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

import msgspec

from guard.errors import InvalidError
from guard.nouns import Leaf
from guard.ports import Clock, NewId
from guard.principal import Principal, Scope
from memory.types import LeafId, TenantId

EVERYONE: Final = ""
"""The name in a revocation of a whole tenant."""


class Of(StrEnum):
    """What a revocation takes back."""

    TOKEN = "token"  # noqa: S105 - a word of the vocabulary
    SUBJECT = "subject"
    TENANT = "tenant"


class Revocation(msgspec.Struct, frozen=True):
    """Tokens that are believed no longer.

    `name` is the token's `jti`, the subject's, or empty for a tenant. Of a subject or tenant it
    takes back what was issued at `before` or earlier; a token is taken back whenever it was issued.
    `at` is when it was decided.
    """

    id: str
    tenant: TenantId
    of: Of
    name: str
    before: datetime
    at: datetime


class Revocations(Protocol):
    """What was taken back, for all replicas to see."""

    async def add(self, revocation: Revocation, leaf: Leaf) -> None:
        """Keep a revocation durably, with its audit leaf in the same transaction."""
        ...

    async def since(self, at: datetime | None) -> Sequence[Revocation]:
        """Return all that was decided at `at` or later, of every tenant; without it, all."""
        ...

    async def of(self, tenant: TenantId, after: str | None, limit: int) -> list[Revocation]:
        """Return revocations of a tenant in the order of their ids, after `after`."""
        ...


class Desk(Protocol):
    """What revoking needs."""

    @property
    def clock(self) -> Clock:
        """Now."""
        ...

    @property
    def new_id(self) -> NewId:
        """A fresh id."""
        ...

    @property
    def revocations(self) -> Revocations:
        """What was taken back."""
        ...


async def revoke(
    principal: Principal, of: Of, name: str, before: datetime | None, desk: Desk
) -> Revocation:
    """Take back a token, or what was issued to a subject or to all of the caller's own tenant.

    `before` is now unless it is given. Raises InvalidError for a time that has not come: who has
    not logged in yet has done no wrong.
    """
    principal.require(Scope.TENANT_ADMIN)
    return await _revoke(principal, principal.owner.tenant, (of, name), before, desk)


async def revoke_tenant(
    principal: Principal, tenant: TenantId, before: datetime | None, desk: Desk
) -> Revocation:
    """Take back all that was issued to a tenant, as the platform's administrator."""
    principal.require(Scope.PLATFORM_ADMIN)
    return await _revoke(principal, tenant, (Of.TENANT, EVERYONE), before, desk)


async def revoked(
    principal: Principal, after: str | None, limit: int, desk: Desk
) -> list[Revocation]:
    """Return what was taken back in the caller's own tenant, in the order of the decisions."""
    principal.require(Scope.TENANT_ADMIN)
    return await desk.revocations.of(principal.owner.tenant, after, limit)


async def _revoke(
    principal: Principal,
    tenant: TenantId,
    what: tuple[Of, str],
    before: datetime | None,
    desk: Desk,
) -> Revocation:
    of, name = what
    now = desk.clock()
    if before is not None and before > now:
        raise InvalidError("before: not later than now")
    made = Revocation(desk.new_id(), tenant, of, name, before or now, now)
    await desk.revocations.add(made, _leaf(principal, made, desk))
    return made


def _leaf(principal: Principal, made: Revocation, desk: Desk) -> Leaf:
    own, actor = principal.owner.tenant, principal.owner.subject
    return Leaf(
        id=LeafId(desk.new_id()),
        tenant=made.tenant,
        subject="",
        actor=actor if own == made.tenant else f"{own}/{actor}",
        client=principal.client,
        channel=principal.channel,
        action="token.revoke",
        object=made.name,
        version=0,
        outcome="done",
        policy="",
        digest=b"",
        reasons=(f"revoke.{made.of}", f"before.{made.before.isoformat()}"),
        at=made.at,
    )
