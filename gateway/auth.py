"""The one bearer check: a token becomes a Principal here and nowhere else (E1, E3, E13).

REST and both MCP transports pass through `BearerAuth`. The order of the steps:

1. exactly one `Authorization: Bearer` header, of bounded length;
2. the key that the token names, and the one algorithm bound to that key, never to the token;
3. signature, issuer, audience, and times within the leeway (PyJWT);
4. the door is one of the resource that the audience names, if it names one (RFC 8707), and the
   claims are of exactly the right types and lengths (msgspec);
5. a registered, living tenant and a client of it, which fixes the ceiling of origin;
6. not revoked (E6).

Whatever fails in 1 to 4 and 6 gives the same answer, so that a prober learns nothing from trying.
"""

import hashlib
import hmac
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Protocol

import jwt
import msgspec
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Send
from litestar.types import Scope as Connection
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from msgspec import Meta

from gateway.keysets import Keys
from gateway.minting import DEVELOPMENT_CLIENT
from gateway.resources import Audiences, Resource, resource_at
from gateway.revoked import Revoked
from gateway.scopes import Access, requirement
from gateway.settings import Auth, Name
from guard.errors import ForbiddenError, UnauthenticatedError
from guard.ports import Client, Registry, Tenant
from guard.principal import Principal, Scope
from memory.origin import Channel, OriginClass, ceiling, lower_of
from memory.types import ClientId, Owner, SubjectId, TenantId

MAX_TOKEN_CHARS: Final = 8192
_LAST_INSTANT: Final = 253_402_300_000
"""Just before the year 10000, where datetime ends."""

_Instant = (
    Annotated[int, Meta(ge=0, le=_LAST_INSTANT)] | Annotated[float, Meta(ge=0, le=_LAST_INSTANT)]
)


class Claims(msgspec.Struct, frozen=True):
    """What a verified token says, in the types it has to say it in."""

    issuer: Name
    tenant: Name
    subject: Name
    client: Name
    issued_at: _Instant
    expires_at: _Instant
    scope: Annotated[str, Meta(max_length=2048)] = ""
    token_id: Name | None = None


class Verifier:
    """Turns a token into claims, or raises UnauthenticatedError with no word on why."""

    def __init__(self, keys: Keys, auth: Auth, url: str) -> None:
        self._keys = keys
        self._auth = auth
        self._audiences = Audiences(auth.audiences, url)
        self._required = [
            "iss",
            "aud",
            "exp",
            "iat",
            auth.subject_claim,
            auth.tenant_claim,
            auth.client_claim,
        ]

    @property
    def leeway(self) -> int:
        """Seconds that clocks may differ."""
        return self._auth.leeway_seconds

    def scopes_of(self, claims: Claims) -> frozenset[Scope]:
        """Return what a token allows: of what it says, what there is and its tenant may have."""
        said = frozenset(claims.scope.split())
        scopes = frozenset(one for one in Scope if one in said)
        platform = self._auth.platform_tenant
        if platform is not None and claims.tenant != platform:
            return scopes - {Scope.PLATFORM_ADMIN}
        return scopes

    async def verify(self, token: str, door: Resource) -> Claims:
        """Return the claims of a token that holds in every respect, at a door of this resource."""
        try:
            return await self._verify(token, door)
        # A hostile token may break its parser in any way at all; it is a bad token all the same,
        # and never an internal error whose shape would tell one bad token from another.
        except Exception:  # noqa: BLE001
            raise UnauthenticatedError from None

    async def same_person(self, id_token: str, token: str, *, client: str, nonce: str) -> None:
        """Return when an ID token is the issuer's for this client and request, and its subject is
        that of the access token beside it (OpenID Connect Core, 3.1.3.7 and 5.3.2).

        Raises UnauthenticatedError. The access token is verified elsewhere, before it is believed.
        """
        try:
            said = await self._identity(id_token, client)
            other = jwt.decode(token, options={"verify_signature": False})
            ours = hmac.compare_digest(str(said["nonce"]).encode(), nonce.encode())
            same = ours and said["sub"] == other["sub"]
        except Exception:  # noqa: BLE001 - as in `verify`
            raise UnauthenticatedError from None
        if not same:
            raise UnauthenticatedError

    async def _identity(self, token: str, client: str) -> dict[str, Any]:
        if len(token) > MAX_TOKEN_CHARS:
            raise UnauthenticatedError
        key = await self._keys.find(jwt.get_unverified_header(token).get("kid"))
        raw: dict[str, Any] = jwt.decode(
            token,
            key.material,
            algorithms=[key.algorithm],
            audience=client,
            issuer=self._auth.issuer,
            leeway=self._auth.leeway_seconds,
            options={
                "require": ["iss", "aud", "exp", "iat", "sub", "nonce"],
                "enforce_minimum_key_length": True,
            },
        )
        if raw["aud"] not in (client, [client]) and raw.get("azp") != client:
            raise UnauthenticatedError
        return raw

    async def _verify(self, token: str, door: Resource) -> Claims:
        if len(token) > MAX_TOKEN_CHARS:
            raise UnauthenticatedError
        key = await self._keys.find(jwt.get_unverified_header(token).get("kid"))
        raw = jwt.decode(
            token,
            key.material,
            algorithms=[key.algorithm],
            audience=self._audiences.ours,
            issuer=self._auth.issuer,
            leeway=self._auth.leeway_seconds,
            options={"require": self._required, "enforce_minimum_key_length": True},
        )
        if not self._audiences.open(raw["aud"], door):
            raise UnauthenticatedError
        named = {
            "issuer": "iss",
            "issued_at": "iat",
            "expires_at": "exp",
            "token_id": "jti",
            "tenant": self._auth.tenant_claim,
            "subject": self._auth.subject_claim,
            "client": self._auth.client_claim,
            "scope": self._auth.scope_claim,
        }
        return msgspec.convert(
            {ours: raw[theirs] for ours, theirs in named.items() if theirs in raw}, Claims
        )


