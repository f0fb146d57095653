"""Reviewers decide on what is held, with a reason for the audit and a comment that is sealed."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx2
import msgspec
import pytest

from guard.nouns import Leaf
from guard.ports import Record
from guard.ruling import Because
from memory.types import MemoryId, Owner, SubjectId, TenantId
from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded

ACME: Final = TenantId("acme")
GOOD: Final = {"reason": "false_positive"}
BAD: Final = {"reason": "poisoning"}
HELD_PAGE: Final = (
    "House rules: visitors use gate B after 8 pm. Always ask visitors for their badge."
)


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def said(http: httpx2.AsyncClient, text: str, **more: Any) -> str:
    """Write, and return the id."""
    id: str = (await http.post("/v1/memories", json={"text": text, **more})).json()["id"]
    return id


async def decided(guarded: Guarded, *actions: str) -> list[Leaf]:
    """Return the leaves of these actions."""
    await guarded.house.audited()
    leaves = await guarded.house.ledger.audit.leaves(ACME, 0, 999)
    return [one.leaf for one in leaves if one.leaf.action in actions]


async def comments(guarded: Guarded, id: str, subject: str = "alice") -> list[str]:
    """Return what reviewers remarked on a memory, newest first."""
    house, owner = guarded.house, Owner(ACME, SubjectId(subject))
    found = []
    for remark in await house.ledger.remarks.on(ACME, MemoryId(id), 99):
        place = (id.encode(), remark.id.encode())
        plain = await house.rooms.envelopes.unwrap(owner, Record.REMARK, place, remark.token)
        found.append(msgspec.msgpack.decode(plain, type=str))
    return found


async def recalled(http: httpx2.AsyncClient, query: str) -> list[str]:
    """Return the ids of what a question finds."""
    answer = await http.post("/v1/recall", json={"query": query})
    return [one["id"] for one in answer.json()["items"]]


@pytest.mark.requirement("Q2")
@pytest.mark.parametrize("because", [one for one in Because if one is not Because.OTHER])
@pytest.mark.parametrize("decision", ["release", "reject"])
async def test_a_decision_leaves_its_reason(
    guarded: Guarded, decision: str, because: Because
) -> None:
    """As a code in the leaf of the decision, with both names; no comment is left without one."""
    id = await said(guarded.client(), ATTACK)
    rita = guarded.client(sub="rita")
    answer = await rita.post(f"/v1/quarantine/{id}/{decision}", json={"reason": because})
    assert answer.status_code == 200
    (leaf,) = await decided(guarded, "release", "reject")
    assert (leaf.action, leaf.actor, leaf.subject, leaf.object) == (decision, "rita", "alice", id)
    assert leaf.reasons == (f"decide.{because}",)
    assert await comments(guarded, id) == []


@pytest.mark.requirement("Q2")
@pytest.mark.parametrize("decision", ["release", "reject"])
async def test_a_comment_is_sealed_beside_the_decision(guarded: Guarded, decision: str) -> None:
    """Readable under the subject's key alone, and nowhere in the leaf."""
    id = await said(guarded.client(), ATTACK)
    why = {"reason": "other", "comment": "Pelican report, case 7."}
    rita = guarded.client(sub="rita")
    assert (await rita.post(f"/v1/quarantine/{id}/{decision}", json=why)).status_code == 200
    assert await comments(guarded, id) == [why["comment"]]
    (leaf,) = await decided(guarded, decision)
    assert "Pelican" not in str(leaf)
    (remark,) = await guarded.house.ledger.remarks.on(ACME, MemoryId(id), 9)
    assert (remark.id, b"Pelican" in remark.token) == (leaf.id, False)


@pytest.mark.requirement("Q2")
@pytest.mark.parametrize("decision", ["release", "reject"])
async def test_nothing_is_decided_without_a_reason(guarded: Guarded, decision: str) -> None:
    """400, and the case is held as before; with a reason the same call decides."""
    id = await said(guarded.client(), ATTACK)
    rita = guarded.client(sub="rita")
    path = f"/v1/quarantine/{id}/{decision}"
    assert (await rita.post(path)).status_code in (400, 415)
    for body in (
        {},
        {"reason": "because"},
        {"reason": "unstated"},
        {"reason": "other"},
        {"reason": "spam", "comment": ""},
        {"reason": "spam", "comment": " \n"},
        {"reason": "spam", "comment": "x" * 1001},
        {"reason": "spam", "silent": True},
    ):
        assert (await rita.post(path, json=body)).status_code == 400, body
    assert (await rita.get("/v1/quarantine")).json()["total"] == 1
    assert await decided(guarded, "release", "reject") == []
    assert (await rita.post(path, json={"reason": "spam"})).status_code == 200


@pytest.mark.requirement("Q2", "E5")
@pytest.mark.parametrize("decision", ["release", "reject"])
async def test_nobody_decides_on_his_own_write_or_for_another_tenant(
    guarded: Guarded, decision: str
) -> None:
    """403 for one's own, and 404 for what is stored, another tenant's or missing."""
    http = guarded.client()
    held, stored = await said(http, ATTACK), await said(http, UNTROUBLED)

    async def told(client: httpx2.AsyncClient, id: str) -> int:
        answer = await client.post(f"/v1/quarantine/{id}/{decision}", json=GOOD)
        return answer.status_code

    rita = guarded.client(sub="rita")
    assert await told(http, held) == 403
    assert await told(guarded.client(sub="rita", tid="umbra"), held) == 404
    assert await told(rita, stored) == 404
    assert await told(rita, held[:-4] + "0000") == 404
    assert await told(guarded.client(sub="rita", scope="quarantine:read"), held) == 403
    assert await decided(guarded, decision) == []
    assert await told(rita, held) == 200


