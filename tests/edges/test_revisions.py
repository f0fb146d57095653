"""What replaces what, over REST and MCP, through the real doors (W9, W10, R14)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from gateway.mcp.tools import memory_tools
from tests.edges.guarded import Guarded
from tests.house import AGENT

OLD, NEW, NEWEST = "My port is 5432.", "My port is 5433.", "My port is 5434."
ASKED: Final = {"query": "What is my port?"}


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def said(http: httpx2.AsyncClient, text: str, **more: Any) -> dict[str, Any]:
    """Write, and return what was told."""
    answer = await http.post("/v1/memories", json={"text": text, **more})
    told: dict[str, Any] = answer.json()
    return told


async def known(http: httpx2.AsyncClient, **more: Any) -> list[str]:
    """Return the texts that a question brings back."""
    answer = await http.post("/v1/recall", json=ASKED | more)
    assert answer.status_code == 200, answer.text
    return [item["text"] for item in answer.json()["items"]]


async def agent_says(guarded: Guarded, text: str) -> dict[str, Any]:
    """Return what the agent's tool answers."""
    tool = memory_tools(guarded.edge())["store_memory"]
    return (await tool.call(AGENT, {"text": text})).structured_content or {}


@pytest.mark.requirement("W10", "W12")
async def test_a_superseding_write_names_what_it_replaced(guarded: Guarded) -> None:
    """Over REST with 201 and where the new one is; over MCP in the tool's answer."""
    http = guarded.client()
    old = await said(http, OLD)
    answer = await http.post("/v1/memories", json={"text": NEW})
    new = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/memories/{new['id']}"
    assert (new["outcome"], new["supersedes"]) == ("superseding", old["id"])
    assert new["reasons"] == ["relate.newer", f"memory.{old['id']}"]
    assert await known(http) == [NEW]

    first = await agent_says(guarded, "I live in Porto.")
    guarded.house.later(minutes=1)
    second = await agent_says(guarded, "I live in Lisbon now.")
    assert (second["outcome"], second["supersedes"]) == ("superseding", first["id"])


@pytest.mark.requirement("W10")
async def test_what_was_superseded_is_listed_when_asked_for(guarded: Guarded) -> None:
    """And not otherwise."""
    http = guarded.client()
    old, new = await said(http, OLD), await said(http, NEW)
    listed = (await http.get("/v1/memories")).json()["items"]
    assert [one["id"] for one in listed] == [new["id"]]
    past = (await http.get("/v1/memories?state=superseded")).json()["items"]
    assert [(one["id"], one["superseded_by"]) for one in past] == [(old["id"], new["id"])]


@pytest.mark.requirement("W4", "W10")
async def test_an_agent_against_the_user_is_held_with_both_sides(guarded: Guarded) -> None:
    """His own word stays, and the answer names it."""
    http = guarded.client()
    own = await said(http, OLD)
    held = await agent_says(guarded, NEW)
    assert held["outcome"] == "quarantined"
    assert [*held["reasons"]][-2:] == ["relate.conflict", f"memory.{own['id']}"]
    assert await known(http) == [OLD]


@pytest.mark.requirement("R14")
async def test_the_past_is_asked_for_by_an_instant(guarded: Guarded) -> None:
    """Over both edges alike; an instant without an offset is refused."""
    http = guarded.client()
    await said(http, OLD)
    then = guarded.house.now.isoformat()
    guarded.house.later(hours=1)
    await said(http, NEW)
    assert await known(http, as_of=then) == [OLD]
    assert await known(http) == [NEW]
    recall = memory_tools(guarded.edge())["recall_memory"]
    answer = await recall.call(AGENT, ASKED | {"as_of": then})
    assert f"| {OLD}" in (answer.structured_content or {})["context"]
    refused = await http.post("/v1/recall", json=ASKED | {"as_of": "2026-01-01T00:00:00"})
    assert refused.status_code == 400


@pytest.mark.requirement("W10")
async def test_a_memory_is_amended_and_its_history_told(guarded: Guarded) -> None:
    """A revision has an id of its own; what changes nothing is refused."""
    http = guarded.client()
    old = await said(http, OLD, importance=0.9)
    guarded.house.later(hours=1)
    answer = await http.patch(f"/v1/memories/{old['id']}", json={"text": "My port is 6000."})
    assert (answer.status_code, answer.json()["outcome"]) == (200, "superseding")
    new = answer.json()["id"]
    history = (await http.get(f"/v1/memories/{new}/history")).json()["items"]
    assert [one["id"] for one in history] == [new, old["id"]]
    assert history[0]["importance"] == 0.9
    assert history[0]["valid_until"] is None
    assert history[1]["valid_until"] == history[0]["valid_from"]
    assert history[1]["superseded_at"] == history[0]["stored_at"]
    for body in ({}, {"origin": {"class": "web"}}, {"text": " "}, {"state": "active"}):
        refused = await http.patch(f"/v1/memories/{new}", json=body)
        assert refused.status_code == 400
    gone = await http.patch(f"/v1/memories/{old['id']}", json={"text": OLD})
    assert gone.status_code == 404


@pytest.mark.requirement("W10", "Q2")
async def test_a_wrong_supersede_is_undone(guarded: Guarded) -> None:
    """By the user's application, and by a reviewer who is somebody else."""
    http = guarded.client()
    old, new = await said(http, OLD), await said(http, NEW)
    answer = await http.post(f"/v1/memories/{old['id']}/restore")
    assert answer.status_code == 200
    assert (answer.json()["outcome"], answer.json()["supersedes"]) == ("superseding", new["id"])
    assert await known(http) == [OLD]
    own = await http.post(f"/v1/quarantine/{new['id']}/restore")
    assert own.status_code == 403
    reviewer = guarded.client(sub="rita")
    decided = await reviewer.post(f"/v1/quarantine/{new['id']}/restore")
    assert (decided.status_code, decided.json()["state"]) == (200, "active")
    assert await known(http) == [NEW]


@pytest.mark.requirement("W9", "W10")
async def test_many_at_once_leave_one_value(guarded: Guarded) -> None:
    """Copies and contradictions in one burst: one memory is active, and nothing was lost."""
    http = guarded.client()
    burst = [OLD, NEW, NEWEST] * 4
    answers = await asyncio.gather(*(said(http, text) for text in burst))
    assert {one["outcome"] for one in answers} <= {"stored", "superseding", "merged"}
    active = (await http.get("/v1/memories")).json()["items"]
    assert len(active) == 1
    assert await known(http) == [active[0]["text"]]
    kept = (await http.get("/v1/memories?state=active&state=superseded")).json()["items"]
    assert {one["text"] for one in kept} == set(burst)
