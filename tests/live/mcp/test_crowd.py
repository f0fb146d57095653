"""Two hundred SSE sessions of twenty tenants at once: nobody hears another, and nothing is left."""

import asyncio
import random
import re
import time
from asyncio import Event
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx2
import msgspec
import pytest

from gateway import app
from tests.live.conftest import Figure
from tests.live.gateway_process import SCOPES, GatewayProcess, gone, until
from tests.live.mcp.talk import BUSY, SECONDS, BusyError, Talk, talking

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

TENANTS: Final = 20
EACH: Final = 10
PAUSE: Final = (5.0, 15.0)
"""Seconds between two calls of one agent, from and to: twenty calls a second of all together."""
LOOKS: Final = ("recall_memory", "get_context", "list_memories", "summarize_memories")
MOST_GROWN: Final = 64
"""MiB that the gateway may have grown by over the whole run, beyond what a first call of each took:
of all answers that went out, a hundredth would be more."""
_MARK: Final = re.compile(r"crowd\d{2}x\d{2}")
_STORED: Final = re.compile(r'\\"outcome\\":\\"stored\\".*\\"id\\":\\"([0-9a-f-]{36})')
_CODE: Final = re.compile(r'\\"error\\":\{\\"code\\":\\"(\w+)')


class Crowd:
    """What all sessions heard together."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.own: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.foreign: list[tuple[str, str]] = []

    def hear(self, mark: str, tool: str, answer: str) -> None:
        """Note an answer, and whether it has anybody else's word in it."""
        self.calls[tool] += 1
        heard = set(_MARK.findall(answer))
        self.own[tool] += mark in heard
        self.foreign += [(mark, one) for one in heard - {mark}]
        self.refused.update(_CODE.findall(answer))


class Measured(msgspec.Struct, frozen=True):
    """The gateway process at one moment."""

    sessions: int
    tasks: int
    mebibytes: int


