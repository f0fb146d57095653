"""Tenants and their clients over REST: who may do what, and when it takes effect (E13)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from gateway.app.enrolling import LedgerDesk, enrol
from gateway.app.serving import USE_CASES, opened, prepare_models
from gateway.auth import RegisteredOnly
from gateway.doors import UseCases
from gateway.mcp.streams import Streams
from gateway.recent import RecentRegistry
from gateway.revoked import Revoked
from gateway.settings import (
    Auth,
    ClientEntry,
    Http,
    Mode,
    Settings,
    SettingsError,
    TenantEntry,
    load,
)
from guard.errors import ForbiddenError, UnavailableError
from guard.ports import Client, Enrolment, Tenant
from guard.tenants import Terms, register
from memory.origin import OriginClass
from memory.types import ClientId, TenantId
from storage.fakes.registry import MemoryRegistry
from storage.fakes.revocations import MemoryRevocations
from tests.contracts.bucket_builders import HandClock
from tests.edges.world import World, bearer, ed25519_jwk, key_set, token
from tests.house import House, caller

OPS, ACME = TenantId("ops"), TenantId("acme")
APP = ClientId("app")
ROOT = {"tid": "ops", "sub": "root", "azp": "console"}


class Administered(World):
    """An edge in production with the real administrators' doors over its registry."""

    def edge(self) -> Any:
        """Return what the application is built from."""
        edge = super().edge()
        doors: UseCases = msgspec.structs.replace(edge.use_cases, tenants=USE_CASES.tenants)
        return msgspec.structs.replace(edge, use_cases=doors)


@pytest.fixture
async def ops(tmp_path: Path, signing_key: dict[str, Any]) -> Administered:
    """Return a production edge on which the platform's own tenant alone is registered."""
    settings = Settings(mode=Mode.PRODUCTION, http=Http(public_url="https://memory.example"))
    world = Administered(key_set(tmp_path, signing_key), settings=settings)
    await world.registry.register(
        Tenant(OPS, suspended=False), [Client(ClientId("console"), OPS, OriginClass.OPERATOR)]
    )
    return world


class Asking:
    """Asks as somebody, with exactly the scopes that are named."""

    def __init__(self, client: TestClient[Litestar], key: dict[str, Any]) -> None:
        self._client, self._key = client, key

    def __call__(
        self, method: str, path: str, body: Any = None, *, scope: str, **claims: str
    ) -> Any:
        """Return the answer to a request as `claims` say."""
        headers = bearer(token(self._key, scope=scope, **claims))
        return self._client.request(method, path, json=body, headers=headers)

    def root(self, method: str, path: str, body: Any = None) -> Any:
        """Ask as the platform's administrator."""
        return self(method, path, body, scope="platform:admin", **ROOT)

    def boss(self, method: str, path: str, body: Any = None, tenant: str = "acme") -> Any:
        """Ask as a tenant's administrator."""
        claims = {"tid": tenant, "sub": "boss", "azp": "app"}
        return self(method, path, body, scope="tenant:admin", **claims)

    def reads(self, tenant: str = "acme", client: str = "app") -> int:
        """Return the status of a subject's look at his memories."""
        claims = {"tid": tenant, "sub": "ada", "azp": client}
        return int(self("GET", "/v1/memories", scope="memory:read", **claims).status_code)


@pytest.fixture
def ask(ops: Administered, signing_key: dict[str, Any]) -> Iterator[Asking]:
    """Lend a way to ask."""
    with TestClient(ops.app(), raise_server_exceptions=False) as client:
        yield Asking(client, signing_key)


NEW = {
    "id": "acme",
    "clients": [
        {"id": "app", "ceiling": "user_stated"},
        {"id": "https://agents.example/client.json", "ceiling": "agent_relayed"},
    ],
}


