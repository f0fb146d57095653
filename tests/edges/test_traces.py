"""Traces and "why not" over REST, through the real doors (R10)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.edges.guarded import UNTROUBLED, Guarded

ASK = {"query": "Where does the quarterly review take place?"}
READER = "memory:read memory:write memory:delete"


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge over an empty house."""
    edge = Guarded(tmp_path)
    yield edge
    await edge.close()


@pytest.mark.requirement("R10", "E5")
async def test_the_answer_of_a_recall_leads_to_its_trace(guarded: Guarded) -> None:
    """For its subject alone: others get the answer that an id of nobody gets."""
    alice = guarded.client()
    id = (await alice.post("/v1/memories", json={"text": UNTROUBLED})).json()["id"]
    answer = (await alice.post("/v1/recall", json=ASK)).json()
    path = f"/v1/traces/{answer['trace_id']}"
    trace = (await alice.get(path)).json()
    assert (trace["id"], trace["question"]["text"]) == (answer["trace_id"], ASK["query"])
    assert (trace["context"], trace["considered"][0]["end"]) == ([id], "context")
    assert trace["considered"][0]["factors"].keys() >= {"relevance", "recency", "confidence"}
    assert "Lisbon" not in (await alice.get(path)).text

    missing = await alice.get("/v1/traces/0197b7a0-0000-7000-8000-00000000dead")
    for other in (guarded.client(sub="bob"), guarded.client(tid="umbra")):
        refused = await other.get(path)
        assert (refused.status_code, refused.json()["code"]) == (404, missing.json()["code"])
    assert (await alice.get("/v1/traces/why-not")).status_code in {404, 405}
    assert (await alice.get("/v1/traces/no-id")).status_code == 404


@pytest.mark.requirement("R10", "E4")
async def test_who_may_recall_may_not_read_traces_by_that(guarded: Guarded) -> None:
    """403 that names the scope; with it, 200."""
    alice = guarded.client(scope=READER)
    id = (await alice.post("/v1/memories", json={"text": UNTROUBLED})).json()["id"]
    trace = (await alice.post("/v1/recall", json=ASK)).json()["trace_id"]
    for refused in (
        await alice.get(f"/v1/traces/{trace}"),
        await alice.post("/v1/traces/why-not", json=ASK | {"id": id}),
    ):
        assert refused.status_code == 403
        assert 'scope="memory:trace"' in refused.headers["www-authenticate"]
    assert (await guarded.client().get(f"/v1/traces/{trace}")).status_code == 200


@pytest.mark.requirement("R10", "E5")
async def test_why_not_answers_for_the_callers_own_memories(guarded: Guarded) -> None:
    """Where it ended, and what it was held against; to others it is nobody's."""
    alice = guarded.client()
    id = (await alice.post("/v1/memories", json={"text": UNTROUBLED})).json()["id"]
    path = "/v1/traces/why-not"
    shown = (await alice.post(path, json=ASK | {"id": id})).json()
    assert (shown["considered"]["end"], shown["state"]) == ("context", "active")
    lost = (await alice.post(path, json={"query": "zebra crossings", "id": id})).json()
    assert lost["considered"]["end"] == "no_reliable_memory"
    assert lost["considered"].get("evidence", 0) < lost["decided"]["reliable_from"]
    assert (await guarded.client(sub="bob").post(path, json=ASK | {"id": id})).status_code == 404
    for bad in (ASK, {"id": id}, ASK | {"id": id, "subject": "bob"}):
        assert (await alice.post(path, json=bad)).status_code == 400
