"""Every operation is paid for, at the same price from the same buckets on REST and on MCP (E7)."""

import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Final

import httpx2
import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient
from mcp import Client, MCPError

from gateway.rates import (
    Allowance,
    Cashier,
    Operation,
    Quotas,
    operation_of_prompt,
    operation_of_resource,
    operation_of_tool,
)
from gateway.scopes import PROMPTS, RESOURCES, ROUTES, TOOLS, Access
from gateway.settings import Limits
from guard.errors import LimitedError
from guard.principal import Scope
from memory.types import TenantId
from storage.limits.fallback import FallbackBuckets
from storage.limits.local import LocalBuckets
from storage.limits.shared import Server, SharedBuckets
from storage.rootkey import RootKey
from tests.contracts.bucket_builders import GENEROUS_SECONDS, HandClock
from tests.edges.test_mcp import ACCEPT, INITIALIZE, _older_streamable, _sse, _streamable
from tests.edges.world import ID, World, bearer, token
from tests.house import AGENT, ALICE, BOB, MALLORY
from tests.redis import RedisProcess, find_server

pytestmark = pytest.mark.requirement("E7")

TIGHT: Final = Limits(
    subject_units_per_minute=60,
    origin_units_per_minute=120,
    tenant_units_per_minute=180,
    burst_seconds=10,
)
"""Buckets of 10, 20 and 30 units; a write costs 5, a recall 2, a read 1."""
PRICES: Final = {Operation.WRITE: 5, Operation.RECALL: 2, Operation.READ: 1, Operation.ADMIN: 2}
LIST_OF_ITEMS: Final = re.compile(r'"[a-z]+"(;[a-z]+=\d+)+(, "[a-z]+"(;[a-z]+=\d+)+)*')
Connect = Callable[[str, str], AbstractAsyncContextManager[Client]]


@pytest.fixture
def tight(world: World) -> World:
    """Return an edge with small buckets, on a clock that stands still."""
    world.settings = msgspec.structs.replace(world.settings, limits=TIGHT)
    return world


@pytest.fixture
def rest(tight: World) -> Iterator[TestClient[Litestar]]:
    """Yield a client of that edge."""
    with TestClient(tight.app(), raise_server_exceptions=False) as opened:
        yield opened


def _items(field: str) -> dict[str, dict[str, int]]:
    """Return a structured field's items with their parameters."""
    assert LIST_OF_ITEMS.fullmatch(field), field
    found = {}
    for item in field.split(", "):
        name, *parameters = item.split(";")
        pairs = (one.split("=") for one in parameters)
        found[name.strip('"')] = {key: int(value) for key, value in pairs}
    return found


def _recall(client: TestClient[Litestar], value: str) -> httpx2.Response:
    answer: Any = client.post("/v1/recall", json={"query": "seat"}, headers=bearer(value))
    return answer  # type: ignore[no-any-return]


def test_an_answer_tells_the_limits_and_what_is_left(
    rest: TestClient[Litestar], signing_key: dict[str, Any]
) -> None:
    """Policies with quota and window; of what is left only the subject's own bucket is told."""
    answer = _recall(rest, token(signing_key))
    assert answer.status_code == 200
    assert _items(answer.headers["RateLimit-Policy"]) == {
        "subject": {"q": 10, "w": 10},
        "origin": {"q": 20, "w": 10},
        "tenant": {"q": 30, "w": 10},
    }
    assert _items(answer.headers["RateLimit"]) == {"subject": {"r": 8, "t": 2}}


def test_each_operation_has_its_price(
    rest: TestClient[Litestar], tight: World, signing_key: dict[str, Any]
) -> None:
    """A write, a recall, a read and a review leave what they should."""
    requests: list[tuple[Operation, str, str, dict[str, Any] | None]] = [
        (Operation.WRITE, "POST", "/v1/memories", {"text": "tea"}),
        (Operation.WRITE, "DELETE", f"/v1/memories/{ID}", None),
        (Operation.RECALL, "POST", "/v1/recall", {"query": "tea"}),
        (Operation.READ, "GET", "/v1/memories", None),
        (Operation.READ, "GET", f"/v1/memories/{ID}", None),
        (Operation.ADMIN, "GET", "/v1/quarantine", None),
    ]
    for operation, method, path, body in requests:
        tight.clock.seconds += 3600
        answer = rest.request(method, path, json=body, headers=bearer(token(signing_key)))
        left = _items(answer.headers["RateLimit"])["subject"]["r"]
        assert left == 10 - PRICES[operation], (method, path)


def test_every_route_and_tool_has_a_price() -> None:
    """No row of the scopes table is free but the public ones; recalls cost as recalls."""
    for needed in ROUTES.values():
        assert needed in Access or needed in set(Scope)
    for tool in TOOLS:
        assert operation_of_tool(tool) in PRICES
    for template in RESOURCES:
        assert operation_of_resource(template) is Operation.READ
    for prompt in PROMPTS:
        assert operation_of_prompt(prompt) is Operation.RECALL
    for tool in ("recall_memory", "get_context", "summarize_memories"):
        assert operation_of_tool(tool) is Operation.RECALL
    assert operation_of_tool("list_memories") is Operation.READ
    assert operation_of_tool("update_memory") is Operation.WRITE
    assert operation_of_tool("store_memory") is Operation.WRITE
    assert operation_of_tool("forget_memory") is Operation.WRITE


