"""The audit over REST, through the real doors: its leaves, and proofs of them (Q6)."""

import base64
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from guard.merkle import proves_consistency, proves_inclusion
from memory.types import TenantId
from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded
from tests.house import caller

AUDITOR = "audit:read"


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge over an empty house."""
    edge = Guarded(tmp_path)
    yield edge
    await edge.close()


async def _written(guarded: Guarded) -> list[str]:
    """Write a memory of each of two subjects, and one of another tenant; return the ids."""
    for sub, tid, text in (
        ("alice", "acme", UNTROUBLED),
        ("bob", "acme", ATTACK),
        ("alice", "umbra", UNTROUBLED),
    ):
        await guarded.house.remember(caller(sub, tid), text)
        guarded.house.later(minutes=2)
    await guarded.house.journal.flush()
    leaves = await guarded.house.ledger.audit.leaves(TenantId("acme"), 0, 100)
    return [one.leaf.object for one in leaves if one.leaf.action == "remember"]


@pytest.mark.requirement("Q6")
async def test_what_was_recorded_is_proved_over_rest(guarded: Guarded) -> None:
    """A leaf in the tree of now, and that this tree grew out of the one before."""
    await _written(guarded)
    auditor = guarded.client(sub="carol", scope=AUDITOR)
    before = (await auditor.get("/v1/audit/checkpoint")).json()
    assert before["size"] >= 2
    await _written(guarded)
    now = (await auditor.get("/v1/audit/checkpoint")).json()
    assert now["size"] > before["size"]

    def raw(text: str) -> bytes:
        return base64.b64decode(text, validate=True)

    (leaf,) = (await auditor.get("/v1/audit/leaves", params={"limit": 1})).json()["items"]
    found = (await auditor.get("/v1/audit/proof/inclusion", params={"leaf": leaf["leaf"]})).json()
    assert (found["tree"], found["hash"]) == (now, leaf["hash"])
    path = [raw(one) for one in found["proof"]]
    assert proves_inclusion(raw(leaf["hash"]), 0, now["size"], path, raw(now["root"]))
    assert not proves_inclusion(raw(leaf["hash"]), 1, now["size"], path, raw(now["root"]))

    grown = (
        await auditor.get("/v1/audit/proof/consistency", params={"first": before["size"]})
    ).json()
    assert (grown["first"], grown["second"]) == (before, now)
    path = [raw(one) for one in grown["proof"]]
    assert proves_consistency(
        before["size"], raw(before["root"]), now["size"], raw(now["root"]), path
    )


@pytest.mark.requirement("Q6", "E5")
async def test_leaves_are_found_by_what_they_say_and_hold_no_content(guarded: Guarded) -> None:
    """By object, action, who and when; those of another tenant by nothing."""
    ids = await _written(guarded)
    auditor = guarded.client(sub="carol", scope=AUDITOR)

    async def found(**sought: str) -> list[dict[str, str]]:
        answer = await auditor.get("/v1/audit/leaves", params=sought)
        assert answer.status_code == 200, answer.text
        assert "Lisbon" not in answer.text
        assert "system prompt" not in answer.text
        return list(answer.json()["items"])

    everything = await found()
    assert {one["subject"] for one in everything} == {"alice", "bob"}
    assert [one["object"] for one in await found(object=ids[0])] == [ids[0]]
    assert {one["subject"] for one in await found(actor="bob")} == {"bob"}
    assert await found(action="remember", actor="bob") == await found(subject="bob")
    assert await found(action="nothing") == []
    last = everything[-1]["at"]
    assert everything[-1] in await found(since=last)
    assert everything[0] not in await found(since=last)
    assert await found(until="2001-01-01T00:00:00Z") == []
    outsider = guarded.client(sub="carol", tid="umbra", scope=AUDITOR)
    theirs = (await outsider.get("/v1/audit/leaves", params={"object": ids[0]})).json()
    assert theirs["items"] == []


@pytest.mark.requirement("Q6", "E4")
async def test_what_is_asked_wrongly_is_refused(guarded: Guarded) -> None:
    """400 for what is no question; 403 that names the scope for who may only read memories."""
    await _written(guarded)
    auditor, reader = guarded.client(scope=AUDITOR), guarded.client(scope="memory:read")
    for path in (
        "proof/inclusion",
        "proof/inclusion?leaf=0",
        "proof/inclusion?leaf=1&size=999",
        "proof/inclusion?leaf=999",
        "proof/inclusion?leaf=1&tenant=umbra",
        "proof/consistency",
        "proof/consistency?first=2&second=1",
        "leaves?limit=0",
        "leaves?limit=1001",
        "leaves?since=yesterday",
        "leaves?since=2026-01-01T00:00:00",
        "leaves?tenant=umbra",
        "checkpoint?tenant=umbra",
    ):
        assert (await auditor.get(f"/v1/audit/{path}")).status_code == 400, path
    for path in ("checkpoint", "leaves", "proof/inclusion?leaf=1", "proof/consistency?first=1"):
        assert (await auditor.get(f"/v1/audit/{path}")).status_code == 200, path
        refused = await reader.get(f"/v1/audit/{path}")
        assert refused.status_code == 403
        assert 'scope="audit:read"' in refused.headers["www-authenticate"]