class Admission(Protocol):
    """Decides whom to serve once it is known who asks (E13)."""

    async def admit(self, tenant: TenantId, client: ClientId) -> OriginClass:
        """Return the client's ceiling of origin, at most its tenant's, or raise ForbiddenError."""
        ...


class RegisteredOnly:
    """Serves registered clients of registered tenants. Creates nothing."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def admit(self, tenant: TenantId, client: ClientId) -> OriginClass:
        """Return the registered ceiling; unknown and suspended look alike."""
        found = await self._registry.tenant(tenant)
        if found is None or found.suspended:
            raise ForbiddenError
        registered = await self._registry.client(tenant, client)
        if registered is None:
            raise ForbiddenError
        return lower_of(registered.ceiling, found.ceiling)


class UnsafeFirstUse:
    """Registers whatever tenant a valid token names. For development only."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def admit(self, tenant: TenantId, client: ClientId) -> OriginClass:
        """Register the tenant with `dev-app` at first sight; an unknown client only relays."""
        found = await self._registry.tenant(tenant)
        if found is None:
            found = Tenant(id=tenant, suspended=False, ceiling=OriginClass.USER_STATED)
            await self._registry.register(
                found,
                [Client(id=DEVELOPMENT_CLIENT, tenant=tenant, ceiling=OriginClass.USER_STATED)],
            )
        elif found.suspended:
            raise ForbiddenError
        registered = await self._registry.client(tenant, client)
        allowed = registered.ceiling if registered is not None else OriginClass.AGENT_RELAYED
        return lower_of(allowed, found.ceiling)


class Bearers:
    """Makes a Principal of a token: the one place where that is done for a caller."""

    def __init__(self, verifier: Verifier, admission: Admission, revoked: Revoked) -> None:
        self._verifier = verifier
        self._admission = admission
        self._revoked = revoked

    async def principal(
        self, token: str, door: Resource, channel: Channel
    ) -> tuple[Principal, Claims]:
        """Return whose the token is, at a door of this resource, and what it says.

        Raises UnauthenticatedError, ForbiddenError or UnavailableError.
        """
        claims = await self._verifier.verify(token, door)
        tenant, client = TenantId(claims.tenant), ClientId(claims.client)
        allowed = await self._admission.admit(tenant, client)
        principal = Principal(
            owner=Owner(tenant, SubjectId(claims.subject)),
            client=client,
            credential=claims.token_id or hashlib.sha256(token.encode()).hexdigest()[:32],
            scopes=self._verifier.scopes_of(claims),
            channel=channel,
            ceiling=ceiling(channel, allowed),
            issued_at=datetime.fromtimestamp(claims.issued_at, UTC),
            expires_at=datetime.fromtimestamp(claims.expires_at, UTC),
        )
        self._revoked.check(principal)
        return principal, claims


