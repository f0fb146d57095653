"""The other pages in a real browser: an origin's quarantine, a tenant's rules, its memories."""

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from gateway import app
from tests.edges.browser import REVIEWER
from tests.live.console.chromium import AXE, CHROMIUM, UNTESTED, Watched, window
from tests.live.console.test_story import ATTACKS, FEW_LOOKS, LOOKS, sound
from tests.live.gateway_process import GatewayProcess
from tests.unit.test_draft import OWN

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not (CHROMIUM.exists() and AXE.exists()), reason=UNTESTED),
]

EVERYTHING: Final = f"{REVIEWER} policy:read policy:write tenant:admin"
ATTACKER: Final = "https://forum.example/t/9"
LONG: Final = "https://intranet.example/" + "a-department-with-a-very-long-name/" * 12 + "page.html"
KEY: Final = "My deploy key is AKIAIOSFODNN7EXAMPLE and the secret wJalrXUtnFEMI/K7MDENG/bPxRfiCY."
INNOCENT: Final = "The garden centre opens at nine and delivers soil on Fridays."
WORDS: Final = {
    "en-GB": {"held": "Nothing of it is recalled", "lifted": "Lifted", "flaw": "can't be used yet"},
    "zh-CN": {"held": "不再被召回", "lifted": "已解除", "flaw": "暂时无法使用"},
}
LOOSE: Final = OWN.replace('"reject"', '"allow"')


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(models: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    """Lend a gateway in which several tenants' origins wrote things good and bad."""
    folder = tmp_path_factory.mktemp("sections")
    async with GatewayProcess(folder / "data", models) as running:
        await fill(running)
        yield running


async def fill(running: GatewayProcess) -> None:
    """Write what is kept, held and refused, from several places."""
    ada = running.caller("acme", "ada")
    for text in ATTACKS:
        await ada.store(text, origin={"class": "web", "reference": ATTACKER})
    await ada.store(ATTACKS[0], origin={"class": "document", "reference": "handbook.pdf"})
    await ada.store(KEY)
    await ada.store("I moved to Utrecht in March.", session_id="chat-7")
    await running.caller("acme", "bob").store(
        "The office closes at six on Fridays.", origin={"class": "web", "reference": LONG}
    )


def give_up(running: GatewayProcess, hook: str) -> None:
    """Have two findings of this webhook be dead, as after days of an endpoint that is away."""
    made = int(datetime(2026, 11, 3, tzinfo=UTC).timestamp() * 1_000_000)
    late = made + 86_400_000_000
    with contextlib.closing(running.ledger()) as ledger:
        for leaf, reason in ((1, "post.refused"), (2, "post.unreachable")):
            ledger.execute(
                "INSERT OR IGNORE INTO posts (tenant, hook, sequence, made_at, due_at, attempts,"
                " dead_at, reason) VALUES ('acme', ?, ?, ?, ?, 12, ?, ?)",
                (hook, leaf, made, late, late, reason),
            )


@asynccontextmanager
async def administrator(
    running: GatewayProcess, browser: Browser, **look: Any
) -> AsyncIterator[Watched]:
    """Lend a window in which somebody is signed in who may do everything."""
    token = app.token(
        running.settings,
        tenant="acme",
        subject="rita",
        scopes=EVERYTHING.split(),
        client="dev-app",
        ttl_seconds=3600,
    )
    async with window(browser, running.url, **look) as at:
        await at.page.goto("/console/login")
        await at.page.fill("#token", token)
        await at.page.click("main button.main")
        await at.page.wait_for_url("**/console/overview")
        yield at


async def send(page: Page, action: str) -> None:
    """Press the button of the form that goes there, and wait for the page that answers."""
    async with page.expect_navigation():
        await page.click(f"form[action^='{action}'] button")


@pytest.mark.requirement("Q8")
@pytest.mark.timeout(300)
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("size", "language", "dark"), LOOKS)
async def test_each_page_is_sound_with_things_on_it(
    gateway: GatewayProcess,
    browser: Browser,
    size: tuple[int, int],
    language: str,
    dark: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """In every look: it fits, axe has no complaint, nothing foreign is asked for."""
    look = f"{size[0]}-{language[:2]}-{'dark' if dark else 'light'}"
    async with administrator(gateway, browser, size=size, language=language, dark=dark) as at:
        await expect(at.page.locator("svg.chart rect").first).to_be_visible()
        await sound(at, f"{look}-overview")
        for by in ("source", "session", "client"):
            await at.page.goto(f"/console/origins?by={by}")
            await expect(at.page.locator("[data-row]").first).to_be_visible()
            await sound(at, f"{look}-origins-{by}")
        await at.page.goto("/console/settings")
        form = "form[action='/console/settings/webhook']"
        await at.page.fill(f"{form} [name=id]", "alerts")
        await at.page.fill(f"{form} [name=url]", "https://siem.example/hooks/memguard")
        await send(at.page, "/console/settings/webhook")
        await expect(at.page.locator("main pre")).to_contain_text("whsec_")
        await sound(at, f"{look}-settings")
        give_up(gateway, "alerts")
        await at.page.goto("/console/letters")
        await expect(at.page.locator("[aria-labelledby=posts] li")).to_have_count(2)
        await sound(at, f"{look}-letters")


@pytest.mark.requirement("Q5", "Q8")
@pytest.mark.timeout(300)
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("size", "language", "dark"), FEW_LOOKS)
async def test_an_origin_is_found_held_and_lifted(
    gateway: GatewayProcess,
    browser: Browser,
    size: tuple[int, int],
    language: str,
    dark: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """From its writer's name for it: what it wrote is gone from recall at once, and comes back."""
    look = f"{size[0]}-{language[:2]}-{'dark' if dark else 'light'}"
    says, name = WORDS[language], f"https://garden.example/{look}"
    carol = gateway.caller("acme", f"carol-{look}")
    stored = await carol.store(INNOCENT, origin={"class": "web", "reference": name})
    assert stored.status_code == 201, stored.text
    id = stored.json()["id"]

    async def recalled() -> list[str]:
        found = await carol.recall("When does the garden centre open?")
        return [one["id"] for one in found["items"]]

    assert await recalled() == [id]
    async with administrator(gateway, browser, size=size, language=language, dark=dark) as at:
        page = at.page
        await page.goto("/console/origins")
        await page.fill("[name=name]", name)
        await send(page, "/console/origins/find")
        await expect(page.locator("#recalls ~ table tbody tr")).to_have_count(1)
        await sound(at, f"{look}-origin-1-reach")
        await send(page, "/console/origins/preview")
        await sound(at, f"{look}-origin-2-preview")
        assert await recalled() == [id]
        await send(page, "/console/origins/hold")
        await expect(page.locator("[role=status]")).to_contain_text(says["held"])
        await sound(at, f"{look}-origin-3-held")
        assert await recalled() == []
        await page.goto("/console/origins")
        await sound(at, f"{look}-origin-4-list")
        await send(page, "/console/origins/lift/")
        await expect(page.locator("[role=status]")).to_contain_text(says["lifted"])
        await sound(at, f"{look}-origin-5-lifted")
    assert await recalled() == [id]


@pytest.mark.requirement("Q4", "Q8", "W11")
@pytest.mark.timeout(300)
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("size", "language", "dark"), FEW_LOOKS)
async def test_rules_are_drafted_foreseen_put_in_force_and_taken_back(
    gateway: GatewayProcess,
    browser: Browser,
    size: tuple[int, int],
    language: str,
    dark: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """What loosens is told by its line; what tightens decides until it is rolled back."""
    look = f"{size[0]}-{language[:2]}-{'dark' if dark else 'light'}"
    dora = gateway.caller("acme", f"dora-{look}")

    async def told(what: str) -> int:
        answer = await dora.store(f"My account for the {what} is NL91 ABNA 0417 1643 00.")
        return answer.status_code

    assert await told("rent") == 201
    async with administrator(gateway, browser, size=size, language=language, dark=dark) as at:
        page = at.page
        await page.goto("/console/policies/new")
        await page.fill("[name=text]", LOOSE)
        async with page.expect_navigation():
            await page.click("button[value=true]")
        await expect(page.locator("main [role=alert]")).to_contain_text(WORDS[language]["flaw"])
        await sound(at, f"{look}-policy-1-flaw")
        await page.fill("[name=text]", OWN)
        await page.fill("[name=comment]", f"No accounts ({look})")
        async with page.expect_navigation():
            await page.click("button[value=false]")
        await expect(page.locator("main section[role=status]")).to_contain_text("no-accounts")
        await sound(at, f"{look}-policy-2-checked")
        async with page.expect_navigation():
            await page.click("button[value=true]")
        version = page.url
        assert "/console/policies/version/" in version
        async with page.expect_navigation():
            await page.click("form[action*='/simulate'] button")
        await expect(page.locator("#simulate ~ table tbody tr").first).to_be_visible()
        await sound(at, f"{look}-policy-3-foreseen")
        assert await told("water") == 201
        async with page.expect_navigation():
            await page.click("form[action$='/activate'] button")
        await expect(page.locator("main > [role=status]")).to_be_visible()
        await sound(at, f"{look}-policy-4-activated")
        assert await told("gas") == 422
        await send(page, "/console/policies/rollback")
        await sound(at, f"{look}-policy-5-rolled-back")
    assert await told("light") == 201


@pytest.mark.requirement("Q3", "Q8")
@pytest.mark.timeout(300)
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("size", "language", "dark"), FEW_LOOKS)
async def test_a_subjects_memory_is_found_and_read_for_a_ground(
    gateway: GatewayProcess,
    browser: Browser,
    size: tuple[int, int],
    language: str,
    dark: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """No text before a ground and a comment, and the audit has who read it."""
    look = f"{size[0]}-{language[:2]}-{'dark' if dark else 'light'}"
    async with administrator(gateway, browser, size=size, language=language, dark=dark) as at:
        page = at.page
        await page.goto("/console/memories")
        await page.fill("[name=subject]", "bob")
        async with page.expect_navigation():
            await page.click("main form button")
        await expect(page.locator("[data-row]")).to_have_count(1)
        await sound(at, f"{look}-memories-1-list")
        await page.keyboard.press("j")
        async with page.expect_navigation():
            await page.keyboard.press("Enter")
        await expect(page.locator("main")).not_to_contain_text("closes at six")
        await page.select_option("#text [name=ground]", "request")
        await page.fill("#text textarea", "He asked what is kept of him.")
        await page.click("#text button")
        await expect(page.locator("#text .text")).to_contain_text("closes at six")
        await sound(at, f"{look}-memories-2-read")
