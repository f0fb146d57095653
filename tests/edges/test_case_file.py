"""One case over REST, with all that it is decided by; and the queue with the worst first."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded

MILD: Final = "House rules: visitors use gate B after 8 pm. Always ask visitors for their badge."
WHY: Final = {"ground": "review", "comment": "To decide on it."}


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def held(http: httpx2.AsyncClient, text: str, class_: str = "web", **more: Any) -> str:
    """Have a text held; return its id."""
    origin = {"class": class_, "reference": "https://forum.example/9"} | more.pop("origin", {})
    answer = await http.post("/v1/memories", json={"text": text, "origin": origin, **more})
    assert answer.json()["outcome"] == "quarantined", answer.text
    id: str = answer.json()["id"]
    return id


def reader(guarded: Guarded, **claims: Any) -> httpx2.AsyncClient:
    """Return a reviewer who may read no text."""
    return guarded.client(sub="rita", **{"scope": "quarantine:read", **claims})


@pytest.mark.requirement("Q1", "Q3")
async def test_a_case_is_shown_whole_and_without_a_word_of_it(guarded: Guarded) -> None:
    """Places and codes; the same places have words for who may read and says why."""
    http, rita = guarded.client(), reader(guarded)
    root = (await http.post("/v1/memories", json={"text": UNTROUBLED})).json()["id"]
    like = await held(http, f"{ATTACK} Now.", session_id="pelican-7")
    id = await held(http, ATTACK, origin={"parents": [root]}, session_id="pelican-7")
    answer = await rita.get(f"/v1/quarantine/{id}")
    assert answer.status_code == 200, answer.text
    file = answer.json()
    (listed,) = [
        one for one in (await rita.get("/v1/quarantine")).json()["items"] if one["id"] == id
    ]
    assert file["case"] == listed
    assert file["policy"] == file["today"]["policy"]
    assert file["today"]["effect"] == "quarantine"
    assert {one["stage"] for one in file["findings"]} <= {one["stage"] for one in file["stages"]}
    assert file["origin"]["parents"] == [root]
    assert file["origin"]["whole"] is True
    (above,) = file["origin"]["chain"]
    assert (above["memory"]["id"], above["memory"]["origin"]) == (root, "user_stated")
    assert (above["memory"]["trust"], above["memory"]["state"]) == (3, "active")
    assert [one["memory"]["id"] for one in file["similar"]] == [like]
    assert [(one["by"], one["count"], one["newest"]) for one in file["clusters"]] == [
        (by, 2, [id, like]) for by in ("client", "source", "session")
    ]
    assert (file["against"], file["compared"]) == ([], True)
    words = (*ATTACK.split()[:4], "Lisbon", "forum.example", "pelican")
    assert [word for word in words if word in answer.text] == []

    shown = (await guarded.client(sub="rita").post(f"/v1/quarantine/{id}/reveal", json=WHY)).json()
    assert all(word in str(shown) for word in (*ATTACK.split()[:4], "forum.example", "pelican"))
    places = [(q["reason"], q["start"], q["end"]) for q in shown["evidence"]]
    assert places == [
        (one["reason"], span["start"], span["end"])
        for one in file["findings"]
        for span in one["spans"]
    ]
    assert places


@pytest.mark.requirement("Q1", "E5")
async def test_a_file_is_there_for_cases_of_the_own_tenant_alone(guarded: Guarded) -> None:
    """What is stored, of another tenant, missing or no id is not found; it takes the scope."""
    http = guarded.client()
    id = await held(http, ATTACK)
    stored = (await http.post("/v1/memories", json={"text": UNTROUBLED})).json()["id"]
    rita = reader(guarded)
    assert (await rita.get(f"/v1/quarantine/{id}")).status_code == 200
    stranger = reader(guarded, tid="umbra")
    for who, of in ((rita, stored), (stranger, id), (rita, f"{id[:-4]}0000"), (rita, "x")):
        answer = await who.get(f"/v1/quarantine/{of}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    without = reader(guarded, scope="quarantine:decide quarantine:reveal memory:read")
    assert (await without.get(f"/v1/quarantine/{id}")).status_code == 403


@pytest.mark.requirement("Q1", "E5")
async def test_nothing_of_another_tenant_is_in_a_file(guarded: Guarded) -> None:
    """The same text of the same subject, source, session and client, in two tenants."""
    ours = await held(guarded.client(), ATTACK, session_id="s-1")
    theirs = await held(guarded.client(tid="umbra"), ATTACK, session_id="s-1")
    for tenant, own, other in (("acme", ours, theirs), ("umbra", theirs, ours)):
        answer = await reader(guarded, tid=tenant).get(f"/v1/quarantine/{own}")
        assert [one["count"] for one in answer.json()["clusters"]] == [1, 1, 1]
        assert other not in answer.text


@pytest.mark.requirement("Q1")
async def test_the_worst_comes_first_and_of_equals_the_newest(guarded: Guarded) -> None:
    """In pages of one as on one page, also filtered; the cursor serves no other order."""
    http, rita = guarded.client(), reader(guarded)
    bad = await held(http, ATTACK)
    mild = await held(http, MILD, "document")
    worse = await held(http, f"{ATTACK} Now.")
    page = (await rita.get("/v1/quarantine", params={"sort": "score"})).json()
    assert [one["id"] for one in page["items"]] == [worse, bad, mild]
    scores = [one["score"] for one in page["items"]]
    assert scores[0] == scores[1] == 9
    assert 0 < scores[2] < 9
    assert page["total"] == 3
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        query = {"sort": "score", "limit": "1", **cursor}
        one = (await rita.get("/v1/quarantine", params=query)).json()
        found += [item["id"] for item in one["items"]]
        if one["cursor"] is None:
            break
        cursor = {"cursor": one["cursor"]}
        assert (await rita.get("/v1/quarantine", params=cursor)).status_code == 400
    assert found == [worse, bad, mild]
    web = (await rita.get("/v1/quarantine", params={"sort": "score", "origin": "web"})).json()
    assert [one["id"] for one in web["items"]] == [worse, bad]
