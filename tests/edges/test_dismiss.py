"""A reviewer dismisses a doubt: both memories stay, and it is written down and listed no more."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from guard.ports import Record
from memory.types import MemoryId, Owner, SubjectId, TenantId
from tests.edges.guarded import Guarded
from tests.edges.test_consistency import BOTH, HALF, PART, TWO, listed, said

WHY: Final = {"reason": "false_positive", "comment": "Pelican: two hosts."}
ALICE: Final = Owner(TenantId("acme"), SubjectId("alice"))


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def doubtful(http: httpx2.AsyncClient) -> tuple[str, str]:
    """Write two memories that stand in doubt beside each other; return their ids."""
    old, new = await said(http, TWO), await said(http, PART)
    assert "relate.doubt" in new["reasons"]
    return old["id"], new["id"]


async def dismissed(http: httpx2.AsyncClient, id: str, **why: Any) -> httpx2.Response:
    """Ask to dismiss."""
    return await http.post(f"/v1/consistency/{id}/dismiss", json=why or WHY)


@pytest.mark.requirement("W10", "Q3")
async def test_a_dismissed_doubt_is_listed_no_more_and_both_stay(guarded: Guarded) -> None:
    """The reason stands in the audit, with both sides; the comment under the subject's key alone.
    Another doubt of the same subject stays open.
    """
    http, rita = guarded.client(), guarded.client(sub="rita")
    old, new = await doubtful(http)
    await said(http, BOTH)
    other = await said(http, HALF)
    assert {one["id"] for one in (await listed(rita))["items"]} == {new, other["id"]}

    answer = await dismissed(rita, new)
    assert (answer.status_code, answer.json()) == (200, {"id": new, "beside": [old]})
    assert [one["id"] for one in (await listed(rita))["items"]] == [other["id"]]
    assert {TWO, PART} <= {*await guarded.texts(http)}

    house = guarded.house
    await house.audited()
    leaves = await house.ledger.audit.leaves(ALICE.tenant, 0, 999)
    (leaf,) = [one.leaf for one in leaves if one.leaf.action == "dismiss"]
    assert (leaf.actor, leaf.subject, leaf.object) == ("rita", "alice", new)
    assert (leaf.outcome, leaf.version) == ("dismissed", 0)
    assert leaf.reasons == ("decide.false_positive", f"memory.{old}")
    (remark,) = await house.ledger.remarks.on(ALICE.tenant, MemoryId(new), 9)
    assert b"Pelican" not in remark.token
    place = (new.encode(), leaf.id.encode())
    plain = await house.rooms.envelopes.unwrap(ALICE, Record.REMARK, place, remark.token)
    assert WHY["comment"].encode() in plain


@pytest.mark.requirement("W10", "E5")
async def test_only_an_open_doubt_of_the_own_tenant_is_dismissed(guarded: Guarded) -> None:
    """The other side, a plain memory, another tenant's and one that was dismissed answer alike."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    old, new = await doubtful(http)
    plain = await said(http, "Her sister plays the cello in an orchestra.")
    told = [
        await dismissed(rita, old),
        await dismissed(rita, plain["id"]),
        await dismissed(rita, f"{new[:-4]}0000"),
        await dismissed(guarded.client(sub="rita", tid="umbra"), new),
    ]
    assert (await dismissed(rita, new)).status_code == 200
    told.append(await dismissed(rita, new))
    assert {(one.status_code, one.json()["code"]) for one in told} == {(404, "not_found")}
    await guarded.house.audited()
    assert [a for a, _, _ in await guarded.house.audited()].count("dismiss") == 1


@pytest.mark.requirement("W10", "E4")
async def test_nobody_dismisses_without_right_or_reason_nor_his_own(guarded: Guarded) -> None:
    """And nothing has changed by any of it."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    _, new = await doubtful(http)
    reader = guarded.client(sub="rita", scope="quarantine:read quarantine:reveal memory:read")
    assert (await dismissed(reader, new)).status_code == 403
    assert (await dismissed(http, new)).status_code == 403
    for body in ({"reason": "because"}, {"comment": "x"}, {"reason": "other"}, {**WHY, "more": 1}):
        assert (await dismissed(rita, new, **body)).status_code == 400, body
    assert [one["id"] for one in (await listed(rita))["items"]] == [new]
    assert (await dismissed(rita, new, reason="duplicate")).status_code == 200


@pytest.mark.requirement("W10")
@pytest.mark.parametrize("text", [PART, "My port is 5434."])
async def test_it_is_raised_again_only_by_what_changes_one_of_them(
    guarded: Guarded, text: str
) -> None:
    """Said again nothing is raised; a new value of the one side is a new doubt beside the other."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    _, new = await doubtful(http)
    assert (await dismissed(rita, new)).status_code == 200
    again = await said(http, text)
    items = [one["id"] for one in (await listed(rita))["items"]]
    assert items == ([] if text == PART else [again["id"]])
