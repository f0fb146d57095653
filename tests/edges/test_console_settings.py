"""The pages of an administrator, over the real doors: clients, webhooks, tokens, dead letters."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.origin import OriginClass
from memory.types import ClientId, TenantId
from tests.edges.browser import Browser, console_of
from tests.edges.guarded import Guarded
from tests.edges.world import bearer, token

ADMIN = "tenant:admin"


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend the real doors."""
    made = Guarded(tmp_path)
    yield made
    await made.close()


@pytest.fixture
async def browser(guarded: Guarded) -> AsyncIterator[Browser]:
    """Lend a browser in which an administrator is signed in."""
    made = Browser(console_of(guarded))
    assert (await made.sign_in(guarded.key, scope=ADMIN)).status_code == 303
    yield made
    await made.http.aclose()


@pytest.mark.requirement("Q8", "E13")
async def test_a_client_is_added_and_removed(guarded: Guarded, browser: Browser) -> None:
    """A hostile name is text."""
    registry, acme, name = guarded.rooms.registry, TenantId("acme"), ClientId("bot<i>")
    await browser.get("/console/settings")
    client = {"id": name, "ceiling": "agent_relayed"}

    answer = await browser.post("/console/settings/client", client)
    assert answer.headers["location"] == "/console/settings?done=client"
    found = await registry.client(acme, name)
    assert found is not None
    assert found.ceiling is OriginClass.AGENT_RELAYED
    await browser.get("/console/settings")
    assert "<i>" not in browser.page
    assert "bot&lt;i&gt;" in browser.page

    answer = await browser.post("/console/settings/client/remove", {"id": name})
    assert answer.headers["location"] == "/console/settings?done=client_removed"
    assert await registry.client(acme, name) is None


@pytest.mark.requirement("Q8", "E6")
async def test_a_token_is_taken_back(guarded: Guarded, browser: Browser) -> None:
    """That one, and no other of its subject, at this very gateway."""
    await browser.get("/console/settings")
    answer = await browser.post("/console/settings/revoke", {"of": "token", "name": "stolen<i>"})
    assert answer.headers["location"] == "/console/settings?done=revoked"
    await browser.get("/console/settings")
    assert re.search(r"Token \(jti\) <code>stolen&lt;i&gt;</code>", browser.page)
    for name, status in (("stolen<i>", 401), ("another", 200)):
        headers = bearer(token(guarded.key, jti=name))
        assert (await browser.http.get("/v1/memories", headers=headers)).status_code == status


@pytest.mark.requirement("Q8", "W14")
async def test_letters_and_settings_need_the_administrator(guarded: Guarded) -> None:
    """Without the scope no page; with it one that says that nothing was given up."""
    app = console_of(guarded)
    for scope, status in (("quarantine:read audit:read", 403), (ADMIN, 200)):
        browser = Browser(app)
        await browser.sign_in(guarded.key, scope=scope)
        for path, title in (("/console/letters", "Dead letters"), ("/console/settings", "Clients")):
            assert (await browser.get(path)).status_code == status
            assert (f">{title}</h" in browser.page) is (status == 200)
        await browser.http.aclose()