@pytest.mark.requirement("E13", "Q6")
def test_a_tenant_is_served_once_it_is_registered_and_not_while_suspended(
    ask: Asking, ops: Administered
) -> None:
    """Each step holds at once where it was made, and leaves its leaf in the tenant's own chain."""
    assert ask.reads() == 403
    answer = ask.root("POST", "/v1/admin/tenants", NEW)
    assert answer.status_code == 201
    told = answer.json()
    units = dict.fromkeys(told["limits"])
    terms = {"suspended": False, "ceiling": "user_stated", "limits": units, "index": "open"}
    assert told == {"id": "acme", **terms}
    assert ask.reads() == 200
    assert ask.reads(client="https://agents.example/client.json") == 200
    assert ask.reads(client="stranger") == 403
    assert ask.root("POST", "/v1/admin/tenants", NEW).status_code == 409
    suspended = ask.root("POST", "/v1/admin/tenants/suspend", {"id": "acme"})
    assert (suspended.status_code, suspended.json()["suspended"]) == (200, True)
    assert ask.reads() == 403
    assert ask.boss("GET", "/v1/tenant/clients").status_code == 403
    resumed = ask.root("POST", "/v1/admin/tenants/resume", {"id": "acme"})
    assert (resumed.status_code, resumed.json()["suspended"]) == (200, False)
    assert ask.reads() == 200
    leaves = [one for one in ops.registry.leaves if one.tenant == "acme"]
    assert [one.action for one in leaves] == [
        "tenant.register",
        "client.put",
        "client.put",
        "tenant.suspend",
        "tenant.resume",
    ]
    assert {one.actor for one in leaves} == {"ops/root"}
    assert {one.subject for one in leaves} == {""}
    assert leaves[1].object == "app"
    assert leaves[1].reasons == ("ceiling.user_stated",)


@pytest.mark.requirement("E13")
def test_who_is_not_there_can_be_neither_suspended_nor_changed(ask: Asking) -> None:
    """404, and nothing is created."""
    for path in ("suspend", "resume", "grant"):
        answer = ask.root("POST", f"/v1/admin/tenants/{path}", {"id": "acme"})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert ask.reads() == 403
    listed = ask.root("GET", "/v1/admin/tenants").json()
    assert [one["id"] for one in listed["items"]] == ["ops"]


@pytest.mark.requirement("E3", "E13")
def test_the_platforms_administrator_reads_nobodys_memories(ask: Asking, ops: Administered) -> None:
    """His scope opens no door to a memory, and his token stands for his own tenant alone."""
    ask.root("POST", "/v1/admin/tenants", NEW)
    for method, path, body in (
        ("GET", "/v1/memories", None),
        ("POST", "/v1/recall", {"query": "tea"}),
        ("GET", "/v1/quarantine", None),
        ("GET", "/v1/tenant/clients", None),
    ):
        assert ask.root(method, path, body).status_code == 403
    assert ops.calls.names == []
    every = "platform:admin memory:read"
    assert ask("GET", "/v1/memories", scope=every, **ROOT).status_code == 200
    ((_, principal, _),) = ops.calls.made
    assert principal.owner.tenant == "ops"
    assert ask("GET", "/v1/memories?tenant=acme", scope=every, **ROOT).status_code == 400


@pytest.mark.requirement("E13")
def test_the_platforms_scope_counts_in_its_own_tenant_alone(
    ops: Administered, signing_key: dict[str, Any]
) -> None:
    """Once that tenant is configured, another's token with the scope is one without it."""
    auth = Auth(platform_tenant="ops")
    ops.settings = msgspec.structs.replace(ops.settings, auth=auth)
    with TestClient(ops.app()) as client:
        ask = Asking(client, signing_key)
        assert ask.root("POST", "/v1/admin/tenants", NEW).status_code == 201
        claims = {"tid": "acme", "sub": "root", "azp": "app"}
        both = "platform:admin memory:read"
        assert ask("GET", "/v1/admin/tenants", scope=both, **claims).status_code == 403
        assert ask("GET", "/v1/memories", scope=both, **claims).status_code == 200


