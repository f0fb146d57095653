"""One bearer check stands before REST and both MCP transports (E1, E3, E13)."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from gateway.settings import Auth, Http, Mode, Settings
from guard.ports import Client, Tenant
from guard.principal import Scope
from memory.origin import Channel, OriginClass
from memory.types import ClientId, TenantId
from storage.fakes.registry import MemoryRegistry
from tests.edges.lasting import lasting_fixtures
from tests.edges.world import EVERY_SCOPE, World, bearer, ed25519_jwk, key_set, token

DOORS = [
    ("GET", "/v1/memories"),
    ("POST", "/v1/recall"),
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
    ("GET", "/sse"),
    ("POST", f"/messages?session_id={'0' * 32}"),
]
HOUR = 3600


def _part(value: object) -> bytes:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")


def _handmade(header: dict[str, Any], claims: dict[str, Any], secret: bytes | None) -> str:
    signed = _part(header) + b"." + _part(claims)
    mac = hmac.new(secret, signed, hashlib.sha256).digest() if secret is not None else b""
    return (signed + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")).decode()


def _claims(value: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(value, options={"verify_signature": False})
    return claims


def _tampered(key: dict[str, Any]) -> str:
    head, _, mac = token(key).split(".")
    return ".".join((head, _part(_claims(token(key, sub="mallory"))).decode(), mac))


def _public_pem(key: dict[str, Any]) -> bytes:
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
        Encoding,
        PublicFormat,
    )

    public: bytes = (
        jwt.PyJWK(key)
        .key.public_key()
        .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    return public


Forger = Callable[[dict[str, Any], dict[str, Any]], str]

# Each forger gets the trusted Ed25519 key and the trusted RSA key.
FORGED: dict[str, Forger] = {
    "no token at all": lambda *_: "",
    "noise": lambda *_: "abc.def.ghi",
    "wrong audience": lambda key, _: token(key, aud="another"),
    "no audience": lambda key, _: token(key, aud=None),
    "wrong issuer": lambda key, _: token(key, iss="https://evil.example"),
    "no issuer": lambda key, _: token(key, iss=None),
    "expired": lambda key, _: token(key, exp=int(time.time()) - HOUR),
    "expired just beyond the leeway": lambda key, _: token(key, exp=int(time.time()) - 7),
    "never expires": lambda key, _: token(key, exp=None),
    "issued in the future": lambda key, _: token(key, iat=int(time.time()) + HOUR),
    "never issued": lambda key, _: token(key, iat=None),
    "not valid yet": lambda key, _: token(key, nbf=int(time.time()) + HOUR),
    "signed by an unknown key under a known id": lambda *_: token(ed25519_jwk("one")),
    "payload changed after signing": lambda key, _: _tampered(key),
    "unknown key id": lambda key, _: token(key, headers={"kid": "nobody"}),
    "no key id among several keys": lambda key, _: token(
        {name: value for name, value in key.items() if name != "kid"}
    ),
    "empty key id": lambda key, _: token(key, headers={"kid": ""}),
    "key id of another type": lambda *_: _handmade({"alg": "EdDSA", "kid": 1}, {}, b""),
    "key of one algorithm named by a token of another": lambda key, _: token(
        key, headers={"kid": "rsa"}
    ),
    "algorithm none": lambda key, _: _handmade(
        {"alg": "none", "kid": "one"}, _claims(token(key)), None
    ),
    "public key used as a shared secret": lambda key, rsa: _handmade(
        {"alg": "HS256", "kid": "rsa"}, _claims(token(key)), _public_pem(rsa)
    ),
    "unknown critical header": lambda key, _: token(key, headers={"crit": ["x"], "x": 1}),
    "no subject": lambda key, _: token(key, sub=None),
    "no tenant": lambda key, _: token(key, tid=None),
    "no client": lambda key, _: token(key, azp=None),
    "empty tenant": lambda key, _: token(key, tid=""),
    "tenant of another type": lambda key, _: token(key, tid=["acme"]),
    "subject with a control character": lambda key, _: token(key, sub="alice\n"),
    "subject with a lone surrogate": lambda key, _: token(key, sub="\ud800"),
    "subject too long": lambda key, _: token(key, sub="a" * 256),
    "client of another type": lambda key, _: token(key, azp=7),
    "scope of another type": lambda key, _: token(key, scope=["memory:read"]),
    "expiry of another type": lambda key, _: token(key, exp=str(int(time.time()) + HOUR)),
    "expiry out of range": lambda key, _: token(key, exp=10**30),
    "expiry infinite": lambda key, _: token(key, exp=float("inf")),
    "token too long": lambda key, _: token(key, filler="x" * 9000),
}


lasting, signing_key, world, client = lasting_fixtures()


@pytest.mark.requirement("E1", "M1")
@pytest.mark.parametrize(("method", "path"), DOORS)
@pytest.mark.parametrize("forger", FORGED.values(), ids=FORGED.keys())
def test_a_bad_token_opens_no_door(  # noqa: PLR0917
    client: TestClient[Litestar],
    world: World,
    signing_key: dict[str, Any],
    rsa_key: dict[str, Any],
    forger: Forger,
    method: str,
    path: str,
) -> None:
    """Whatever is wrong, every edge answers 401 with one opaque reason and calls nothing."""
    forged = forger(signing_key, rsa_key)
    answer = client.request(method, path, headers=bearer(forged) if forged else {}, json={})
    assert answer.status_code == 401
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith("Bearer ")
    assert 'resource_metadata="http://' in challenge
    assert ("invalid_token" in challenge) == bool(forged)
    assert answer.json() == {
        "type": "urn:memguard:problem:unauthenticated",
        "title": "Authentication required",
        "status": 401,
        "code": "unauthenticated",
    }
    assert world.calls.names == []


@pytest.mark.requirement("E1")
@pytest.mark.parametrize("which", ["signing_key", "rsa_key"])
def test_a_good_token_opens_the_door(
    client: TestClient[Litestar], world: World, request: pytest.FixtureRequest, which: str
) -> None:
    """Tokens of both trusted keys are served: the refusals above are not for want of trying."""
    key: dict[str, Any] = request.getfixturevalue(which)
    assert client.get("/v1/memories", headers=bearer(token(key))).status_code == 200
    assert world.calls.names == ["browse"]


@pytest.mark.requirement("E1")
def test_the_leeway_forgives_a_little_skew(
    client: TestClient[Litestar], signing_key: dict[str, Any]
) -> None:
    """A token that is a moment early or late is served."""
    now = int(time.time())
    for changes in ({"iat": now + 2}, {"nbf": now + 2}, {"exp": now - 1}):
        answer = client.get("/v1/memories", headers=bearer(token(signing_key, **changes)))
        assert answer.status_code == 200


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    "headers",
    [
        [("Authorization", "Bearer {0}"), ("Authorization", "Bearer {0}")],
        [("Authorization", "Basic {0}")],
        [("Authorization", "Bearer")],
        [("Authorization", "{0}")],
    ],
)
def test_the_header_is_one_and_a_bearer(
    client: TestClient[Litestar], signing_key: dict[str, Any], headers: list[tuple[str, str]]
) -> None:
    """Two headers or another scheme are refused even when the token in them is good."""
    good = token(signing_key)
    answer = client.get("/v1/memories", headers=[(n, v.format(good)) for n, v in headers])
    assert answer.status_code == 401


@pytest.mark.requirement("E3")
def test_the_principal_is_what_the_token_says(
    client: TestClient[Litestar], world: World, signing_key: dict[str, Any]
) -> None:
    """Owner, client, scopes, credential and channel come from the token and the route alone."""
    value = token(signing_key, scope="memory:read openid unheard:of", jti="t-1")
    client.get("/v1/memories", headers=bearer(value))
    ((_, principal, _),) = world.calls.made
    assert (principal.owner.tenant, principal.owner.subject) == ("acme", "alice")
    assert principal.client == "dev-app"
    assert principal.scopes == {Scope.MEMORY_READ}
    assert principal.credential == "t-1"
    assert principal.channel is Channel.REST
    assert principal.ceiling is OriginClass.USER_STATED


@pytest.mark.requirement("E3")
def test_claim_names_are_configurable(tmp_path: Path) -> None:
    """Another issuer's claim names are read, and the default names then mean nothing."""
    key = ed25519_jwk()
    auth = Auth(tenant_claim="org_id", subject_claim="uid", client_claim="client_id")
    world = World(key_set(tmp_path, key), settings=Settings(auth=auth))
    with TestClient(world.app()) as client:
        value = token(key, org_id="globex", uid="bob", client_id="app")
        assert client.get("/v1/memories", headers=bearer(value)).status_code == 200
        assert world.calls.made[0][1].owner.tenant == "globex"
        assert client.get("/v1/memories", headers=bearer(token(key))).status_code == 401


