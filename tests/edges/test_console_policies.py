"""The pages of policies, over the real doors: drafted, foreseen, put in force and taken back."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.edges.browser import Browser, console_of
from tests.edges.test_policies import Replicas, replicas, told
from tests.unit.test_draft import OWN

__all__ = ["replicas"]
EVERY = "policy:read policy:write quarantine:read"
LOOSE = OWN.replace('"reject"', '"allow"')


@pytest.fixture
async def browser(replicas: Replicas) -> AsyncIterator[Browser]:
    """Lend a browser in which somebody is signed in who may write policies."""
    replicas.rooms()
    made = Browser(console_of(replicas.guarded))
    assert (await made.sign_in(replicas.guarded.key, scope=EVERY)).status_code == 303
    yield made
    await made.http.aclose()


@pytest.mark.requirement("Q4", "Q8", "W11")
async def test_a_draft_is_checked_kept_foreseen_and_put_in_force(
    replicas: Replicas, browser: Browser
) -> None:
    """And taken back; what it changes shows at the next write."""
    user = replicas.client(sub="ada")
    assert await told(user, "rent") == 201
    await browser.get("/console/policies/new")

    answer = await browser.post("/console/policies/new", {"text": LOOSE, "keep": "true"})
    assert answer.status_code == 400
    assert "This can&#39;t be used yet" in answer.text
    assert html_of(LOOSE) in answer.text

    windows = OWN.replace("\n", "\r\n")
    answer = await browser.post("/console/policies/new", {"text": windows, "keep": "false"})
    assert answer.status_code == 200
    assert "This can be used" in answer.text
    answer = await browser.post(
        "/console/policies/new", {"text": windows, "comment": "<b>no</b> accounts", "keep": "true"}
    )
    assert answer.headers["location"] == "/console/policies/version/1"
    await browser.get("/console/policies/version/1")
    assert "<b>no" not in browser.page
    assert "&lt;b&gt;no&lt;/b&gt; accounts" in browser.page

    answer = await browser.post("/console/policies/version/1/simulate", {"days": "7"})
    assert re.search(r"1 decisions of the last 7 days were compared", answer.text)
    assert "<b>reject it</b>" in answer.text
    assert await told(user, "water") == 201

    answer = await browser.post("/console/policies/version/1/activate", {"seen": "0"})
    assert answer.status_code == 303
    assert await told(user, "gas") == 422
    # Who takes something else to hold changes nothing.
    answer = await browser.post("/console/policies/rollback", {"seen": "0"})
    assert answer.status_code == 412
    await browser.get("/console/policies")
    assert "in force" in browser.page
    answer = await browser.post("/console/policies/rollback", {"seen": "1"})
    assert answer.status_code == 303
    assert await told(user, "light") == 201


@pytest.mark.requirement("Q8", "E4", "E5")
async def test_nobody_else_writes_or_reads_them(replicas: Replicas, browser: Browser) -> None:
    """Who may only read sees no editor; another tenant has versions of its own."""
    await browser.get("/console/policies/new")
    assert (await browser.post("/console/policies/new", {"text": OWN, "keep": "true"})).is_redirect
    app: Any = console_of(replicas.guarded)
    for claims, there, editor in (
        ({"scope": "policy:read"}, 200, 403),
        ({"scope": EVERY, "tid": "globex"}, 404, 200),
    ):
        other = Browser(app)
        await other.sign_in(replicas.guarded.key, **claims)
        assert (await other.get("/console/policies/version/1")).status_code == there
        assert (await other.get("/console/policies/new")).status_code == editor
        await other.get("/console/policies")
        assert ("Draft new rules" in other.page) is (editor == 200)
        assert ("Version 1" in other.page) is (there == 200)
        await other.http.aclose()


def html_of(text: str) -> str:
    """Return how a page has the first line of a text."""
    return text.splitlines()[0].replace('"', "&#34;")
