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
    return [one["id"] for one in answer.json()["memories"]]


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