@pytest.mark.requirement("E13", "W3")
@pytest.mark.parametrize(
    ("client_id", "ceiling"),
    [("dev-app", OriginClass.USER_STATED), ("unheard-of", OriginClass.AGENT_RELAYED)],
)
def test_development_registers_a_tenant_at_first_use(
    client: TestClient[Litestar],
    world: World,
    signing_key: dict[str, Any],
    client_id: str,
    ceiling: OriginClass,
) -> None:
    """An unknown tenant is registered with `dev-app`; a client nobody registered only relays."""
    headers = bearer(token(signing_key, tid=f"first-{client_id}", azp=client_id))
    client.get("/v1/memories", headers=headers)
    assert world.calls.made[0][1].ceiling is ceiling


def _production(tmp_path: Path, key: dict[str, Any], registry: MemoryRegistry) -> World:
    settings = Settings(mode=Mode.PRODUCTION, http=Http(public_url="https://memory.example"))
    return World(key_set(tmp_path, key), settings=settings, registry=registry)


@pytest.mark.requirement("E13")
async def test_production_serves_only_whom_it_knows(
    tmp_path: Path, signing_key: dict[str, Any]
) -> None:
    """Unknown tenants and clients and suspended tenants get 403, and nothing is created."""
    registry = MemoryRegistry()
    for name, suspended in (("acme", False), ("gone", True)):
        tenant = TenantId(name)
        app = Client(ClientId("app"), tenant, OriginClass.DOCUMENT)
        await registry.register(Tenant(tenant, suspended), [app])
    world = _production(tmp_path, signing_key, registry)
    with TestClient(world.app()) as client:

        def ask(**changes: str) -> int:
            headers = bearer(token(signing_key, **changes))
            return client.get("/v1/memories", headers=headers).status_code

        assert ask(tid="acme", azp="app") == 200
        assert world.calls.made[0][1].ceiling is OriginClass.DOCUMENT
        assert ask(tid="acme", azp="dev-app") == 403
        assert ask(tid="gone", azp="app") == 403
        assert ask(tid="nobody", azp="app") == 403
    assert await registry.tenant(TenantId("nobody")) is None
    assert len(world.calls.made) == 1


