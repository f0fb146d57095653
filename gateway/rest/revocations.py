"""Revocation: a tenant's administrator takes back tokens, the platform's those of a whole tenant.

Names stand in bodies and never in paths, which end in the logs of every proxy.
"""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler
from msgspec import Meta

from gateway import wire
from gateway.doors import Edge
from gateway.limits import Shape
from gateway.rest.tenants import ListNames, page_cursor
from gateway.settings import Name
from guard.errors import InvalidError
from guard.ports import Clock, NewId
from guard.revoke import EVERYONE, Of, Revocation, Revocations
from memory.types import TenantId

Incoming = Request[Any, Any, Any]

_Instant = Annotated[datetime, Meta(tz=True)]


class RevokeTokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of: a token by its `jti`; a subject; or everyone in the tenant."""

    token: Name | None = None
    subject: Name | None = None
    everyone: bool = False
    before: _Instant | None = None

    def of(self) -> tuple[Of, str]:
        """Return what is taken back. Raises InvalidError unless it is exactly one thing."""
        given = [
            (Of.TOKEN, self.token),
            (Of.SUBJECT, self.subject),
            (Of.TENANT, EVERYONE if self.everyone else None),
        ]
        named = [(of, name) for of, name in given if name is not None]
        if len(named) != 1:
            raise InvalidError("give one of token, subject and everyone")
        if named[0][0] is Of.TOKEN and self.before is not None:
            raise InvalidError("before: a token is taken back whenever it was issued")
        return named[0]


class RevokeTenant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which tenant's tokens, and up to when they were issued; now if it is left out."""

    id: Name
    before: _Instant | None = None


class RevocationAnswer(msgspec.Struct, frozen=True):
    """What is believed no longer. `name` is empty for everyone in the tenant."""

    id: str
    of: Of
    name: str
    issued_before: datetime
    at: datetime

    @classmethod
    def told(cls, made: Revocation) -> "RevocationAnswer":
        """Return a revocation as administrators see it."""
        return cls(made.id, made.of, made.name, made.before, made.at)


class RevocationsAnswer(msgspec.Struct, frozen=True):
    """One page of revocations, and the cursor of the next one."""

    items: tuple[RevocationAnswer, ...]
    cursor: str | None


class TokenDesk(msgspec.Struct, frozen=True):
    """What revoking works with: fulfils `guard.revoke.Desk`."""

    clock: Clock
    new_id: NewId
    revocations: Revocations


def revocation_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers of `/v1/tenant/revocations` and `/v1/admin/tenants/revoke`.

    What is decided here holds on this replica when the answer goes out, on the others soon after.
    """
    doors, revoked = edge.use_cases.tokens, edge.revoked
    desk = TokenDesk(edge.rooms.clock, edge.rooms.new_id, revoked.store)

    @post(
        "/v1/tenant/revocations",
        opt={"shape": Shape("Revoke tokens", RevocationAnswer, 201, body=RevokeTokens)},
    )
    async def revoke(request: Incoming) -> RevocationAnswer:
        body = wire.from_json(await request.body(), RevokeTokens)
        made = await doors.revoke(request.auth, *body.of(), body.before, desk)
        await revoked.look()
        return RevocationAnswer.told(made)

    @get(
        "/v1/tenant/revocations",
        opt={"shape": Shape("List revocations", RevocationsAnswer, query=ListNames)},
    )
    async def listed(request: Incoming) -> RevocationsAnswer:
        page = wire.from_query(request.query_params.multi_items(), ListNames)
        found = await doors.revoked(request.auth, page.after(), page.limit + 1, desk)
        shown = tuple(RevocationAnswer.told(one) for one in found[: page.limit])
        return RevocationsAnswer(shown, page_cursor([one.id for one in found], page.limit))

    @post(
        "/v1/admin/tenants/revoke",
        status_code=200,
        opt={"shape": Shape("Revoke a tenant's tokens", RevocationAnswer, body=RevokeTenant)},
    )
    async def revoke_tenant(request: Incoming) -> RevocationAnswer:
        body = wire.from_json(await request.body(), RevokeTenant)
        made = await doors.revoke_tenant(request.auth, TenantId(body.id), body.before, desk)
        await revoked.look()
        return RevocationAnswer.told(made)

    return [revoke, listed, revoke_tenant]