@pytest.mark.requirement("E13", "W3")
def test_a_tenants_administrator_keeps_the_clients_of_his_own_tenant(
    ask: Asking, ops: Administered
) -> None:
    """Added, replaced, removed; another tenant's are neither seen nor touched."""
    ask.root("POST", "/v1/admin/tenants", NEW)
    ask.root("POST", "/v1/admin/tenants", NEW | {"id": "globex"})
    put = ask.boss("PUT", "/v1/tenant/clients", {"id": "机器人", "ceiling": "agent_inferred"})
    assert (put.status_code, put.json()) == (200, {"id": "机器人", "ceiling": "agent_inferred"})
    assert ask.reads(client="机器人") == 200
    assert ask.reads("globex", client="机器人") == 403
    listed = ask.boss("GET", "/v1/tenant/clients").json()
    assert [one["id"] for one in listed["items"]] == ["app", NEW["clients"][1]["id"], "机器人"]  # type: ignore[index]
    agent = "/v1/tenant/clients?id=https%3A%2F%2Fagents.example%2Fclient.json"
    assert ask.boss("DELETE", agent).json() == {"id": "https://agents.example/client.json"}
    missing = ask.boss("DELETE", agent)
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert ask.reads(client="https://agents.example/client.json") == 403
    assert ask.reads("globex", client="https://agents.example/client.json") == 200
    last = ops.registry.leaves[-1]
    assert (last.tenant, last.actor, last.action) == ("acme", "boss", "client.remove")


@pytest.mark.requirement("E13", "W3")
def test_nobody_grants_more_than_he_has(ask: Asking) -> None:
    """Neither above what the platform allows, nor above what the asking client itself may claim."""
    above = NEW | {"clients": [{"id": "app", "ceiling": "operator"}]}
    refused = ask.root("POST", "/v1/admin/tenants", above)
    assert refused.status_code == 400
    assert refused.json()["detail"] == "ceiling: at most user_stated"
    ask.root("POST", "/v1/admin/tenants", NEW)
    wanted = {"id": "app", "ceiling": "operator"}
    assert ask.boss("PUT", "/v1/tenant/clients", wanted).status_code == 400
    claims = {"tid": "acme", "sub": "boss", "azp": "https://agents.example/client.json"}
    own = {"id": claims["azp"], "ceiling": "user_stated"}
    raised = ask("PUT", "/v1/tenant/clients", own, scope="tenant:admin", **claims)
    assert raised.status_code == 400
    assert raised.json()["detail"] == "ceiling: at most agent_relayed"
    lowered = ask(
        "PUT", "/v1/tenant/clients", own | {"ceiling": "web"}, scope="tenant:admin", **claims
    )
    assert lowered.status_code == 200


@pytest.mark.requirement("E13", "W3")
def test_a_lower_ceiling_holds_for_all_clients_at_once(ask: Asking, ops: Administered) -> None:
    """What a client was granted before does not outlive what its tenant is granted now."""
    ask.root("POST", "/v1/admin/tenants", NEW)
    ask.reads()
    granted = ask.root("POST", "/v1/admin/tenants/grant", {"id": "acme", "ceiling": "document"})
    assert granted.json()["ceiling"] == "document"
    ask.reads()
    assert [principal.ceiling for _, principal, _ in ops.calls.made] == [
        OriginClass.USER_STATED,
        OriginClass.DOCUMENT,
    ]


