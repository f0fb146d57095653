"""Forgetting has two modes at every edge: erase, and let fade (M4, M6)."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from litestar import Litestar
from litestar.testing import TestClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.edges.guarded import Guarded
from tests.edges.world import ID, OTHER_ID, World, bearer, token

TEXT, OTHER = "Ada rides the blue bicycle to work.", "Ada rides the green bicycle to work."
ASKED = {"query": "Which bicycle does Ada ride to work?"}


@pytest.mark.requirement("M4", "M6", "E4")
def test_rest_erases_unless_it_is_asked_to_let_fade(
    client: TestClient[Litestar], world: World, signing_key: dict[str, Any]
) -> None:
    """One route, one scope, two doors; anything else in the query is refused and reaches none."""
    mine = bearer(token(signing_key))
    for query, status, doors in (
        ("", 200, ["forget"]),
        ("?mode=erase", 200, ["forget"]),
        ("?mode=fade", 200, ["fade"]),
        ("?mode=FADE", 400, []),
        ("?mode=", 400, []),
        ("?mode=fade&mode=erase", 400, []),
        ("?mode=fade&subject=bob", 400, []),
    ):
        world.calls.made.clear()
        answer = client.delete(f"/v1/memories/{ID}{query}", headers=mine)
        assert (answer.status_code, world.calls.names) == (status, doors)
    assert client.delete(f"/v1/memories/{OTHER_ID}?mode=fade", headers=mine).status_code == 404
    reader = bearer(token(signing_key, scope="memory:read memory:write"))
    world.calls.made.clear()
    assert client.delete(f"/v1/memories/{ID}?mode=fade", headers=reader).status_code == 403
    assert world.calls.names == []


@pytest.mark.requirement("M4", "M6")
async def test_the_tool_does_what_the_route_does(
    live_url: str, world: World, signing_key: dict[str, Any]
) -> None:
    """The same doors by the same words, and a word that is neither is told how to be repaired."""
    async with (
        _session(live_url, signing_key) as http,
        Client(streamable_http_client(f"{live_url}/mcp", http_client=http)) as agent,
    ):
        for more, doors in (({}, ["forget"]), ({"mode": "fade"}, ["fade"])):
            world.calls.made.clear()
            answer = await agent.call_tool("forget_memory", {"id": ID, **more})
            assert not answer.is_error
            assert world.calls.names == doors
        wrong = await agent.call_tool("forget_memory", {"id": ID, "mode": "hide"})
        (block,) = wrong.content
        told = json.loads(block.text)["error"]  # type: ignore[union-attr]
        assert (told["argument"], told["example"]) == ("mode", "fade")
        assert "one of erase, fade" in told["repair"]


@pytest.mark.requirement("M4", "R4", "E5")
async def test_over_the_real_doors_a_faded_memory_ranks_behind(tmp_path: Path) -> None:
    """Its owner sees it fall and comes back to it; nobody else can make it fall."""
    site = Guarded(tmp_path)
    try:
        ada, bob = site.client(sub="ada"), site.client(sub="bob")
        one = (await ada.post("/v1/memories", json={"text": TEXT})).json()["id"]
        await ada.post("/v1/memories", json={"text": OTHER})

        async def scores() -> dict[str, float]:
            items = (await ada.post("/v1/recall", json=ASKED)).json()["items"]
            return {item["id"]: item["score"] for item in items}

        before = await scores()
        assert (await bob.delete(f"/v1/memories/{one}?mode=fade")).status_code == 404
        assert (await scores())[one] == pytest.approx(before[one], rel=0.01)
        receipt = (await ada.delete(f"/v1/memories/{one}?mode=fade")).json()
        assert receipt["removed"] == []
        after = await scores()
        assert after[one] == pytest.approx(before[one] / 2, rel=0.01)
        assert list(after)[-1] == one
    finally:
        await site.close()


def _session(url: str, key: dict[str, Any]) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=url, headers=bearer(token(key)))
