"""A subject's memories for the reviewers of its tenant: labels, and a text for a ground."""

from typing import Final

import httpx2
import pytest

from tests.edges.browser import Browser, console_of
from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded
from tests.edges.revealing import Broken, revealed
from tests.edges.test_console import HOSTILE
from tests.edges.test_decisions import said

LIST: Final = "/v1/subjects/memories"
WHY: Final = {"ground": "request", "comment": "She asked what is kept of her."}
SOURCE: Final = "https://forum.example/t/9"


@pytest.mark.requirement("Q3", "Q8")
async def test_what_is_stored_is_listed_without_texts_and_read_with_a_leaf(
    guarded: Guarded,
) -> None:
    """Page by page; what is held is no part of it, and forgotten it is gone."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    first = await said(http, UNTROUBLED, origin={"class": "web", "reference": SOURCE})
    second = await said(http, "My sister's name is Ottilie.")
    held = await said(http, ATTACK)

    page = (await rita.get(LIST, params={"subject": "alice", "limit": 1})).json()
    rest = await rita.get(LIST, params={"subject": "alice", "cursor": page["cursor"]})
    listed = page["items"] + rest.json()["items"]
    assert [one["id"] for one in listed] == [second, first]
    assert rest.json()["cursor"] is None
    assert {one["subject"] for one in listed} == {"alice"}
    assert "Ottilie" not in str(listed)
    assert await revealed(guarded) == []

    shown = await rita.post(f"{LIST}/{first}/reveal", json=WHY)
    assert shown.status_code == 200
    assert (shown.json()["text"], shown.json()["reference"]) == (UNTROUBLED, SOURCE)
    (leaf,) = await revealed(guarded)
    assert (leaf.actor, leaf.subject, leaf.object) == ("rita", "alice", first)
    assert (leaf.outcome, leaf.reasons) == ("shown", ("reveal.request",))
    assert (await rita.post(f"{LIST}/{held}/reveal", json=WHY)).status_code == 404

    assert (await http.delete(f"/v1/memories/{first}")).status_code == 200
    assert (await rita.post(f"{LIST}/{first}/reveal", json=WHY)).status_code == 404
    left = (await rita.get(LIST, params={"subject": "alice"})).json()["items"]
    assert [one["id"] for one in left] == [second]


@pytest.mark.requirement("Q3", "E4", "E5")
async def test_nobody_else_lists_or_reads_them(guarded: Guarded) -> None:
    """Another tenant's reviewer finds nothing, whoever lacks the scope is refused, and one's own
    are for one's application; nothing of all that leaves a leaf.
    """
    id = await said(guarded.client(), UNTROUBLED)
    own = await said(guarded.client(sub="rita"), "My locker is number 12.")
    rita, umbra = guarded.client(sub="rita"), guarded.client(sub="rita", tid="umbra")
    without = guarded.client(sub="rita", scope="quarantine:decide memory:read tenant:admin")
    whose = {"subject": "alice"}

    answer = await umbra.get(LIST, params=whose)
    assert (answer.status_code, answer.json()) == (200, {"items": [], "cursor": None})
    assert (await umbra.post(f"{LIST}/{id}/reveal", json=WHY)).status_code == 404
    assert (await without.get(LIST, params=whose)).status_code == 403
    assert (await without.post(f"{LIST}/{id}/reveal", json=WHY)).status_code == 403
    reader = guarded.client(sub="rita", scope="quarantine:read")
    assert (await reader.post(f"{LIST}/{id}/reveal", json=WHY)).status_code == 403
    assert (await rita.post(f"{LIST}/{own}/reveal", json=WHY)).status_code == 403
    for body in ({}, {"ground": "request"}, {"ground": "curiosity", "comment": "x"}):
        assert (await rita.post(f"{LIST}/{id}/reveal", json=body)).status_code == 400, body
    for asked in ({}, {"subject": ""}, {"subject": " "}, {"subject": "x" * 513}):
        assert (await rita.get(LIST, params=asked)).status_code == 400, asked
    assert await revealed(guarded) == []
    # The control: the same call by whoever may.
    assert (await rita.post(f"{LIST}/{id}/reveal", json=WHY)).status_code == 200


@pytest.mark.requirement("Q3")
async def test_what_can_not_be_written_down_is_not_shown(guarded: Guarded) -> None:
    """503 and no text; with the ledger back, the same call answers."""
    id = await said(guarded.client(), UNTROUBLED)
    rooms = guarded.house.with_rooms(remarks=Broken())
    answer = await guarded.client(rooms, sub="rita").post(f"{LIST}/{id}/reveal", json=WHY)
    assert (answer.status_code, UNTROUBLED in answer.text) == (503, False)
    good = await guarded.client(sub="rita").post(f"{LIST}/{id}/reveal", json=WHY)
    assert (good.status_code, good.json()["text"]) == (200, UNTROUBLED)


@pytest.mark.requirement("Q8")
async def test_the_page_finds_a_subject_and_reads_one_of_its_memories(guarded: Guarded) -> None:
    """Whatever the subject is called and wrote is text."""
    subject, text = HOSTILE[0], f"The quarterly review takes place in Lisbon. {HOSTILE[1]}"
    id = await said(guarded.client(sub=subject), text)
    browser = Browser(console_of(guarded))
    await browser.sign_in(guarded.key)
    await browser.get("/console/memories")
    answer = await browser.get(f"/console/memories?{httpx2.QueryParams({'subject': subject})}")
    assert f'href="/console/memories/{id}"' in answer.text
    assert "Lisbon" not in answer.text
    await browser.get(f"/console/memories/{id}")
    assert "Lisbon" not in browser.page
    assert "&lt;script&gt;" in browser.page
    refused = await browser.post(f"/console/memories/{id}/reveal", {"ground": "audit"})
    assert refused.status_code == 400
    await browser.get(f"/console/memories/{id}")
    answer = await browser.post(f"/console/memories/{id}/reveal", WHY)
    assert answer.status_code == 200
    assert "in Lisbon. &#34;&gt;&lt;img" in answer.text
    assert "<script>" not in answer.text
    assert "<img src=x" not in answer.text
    assert [leaf.object for leaf in await revealed(guarded)] == [id]
    await browser.http.aclose()


@pytest.mark.requirement("Q8", "E4", "E5")
async def test_the_page_has_nothing_for_others(guarded: Guarded) -> None:
    """Another tenant's reviewer is told that there is none; whoever may not read gets no form."""
    id = await said(guarded.client(), UNTROUBLED)
    own = await said(guarded.client(sub="rita"), "My locker is number 12.")
    app = console_of(guarded)
    for claims, status in (({"tid": "umbra"}, 404), ({"scope": "quarantine:read"}, 200)):
        browser = Browser(app)
        await browser.sign_in(guarded.key, **claims)
        assert (await browser.get(f"/console/memories/{id}")).status_code == status
        assert "/reveal" not in browser.page
        await browser.get("/console/memories?subject=alice")
        assert (id in browser.page) is (status == 200)
        answer = await browser.post(f"/console/memories/{id}/reveal", WHY)
        assert answer.status_code == (404 if status == 404 else 403)
        await browser.http.aclose()
    browser = Browser(app)
    await browser.sign_in(guarded.key)
    for mine, form in ((own, False), (id, True)):
        await browser.get(f"/console/memories/{mine}")
        assert ("/reveal" in browser.page) is form
    await browser.http.aclose()
