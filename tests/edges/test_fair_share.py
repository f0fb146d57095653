"""A tenant at work all over its share waits for itself; nobody else waits for it (E8)."""

import asyncio
import json
from typing import Any, Final

import httpx2
import msgspec
import pytest

from gateway.settings import Limits
from tests.edges.test_mcp import _older_streamable, _sse, _streamable
from tests.edges.test_rate_limits import Connect
from tests.edges.world import World, bearer, token

pytestmark = pytest.mark.requirement("E8")

SHARES: Final = Limits(concurrency=3, tenant_concurrency=2, tenant_queue=1)


class Gate:
    """Holds every write until the test opens it."""

    def __init__(self, world: World) -> None:
        self.arrived = 0
        self._open = asyncio.Event()
        self._changed = asyncio.Condition()
        world.calls.pause = self._pause

    async def _pause(self) -> None:
        async with self._changed:
            self.arrived += 1
            self._changed.notify_all()
        await self._open.wait()

    async def reached(self, writes: int) -> None:
        """Return once so many writes are at work."""
        async with self._changed, asyncio.timeout(20):
            await self._changed.wait_for(lambda: self.arrived >= writes)

    def open(self) -> None:
        """Let all go on."""
        self._open.set()


@pytest.fixture
def shared(world: World) -> World:
    """Return an edge on which three may work, two of one tenant, and one of a tenant may wait."""
    world.settings = msgspec.structs.replace(world.settings, limits=SHARES)
    return world


async def test_one_tenant_fills_its_share_and_no_more(
    shared: World, live_url: str, signing_key: dict[str, Any]
) -> None:
    """Two work, one waits, a fourth is refused with Retry-After; another tenant is served."""
    gate = Gate(shared)
    async with httpx2.AsyncClient(base_url=live_url, timeout=20) as http:

        async def write(tenant: str) -> httpx2.Response:
            headers = bearer(token(signing_key, tid=tenant))
            return await http.post("/v1/memories", json={"text": "tea"}, headers=headers)

        flood = [asyncio.create_task(write("acme")) for _ in range(4)]
        await gate.reached(2)
        done, _ = await asyncio.wait(flood, return_when=asyncio.FIRST_COMPLETED, timeout=20)
        (refused,) = (task.result() for task in done)
        assert refused.status_code == 429
        assert refused.headers["Retry-After"] == "1"
        assert refused.json()["code"] == "limited"

        # Reads are not held by the gate: the other tenant gets its answer beside the flood.
        headers = bearer(token(signing_key, tid="globex"))
        assert (await http.get("/v1/memories", headers=headers)).status_code == 200
        assert gate.arrived == 2
        gate.open()
        assert sorted([(await task).status_code for task in flood]) == [201, 201, 201, 429]


@pytest.mark.parametrize("connect", [_streamable, _older_streamable, _sse])
async def test_tool_calls_wait_for_the_same_slots(
    shared: World, live_url: str, signing_key: dict[str, Any], connect: Connect
) -> None:
    """A tenant's slots taken over REST are missing to its agents, and the tool says so."""
    gate = Gate(shared)
    value = token(signing_key)
    async with (
        connect(live_url, value) as client,
        httpx2.AsyncClient(base_url=live_url, timeout=20, headers=bearer(value)) as http,
    ):
        writes = [
            asyncio.create_task(http.post("/v1/memories", json={"text": "tea"})) for _ in range(2)
        ]
        await gate.reached(2)
        calls = [
            asyncio.create_task(client.call_tool("recall_memory", {"query": "tea"}))
            for _ in range(2)
        ]
        done, waiting = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED, timeout=20)
        (refused,) = (task.result() for task in done)
        assert refused.is_error
        (block,) = refused.content
        assert block.type == "text"
        assert json.loads(block.text)["error"]["code"] == "limited"
        assert json.loads(block.text)["error"]["retry_after_seconds"] == 1
        gate.open()
        for task in waiting:
            assert not (await task).is_error
        assert [(await task).status_code for task in writes] == [201, 201]
