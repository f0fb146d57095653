"""A whole gateway whose index is a Qdrant server, over a socket: served by the double."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from gateway.app import chores, serving, tokens
from gateway.app.serving import Adapters
from gateway.settings import Settings, load
from memory.types import MemoryId, TenantId
from tests.edges.qdrant_served import ServedDouble, served_double

_TEXT = "I prefer the window seat on night trains."
_QUESTION = {"query": "Which seat do I prefer on a night train?"}


class World:
    """A server, and a gateway on it with one caller."""

    def __init__(
        self,
        settings: Settings,
        qdrant: ServedDouble,
        adapters: Adapters,
        client: httpx2.AsyncClient,
    ) -> None:
        self.settings = settings
        self.qdrant = qdrant
        self.adapters = adapters
        self.client = client

    async def remember(self, text: str) -> str:
        """Store a memory and return its id."""
        answer = await self.client.post("/v1/memories", json={"text": text})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def recall(self) -> tuple[list[str], bool]:
        """Return the ids that the question finds, and whether the answer is degraded."""
        answer = await self.client.post("/v1/recall", json=_QUESTION)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return [item["id"] for item in told["items"]], told["degraded"]

    async def followed(self) -> None:
        """Return when the index has all that the ledger has."""
        async with asyncio.timeout(60):
            while await self.adapters.keep.outbox.waiting():  # noqa: ASYNC110 - turns, not time
                await asyncio.sleep(0)

    async def healthy(self) -> list[str]:
        """Return what the question finds once the answer is not degraded any more."""
        async with asyncio.timeout(60):
            while True:
                ids, degraded = await self.recall()
                if not degraded:
                    return ids


def settings_of(folder: Path, url: str, placement: str) -> Settings:
    """Return the settings of a gateway on that server."""
    return load(
        environ={
            "MEMGUARD_STORAGE_DATA_DIR": str(folder / "data"),
            "MEMGUARD_INDEX_KIND": "server",
            "MEMGUARD_INDEX_URL": url,
            "MEMGUARD_INDEX_PLACEMENT": placement,
            # An answer that is kept needs no index to be given again.
            "MEMGUARD_RECALL_CACHE_BYTES": "0",
        }
    )


@pytest.fixture(params=["per-tenant", "shared"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """Run a gateway on a fresh server."""
    async with served_double() as qdrant:
        settings = settings_of(tmp_path, qdrant.url, request.param)
        serving.prepare_models(settings, lambda _step, _done, _total: None)
        async with serving.adapters_of(settings) as adapters:
            app = serving.assembled(settings, adapters).litestar
            token = tokens.token(
                settings,
                tenant="acme",
                subject="alice",
                scopes=("memory:read", "memory:write"),
                client="dev-app",
                ttl_seconds=3600,
            )
            async with httpx2.AsyncClient(
                transport=httpx2.ASGITransport(app=cast("Any", app)),
                base_url=settings.url,
                headers={"Authorization": f"Bearer {token}"},
            ) as client:
                yield World(settings, qdrant, adapters, client)


@pytest.mark.requirement("S2", "R11")
async def test_a_gateway_on_a_server_recalls_does_without_it_and_heals_it(world: World) -> None:
    """What was indexed is found through the server; without it the ledger answers, and says so; a
    server that comes back empty is filled again from the ledger, by nobody's hand.
    """
    first = await world.remember(_TEXT)
    await world.followed()
    world.qdrant.double.requests.clear()
    assert await world.recall() == ([first], False)
    searches = [r.url.path for r in world.qdrant.double.requests]
    assert [path.endswith("/points/query/batch") for path in searches] == [True, True]

    await world.qdrant.stop()
    degraded = [await world.recall() for _ in range(3)]
    assert degraded == [([first], True)] * 3
    started = time.perf_counter()
    assert await world.recall() == ([first], True)
    assert time.perf_counter() - started < 1.0  # the breaker: nobody waits for the dead

    await world.qdrant.double.wipe()
    await world.qdrant.start()
    assert await world.healthy() == [first]
    stored = [
        point
        for name in await world.qdrant.double.names()
        for point in await world.qdrant.double.points(name)
    ]
    assert [point.id for point in stored] == [first]
    async with asyncio.timeout(60):
        while "memguard-about" not in await world.qdrant.double.names():  # noqa: ASYNC110
            await asyncio.sleep(0)


@pytest.mark.requirement("S2", "S9")
@pytest.mark.parametrize("world", ["shared"], indirect=True)
async def test_an_operator_repairs_beside_a_running_gateway(world: World) -> None:
    """Unlike the embedded index, a server needs no gateway to stop for its repair."""
    first = await world.remember(_TEXT)
    await world.followed()
    drifts = await chores.reconcile(world.settings, None)
    assert [(one.tenant, one.missing, one.stale, one.orphans) for one in drifts] == [
        ("acme", 0, 0, 0)
    ]
    await world.adapters.index.remove(TenantId("acme"), [MemoryId(first)])
    assert await world.recall() == ([], False)
    assert [one.missing for one in await chores.reconcile(world.settings, None)] == [1]
    assert await world.recall() == ([first], False)
    assert await chores.rebuild(world.settings, None, lambda _step, _done, _total: None) == 1
    assert await world.recall() == ([first], False)
    (index,) = [one for one in await chores.examine(world.settings) if one.name == "index"]
    assert (index.ok, index.detail) == (True, "whole")
