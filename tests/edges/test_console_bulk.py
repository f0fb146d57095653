"""Many cases decided at once on pages: shown first, and then exactly those."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.edges.browser import Browser, console_of
from tests.edges.guarded import ATTACK, Guarded
from tests.edges.test_console import hold
from tests.edges.test_console_overview import TEXTS


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend the real doors."""
    made = Guarded(tmp_path)
    yield made
    await made.close()


@pytest.fixture
async def app(guarded: Guarded) -> Any:
    """Return the application over them."""
    return console_of(guarded)


async def held(app: Any, guarded: Guarded) -> list[str]:
    """Have three writes held; return their ids."""
    return [(await hold(app, guarded, text=text)).json()["id"] for _, text in TEXTS]


def token_in(page: str) -> str:
    """Return the token of a preview."""
    found = re.search(r'name="preview" value="([^"]+)"', page)
    return found[1] if found else ""


@pytest.mark.requirement("Q2", "Q8")
async def test_what_was_ticked_is_shown_and_then_decided(app: Any, guarded: Guarded) -> None:
    """The preview decides on nothing, and what was not ticked stays."""
    ids = await held(app, guarded)
    browser = Browser(app)
    await browser.sign_in(guarded.key)
    await browser.get("/console/queue")
    assert browser.page.count('name="ids"') == 3

    answer = await browser.post("/console/queue/bulk", {"decision": "reject", "ids": ids[:2]})
    assert answer.status_code == 200
    assert "2 cases would be decided on." in answer.text
    token = token_in(answer.text)
    assert "3 held" in (await browser.get("/console/queue")).text

    decided = {"decision": "reject", "preview": token, "reason": "spam", "comment": "a <b>wave</b>"}
    answer = await browser.post("/console/queue/bulk/decide", decided)
    assert "decided: <b>2</b>" in answer.text
    assert "1 held" in (await browser.get("/console/queue")).text
    assert (await browser.get(f"/console/queue/{ids[2]}")).status_code == 200


@pytest.mark.requirement("Q2", "Q8")
async def test_all_that_the_filters_leave_is_shown(app: Any, guarded: Guarded) -> None:
    """In Chinese as well; nothing ticked is an error that says so."""
    await held(app, guarded)
    await hold(app, guarded, origin={"class": "document"}, text=f"{ATTACK} Now.")
    browser = Browser(app)
    await browser.sign_in(guarded.key)
    await browser.get("/console/queue?origin=web")
    found = re.search(r'name="query" value="([^"]*)"', browser.page)
    assert found is not None
    query = found[1].replace("&amp;", "&")

    chosen = {"decision": "reject", "which": "all", "query": query}
    answer = await browser.post("/console/queue/bulk", chosen, headers={"Accept-Language": "zh"})
    assert "将处理 3 个条目。" in answer.text
    answer = await browser.post("/console/queue/bulk", {"decision": "reject"})
    assert answer.status_code == 400
    assert "tick at least one case" in answer.text


@pytest.mark.requirement("Q2", "Q8", "E5")
async def test_a_preview_decides_for_its_own_reviewer_alone(app: Any, guarded: Guarded) -> None:
    """Not for another tenant's, nor for one who may only read; the control decides."""
    ids = await held(app, guarded)
    browser = Browser(app)
    await browser.sign_in(guarded.key)
    await browser.get("/console/queue")
    answer = await browser.post("/console/queue/bulk", {"decision": "reject", "ids": ids})
    decided = {"decision": "reject", "preview": token_in(answer.text), "reason": "spam"}
    for claims, status in (
        ({"tid": "globex"}, 400),
        ({"sub": "other"}, 400),
        ({"scope": "quarantine:read"}, 403),
        ({}, 200),
    ):
        other = Browser(app)
        await other.sign_in(guarded.key, **claims)
        await other.get("/console/queue")
        answer = await other.post("/console/queue/bulk/decide", decided)
        assert answer.status_code == status
        await other.http.aclose()
    assert "0 held" in (await browser.get("/console/queue")).text
