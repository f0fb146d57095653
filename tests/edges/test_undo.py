"""A decision is taken back: within its time, whole, by any reviewer, and on the record."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory.types import MemoryId, State
from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded
from tests.edges.test_decisions import ACME, BAD, GOOD, HELD_PAGE, comments, decided, recalled, said

OOPS = {"reason": "mistake", "comment": "I looked at the wrong case."}


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def shown(rita: httpx2.AsyncClient, id: str) -> str:
    """Return the text of a case."""
    why = {"ground": "review", "comment": "Once more."}
    text: str = (await rita.post(f"/v1/quarantine/{id}/reveal", json=why)).json()["text"]
    return text


async def case_of(rita: httpx2.AsyncClient, id: str) -> dict[str, Any]:
    """Return a case as the queue lists it."""
    items = (await rita.get("/v1/quarantine")).json()["items"]
    (case,) = (one for one in items if one["id"] == id)
    return dict(case)


@pytest.mark.requirement("Q2")
@pytest.mark.parametrize(
    ("decision", "body"),
    [
        ("release", GOOD),
        ("release", GOOD | {"trust": 0}),
        ("release", GOOD | {"spans": [[0, 11]]}),
        ("reject", BAD),
        ("escalate", BAD),
    ],
)
async def test_a_decision_undone_leaves_the_case_as_it_was(
    guarded: Guarded, decision: str, body: dict[str, Any]
) -> None:
    """Held, with its trust, its reasons and its text; and it can be decided on again."""
    http, rita, otto = guarded.client(), guarded.client(sub="rita"), guarded.client(sub="otto")
    id = await said(http, HELD_PAGE, origin={"class": "document", "reference": "rules.pdf"})
    before = await case_of(rita, id)
    assert (await rita.post(f"/v1/quarantine/{id}/{decision}", json=body)).status_code == 200
    answer = await otto.post(f"/v1/quarantine/{id}/undo", json=OOPS)
    assert answer.status_code == 200, answer.text
    assert answer.json() == before == await case_of(rita, id)
    assert await shown(rita, id) == HELD_PAGE
    assert await recalled(http, "Which gate do visitors use?") == []
    (leaf,) = await decided(guarded, "undo")
    assert (leaf.actor, leaf.subject, leaf.outcome) == ("otto", "alice", "held")
    assert leaf.reasons == ("decide.mistake",)
    assert OOPS["comment"] in await comments(guarded, id)
    twice = await otto.post(f"/v1/quarantine/{id}/undo", json=OOPS)
    assert twice.status_code == 404
    assert (await rita.post(f"/v1/quarantine/{id}/release", json=GOOD)).status_code == 200
    assert await recalled(http, "Which gate do visitors use?") == [id]


@pytest.mark.requirement("Q2", "W4")
@pytest.mark.parametrize(("decision", "body"), [("release", GOOD), ("escalate", BAD)])
async def test_trust_that_was_taken_since_does_not_come_back(
    guarded: Guarded, decision: str, body: dict[str, Any]
) -> None:
    """One reviewer raises no trust, not by undoing a decision from before it was lowered either."""
    http, rita, otto = guarded.client(), guarded.client(sub="rita"), guarded.client(sub="otto")
    page = {"class": "document", "reference": "rules.pdf"}
    spared, lowered = [await said(http, text, origin=page) for text in (HELD_PAGE, ATTACK)]
    for id in (spared, lowered):
        assert (await rita.post(f"/v1/quarantine/{id}/{decision}", json=body)).status_code == 200
    less = await otto.post(f"/v1/memories/{lowered}/trust", json=BAD | {"trust": 0})
    assert less.json()["trust"] == 0, less.text
    # What was released is held by less trust, which is another state anyway.
    back = await rita.post(f"/v1/quarantine/{lowered}/undo", json=OOPS)
    assert back.status_code == 400, back.text
    back = await rita.post(f"/v1/quarantine/{spared}/undo", json=OOPS)
    assert (back.status_code, back.json()["trust"]) == (200, 1), back.text


@pytest.mark.requirement("Q2", "W10")
async def test_what_gave_way_to_a_release_stands_again(guarded: Guarded) -> None:
    """The reviewer decided against the subject's own word, and takes that back."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    old = await said(http, "The office door code is 4711.")
    new = await said(http, "The office door code is 9999.", origin={"class": "document"})
    case = await case_of(rita, new)
    assert "relate.conflict" in case["reasons"]
    assert (await rita.post(f"/v1/quarantine/{new}/release", json=GOOD)).json()["state"] == "active"
    assert await recalled(http, "What is the office door code?") == [new]
    assert (await rita.post(f"/v1/quarantine/{new}/undo", json=OOPS)).status_code == 200
    assert await recalled(http, "What is the office door code?") == [old]
    (leaf,) = await decided(guarded, "restore")
    assert (leaf.object, leaf.actor) == (old, "rita")


