"""More trust, and the erasure of what is another's, take two reviewers; less trust takes one."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx2
import msgspec
import pytest

from tests.edges.browser import Browser, console_of
from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded
from tests.edges.test_decisions import comments, decided, recalled, said

ASKED: Final = {"reason": "verified_with_subject", "comment": "She confirmed it by phone."}
GONE: Final = {"reason": "policy_violation"}
QUESTION: Final = "When is the quarterly review in Lisbon?"


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def stored(guarded: Guarded, origin: str = "document") -> str:
    """Store something of Alice's, and return its id."""
    return await said(guarded.client(), UNTROUBLED, origin={"class": origin})


async def trust_of(guarded: Guarded, id: str) -> int:
    """Return what a memory of Alice's is trusted."""
    return int((await guarded.client().get(f"/v1/memories/{id}")).json()["trust"])


async def waiting(http: httpx2.AsyncClient, **query: Any) -> list[str]:
    """Return the ids of what waits for a second reviewer."""
    items = (await http.get("/v1/proposals", params=query)).json()["items"]
    return [one["id"] for one in items]


async def proposed(http: httpx2.AsyncClient, id: str, **body: Any) -> str:
    """Propose more trust, or an erasure; return the proposal's id."""
    path = f"/v1/memories/{id}/{'trust' if 'trust' in body else 'erase'}"
    answer = await http.post(path, json=ASKED | body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["proposal"]["id"])


def spoil(guarded: Guarded, *proposals: str) -> None:
    """Have these not open any more, as when somebody wrote to the ledger."""
    kept = guarded.house.ledger._state.beside.proposed
    for place in [one for one in kept if one[1] in proposals]:
        kept[place] = msgspec.structs.replace(kept[place], token=b"spoilt")


@pytest.mark.requirement("Q2", "W4")
async def test_trust_rises_when_a_second_reviewer_approves(guarded: Guarded) -> None:
    """Not before, and once; the leaf of what happened names both."""
    rita, otto = guarded.client(sub="rita"), guarded.client(sub="otto")
    id = await stored(guarded)
    proposal = await proposed(rita, id, trust=2)
    assert await trust_of(guarded, id) == 1
    (shown,) = (await otto.get("/v1/proposals")).json()["items"]
    assert (shown["id"], shown["memory"], shown["subject"]) == (proposal, id, "alice")
    assert (shown["wish"], shown["trust"], shown["by"]) == ("raise", 2, "rita")
    assert shown["reason"] == "verified_with_subject"
    assert "Lisbon" not in str(shown)
    path = f"/v1/proposals/{proposal}/approve"
    assert (await rita.post(path, json=ASKED)).status_code == 403
    assert await trust_of(guarded, id) == 1
    answer = await otto.post(path, json=ASKED)
    assert (answer.status_code, answer.json()["trust"]) == (200, 2)
    assert await trust_of(guarded, id) == 2
    assert await recalled(guarded.client(), QUESTION) == [id]
    (leaf,) = await decided(guarded, "trust")
    assert (leaf.actor, leaf.object) == ("otto", id)
    assert leaf.reasons == ("decide.verified_with_subject", "proposed.rita")
    assert await comments(guarded, id) == [ASKED["comment"]] * 2
    assert (await otto.post(path, json=ASKED)).status_code == 404
    assert await waiting(otto) == []


@pytest.mark.requirement("Q2", "S5")
async def test_a_reviewer_erases_only_with_another(guarded: Guarded) -> None:
    """Then it is gone like what its subject forgets; the subject himself needs nobody."""
    rita, otto = guarded.client(sub="rita"), guarded.client(sub="otto")
    id = await stored(guarded)
    proposal = await proposed(rita, id)
    assert await recalled(guarded.client(), QUESTION) == [id]
    path = f"/v1/proposals/{proposal}/approve"
    assert (await rita.post(path, json=GONE)).status_code == 403
    answer = await otto.post(path, json=GONE)
    assert (answer.status_code, answer.json()["state"]) == (200, "forgotten")
    assert await recalled(guarded.client(), QUESTION) == []
    assert (await guarded.client().get(f"/v1/memories/{id}")).status_code == 404
    (leaf,) = await decided(guarded, "erase")
    assert (leaf.actor, leaf.outcome) == ("otto", "forgotten")
    assert leaf.reasons == ("decide.policy_violation", "proposed.rita")
    other = await stored(guarded, "web")
    await proposed(rita, other)
    assert (await guarded.client().delete(f"/v1/memories/{other}")).status_code == 200
    assert await waiting(otto) == []


@pytest.mark.requirement("Q2", "W4")
async def test_trust_is_lowered_by_one(guarded: Guarded) -> None:
    """At once, on the record, and down to nothing; it never comes back by itself."""
    rita = guarded.client(sub="rita")
    id = await said(guarded.client(), UNTROUBLED)
    answer = await rita.post(f"/v1/memories/{id}/trust", json=GONE | {"trust": 1})
    assert answer.json() == {"id": id, "state": "active", "trust": 1, "proposal": None}
    assert await trust_of(guarded, id) == 1
    (leaf,) = await decided(guarded, "trust")
    assert (leaf.actor, leaf.reasons) == ("rita", ("decide.policy_violation",))
    again = await rita.post(f"/v1/memories/{id}/trust", json=GONE | {"trust": 1})
    assert again.status_code == 400
    assert await waiting(rita) == []