@pytest.mark.requirement("E7", "E13")
def test_a_tenants_own_limits_stand_for_those_of_the_settings(
    ask: Asking, ops: Administered
) -> None:
    """Its headers and its refusals go by them; others and what is left out keep the settings'."""
    ask.root("POST", "/v1/admin/tenants", NEW)
    ask.root("POST", "/v1/admin/tenants", NEW | {"id": "globex"})
    limits = {"subject_units_per_minute": 1}
    ask.root("POST", "/v1/admin/tenants/grant", {"id": "acme", "limits": limits})
    kept = ask.root("POST", "/v1/admin/tenants/grant", {"id": "acme", "ceiling": "web"}).json()
    assert kept["limits"]["subject_units_per_minute"] == 1

    def statuses(tenant: str) -> list[int]:
        return [ask.reads(tenant) for _ in range(6)]

    assert statuses("acme") == [200] * 5 + [429]  # a full bucket holds the dearest operation
    assert statuses("globex") == [200] * 6
    ask.root("POST", "/v1/admin/tenants/grant", {"id": "acme", "limits": {}})
    ops.clock.seconds += 1
    assert statuses("acme") == [200] * 6


@pytest.mark.requirement("E13")
def test_tenants_come_page_by_page_in_order(ask: Asking) -> None:
    """A cursor goes on where its page ended; what is no cursor is refused."""
    names = ["Zeta", "acme", "globex", "ops", "租户"]
    for name in names:
        ask.root("POST", "/v1/admin/tenants", {"id": name})
    seen: list[str] = []
    path = "/v1/admin/tenants?limit=2"
    while path:
        page = ask.root("GET", path).json()
        seen += [one["id"] for one in page["items"]]
        path = f"/v1/admin/tenants?limit=2&cursor={page['cursor']}" if page["cursor"] else ""
    assert seen == names
    for cursor in ("%", "AA", "é", "gA"):
        answer = ask.root("GET", f"/v1/admin/tenants?cursor={cursor}")
        assert answer.status_code == 400


@pytest.mark.requirement("E3", "E9")
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"id": ""},
        {"id": "a\x00b"},
        {"id": "a\nb"},
        {"id": "x" * 256},
        {"id": 7},
        {"id": "acme", "suspended": True},
        {"id": "acme", "ceiling": "god"},
        {"id": "acme", "clients": [{"id": "app"}]},
        {"id": "acme", "clients": [{"id": "app", "ceiling": "web", "tenant": "ops"}]},
        {"id": "acme", "limits": {"subject_units_per_minute": 0}},
        {"id": "acme", "limits": {"subject_units_per_minute": 10**10}},
    ],
)
def test_a_bad_registration_is_refused_whole(
    ask: Asking, ops: Administered, body: dict[str, Any]
) -> None:
    """400, and no tenant is there afterwards; the control is."""
    assert ask.root("POST", "/v1/admin/tenants", body).status_code == 400
    assert ops.registry.leaves == []
    assert ask.root("POST", "/v1/admin/tenants", {"id": "acme"}).status_code == 201


@pytest.mark.requirement("E13")
async def test_the_doors_ask_for_their_scope_themselves() -> None:
    """A tenant's administrator who got past the edge would register nobody."""
    house = House()
    boss = caller("boss", scopes=frozenset({*caller().scopes} - {"platform:admin"}))
    with pytest.raises(ForbiddenError):
        await register(boss, TenantId("new"), Terms(), [], house.rooms)
    assert await house.rooms.registry.tenant(TenantId("new")) is None
    await register(caller("root"), TenantId("new"), Terms(), [], house.rooms)
    assert await house.rooms.registry.tenant(TenantId("new")) is not None


