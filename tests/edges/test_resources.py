"""The gateway as an OAuth resource server: what a token is for, and where to get another (M2)."""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import jwt
import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from gateway.app.token_keys import opened_keys
from gateway.auth import RegisteredOnly
from gateway.cli.program import run
from gateway.edge import build
from gateway.resources import METADATA, Resource
from gateway.settings import Auth, Http, Settings, load
from guard.ports import Client, Tenant
from memory.origin import Channel, OriginClass
from memory.types import ClientId, TenantId
from tests.edges.realm import Realm, free_port
from tests.edges.world import World, bearer, ed25519_jwk, key_set, token

URL = Settings().url
REST, MCP, SSE = ("GET", "/v1/memories"), ("POST", "/mcp"), ("POST", "/messages")
DOORS = {
    REST: Resource.REST,
    ("GET", "/metrics"): Resource.REST,
    ("GET", "/mcp"): Resource.MCP,
    MCP: Resource.MCP,
    ("DELETE", "/mcp"): Resource.MCP,
    SSE: Resource.SSE,
    ("PUT", "/sse"): Resource.SSE,
}
ALL = {Resource.REST, Resource.MCP, Resource.SSE}

# What an audience says, and the resources whose doors it opens.
AUDIENCES: dict[str, tuple[object, set[Resource]]] = {
    "a configured audience": ("memguard", ALL),
    "the whole gateway": (URL, ALL),
    "the whole gateway, with a slash": (f"{URL}/", ALL),
    "REST": (f"{URL}/v1", {Resource.REST}),
    "Streamable HTTP": (f"{URL}/mcp", {Resource.MCP}),
    "Streamable HTTP in a list": ([f"{URL}/mcp"], {Resource.MCP}),
    "SSE": (f"{URL}/sse", {Resource.SSE}),
    "two resources": ([f"{URL}/mcp", f"{URL}/v1"], {Resource.MCP, Resource.REST}),
    "a configured audience and a resource": (["memguard", f"{URL}/sse"], {Resource.SSE}),
    "a configured audience and a stranger": (["memguard", "https://other.example/mcp"], ALL),
    "a stranger": ("https://other.example/mcp", set()),
    "a path below a resource": (f"{URL}/mcp/x", set()),
    "a resource in capitals": (f"{URL}/MCP", set()),
    "nothing": ([], set()),
    "numbers": ([1, 2], set()),
}


@pytest.mark.requirement("M2")
@pytest.mark.parametrize(("audience", "opened"), AUDIENCES.values(), ids=AUDIENCES.keys())
def test_a_token_for_one_resource_opens_no_door_of_another(
    client: TestClient[Litestar],
    signing_key: dict[str, Any],
    audience: object,
    opened: set[Resource],
) -> None:
    """REST and the two MCP endpoints take what is for them, what is for all, and nothing else."""
    told = {}
    for (method, path), resource in DOORS.items():
        headers = bearer(token(signing_key, aud=audience)) | {"Host": "127.0.0.1:8080"}
        # A GET of /mcp that is let in would be a stream; without this header it ends in 406.
        answer = client.request(method, path, headers=headers | {"Accept": "text/plain"})
        told[method, path] = answer.status_code != 401, resource in opened
    assert {door: was for door, (was, _) in told.items()} == {
        door: wanted for door, (_, wanted) in told.items()
    }


@pytest.mark.requirement("M2")
@pytest.mark.parametrize(
    ("door", "scope"),
    [
        (REST, "memory:read"),
        (("POST", "/v1/memories"), "memory:write"),
        (("DELETE", "/v1/memories/x"), "memory:delete"),
        (MCP, "memory:read memory:write"),
        (("GET", "/sse"), "memory:read memory:write"),
        (SSE, "memory:read memory:write"),
    ],
)
def test_a_caller_without_a_token_learns_where_to_get_which(
    client: TestClient[Litestar], door: tuple[str, str], scope: str
) -> None:
    """401 leads to the metadata of this very resource, and says which scopes to ask for first."""
    answer = client.request(*door)
    assert answer.status_code == 401
    kind, _, rest = answer.headers["www-authenticate"].partition(" ")
    parts = dict(part.split("=", 1) for part in rest.split(", "))
    assert (kind, parts["scope"]) == ("Bearer", f'"{scope}"')
    assert set(parts) == {"resource_metadata", "scope"}
    told = client.get(parts["resource_metadata"].strip('"').removeprefix(URL)).json()
    of = DOORS.get(door, Resource.SSE if door[1] == "/sse" else Resource.REST)
    assert told["resource"] == of.address(URL)
    assert set(scope.split()) <= set(told["scopes_supported"])


@pytest.mark.requirement("M2")
def test_each_resource_has_metadata_at_its_well_known_address(tmp_path: Path) -> None:
    """The origin's document and one per path, each with the identifier that it stands under."""
    settings = Settings(
        http=Http(public_url="https://memory.example"), auth=Auth(issuer="https://login.example")
    )
    world = World(key_set(tmp_path, ed25519_jwk()), settings=settings)
    with TestClient(world.app()) as client:
        told = {path: client.get(METADATA + path).json() for path in ("", "/v1", "/mcp", "/sse")}
    for path, document in told.items():
        assert document["resource"] == f"https://memory.example{path}"
        assert document["authorization_servers"] == ["https://login.example"]
        assert document["bearer_methods_supported"] == ["header"]
    agents = ["memory:delete", "memory:read", "memory:write"]
    assert told["/mcp"]["scopes_supported"] == told["/sse"]["scopes_supported"] == agents
    assert {*agents, "quarantine:decide"} <= set(told["/v1"]["scopes_supported"])