def test_whoever_has_spent_all_is_refused_and_told_when_to_come_back(
    rest: TestClient[Litestar], tight: World, signing_key: dict[str, Any]
) -> None:
    """Problem details with Retry-After and the limit's name; no door opens; later it does again."""
    value = token(signing_key)
    assert [_recall(rest, value).status_code for _ in range(5)] == [200] * 5
    refused = _recall(rest, value)
    assert refused.status_code == 429
    assert refused.headers["Content-Type"].startswith("application/problem+json")
    assert refused.headers["Retry-After"] == "2"
    assert _items(refused.headers["RateLimit"]) == {"subject": {"r": 0, "t": 2}}
    assert _items(refused.headers["RateLimit-Policy"])["tenant"]["q"] == 30
    assert refused.json() == {
        "type": "urn:memguard:problem:limited",
        "title": "Too many requests",
        "status": 429,
        "code": "limited",
        "violated-policies": ["subject"],
    }
    assert len(tight.calls.made) == 5
    tight.clock.seconds += 2
    assert [_recall(rest, value).status_code for _ in range(2)] == [200, 429]


def test_subjects_clients_and_tenants_pay_from_their_own(
    rest: TestClient[Litestar], signing_key: dict[str, Any]
) -> None:
    """One subject's spending leaves others their share, up to what client and tenant have."""

    def spend(units: int, **changes: str) -> list[str]:
        value = token(signing_key, **changes)
        refusals = []
        for _ in range(units):
            answer = rest.get("/v1/memories", headers=bearer(value))
            if answer.status_code != 200:
                refusals += answer.json()["violated-policies"]
        return refusals

    assert spend(12, sub="alice") == ["subject"] * 2
    assert spend(10, sub="bob") == []
    assert spend(1, sub="carol") == ["origin"]
    assert spend(10, sub="carol", azp="another-app") == []
    assert spend(1, sub="dave", azp="a-third-app") == ["tenant"]
    assert spend(1, sub="alice") == ["subject", "origin", "tenant"]
    assert spend(10, sub="alice", tid="globex") == []


def test_a_body_is_not_read_before_it_is_paid_for(
    rest: TestClient[Litestar], signing_key: dict[str, Any]
) -> None:
    """A body that would be refused for its size is refused for the price first."""
    large = {"text": "a" * 300_000}
    value = token(signing_key)
    statuses = [
        rest.post("/v1/memories", json=large, headers=bearer(value)).status_code for _ in range(3)
    ]
    assert statuses == [413, 413, 429]


def test_what_is_public_is_free(rest: TestClient[Litestar], signing_key: dict[str, Any]) -> None:
    """Health answers whoever has spent all, too."""
    for _ in range(6):
        _recall(rest, token(signing_key))
    assert _recall(rest, token(signing_key)).status_code == 429
    answer = rest.get("/healthz", headers=bearer(token(signing_key)))
    assert answer.status_code == 200
    assert "RateLimit" not in answer.headers


@pytest.fixture(params=[_streamable, _older_streamable, _sse], ids=["http", "http-older", "sse"])
def connect(request: pytest.FixtureRequest) -> Connect:
    """Return a way to connect: each transport in turn."""
    way: Connect = request.param
    return way


async def test_mcp_pays_the_same_price_from_the_same_buckets(
    tight: World, live_url: str, signing_key: dict[str, Any], connect: Connect
) -> None:
    """What was spent over REST is missing over MCP and the other way round; the refusal of a tool
    names the seconds to wait, and no door opens.
    """
    value = token(signing_key)
    async with (
        connect(live_url, value) as client,
        httpx2.AsyncClient(base_url=live_url, headers=bearer(value)) as http,
    ):
        assert (await http.post("/v1/recall", json={"query": "tea"})).status_code == 200
        assert not (await client.call_tool("store_memory", {"text": "tea"})).is_error
        assert not (await client.call_tool("recall_memory", {"query": "tea"})).is_error
        refused = await client.call_tool("recall_memory", {"query": "tea"})
        assert refused.is_error
        (block,) = refused.content
        assert block.type == "text"
        assert json.loads(block.text)["error"] == {
            "code": "limited",
            "title": "Too many requests",
            "repair": "Wait for `retry_after_seconds`, then send the same call again.",
            "retry_after_seconds": 1,
        }
        assert (await http.post("/v1/recall", json={"query": "tea"})).status_code == 429
        assert tight.calls.names == ["recall", "remember", "recall"]
        tight.clock.seconds += 1
        assert not (await client.call_tool("recall_memory", {"query": "tea"})).is_error
        assert (await http.post("/v1/recall", json={"query": "tea"})).status_code == 429


