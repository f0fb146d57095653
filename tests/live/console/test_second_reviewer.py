"""What takes two reviewers, in a real browser: proposed by one, approved or refused by another."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from gateway import app
from tests.edges.browser import REVIEWER
from tests.live.console.chromium import AXE, CHROMIUM, UNTESTED, Watched, window
from tests.live.console.test_story import LOOKS, sound
from tests.live.gateway_process import SCOPES, GatewayProcess

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not (CHROMIUM.exists() and AXE.exists()), reason=UNTESTED),
]

HERE: Final = "/console/proposals"
TEXT: Final = "Deliveries for the garden centre are to be left at gate B."
LONG_NAME: Final = "https://id.example/realms/" + "a-department-with-a-very-long-name" * 5
A_PAGE: Final = 25
WORDS: Final = {
    "en-GB": {
        "title": "Waiting for a second reviewer",
        "none": "Nothing waits",
        "proposed": "Proposed to a second reviewer",
        "approved": "Approved",
        "refused": "Let fall",
        "own": "your own memory",
    },
    "zh-CN": {
        "title": "等待第二位审核人员",
        "none": "没有等待复核的提议",
        "proposed": "已提交复核",
        "approved": "已批准",
        "refused": "已作罢",
        "own": "您本人的记忆",
    },
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(models: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    """Lend a gateway; each look has a tenant of its own there."""
    folder = tmp_path_factory.mktemp("second")
    async with GatewayProcess(folder / "data", models) as running:
        yield running


@asynccontextmanager
async def reviewer(
    running: GatewayProcess, browser: Browser, tenant: str, name: str, **look: Any
) -> AsyncIterator[Watched]:
    """Lend a window in which a reviewer of this name is signed in, at what waits for a second."""
    token = app.token(
        running.settings,
        tenant=tenant,
        subject=name,
        scopes=REVIEWER.split(),
        client="dev-app",
        ttl_seconds=3600,
    )
    async with window(browser, running.url, **look) as at:
        await at.page.goto(HERE)
        await at.page.fill("#token", token)
        await at.page.click("main button.main")
        await at.page.wait_for_url(f"**{HERE}")
        yield at


async def stored(running: GatewayProcess, tenant: str, subject: str) -> str:
    """Have a document's text stored for a subject; return its id."""
    answer = await running.caller(tenant, subject).store(TEXT, origin={"class": "document"})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def asked(http: httpx2.AsyncClient, id: str, **trust: int) -> None:
    """Have more trust proposed over REST, or an erasure."""
    path = f"/v1/memories/{id}/{'trust' if trust else 'erase'}"
    answer = await http.post(path, json={"reason": "verified_with_subject", **trust})
    assert answer.json()["proposal"], answer.text


async def decide(page: Page, form: str, why: str) -> None:
    """Open a form, give a reason, and send it: with the keyboard alone."""
    summary = page.locator(f"details:has(form[action$='{form}']) > summary").first
    await summary.focus()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await expect(page.locator("details[open] select:focus")).to_be_visible()
    while await page.locator("details[open] [name=reason]:focus").count() == 0:
        await page.keyboard.press("ArrowDown")  # what stands before the reason
        await page.keyboard.press("Tab")
    await page.locator("details[open] [name=reason]").select_option(why)
    await page.keyboard.press("Tab")
    await page.keyboard.type("Asked her by phone; j and x are letters here.")


async def send(page: Page) -> None:
    """Press the button behind the comment, as the keyboard does."""
    await page.keyboard.press("Tab")
    async with page.expect_navigation():
        await page.keyboard.press("Enter")