@pytest.mark.requirement("E13")
async def test_what_was_read_of_the_registry_is_believed_for_a_bounded_time() -> None:
    """Elsewhere made changes hold when the time is up, own ones at once, strangers never stay."""
    store, clock = MemoryRegistry(), HandClock()
    recent = RecentRegistry(store, 5.0, clock, capacity=2)
    assert await recent.tenant(ACME) is None
    await store.register(Tenant(ACME, suspended=False), [Client(APP, ACME, OriginClass.WEB)])
    assert await recent.tenant(ACME) == Tenant(ACME, suspended=False)
    assert await recent.client(ACME, APP) == Client(APP, ACME, OriginClass.WEB)
    await store.register(Tenant(ACME, suspended=True), [Client(APP, ACME, OriginClass.DOCUMENT)])
    clock.seconds += 4.9
    assert await recent.tenant(ACME) == Tenant(ACME, suspended=False)
    assert await recent.client(ACME, APP) == Client(APP, ACME, OriginClass.WEB)
    clock.seconds += 0.2
    assert await recent.tenant(ACME) == Tenant(ACME, suspended=True)
    assert await recent.client(ACME, APP) == Client(APP, ACME, OriginClass.DOCUMENT)
    await recent.amend(Enrolment(tenant=ACME, suspended=False, removed=(APP,)))
    assert await recent.tenant(ACME) == Tenant(ACME, suspended=False)
    assert await recent.client(ACME, APP) is None
    for number in range(9):
        await recent.register(Tenant(TenantId(str(number)), suspended=False), [])
        await recent.tenant(TenantId(str(number)))
    assert len(recent._tenants._values) == 2


@pytest.mark.requirement("E13")
async def test_the_settings_register_what_is_not_there_and_lift_no_suspension() -> None:
    """Twice the same changes nothing; what is not named stays."""
    house = House()
    desk = LedgerDesk(house.clock, house.new_id, MemoryRegistry())
    entry = TenantEntry(id="acme", clients=(ClientEntry(id="app", ceiling=OriginClass.WEB),))
    assert await enrol((entry,), desk) == 1
    assert await enrol((entry,), desk) == 0
    bot = Client(ClientId("bot"), ACME, OriginClass.AGENT_RELAYED)
    await desk.registry.amend(Enrolment(tenant=ACME, suspended=True, clients=(bot,)))
    raised = TenantEntry(
        id="acme", clients=(ClientEntry(id="app", ceiling=OriginClass.USER_STATED),)
    )
    assert await enrol((raised,), desk) == 1
    tenant = await desk.registry.tenant(ACME)
    assert tenant == Tenant(ACME, suspended=True, ceiling=OriginClass.USER_STATED)
    assert await desk.registry.clients(ACME, None, 9) == [
        Client(APP, ACME, OriginClass.USER_STATED),
        bot,
    ]


FILE = """
[[tenants]]
id = "acme"
clients = [{ id = "app", ceiling = "user_stated" }, { id = "bot", ceiling = "web" }]

[[tenants]]
id = "globex"
ceiling = "operator"
"""


@pytest.mark.requirement("E13")
async def test_a_gateway_registers_what_its_file_names(tmp_path: Path) -> None:
    """At start, before it serves; the next start finds nothing to do."""
    config = tmp_path / "memguard.toml"
    config.write_text(FILE)
    settings = load(
        config=config, environ={}, overrides={"storage.data_dir": str(tmp_path / "data")}
    )
    prepare_models(settings, lambda _step, _done, _total: None)
    for _ in range(2):
        async with opened(settings) as gateway:
            registry = gateway.rooms.registry
            tenants = await registry.tenants(None, 9)
            assert [(one.id, one.ceiling) for one in tenants] == [
                ("acme", OriginClass.USER_STATED),
                ("globex", OriginClass.OPERATOR),
            ]
            clients = await registry.clients(ACME, None, 9)
            assert [one.id for one in clients] == ["app", "bot"]
            await gateway.rooms.audit.integrate()
            leaves = await gateway.rooms.audit.leaves(ACME, 0, 9)
            assert len(leaves) == 3
            assert {one.leaf.client for one in leaves} == {"settings"}


@pytest.mark.requirement("E13")
@pytest.mark.parametrize(
    "wrong",
    [
        '[[tenants]]\nid = "acme"',
        '[[tenants]]\nid = ""',
        '[[tenants]]\nid = "new"\nceiling = "god"',
        '[[tenants]]\nid = "new"\nsuspended = false',
        '[[tenants]]\nid = "new"\nclients = [{ id = "a", ceiling = "operator" }]',
        '[[tenants]]\nid = "n"\nclients = [{id="a",ceiling="web"},{id="a",ceiling="document"}]',
    ],
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path: Path, wrong: str) -> None:
    """Twice the same id, a client above its tenant, unknown words; and none from elsewhere."""
    config = tmp_path / "memguard.toml"
    config.write_text(FILE)
    assert len(load(config=config, environ={}).tenants) == 2
    with pytest.raises(SettingsError, match="unknown variable"):
        load(config=config, environ={"MEMGUARD_TENANTS": "acme"})
    config.write_text(FILE + wrong)
    with pytest.raises(SettingsError):
        load(config=config, environ={})