@pytest.mark.requirement("Q2", "W15")
async def test_a_rejection_holds_from_the_first_and_is_lifted_by_its_undoing(
    guarded: Guarded,
) -> None:
    """Rejected, the text is not learned again from a page; undone, it waits as it did."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    page = {"class": "web", "reference": "https://forum.example/t/9"}

    async def reasons(text: str) -> list[str]:
        told = (await http.post("/v1/memories", json={"text": text, "origin": page})).json()
        return list(told["reasons"])

    texts = (ATTACK, HELD_PAGE)
    first, second = [await said(http, text, origin=page) for text in texts]
    for id in (first, second):
        assert (await rita.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 200
    assert "relate.forgotten" in await reasons(texts[0])
    assert (await rita.post(f"/v1/quarantine/{second}/undo", json=OOPS)).status_code == 200
    assert "relate.forgotten" not in await reasons(texts[1])


@pytest.mark.requirement("Q2", "S5")
async def test_when_its_time_is_over_nothing_of_a_rejection_is_left(guarded: Guarded) -> None:
    """Not undone, and emptied: by the chore from the store, by the clock for everybody."""
    house, http, rita = guarded.house, guarded.client(), guarded.client(sub="rita")
    id = await said(http, ATTACK)
    assert (await rita.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 200
    row = await house.ledger.quarantine.case(ACME, MemoryId(id), State.REJECTED)
    assert row is not None
    assert (row.sealed.token, row.sealed.entry, row.sealed.evidence) == (b"", b"", b"")
    kept = await house.ledger.undoing.last(ACME, MemoryId(id), house.now)
    assert kept is not None
    assert b"previous instructions" not in kept.token
    house.later(minutes=9)
    assert await house.ledger.undoing.expire(house.now) == 0
    house.later(minutes=2)
    assert (await rita.post(f"/v1/quarantine/{id}/undo", json=OOPS)).status_code == 404
    await guarded.clerk.tidy()
    assert await house.ledger.undoing.expire(house.now) == 0
    start = house.now.replace(year=2000)
    assert await house.ledger.undoing.last(ACME, MemoryId(id), start) is None


@pytest.mark.requirement("Q2", "S5")
async def test_what_was_rejected_is_still_the_subjects_to_erase(guarded: Guarded) -> None:
    """At once and for good; an agent with the subject's token knows nothing of it."""
    house, http, rita = guarded.house, guarded.client(), guarded.client(sub="rita")
    id, other = await said(http, ATTACK), await said(http, ATTACK + " Now.")
    for one in (id, other):
        assert (await rita.post(f"/v1/quarantine/{one}/reject", json=BAD)).status_code == 200
    assert (await http.delete(f"/v1/memories/{id}")).status_code == 200
    assert await house.ledger.undoing.last(ACME, MemoryId(id), house.now) is None
    assert (await rita.post(f"/v1/quarantine/{id}/undo", json=OOPS)).status_code == 404
    assert (await http.delete(f"/v1/memories/{id}")).status_code == 404
    house.later(minutes=11)
    assert (await http.delete(f"/v1/memories/{other}")).status_code == 404


@pytest.mark.requirement("Q2", "E5")
async def test_only_a_reviewer_of_the_tenant_undoes_and_not_of_his_own(guarded: Guarded) -> None:
    """With the right and a reason; for everybody else it is as if there were none."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id, stored = await said(http, ATTACK), await said(http, UNTROUBLED)
    path = f"/v1/quarantine/{id}/undo"
    assert (await rita.post(path, json=OOPS)).status_code == 404
    assert (await rita.post(f"/v1/quarantine/{id}/release", json=GOOD)).status_code == 200
    assert (await http.post(path, json=OOPS)).status_code == 403
    assert (await guarded.client(sub="rita", tid="umbra").post(path, json=OOPS)).status_code == 404
    reader = guarded.client(sub="rita", scope="quarantine:read quarantine:reveal")
    assert (await reader.post(path, json=OOPS)).status_code == 403
    assert (await rita.post(path, json={})).status_code == 400
    assert (await rita.post(f"/v1/quarantine/{stored}/undo", json=OOPS)).status_code == 404
    assert await decided(guarded, "undo") == []
    assert (await rita.post(path, json=OOPS)).status_code == 200


@pytest.mark.requirement("Q2")
async def test_a_release_that_was_replaced_since_is_not_undone(guarded: Guarded) -> None:
    """Nobody's later word is touched; 400 says why."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id = await said(http, HELD_PAGE, origin={"class": "document"})
    assert (await rita.post(f"/v1/quarantine/{id}/release", json=GOOD)).status_code == 200
    later = {"text": "Visitors use gate C after 8 pm."}
    assert (await http.patch(f"/v1/memories/{id}", json=later)).status_code == 200
    answer = await rita.post(f"/v1/quarantine/{id}/undo", json=OOPS)
    assert (answer.status_code, "changed" in answer.text) == (400, True)