@pytest.mark.requirement("Q2", "Q8")
@pytest.mark.timeout(300)
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("size", "language", "dark"), LOOKS)
async def test_one_proposes_and_another_approves_or_refuses(
    gateway: GatewayProcess,
    browser: Browser,
    size: tuple[int, int],
    language: str,
    dark: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """With the keyboard alone. Nothing is done before; nobody is offered to approve his own."""
    look = f"{size[0]}-{language[:2]}-{'dark' if dark else 'light'}"
    says, tenant = WORDS[language], f"acme-{look}"
    seen = {"size": size, "language": language, "dark": dark}
    id, ada = await stored(gateway, tenant, "ada"), gateway.caller(tenant, "ada")
    async with (
        reviewer(gateway, browser, tenant, "rita", **seen) as rita,
        reviewer(gateway, browser, tenant, "otto", **seen) as otto,
    ):
        await expect(rita.page.locator("h1")).to_have_text(says["title"])
        await expect(rita.page.locator("main")).to_contain_text(says["none"])
        await sound(rita, f"{look}-second-1-none")
        await rita.page.goto(f"/console/memories/{id}")
        await decide(rita.page, "/trust", "verified_with_subject")
        await sound(rita, f"{look}-second-2-weigh")
        await send(rita.page)
        await expect(rita.page.locator("[role=status]")).to_contain_text(says["proposed"])
        assert await rita.page.locator("[data-row] details").count() == 1
        assert await rita.page.locator("form[action$='/approve']").count() == 0
        await sound(rita, f"{look}-second-3-proposed")
        await rita.page.goto(f"/console/memories/{id}")
        await decide(rita.page, "/erase", "policy_violation")
        await send(rita.page)
        await expect(rita.page.locator("[data-row]")).to_have_count(2)

        await otto.page.goto(HERE)
        await sound(otto, f"{look}-second-4-waiting")
        await expect(otto.page.locator("main")).not_to_contain_text("gate B")
        await otto.page.keyboard.press("j")
        await otto.page.keyboard.press("j")
        await expect(otto.page.locator("[data-row].at [data-open]")).to_be_focused()
        async with otto.page.expect_navigation():
            await otto.page.keyboard.press("Enter")
        assert otto.page.url == f"{gateway.url}/console/memories/{id}"
        await otto.page.goto(HERE)
        await decide(otto.page, "/approve", "verified_with_subject")
        await sound(otto, f"{look}-second-5-approve")
        assert (await ada.fetch(id)).json()["trust"] == 1
        await send(otto.page)
        await expect(otto.page.locator("[role=status]")).to_contain_text(says["approved"])
        assert (await ada.fetch(id)).json()["trust"] > 1
        await decide(otto.page, "/refuse", "mistake")
        await send(otto.page)
        await expect(otto.page.locator("[role=status]")).to_contain_text(says["refused"])
        await sound(otto, f"{look}-second-6-refused")
    assert (await ada.fetch(id)).status_code == 200


@pytest.mark.requirement("Q2", "Q8")
@pytest.mark.timeout(300)
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("size", "language", "dark"), LOOKS)
async def test_many_wait_of_all_kinds(
    gateway: GatewayProcess,
    browser: Browser,
    size: tuple[int, int],
    language: str,
    dark: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """More than a page of them, names of any length, one's own memory and one's own proposal."""
    look = f"{size[0]}-{language[:2]}-{'dark' if dark else 'light'}"
    says, tenant = WORDS[language], f"umbra-{look}"
    held = (*SCOPES, "quarantine:read", "quarantine:decide")
    rita, otto, long = (gateway.caller(tenant, one, held) for one in ("rita", "otto", LONG_NAME))
    of = {one: await stored(gateway, tenant, one) for one in ("ada", "otto", LONG_NAME)}
    await asked(long.http, of["ada"], trust=3)
    await asked(rita.http, of[LONG_NAME])
    await asked(rita.http, of["otto"], trust=2)
    await asked(otto.http, of["ada"], trust=2)
    for _ in range(A_PAGE - 3):
        await asked(rita.http, of["ada"], trust=2)
    async with reviewer(
        gateway, browser, tenant, "otto", size=size, language=language, dark=dark
    ) as at:
        rows = at.page.locator("[data-row]")
        await expect(rows).to_have_count(A_PAGE)
        await sound(at, f"{look}-second-7-many")
        await expect(rows.nth(2)).to_contain_text(says["own"])
        assert await rows.nth(2).locator("details").count() == 0
        assert await rows.nth(3).locator("form[action$='/approve']").count() == 0
        # One form is open at a time, so that what is sent is what is looked at.
        for place in range(2):
            await rows.nth(0).locator("summary").nth(place).click()
            await expect(rows.nth(0).locator("details[open]")).to_have_count(1)
            await sound(at, f"{look}-second-8-open-{place}")
        await rows.nth(3).locator("summary").click()
        await decide(at.page, "/refuse", "mistake")
        await at.page.locator("nav.pages [rel=next]").click()
        await expect(rows).to_have_count(1)
        await sound(at, f"{look}-second-9-further")
