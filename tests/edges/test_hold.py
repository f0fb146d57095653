"""A stored memory is put back into the queue by a reviewer: recalled no more, and nothing lost."""

from typing import Final

import pytest

from tests.edges.guarded import UNTROUBLED, Guarded
from tests.edges.test_decisions import BAD, GOOD, HELD_PAGE, comments, decided, recalled, said

DOUBTED: Final = {"reason": "other", "comment": "Whose quarterly review is that?"}
QUESTION: Final = "When is the quarterly review in Lisbon?"
GATE: Final = "Which gate do visitors use?"


@pytest.mark.requirement("Q2")
async def test_what_is_held_by_hand_is_a_case_until_it_is_released(guarded: Guarded) -> None:
    """Recall stops at once and goes on after the release; trust and text are what they were."""
    http, rita, otto = guarded.client(), guarded.client(sub="rita"), guarded.client(sub="otto")
    id = await said(http, UNTROUBLED)
    assert await recalled(http, QUESTION) == [id]
    before = (await http.get(f"/v1/memories/{id}")).json()
    answer = await rita.post(f"/v1/memories/{id}/hold", json=DOUBTED)
    assert answer.status_code == 200, answer.text
    case = answer.json()
    assert (case["id"], case["state"], case["trust"]) == (id, "held", before["trust"])
    assert case["reasons"] == ["review.held"]
    assert "Lisbon" not in answer.text
    assert await recalled(http, QUESTION) == []
    assert [one["id"] for one in (await otto.get("/v1/quarantine")).json()["items"]] == [id]
    (leaf,) = await decided(guarded, "hold")
    assert (leaf.actor, leaf.subject, leaf.outcome) == ("rita", "alice", "held")
    assert leaf.reasons == ("decide.other",)
    assert await comments(guarded, id) == [DOUBTED["comment"]]
    again = await rita.post(f"/v1/memories/{id}/hold", json=DOUBTED)
    assert again.status_code == 404
    assert (await rita.post(f"/v1/quarantine/{id}/release", json=GOOD)).status_code == 200
    assert await recalled(http, QUESTION) == [id]
    after = (await http.get(f"/v1/memories/{id}")).json()
    for name in ("text", "trust", "origin", "layer", "stored_at"):
        assert after[name] == before[name], name


@pytest.mark.requirement("Q2", "S5")
async def test_who_held_a_memory_can_not_reject_it(guarded: Guarded) -> None:
    """Another may, also what the first escalated; what policy held is anybody's to reject."""
    http, rita, otto = guarded.client(), guarded.client(sub="rita"), guarded.client(sub="otto")
    id = await said(http, UNTROUBLED)
    await rita.post(f"/v1/memories/{id}/hold", json=DOUBTED)
    assert (await rita.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 403
    assert (await rita.post(f"/v1/quarantine/{id}/escalate", json=BAD)).status_code == 200
    assert (await rita.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 403
    assert (await otto.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 200
    other = await said(http, HELD_PAGE, origin={"class": "document"})
    assert (await rita.post(f"/v1/quarantine/{other}/reject", json=BAD)).status_code == 200


@pytest.mark.requirement("Q2", "Q5", "S5")
async def test_who_held_it_with_all_of_its_origin_can_not_reject_it_either(
    guarded: Guarded,
) -> None:
    """Another may; and a release that one takes back oneself is the case that it was."""
    http, rita, otto = guarded.client(), guarded.client(sub="rita"), guarded.client(sub="otto")
    page = {"class": "web", "reference": "https://pages.example/lisbon"}
    id = await said(http, UNTROUBLED, origin=page)
    origin = {"by": "source", "name": page["reference"], "dry_run": False}
    held = (await rita.post("/v1/origins/quarantine", json=origin)).json()
    assert held["held"] == 1
    assert (await rita.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 403
    assert (await otto.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 200

    other = await said(http, HELD_PAGE, origin={"class": "document"})
    assert (await rita.post(f"/v1/quarantine/{other}/release", json=GOOD)).status_code == 200
    assert (await rita.post(f"/v1/quarantine/{other}/undo", json=BAD)).status_code == 200
    assert (await rita.post(f"/v1/quarantine/{other}/reject", json=BAD)).status_code == 200


@pytest.mark.requirement("Q2", "W16", "S5")
async def test_who_held_it_by_lowering_its_trust_can_not_reject_it_either(
    guarded: Guarded,
) -> None:
    """Policy holds at less trust what it let the user say. Another may reject it; and what only
    counts less, by his doing, but is held for another's, is the other's doing.
    """
    http, rita, otto = guarded.client(), guarded.client(sub="rita"), guarded.client(sub="otto")
    id = await said(http, HELD_PAGE)
    lowered = await rita.post(f"/v1/memories/{id}/trust", json=BAD | {"trust": 1})
    assert (lowered.status_code, lowered.json()["state"]) == (200, "held")
    assert (await rita.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 403
    assert (await rita.post(f"/v1/quarantine/{id}/escalate", json=BAD)).status_code == 200
    assert (await rita.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 403
    assert (await otto.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 200

    # The control: he lowered this one, too, which stayed, and another reviewer held it.
    other = await said(http, UNTROUBLED)
    lowered = await rita.post(f"/v1/memories/{other}/trust", json=BAD | {"trust": 2})
    assert (lowered.status_code, lowered.json()["state"]) == (200, "active")
    assert (await otto.post(f"/v1/memories/{other}/hold", json=DOUBTED)).status_code == 200
    assert (await otto.post(f"/v1/quarantine/{other}/reject", json=BAD)).status_code == 403
    assert (await rita.post(f"/v1/quarantine/{other}/reject", json=BAD)).status_code == 200


@pytest.mark.requirement("Q2")
async def test_a_release_that_was_held_again_counts_no_more(guarded: Guarded) -> None:
    """It is no reason any more, and there is nothing of it to undo."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id = await said(http, HELD_PAGE, origin={"class": "document"})
    assert (await rita.post(f"/v1/quarantine/{id}/release", json=GOOD)).status_code == 200
    assert await recalled(http, GATE) == [id]
    held = (await rita.post(f"/v1/memories/{id}/hold", json=BAD)).json()
    assert "review.released" not in held["reasons"]
    assert "review.held" in held["reasons"]
    assert (await rita.post(f"/v1/quarantine/{id}/undo", json=BAD)).status_code == 404
    assert await recalled(http, GATE) == []


@pytest.mark.requirement("Q2", "E5")
async def test_nobody_holds_his_own_or_for_another_tenant(guarded: Guarded) -> None:
    """Nor without the right, or without a reason; the control holds it."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id = await said(http, UNTROUBLED)
    path = f"/v1/memories/{id}/hold"
    foreign = guarded.client(sub="rita", tid="umbra")
    reader = guarded.client(sub="rita", scope="quarantine:read memory:write memory:delete")
    for client, status in ((http, 403), (foreign, 404), (reader, 403)):
        assert (await client.post(path, json=DOUBTED)).status_code == status
    for body in ({}, {"reason": "other"}, {"reason": "because"}):
        assert (await rita.post(path, json=body)).status_code == 400, body
    assert await recalled(http, QUESTION) == [id]
    assert (await rita.post(path, json=DOUBTED)).status_code == 200