@pytest.mark.requirement("Q2")
async def test_a_refused_expired_or_outrun_proposal_does_nothing(guarded: Guarded) -> None:
    """Refused by anybody but the subject; expired after its days; and for no other version."""
    rita, otto = guarded.client(sub="rita"), guarded.client(sub="otto")
    id = await stored(guarded)
    refused, outrun, late = [await proposed(rita, id, trust=2) for _ in range(3)]
    assert await waiting(otto) == [refused, outrun, late]
    assert await waiting(otto, limit=1, after=refused) == [outrun]
    answer = await otto.post(f"/v1/proposals/{refused}/refuse", json={"reason": "duplicate"})
    assert (answer.status_code, answer.json()["by"]) == (200, "rita")
    assert (await otto.post(f"/v1/proposals/{refused}/approve", json=ASKED)).status_code == 404
    (leaf,) = await decided(guarded, "refuse")
    assert leaf.reasons == ("decide.duplicate", "proposed.rita")
    assert (
        await rita.post(f"/v1/memories/{id}/trust", json=GONE | {"trust": 0})
    ).status_code == 200
    answer = await otto.post(f"/v1/proposals/{outrun}/approve", json=ASKED)
    assert (answer.status_code, "changed" in answer.text) == (400, True)
    guarded.house.later(days=8)
    assert (await otto.post(f"/v1/proposals/{late}/approve", json=ASKED)).status_code == 404
    assert await waiting(otto) == []
    await guarded.clerk.tidy()
    assert guarded.house.ledger.proposals is not None
    assert await trust_of(guarded, id) == 0


@pytest.mark.requirement("Q2", "E5")
async def test_neither_the_subject_nor_another_tenant_has_a_say(guarded: Guarded) -> None:
    """Who holds the right in his own tenant decides on others' memories there, and on no more."""
    alice, rita, otto = (guarded.client(sub=who) for who in ("alice", "rita", "otto"))
    id = await stored(guarded)
    weigh, erase = f"/v1/memories/{id}/trust", f"/v1/memories/{id}/erase"
    foreign = guarded.client(sub="rita", tid="umbra")
    reader = guarded.client(sub="rita", scope="quarantine:read memory:write memory:delete")
    for client, status in ((alice, 403), (foreign, 404), (reader, 403)):
        assert (await client.post(weigh, json=ASKED | {"trust": 2})).status_code == status
        assert (await client.post(weigh, json=ASKED | {"trust": 0})).status_code == status
        assert (await client.post(erase, json=GONE)).status_code == status
    proposal = await proposed(rita, id, trust=3)
    path = f"/v1/proposals/{proposal}"
    for client, status in ((alice, 403), (foreign, 404), (reader, 403)):
        assert (await client.post(f"{path}/approve", json=ASKED)).status_code == status
        assert (await client.post(f"{path}/refuse", json=ASKED)).status_code == status
    assert await waiting(foreign) == []
    for body in ({}, {"trust": 2}, ASKED, ASKED | {"trust": 4}, ASKED | {"trust": -1}):
        assert (await rita.post(weigh, json=body)).status_code == 400, body
    assert (await otto.post(f"{path}/approve", json={})).status_code == 400
    assert await trust_of(guarded, id) == 1
    assert (await otto.post(f"{path}/approve", json=ASKED)).status_code == 200


@pytest.mark.requirement("Q2")
async def test_what_is_held_stays_held_whatever_it_is_trusted(guarded: Guarded) -> None:
    """Trust lets nothing through: a release does, and that is another decision."""
    rita, otto = guarded.client(sub="rita"), guarded.client(sub="otto")
    id = await said(guarded.client(), ATTACK, origin={"class": "document"})
    proposal = await proposed(rita, id, trust=2)
    answer = await otto.post(f"/v1/proposals/{proposal}/approve", json=ASKED)
    assert answer.json()["state"] == "held"
    assert await recalled(guarded.client(), "previous instructions") == []


@pytest.mark.requirement("Q2", "Q8")
async def test_what_does_not_open_ends_no_page_and_hides_no_other(guarded: Guarded) -> None:
    """A page is full as long as there is more, over REST and in the console; and what does not open
    is no proposal, whoever asks for it.
    """
    rita, otto = guarded.client(sub="rita"), guarded.client(sub="otto")
    id = await stored(guarded)
    made = [await proposed(rita, id, trust=2) for _ in range(30)]
    assert await waiting(otto, limit=2) == made[:2]
    spoil(guarded, *made[1:4], made[-1])
    whole = [made[0], *made[4:-1]]
    assert await waiting(otto, limit=2) == whole[:2]
    assert await waiting(otto, limit=2, after=made[2]) == whole[1:3]
    assert await waiting(otto, limit=100) == whole
    assert await waiting(otto, limit=2, after=whole[-1]) == []
    assert (await otto.post(f"/v1/proposals/{made[1]}/approve", json=ASKED)).status_code == 404
    browser = Browser(console_of(guarded))
    await browser.sign_in(guarded.key, sub="otto")
    first = (await browser.get("/console/proposals")).text
    further = f"/console/proposals?after={whole[24]}"
    assert [f"/{one}/approve" in first for one in whole] == [True] * 25 + [False]
    assert f'href="{further}"' in first
    last = (await browser.get(further)).text
    assert [f"/{one}/approve" in last for one in whole] == [False] * 25 + [True]
    assert "after=" not in last
    await browser.http.aclose()
