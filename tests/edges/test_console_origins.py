"""The pages of origins, over the real doors: found by name, held after a preview, and let out."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.edges.browser import Browser, console_of
from tests.edges.guarded import Guarded

PAGE = 'https://evil.example/p?a=1&b="><script>window.pwned=1</script>'
FACT = "The harbour museum opens at nine on Sundays."


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend the real doors."""
    made = Guarded(tmp_path)
    yield made
    await made.close()


async def write(user: httpx2.AsyncClient, reference: str = PAGE) -> str:
    """Store what a page says; return its id."""
    origin = {"class": "web", "reference": reference}
    answer = await user.post("/v1/memories", json={"text": FACT, "origin": origin})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def recalled(user: httpx2.AsyncClient) -> list[str]:
    """Return the ids that a question finds."""
    answer = await user.post("/v1/recall", json={"query": "When does the harbour museum open?"})
    return [item["id"] for item in answer.json()["items"]]


@pytest.mark.requirement("Q5", "Q8")
async def test_an_origin_is_found_by_its_name_held_and_let_out(guarded: Guarded) -> None:
    """The preview changes nothing; the hold stops recall at once, and lifting brings it back."""
    app: Any = console_of(guarded)
    user = guarded.client(sub="ada")
    id = await write(user)
    assert await recalled(user) == [id]
    browser = Browser(app)
    await browser.sign_in(guarded.key)
    await browser.get("/console/origins")

    answer = await browser.post("/console/origins/find", {"by": "source", "name": PAGE})
    there = answer.headers["location"]
    assert answer.status_code == 303
    assert "evil" not in there
    await browser.get(there)
    assert "<script>window" not in browser.page
    named = {"by": "source", "name": httpx2.URL(there).params["name"]}

    answer = await browser.post("/console/origins/preview", named)
    assert answer.status_code == 200
    assert "Memories that would be held: 1. Subjects concerned: 1." in answer.text
    assert await recalled(user) == [id]

    answer = await browser.post("/console/origins/hold", named)
    assert answer.headers["location"] == f"{there}&done=held"
    assert await recalled(user) == []
    await browser.get(answer.headers["location"])
    assert "Under quarantine since" in browser.page
    await browser.get("/console/origins")
    (lift,) = {line for line in browser.page.split('"') if line.startswith("/console/origins/lift")}

    answer = await browser.post(lift)
    assert answer.headers["location"] == "/console/origins?done=lifted"
    assert await recalled(user) == [id]
    await browser.http.aclose()


@pytest.mark.requirement("Q5", "Q8", "E5")
async def test_another_tenants_reviewer_finds_and_holds_nothing_of_it(guarded: Guarded) -> None:
    """Nor does a reader who may not decide; the control holds it."""
    app: Any = console_of(guarded)
    user = guarded.client(sub="ada")
    id = await write(user)
    for claims, status in (
        ({"tid": "globex"}, 303),
        ({"scope": "quarantine:read"}, 403),
    ):
        browser = Browser(app)
        await browser.sign_in(guarded.key, **claims)
        await browser.get("/console/origins")
        answer = await browser.post("/console/origins/hold", {"by": "source", "name": PAGE})
        assert answer.status_code == status
        assert await recalled(user) == [id]
        await browser.http.aclose()
    browser = Browser(app)
    await browser.sign_in(guarded.key)
    await browser.get("/console/origins")
    await browser.post("/console/origins/hold", {"by": "source", "name": PAGE})
    assert await recalled(user) == []
    await browser.http.aclose()