class Place:
    """The gateway, the tokens of everybody, and the connections to it."""

    def __init__(self, gateway: GatewayProcess, http: httpx2.AsyncClient) -> None:
        self.gateway, self.http = gateway, http
        self.tokens = {
            f"crowd{tenant:02}x{one:02}": self._token(f"tenant-{tenant:02}", f"agent-{one:02}")
            for tenant in range(TENANTS)
            for one in range(EACH)
        }
        admin = self._token("operators", "root", "platform:admin")
        self._admin = {"Authorization": f"Bearer {admin}"}

    def _token(self, tenant: str, subject: str, *scopes: str) -> str:
        return app.token(
            self.gateway.settings,
            tenant=tenant,
            subject=subject,
            scopes=scopes or SCOPES,
            client="crowd",
            ttl_seconds=3600,
        )

    async def measured(self) -> Measured:
        """Return what the gateway says of itself, and the system of it."""
        page = (await self.http.get("/metrics", headers=self._admin)).text
        figures = dict(re.findall(r"^memguard_(mcp_sessions|tasks) (\S+)$", page, re.MULTILINE))
        status = Path(f"/proc/{self.gateway.pid}/status").read_text("utf-8")  # noqa: ASYNC240
        (kibibytes,) = re.findall(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
        sessions, tasks = (int(float(figures[name])) for name in ("mcp_sessions", "tasks"))
        return Measured(sessions, tasks, int(kibibytes) // 1024)

    async def settled(self) -> Measured:
        """Return the same once every session is gone and what they began is done."""
        last = [0, 1]

        async def quiet() -> bool:
            now = await self.measured()
            last.append(now.tasks)
            return now.sessions == 0 and len(set(last[-5:])) == 1

        await self.gateway.drained()
        await until(quiet, "the sessions are gone", poll=0.2)
        return await self.measured()


@asynccontextmanager
async def _placed(gateway: GatewayProcess) -> AsyncIterator[Place]:
    async with httpx2.AsyncClient(
        base_url=gateway.url,
        timeout=httpx2.Timeout(SECONDS, read=None),
        # A connection that idles for five seconds is closed by the gateway, maybe at the very
        # moment when the next message goes out over it: none is kept for as long.
        limits=httpx2.Limits(
            max_connections=None, max_keepalive_connections=None, keepalive_expiry=1.0
        ),
        trust_env=False,
    ) as http:
        yield Place(gateway, http)


async def _round(talk: Talk, mark: str, crowd: Crowd, choose: random.Random) -> AsyncIterator[None]:
    """Call some tools, one after the other. Of what was stored, half is forgotten."""

    async def call(tool: str, **arguments: Any) -> str:
        try:
            answer = await talk.call(tool, **arguments)
        except BusyError as error:
            crowd.refused[str(error)] += 1
            return ""
        crowd.hear(mark, tool, answer)
        return answer

    asking = f"Where does {mark} keep the spare key?"
    plan: dict[str, dict[str, Any]] = {
        "recall_memory": {"query": asking},
        "list_memories": {"limit": 20},
        "get_context": {"task": asking},
        "summarize_memories": {"topic": asking},
    }
    numbers = f"{choose.randint(1, 999)} in drawer {choose.randint(1, 99)}"
    stored = await call("store_memory", text=f"{mark} keeps spare key {numbers}.")
    yield
    for tool in choose.sample(sorted(plan), 2):
        await call(tool, **plan[tool])
        yield
    found = _STORED.search(stored)
    if found is not None and choose.random() < 0.5:  # what is held, an agent does not see again
        await call("forget_memory", id=found[1])
        yield


async def _agent(
    place: Place, mark: str, crowd: Crowd, arrived: asyncio.Barrier, over: Event
) -> None:
    """Use one session until it is over, with pauses as an agent has them; at least one round."""
    choose = random.Random(int(mark[5:7]) * EACH + int(mark[8:]))  # noqa: S311
    async with talking(place.http, place.tokens[mark]) as (talk, listening):
        await arrived.wait()
        await asyncio.sleep(choose.uniform(0, PAUSE[1]))
        while True:
            async for _ in _round(talk, mark, crowd, choose):
                assert not listening.done()
                await asyncio.sleep(choose.uniform(*PAUSE))
            if over.is_set():
                break
        await arrived.wait()


async def _meet(place: Place, crowd: Crowd, seconds: float) -> Measured:
    """Have everybody talk for so long; return how the gateway was when all of them were there."""
    over, arrived = Event(), asyncio.Barrier(len(place.tokens) + 1)
    async with asyncio.TaskGroup() as agents:
        for mark in place.tokens:
            agents.create_task(_agent(place, mark, crowd, arrived, over))
        await arrived.wait()
        ends = time.monotonic() + seconds
        crowded = await place.measured()
        await asyncio.sleep(ends - time.monotonic())
        over.set()
        await arrived.wait()
    return crowded


@pytest.mark.requirement("M1", "M3", "E12")
async def test_a_crowd_hears_nobody_else_and_leaves_nothing_behind(
    gateway: GatewayProcess, figure: Figure, crowd_seconds: float
) -> None:
    """Every answer has only the asker's own words; sessions, tasks and memory are given back, and
    whoever is connected when the gateway stops is properly seen off.
    """
    async with _placed(gateway) as place:
        await _meet(place, Crowd(), 0)
        before = await place.settled()
        crowd = Crowd()
        crowded = await _meet(place, crowd, crowd_seconds)
        after = await place.settled()
        found = sum(crowd.own[one] for one in LOOKS)
        figure(
            f"{len(place.tokens)} SSE sessions of {TENANTS} tenants for {crowd_seconds:.0f} s: "
            f"{crowd.calls.total()} calls answered, {dict(crowd.refused)} refused; own words "
            f"found {found} times, foreign ones {len(crowd.foreign)}; before, with all, after: "
            f"tasks {before.tasks}, {crowded.tasks}, {after.tasks}; "
            f"MiB {before.mebibytes}, {crowded.mebibytes}, {after.mebibytes}"
        )
        assert crowded.sessions == len(place.tokens)
        assert crowd.foreign == []
        assert crowd.refused.keys() <= set(BUSY.values())
        # Positive control: what each looks for is his own, and he does find it.
        assert found > 0
        assert after.sessions == 0
        assert after.tasks <= before.tasks
        assert after.mebibytes - before.mebibytes <= MOST_GROWN
        await _seen_off(place, figure)


async def _seen_off(place: Place, figure: Figure) -> None:
    """Stop the gateway while everybody is connected: each stream ends as a stream should."""
    workers = place.gateway.worker_pids()
    async with AsyncExitStack() as stack:
        streams = [
            (await stack.enter_async_context(talking(place.http, token)))[1]
            for token in place.tokens.values()
        ]
        began = time.monotonic()
        place.gateway.terminate()
        async with asyncio.timeout(30):
            await asyncio.gather(*streams)  # raises for a stream that was cut off
        assert await place.gateway.ended() == 0, place.gateway.last_words()
    figure(f"{len(streams)} streams ended properly on SIGTERM in {time.monotonic() - began:.1f} s")
    assert all(gone(one) for one in workers)
