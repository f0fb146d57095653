"""A reviewer's queue over REST: filtered, sorted, in pages."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from tests.edges.guarded import ATTACK, Guarded

LONG_AGO: Final = "2001-01-01T00:00:00Z"


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def held(guarded: Guarded, number: int, class_: str, **more: Any) -> str:
    """Have an attack held; return its id."""
    origin = {"class": class_, "reference": f"https://forum.example/{number % 2}"}
    body = {"text": f"{ATTACK} Part {number}.", "origin": origin, **more}
    answer = await guarded.client(sub=f"user-{number}").post("/v1/memories", json=body)
    assert answer.json()["outcome"] == "quarantined", answer.text
    id: str = answer.json()["id"]
    return id


async def listed(http: httpx2.AsyncClient, **query: Any) -> dict[str, Any]:
    """Return one page."""
    answer = await http.get("/v1/quarantine", params=query)
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.json()
    return page


def names(page: dict[str, Any]) -> list[str]:
    """Return the ids on a page."""
    return [item["id"] for item in page["items"]]


@pytest.mark.requirement("Q1")
async def test_the_queue_is_filtered_by_whatever_a_case_shows(guarded: Guarded) -> None:
    """Each filter leaves what it names and nothing else; the names that a writer gave serve as
    well as the keyed ids that cases show.
    """
    web = await held(guarded, 0, "web", session_id="s-1")
    document = await held(guarded, 1, "document")
    tool = await held(guarded, 2, "tool_output")
    rita = guarded.client(sub="rita", scope="quarantine:read")
    everything = await listed(rita)
    assert (names(everything), everything["total"]) == ([tool, document, web], 3)
    assert names(await listed(rita, sort="oldest")) == [web, document, tool]
    assert names(await listed(rita, origin=["web", "document"])) == [document, web]
    assert names(await listed(rita, subject="user-1")) == [document]
    assert names(await listed(rita, session="s-1")) == [web]
    case = everything["items"][2]
    for reference in ("https://forum.example/0", case["source"]):
        page = await listed(rita, reference=reference)
        assert (names(page), page["total"]) == ([tool, web], 2)
    assert names(await listed(rita, session=case["session"])) == [web]
    assert names(await listed(rita, client="dev-app", layer="episodic", origin="web")) == [web]
    assert names(await listed(rita, client="another")) == []
    assert names(await listed(rita, since=case["stored_at"])) == [tool, document, web]
    assert names(await listed(rita, until=LONG_AGO)) == []
    assert (await listed(guarded.client(sub="rita", tid="umbra")))["total"] == 0


@pytest.mark.requirement("Q1")
async def test_the_queue_is_searched_by_reason_or_its_family(guarded: Guarded) -> None:
    """Reasons are sealed, so nobody knows how many there are; the pages together have them all."""
    ids = [await held(guarded, number, "web") for number in range(3)]
    rita = guarded.client(sub="rita")
    (reason, *_) = (await listed(rita, limit=1))["items"][0]["reasons"]
    family = reason.partition(".")[0]
    for wanted in (reason, family):
        found: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = await listed(rita, reason=wanted, limit=1, **cursor)
            assert page["total"] is None
            found += names(page)
            if page["cursor"] is None:
                break
            cursor = {"cursor": page["cursor"]}
        assert found == ids[::-1]
    none = await listed(rita, reason=family[:-1])
    assert (none["items"], none["cursor"]) == ([], None)


@pytest.mark.requirement("Q1", "E8")
async def test_a_wrong_search_is_refused_and_a_cursor_serves_its_own_alone(
    guarded: Guarded,
) -> None:
    """Under another filter, order or reason it would skip cases without a word."""
    for number in range(2):
        await held(guarded, number, "web")
    rita = guarded.client(sub="rita")
    cursor = (await listed(rita, limit=1, origin="web"))["cursor"]
    assert len(names(await listed(rita, limit=1, origin="web", cursor=cursor))) == 1
    wrong: tuple[dict[str, str], ...] = (
        {"cursor": cursor},
        {"cursor": cursor, "origin": "document"},
        {"cursor": cursor, "origin": "web", "sort": "oldest"},
        {"cursor": cursor, "origin": "web", "reason": "injection"},
        {"sort": "loudest"},
        {"origin": "nowhere"},
        {"reason": "Not A Code"},
        {"since": "2026-11-02T00:00:00Z", "until": "2026-11-01T00:00:00Z"},
        {"state": "active"},
    )
    for query in wrong:
        assert (await rita.get("/v1/quarantine", params=query)).status_code == 400, query