@pytest.mark.requirement("E13")
async def test_a_suspended_tenant_is_refused_in_development_too(
    tmp_path: Path, signing_key: dict[str, Any]
) -> None:
    """First use registers, and does not bring back."""
    world = World(key_set(tmp_path, signing_key))
    await world.registry.register(Tenant(TenantId("acme"), suspended=True), [])
    with TestClient(world.app()) as client:
        answer = client.get("/v1/memories", headers=bearer(token(signing_key)))
    assert answer.status_code == 403
    assert answer.json()["code"] == "forbidden"


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/schema", "/.well-known/oauth-protected-resource/mcp"]
)
def test_public_routes_ask_for_nothing(client: TestClient[Litestar], path: str) -> None:
    """Health and metadata answer without a token, and also with a bad one."""
    assert client.get(path).status_code == 200
    assert client.get(path, headers=bearer("noise")).status_code == 200


@pytest.mark.requirement("E1")
@pytest.mark.parametrize("path", ["/mcp/healthz", "/healthz/mcp", "/mcpx", "/v1", "/v1/memories/"])
def test_a_path_that_resembles_a_public_one_is_not_public(
    client: TestClient[Litestar], world: World, path: str
) -> None:
    """Routes are exact: no prefix and no pattern opens anything."""
    assert client.get(path).status_code in (401, 404)
    assert world.calls.names == []


def test_every_scope_is_granted_by_name() -> None:
    """The tokens of these tests carry every scope there is, so a refusal is about the rest."""
    assert set(EVERY_SCOPE.split()) == {scope.value for scope in Scope}