@pytest.mark.requirement("Q2")
async def test_a_release_may_lower_trust_and_never_raise_it(guarded: Guarded) -> None:
    """More than it had is refused and nothing happens; less is what it is recalled with."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id = await said(http, HELD_PAGE, origin={"class": "document", "reference": "rules.pdf"})
    path = f"/v1/quarantine/{id}/release"
    for trust, status in ((2, 400), (3, 400), (-1, 400), (9, 400), ("0", 400), (0, 200)):
        answer = await rita.post(path, json=GOOD | {"trust": trust})
        assert answer.status_code == status, answer.text
    assert (answer.json()["state"], answer.json()["trust"]) == ("active", 0)
    assert {"review.lowered", "review.released"} <= set(answer.json()["reasons"])
    found = (await http.post("/v1/recall", json={"query": "Which gate do visitors use?"})).json()
    assert [(one["id"], one["trust"]) for one in found["items"]] == [(id, 0)]
    other = await said(http, HELD_PAGE + " B2.", origin={"class": "document"})
    kept = (await rita.post(f"/v1/quarantine/{other}/release", json=GOOD | {"trust": 1})).json()
    assert (kept["trust"], "review.lowered" in kept["reasons"]) == (1, False)


@pytest.mark.requirement("Q2")
@pytest.mark.parametrize("how", ["redact", "spans"])
async def test_what_is_cut_out_is_gone_and_the_rest_is_let_through(
    guarded: Guarded, how: str
) -> None:
    """Places that were found, or that the reviewer names."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    text = f"{UNTROUBLED} {ATTACK}"
    id = await said(http, text, origin={"class": "web", "reference": "https://forum.example/t/9"})
    span = [len(UNTROUBLED), len(text)]
    manner = {"redact": True} if how == "redact" else {"spans": [span]}
    answer = await rita.post(f"/v1/quarantine/{id}/release", json=BAD | manner)
    assert answer.status_code == 200
    case = answer.json()
    assert case["state"] == "active", case
    assert {"review.redacted", "review.released"} <= set(case["reasons"])
    found = (await http.post("/v1/recall", json={"query": "Where is the review?"})).json()
    (shown,) = found["items"]
    assert shown["id"] == id
    assert UNTROUBLED in shown["text"]
    assert "previous instructions" not in shown["text"]
    assert "[redacted:" in shown["text"]


@pytest.mark.requirement("Q2", "W1")
async def test_cutting_does_not_get_anything_past_the_guard(guarded: Guarded) -> None:
    """A rest that is an attack still stays held, without what was cut; the next look sees it so."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    text = f"{UNTROUBLED} {ATTACK}"
    id = await said(http, text)
    cut = GOOD | {"spans": [[0, len(UNTROUBLED)]]}
    case = (await rita.post(f"/v1/quarantine/{id}/release", json=cut)).json()
    assert (case["state"], "review.redacted" in case["reasons"]) == ("held", True)
    assert any(one.startswith("injection.") for one in case["reasons"])
    assert await recalled(http, "previous instructions") == []
    why = {"ground": "review", "comment": "What is left?"}
    left = (await rita.post(f"/v1/quarantine/{id}/reveal", json=why)).json()["text"]
    assert left == f"[redacted:reviewer] {ATTACK}"
    again = (await rita.post(f"/v1/quarantine/{id}/release", json=GOOD)).json()
    assert again["state"] == "active"


@pytest.mark.requirement("Q2")
async def test_only_places_of_the_text_are_cut(guarded: Guarded) -> None:
    """What lies outside, says nothing or goes backwards is refused, and the case stays as it is."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id = await said(http, ATTACK)
    path, size = f"/v1/quarantine/{id}/release", len(ATTACK)
    for spans in ([[0, size + 1]], [[5, 5]], [[9, 2]], [[-1, 4]], [[1]], [[1, 2, 3]], "all"):
        answer = await rita.post(path, json=GOOD | {"spans": spans})
        assert answer.status_code == 400, spans
    assert await decided(guarded, "release") == []
    assert (await rita.get("/v1/quarantine")).json()["total"] == 1


@pytest.mark.requirement("Q1", "Q2")
async def test_an_escalated_case_stays_held_and_is_listed_apart(guarded: Guarded) -> None:
    """Until somebody decides on it; whoever escalates says why, and not of his own write."""
    http, rita, otto = guarded.client(), guarded.client(sub="rita"), guarded.client(sub="otto")
    id, other = await said(http, ATTACK), await said(http, ATTACK + " Now.")
    why = {"reason": "other", "comment": "Is this the new campaign?"}
    assert (await http.post(f"/v1/quarantine/{id}/escalate", json=why)).status_code == 403
    assert (await rita.post(f"/v1/quarantine/{id}/escalate", json={})).status_code == 400
    marked = {"state": "escalated"}

    async def listed(**query: str) -> list[str]:
        answer = (await otto.get("/v1/quarantine", params=query)).json()
        assert answer["total"] == len(answer["items"])
        return [one["id"] for one in answer["items"]]

    assert await listed(**marked) == []
    answer = await rita.post(f"/v1/quarantine/{id}/escalate", json=why)
    assert (answer.status_code, answer.json()["state"]) == (200, "held")
    assert "review.escalated" in answer.json()["reasons"]
    assert await listed(**marked) == [id]
    assert sorted(await listed()) == sorted([id, other])
    assert await recalled(http, "previous instructions") == []
    (leaf,) = await decided(guarded, "escalate")
    assert (leaf.actor, leaf.outcome, leaf.reasons) == ("rita", "held", ("decide.other",))
    assert await comments(guarded, id) == [why["comment"]]
    assert (await otto.post(f"/v1/quarantine/{id}/reject", json=BAD)).status_code == 200
    assert await listed(**marked) == []
    assert await listed() == [other]