@pytest.mark.requirement("M2")
def test_metadata_names_the_servers_that_are_configured(tmp_path: Path) -> None:
    """Clients are sent to these instead of the issuer; without either the list is left out."""
    servers = ("https://login.example/realms/a", "https://login.example/realms/b")
    told = []
    for auth in (Auth(issuer="https://x.example", authorization_servers=servers), Auth()):
        world = World(key_set(tmp_path, ed25519_jwk()), settings=Settings(auth=auth))
        with TestClient(world.app()) as client:
            told.append(client.get(f"{METADATA}/mcp").json())
    assert told[0]["authorization_servers"] == list(servers)
    assert "authorization_servers" not in told[1]


@pytest.mark.requirement("M2")
def test_a_configured_audience_that_is_a_resource_is_bound_to_it(tmp_path: Path) -> None:
    """To have configured an endpoint's address does not make tokens for it open the others."""
    key = ed25519_jwk()
    settings = Settings(auth=Auth(audiences=(f"{URL}/mcp",)))
    with TestClient(World(key_set(tmp_path, key), settings=settings).app()) as client:
        for audience, status in ((f"{URL}/mcp", 401), (f"{URL}/v1", 200), ("memguard", 401)):
            headers = bearer(token(key, aud=audience))
            assert client.request(*REST, headers=headers).status_code == status


@pytest.mark.requirement("M2")
def test_a_development_token_can_be_for_one_resource(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`token mint --resource` names the audience; an unknown resource is refused with the list."""
    words = ["token", "mint", "--data-dir", str(tmp_path), "--tenant", "acme", "--subject", "ada"]
    words += ["--scope", "memory:read"]
    for resource, audience in (
        (["--resource", "mcp"], f"{URL}/mcp"),
        (["--resource", "rest"], f"{URL}/v1"),
        (["--resource", "gateway"], URL),
        ([], "memguard"),
    ):
        assert run([*words, *resource]) == 0
        minted = capsys.readouterr().out.strip()
        claims = jwt.decode(minted, options={"verify_signature": False})
        assert claims["aud"] == audience
    assert run([*words, "--resource", "mpc"]) == 2
    assert "gateway rest mcp sse" in " ".join(capsys.readouterr().err.split())
    assert load(environ={}, overrides={"storage.data_dir": str(tmp_path)}).url == URL


ACCEPT = {"Accept": "application/json, text/event-stream"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture(scope="module")
def realm() -> Iterator[Realm]:
    """Lend a realm that answers."""
    made = Realm(free_port())
    with made.answering():
        yield made


@pytest.mark.requirement("M2", "E2")
async def test_tokens_of_a_realm_are_served_at_the_resource_that_they_name(
    realm: Realm, tmp_path: Path
) -> None:
    """RS256 keys from the realm's URL, its claims, our mappers; and only what is for this door."""
    settings = load(
        environ={
            "MEMGUARD_STORAGE_DATA_DIR": str(tmp_path),
            "MEMGUARD_AUTH_ISSUER": realm.issuer,
            "MEMGUARD_AUTH_AUDIENCES": URL,
            "MEMGUARD_AUTH_KEYS_URL": realm.keys_url,
        }
    )
    async with AsyncExitStack() as stack:
        keys = await stack.enter_async_context(opened_keys(settings))
        world = World(keys, settings=settings)
        tenant = Tenant(TenantId("acme"), suspended=False, ceiling=OriginClass.USER_STATED)
        agent = Client(ClientId("trip-agent"), tenant.id, OriginClass.AGENT_RELAYED)
        await world.registry.register(tenant, [agent])
        edge = msgspec.structs.replace(world.edge(), admission=RegisteredOnly(world.registry))
        gateway = build(edge)
        await stack.enter_async_context(gateway.lifespan())
        http = await stack.enter_async_context(
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app=gateway), base_url=URL)  # type: ignore[arg-type]
        )

        async def status(method: str, path: str, **changes: Any) -> int:
            headers = bearer(realm.token(**changes)) | ACCEPT
            body = INITIALIZE if path == "/mcp" else None
            return (await http.request(method, path, json=body, headers=headers)).status_code

        assert await status("POST", "/mcp") == 200
        assert await status("GET", "/v1/memories") == 401
        assert await status("GET", "/v1/memories", aud=f"{URL}/v1") == 200
        _, principal, _ = world.calls.made[0]
        assert (principal.owner.tenant, principal.client) == ("acme", "trip-agent")
        assert principal.scopes == {"memory:read", "memory:write"}
        assert principal.channel is Channel.REST
        assert principal.ceiling is OriginClass.AGENT_RELAYED
        # As the realm issues them without the audience mapper, or without the tenant mapper.
        assert await status("POST", "/mcp", aud="account") == 401
        assert await status("POST", "/mcp", aud=None) == 401
        assert await status("POST", "/mcp", tid=None) == 401
        # Another realm of the same server, and a client that nobody has registered.
        assert await status("POST", "/mcp", iss=realm.issuer.replace("memory", "other")) == 401
        assert await status("POST", "/mcp", azp="account-console") == 403
        told = (await http.get(f"{METADATA}/mcp")).json()
        assert told["authorization_servers"] == [realm.issuer]
