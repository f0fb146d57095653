"""A reviewer reads a case: only with a ground, a comment and a leaf that stands before the text."""

from typing import Final

import pytest

from guard.ports import Record
from memory.types import MemoryId, Owner, SubjectId, TenantId
from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded
from tests.edges.revealing import Broken, revealed
from tests.edges.test_decisions import said

WHY: Final = {"ground": "incident", "comment": "Pelican report, case 7."}
SOURCE: Final = "https://forum.example/t/9"


@pytest.mark.requirement("Q3")
async def test_a_case_is_read_with_a_ground_and_a_comment_that_stay(guarded: Guarded) -> None:
    """The ground stands in the audit, the comment nowhere but under the subject's key; forgotten,
    neither text nor comment is left.
    """
    http, rita = guarded.client(), guarded.client(sub="rita")
    origin = {"class": "web", "reference": SOURCE}
    id = await said(http, ATTACK, origin=origin, session_id="s-1")
    listed = (await rita.get("/v1/quarantine")).json()["items"]
    assert [one["id"] for one in listed] == [id]
    assert ATTACK not in str(listed)
    assert await revealed(guarded) == []

    shown = await rita.post(f"/v1/quarantine/{id}/reveal", json=WHY)
    assert shown.status_code == 200
    told = shown.json()
    evidence, against = told.pop("evidence"), told.pop("against")
    assert told == {"id": id, "text": ATTACK, "reference": SOURCE, "session": "s-1"}
    assert {quote["reason"] for quote in evidence} >= {"injection.override"}
    assert all(quote["text"] == ATTACK[quote["start"] : quote["end"]] for quote in evidence)
    assert against == []
    (leaf,) = await revealed(guarded)
    assert (leaf.actor, leaf.subject, leaf.object) == ("rita", "alice", id)
    assert (leaf.outcome, leaf.reasons) == ("shown", ("reveal.incident",))

    house, owner = guarded.house, Owner(TenantId("acme"), SubjectId("alice"))
    (remark,) = await house.ledger.remarks.on(owner.tenant, MemoryId(id), 9)
    assert b"Pelican" not in remark.token
    place = (id.encode(), leaf.id.encode())
    plain = await house.rooms.envelopes.unwrap(owner, Record.REMARK, place, remark.token)
    assert WHY["comment"].encode() in plain
    assert (await http.delete(f"/v1/memories/{id}")).status_code == 200
    assert await house.ledger.remarks.on(owner.tenant, MemoryId(id), 9) == []
    assert (await rita.post(f"/v1/quarantine/{id}/reveal", json=WHY)).status_code == 404


@pytest.mark.requirement("Q3", "E4")
async def test_nothing_is_read_without_the_scope_or_a_reason(guarded: Guarded) -> None:
    """Every other scope together is not enough, and neither is half a reason."""
    id = await said(guarded.client(), ATTACK)
    rita = guarded.client(sub="rita")
    scopes = "quarantine:read quarantine:decide memory:read tenant:admin"
    without = guarded.client(sub="rita", scope=scopes)
    assert (await without.post(f"/v1/quarantine/{id}/reveal", json=WHY)).status_code == 403
    for body in (
        {},
        {"ground": "review"},
        {"comment": "Let me see."},
        {"ground": "curiosity", "comment": "Let me see."},
        {"ground": "review", "comment": ""},
        {"ground": "review", "comment": "  \n "},
        {"ground": "review", "comment": "x" * 1001},
        {**WHY, "silent": True},
    ):
        assert (await rita.post(f"/v1/quarantine/{id}/reveal", json=body)).status_code == 400, body
    assert await revealed(guarded) == []
    assert (await rita.post(f"/v1/quarantine/{id}/reveal", json=WHY)).status_code == 200


@pytest.mark.requirement("Q3", "E5")
async def test_only_cases_of_the_own_tenant_are_read(guarded: Guarded) -> None:
    """What is stored, what is another tenant's and what is missing answer alike, without a leaf."""
    http = guarded.client()
    stored, held = await said(http, UNTROUBLED), await said(http, ATTACK)
    rita = guarded.client(sub="rita")
    told = {
        (answer.status_code, answer.json()["code"])
        for answer in (
            await rita.post(f"/v1/quarantine/{stored}/reveal", json=WHY),
            await rita.post(f"/v1/quarantine/{held[:-4]}0000/reveal", json=WHY),
            await guarded.client(sub="rita", tid="umbra").post(
                f"/v1/quarantine/{held}/reveal", json=WHY
            ),
        )
    }
    assert told == {(404, "not_found")}
    assert await revealed(guarded) == []


@pytest.mark.requirement("Q3")
async def test_what_can_not_be_written_down_is_not_shown(guarded: Guarded) -> None:
    """503 and no text; with the ledger back, the same call answers."""
    id = await said(guarded.client(), ATTACK)
    rooms = guarded.house.with_rooms(remarks=Broken())
    answer = await guarded.client(rooms, sub="rita").post(f"/v1/quarantine/{id}/reveal", json=WHY)
    assert (answer.status_code, ATTACK in answer.text) == (503, False)
    good = await guarded.client(sub="rita").post(f"/v1/quarantine/{id}/reveal", json=WHY)
    assert (good.status_code, good.json()["text"]) == (200, ATTACK)