@pytest.mark.usefixtures("tight")
async def test_messages_that_call_no_tool_are_bounded(
    live_url: str, signing_key: dict[str, Any]
) -> None:
    """A flood at the transport gets 429, and the operations are not charged for it."""
    headers = bearer(token(signing_key)) | ACCEPT
    async with httpx2.AsyncClient(base_url=live_url) as http:
        answers = [await http.post("/mcp", json=INITIALIZE, headers=headers) for _ in range(11)]
        assert [one.status_code for one in answers[:10]] == [200] * 10
        refused = answers[10]
        assert refused.status_code == 429
        assert refused.headers["Retry-After"] == "1"
        assert refused.json()["violated-policies"] == ["messages"]
        assert _items(answers[0].headers["RateLimit"]) == {"messages": {"r": 9, "t": 1}}
        listing = await http.get("/v1/memories", headers=headers)
        assert _items(listing.headers["RateLimit"])["subject"]["r"] == 9


async def test_whoever_goes_on_calling_refused_tools_is_refused_by_the_transport(
    tight: World, live_url: str, signing_key: dict[str, Any]
) -> None:
    """Each call is a message as well, so even refusals are bounded."""
    outcomes: list[str] = []
    async with _streamable(live_url, token(signing_key)) as client:
        for _ in range(11):
            try:
                answer = await client.call_tool("store_memory", {"text": "a"})
            except MCPError:
                outcomes.append("by the transport")
            else:
                outcomes.append("by the tool" if answer.is_error else "served")
    assert outcomes[:2] == ["served"] * 2
    assert outcomes == sorted(outcomes, key=["served", "by the tool", "by the transport"].index)
    assert set(outcomes) == {"served", "by the tool", "by the transport"}
    assert tight.calls.names == ["remember", "remember"]


async def test_an_agent_and_an_application_have_a_share_each() -> None:
    """One client id speaks as two origins: what the agent spends, the application still has."""
    cashier = _cashier(LocalBuckets(HandClock()), TIGHT)
    for _ in range(4):
        await cashier.charge(AGENT, Operation.WRITE)
    with pytest.raises(LimitedError):
        await cashier.charge(AGENT, Operation.WRITE)
    await cashier.charge(BOB, Operation.WRITE)


async def test_a_tenant_may_have_limits_of_its_own() -> None:
    """What a tenant may spend is asked for each operation, and answered per tenant."""
    wide = Allowance(1000, 1.0)
    narrow = Allowance(5, 1.0)

    async def quotas_of(tenant: TenantId) -> Quotas:
        one = narrow if tenant == MALLORY.owner.tenant else wide
        return Quotas(one, one, one)

    cashier = Cashier(LocalBuckets(HandClock()), TIGHT, quotas_of)
    for _ in range(10):
        await cashier.charge(ALICE, Operation.WRITE)
    await cashier.charge(MALLORY, Operation.WRITE)
    with pytest.raises(LimitedError):
        await cashier.charge(MALLORY, Operation.READ)


def _cashier(buckets: LocalBuckets, limits: Limits) -> Cashier:
    wide = Allowance(1000, 1.0)

    async def quotas_of(_: TenantId) -> Quotas:
        return Quotas(tenant=wide, origin=Allowance(20, 1.0), subject=wide)

    return Cashier(buckets, limits, quotas_of)


@pytest.fixture
async def store(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[RedisProcess]:
    """Yield a real server of this test's own."""
    process = RedisProcess(find_server(request.config), tmp_path)
    process.start()
    yield process
    process.kill()


def _with_store(world: World, store: RedisProcess, root: RootKey) -> SharedBuckets:
    shared = SharedBuckets.connected(Server(store.url, GENEROUS_SECONDS), root)
    world.buckets = FallbackBuckets(
        shared,
        LocalBuckets(world.clock),
        world.clock,
        deadline_seconds=GENEROUS_SECONDS,
    )
    return shared


async def _statuses(app: Litestar, value: str, times: int) -> list[int]:
    transport = httpx2.ASGITransport(app=app)  # type: ignore[arg-type]
    async with httpx2.AsyncClient(transport=transport, base_url="http://gateway") as http:
        answers = [await http.get("/v1/quarantine", headers=bearer(value)) for _ in range(times)]
    return [one.status_code for one in answers]


async def test_replicas_share_the_limits_and_an_outage_lifts_none(
    tight: World, store: RedisProcess, signing_key: dict[str, Any]
) -> None:
    """Two gateways on one store give together what one would; without it each counts alone."""
    root = RootKey.from_bytes(secrets.token_bytes(32))
    # A refill so slow that the test's own time does not show.
    limits = Limits(subject_units_per_minute=1, burst_seconds=600)
    tight.settings = msgspec.structs.replace(tight.settings, limits=limits)
    replicas, opened = [], []
    for _ in range(2):
        opened.append(_with_store(tight, store, root))
        replicas.append(tight.app())
    value = token(signing_key)

    async def both(times: int) -> list[int]:
        done = await asyncio.gather(*(_statuses(app, value, times) for app in replicas))
        return sorted(status for part in done for status in part)

    assert await both(5) == [200] * 5 + [429] * 5
    store.kill()
    assert await both(8) == [200] * 10 + [429] * 6
    for one in opened:
        await one.close()