class _Stream:
    def __init__(self) -> None:
        self._ends = 0

    def ended(self) -> bool:
        return self._ends > 0

    def end(self) -> None:
        self._ends += 1


@pytest.mark.requirement("E13", "M1")
async def test_streams_of_whoever_is_refused_end_and_no_others() -> None:
    """An outage of the registry ends none; no call comes in over them then."""
    registry = MemoryRegistry()
    for name in ("acme", "umbra"):
        tenant = TenantId(name)
        app = Client(APP, tenant, OriginClass.WEB)
        await registry.register(Tenant(tenant, suspended=False), [app])
    streams = Streams(RegisteredOnly(registry), 5.0, Revoked(MemoryRevocations(), 1.0, 60.0))
    one, other, closed = _Stream(), _Stream(), _Stream()
    with streams.watched(caller(), one), streams.watched(caller(tenant="umbra"), other):
        with streams.watched(caller(), closed):
            await streams.look()
        assert not one.ended()
        await registry.amend(Enrolment(tenant=ACME, suspended=True))
        streams._admission = _Away()
        await streams.look()
        assert not one.ended()
        streams._admission = RegisteredOnly(registry)
        await streams.look()
        assert one.ended()
        assert not other.ended()
        assert not closed.ended()


class _Away:
    async def admit(self, tenant: TenantId, client: ClientId) -> OriginClass:
        """Be away."""
        raise UnavailableError(f"ledger of {tenant} {client}")


@pytest.fixture
def world(tmp_path: Path, signing_key: dict[str, Any]) -> World:
    """Return an edge that looks at its streams ten times a second."""
    settings = Settings(auth=Auth(registry_seconds=0.1))
    return World(key_set(tmp_path, signing_key, ed25519_jwk("two")), settings=settings)


@pytest.mark.requirement("E13", "M1")
@pytest.mark.parametrize("path", ["/sse", "/mcp"])
async def test_a_suspension_ends_open_streams(
    live_url: str, world: World, signing_key: dict[str, Any], path: str
) -> None:
    """Over real sockets: the stream closes properly, and another tenant's stays open."""
    async with httpx2.AsyncClient(base_url=live_url, timeout=20) as http:
        mine = await _headers(http, path, token(signing_key))
        theirs = await _headers(http, path, token(signing_key, tid="globex"))
        async with (
            http.stream("GET", path, headers=theirs) as kept,
            http.stream("GET", path, headers=mine) as stream,
        ):
            assert (stream.status_code, kept.status_code) == (200, 200)
            await world.registry.amend(Enrolment(tenant=ACME, suspended=True))
            with anyio.fail_after(8):
                async for _ in stream.aiter_bytes():
                    pass
            again = await http.get("/sse", headers=bearer(token(signing_key)))
            assert again.status_code == 403
            with anyio.move_on_after(0.5) as waited:
                async for _ in kept.aiter_bytes():
                    pass
            assert waited.cancelled_caught


async def _headers(http: httpx2.AsyncClient, path: str, value: str) -> dict[str, str]:
    headers = bearer(value) | {"Accept": "application/json, text/event-stream"}
    if path == "/sse":
        return headers
    told = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    answer = await http.post("/mcp", json=told, headers=headers)
    return headers | {
        "Accept": "text/event-stream",
        "mcp-session-id": answer.headers["mcp-session-id"],
        "mcp-protocol-version": "2025-06-18",
    }