Presented = Callable[[Connection], Awaitable[str]]
"""Returns the token that a request presents, or raises UnauthenticatedError."""


class BearerAuth(ASGIMiddleware):
    """Lets a request through with its Principal in `scope["auth"]`, or refuses it.

    Public are only the rows that the scopes table calls so; a route without a row needs a token
    and is refused after that. The token is in the header, but for the console's routes: for a page
    of it `visited` has it, and no other route takes that in its place.
    """

    scopes = (ScopeType.HTTP, ScopeType.WEBSOCKET, ScopeType.ASGI)

    def __init__(self, bearers: Bearers, visited: Presented) -> None:
        self._bearers = bearers
        self._visited = visited

    async def handle(
        self, scope: Connection, receive: Receive, send: Send, next_app: ASGIApp
    ) -> None:
        """Check the token of one request."""
        if requirement(scope) is Access.PUBLIC:
            await next_app(scope, receive, send)
            return
        channel = Channel(scope["route_handler"].opt.get("channel", Channel.REST))
        if channel is Channel.CONSOLE:
            token = await self._visited(scope)
        else:
            token = _token(scope["headers"])
        door = resource_at(scope["path_template"])
        principal, claims = await self._bearers.principal(token, door, channel)
        scope["auth"] = principal
        scope["user"] = _session_owner(principal, claims)
        await next_app(scope, receive, send)


def _token(headers: Iterable[tuple[bytes, bytes]]) -> str:
    values = [value for name, value in headers if name.lower() == b"authorization"]
    if len(values) != 1:
        raise UnauthenticatedError
    kind, _, token = values[0].decode("latin-1").partition(" ")
    if kind.lower() != "bearer" or not token:
        raise UnauthenticatedError
    return token.strip(" ")


def _session_owner(principal: Principal, claims: Claims) -> AuthenticatedUser:
    """Return the identity by which the MCP SDK compares the owner of a session (M3).

    It compares client, issuer and subject, so the tenant is folded into the client; JSON keeps
    the pair unambiguous.
    """
    folded = msgspec.json.encode((principal.owner.tenant, principal.client)).decode()
    return AuthenticatedUser(
        AccessToken(
            token="",
            client_id=folded,
            subject=principal.owner.subject,
            scopes=sorted(principal.scopes),
            claims={"iss": claims.issuer},
        )
    )


def remaining(principal: Principal, leeway: float) -> float:
    """Return the seconds that a stream of this principal may still live."""
    return max(0.0, principal.expires_at.timestamp() + leeway - time.time())


def operator_principal(tenant: TenantId, at: datetime, client: str = "command-line") -> Principal:
    """Return the operator, who has the root key and the ledger, to administer tenants with them.

    No edge takes it for a caller: it has expired already, and its channel is none of theirs.
    """
    return Principal(
        owner=Owner(tenant, SubjectId("operator")),
        client=ClientId(client),
        credential=client,
        scopes=frozenset(
            {Scope.PLATFORM_ADMIN, Scope.TENANT_ADMIN, Scope.POLICY_READ, Scope.POLICY_WRITE}
        ),
        channel=Channel.CLI,
        ceiling=ceiling(Channel.CLI, OriginClass.OPERATOR),
        issued_at=at,
        expires_at=at,
    )


def offline_principal(owner: Owner, at: datetime) -> Principal:
    """Return the operator at the command line, to judge drafts as any origin; nothing is stored.

    It carries no scope and has expired already, so that no edge would take it for a caller.
    """
    return Principal(
        owner=owner,
        client=ClientId("command-line"),
        credential="command-line",
        scopes=frozenset(),
        channel=Channel.CLI,
        ceiling=ceiling(Channel.CLI, OriginClass.OPERATOR),
        issued_at=at,
        expires_at=at,
    )
