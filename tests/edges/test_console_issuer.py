"""Signing in at an issuer: the code flow with PKCE, against one that keeps to it."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import httpx2
import msgspec
import pytest

from gateway.auth import RegisteredOnly
from gateway.edge import build
from gateway.settings import Console, Http, Mode, Settings, SettingsError, load
from guard.ports import Client, Tenant
from memory.origin import OriginClass
from memory.types import ClientId, TenantId
from storage.fakes.registry import MemoryRegistry
from tests.edges.browser import SECURE, Browser
from tests.edges.guarded import Guarded
from tests.edges.issuing import CLIENT, Issuing

_AWAY: Final = "__Host-memguard-away"


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend the real doors, in production, to a registered tenant."""
    made = Guarded(tmp_path)
    registry = made.rooms.registry
    assert isinstance(registry, MemoryRegistry)
    acme = TenantId("acme")
    client = Client(ClientId(CLIENT), acme, OriginClass.USER_STATED)
    await registry.register(Tenant(acme, suspended=False), [client])
    yield made
    await made.close()


@pytest.fixture
async def issuing(guarded: Guarded) -> AsyncIterator[Issuing]:
    """Lend an issuer whose key the gateway trusts."""
    with Issuing(guarded.key).answering() as issuer:
        yield issuer


@pytest.fixture
async def browser(guarded: Guarded, issuing: Issuing) -> AsyncIterator[Browser]:
    """Lend a browser at a gateway in production, where nobody is signed in."""
    console = Console(
        client_id=CLIENT, authorize_url="https://login.example/auth", token_url=issuing.url
    )
    settings = Settings(mode=Mode.PRODUCTION, http=Http(public_url=SECURE), console=console)
    admission = RegisteredOnly(guarded.rooms.registry)
    app = build(msgspec.structs.replace(guarded.edge(), settings=settings, admission=admission))
    made = Browser(app, SECURE)
    yield made
    await made.http.aclose()


async def leave(browser: Browser, onward: str = "/console/queue") -> str:
    """Go to the issuer; return its address with all that is asked there."""
    assert "/console/away" in (await browser.get(f"/console/login?next={onward}")).text
    answer = await browser.get(f"/console/away?next={onward}")
    assert answer.status_code == 303
    return answer.headers["location"]


async def back(browser: Browser, brought: dict[str, str]) -> httpx2.Response:
    """Come back from the issuer with what it gave."""
    return await browser.get(f"/console/back?{httpx2.QueryParams(brought)}")


@pytest.mark.requirement("Q8", "E1")
async def test_who_signs_in_at_the_issuer_is_in(browser: Browser, issuing: Issuing) -> None:
    """He comes back to where he was, by a page and no redirect, with the cookie of a visit."""
    address = await leave(browser)
    asked = dict(parse_qsl(urlsplit(address).query))
    assert address.startswith("https://login.example/auth?")
    assert asked["redirect_uri"] == f"{SECURE}/console/back"
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3
    assert min(len(asked[one]) for one in ("state", "nonce", "code_challenge")) == 43
    answer = await back(browser, issuing.authorised(address))
    assert answer.status_code == 200
    assert 'content="0;url=/console/queue"' in answer.text
    told = answer.headers.get_list("set-cookie")
    (kept,) = [one for one in told if one.startswith("__Host-memguard=")]
    assert "HttpOnly" in kept
    assert "samesite=strict" in kept.lower()
    assert "Secure" in kept
    assert any(one.startswith(f"{_AWAY}=") and "Max-Age=0" in one for one in told)
    assert "rita" in (await browser.get("/console/queue")).text


@pytest.mark.requirement("Q8")
async def test_only_the_way_back_is_taken_along_by_other_sites_links(browser: Browser) -> None:
    """The cookie of an errand is Lax, short-lived, and good for nothing else."""
    await browser.get("/console/login")
    answer = await browser.get("/console/away?next=https://evil.example")
    (kept,) = answer.headers.get_list("set-cookie")
    assert kept.startswith(f"{_AWAY}=")
    assert "samesite=lax" in kept.lower()
    assert "Max-Age=900" in kept
    assert "evil" not in kept
    assert (await browser.get("/console/queue")).status_code == 303


_Wrong = Callable[[Issuing, dict[str, str]], Any]
WRONG: Final[dict[str, _Wrong]] = {
    "another state": lambda _, brought: brought.update(state="x" * 43),
    "no state": lambda _, brought: brought.pop("state"),
    "no code": lambda _, brought: brought.pop("code"),
    "another issuer": lambda _, brought: brought.update(iss="https://evil.example"),
    "an unknown code": lambda _, brought: brought.update(code="guessed"),
    "another nonce": lambda issuer, _: issuer.identity.update(nonce="replayed"),
    "an identity for others": lambda issuer, _: issuer.identity.update(aud="another-app"),
    "an identity for several": lambda issuer, _: issuer.identity.update(aud=[CLIENT, "x"], azp="x"),
    "an identity of another issuer": lambda issuer, _: issuer.identity.update(iss="https://x.y"),
    "an identity that expired": lambda issuer, _: issuer.identity.update(exp=1),
    "an identity of somebody else": lambda issuer, _: issuer.identity.update(sub="mallory"),
    "an identity that nobody signed": lambda issuer, _: setattr(
        issuer, "signs_with", issuer.foreign
    ),
    "a token for others": lambda issuer, _: issuer.claims.update(aud="another-api"),
    "a token that expired": lambda issuer, _: issuer.claims.update(exp=1),
}


@pytest.mark.requirement("Q8", "E1")
@pytest.mark.parametrize("wrong", WRONG)
async def test_what_does_not_fit_begins_no_visit(
    browser: Browser, issuing: Issuing, wrong: str
) -> None:
    """One opaque answer for all of it. That the same goes well otherwise is shown above."""
    brought = issuing.authorised(await leave(browser))
    WRONG[wrong](issuing, brought)
    answer = await back(browser, brought)
    assert answer.status_code == 401
    assert not any(
        one.startswith("__Host-memguard=") for one in answer.headers.get_list("set-cookie")
    )
    assert (await browser.get("/console/queue")).status_code == 303


@pytest.mark.requirement("Q8")
async def test_an_answer_is_of_the_browser_that_asked_and_of_one_time(
    browser: Browser, issuing: Issuing
) -> None:
    """Login CSRF: what somebody else brought back from the issuer is worth nothing here."""
    brought = issuing.authorised(await leave(browser))
    mine = browser.http.cookies[_AWAY]
    browser.http.cookies.delete(_AWAY)
    assert (await back(browser, brought)).status_code == 401
    await leave(browser)
    assert (await back(browser, brought)).status_code == 401
    browser.http.cookies.set(_AWAY, mine, domain="memguard.example", path="/")
    assert (await back(browser, brought)).status_code == 200
    browser.http.cookies.set(_AWAY, mine, domain="memguard.example", path="/")
    assert (await back(browser, brought)).status_code == 401


@pytest.mark.requirement("Q8")
async def test_an_issuer_that_does_not_answer_is_said_to_be_away(
    browser: Browser, issuing: Issuing
) -> None:
    """It is nobody's bad token."""
    issuing.status = 503
    answer = await back(browser, issuing.authorised(await leave(browser)))
    assert answer.status_code == 503


@pytest.mark.requirement("Q8")
async def test_who_is_of_no_registered_client_is_refused(
    browser: Browser, issuing: Issuing
) -> None:
    """The same admission as everywhere."""
    issuing.claims.update(azp="unregistered")
    answer = await back(browser, issuing.authorised(await leave(browser)))
    assert answer.status_code == 403


@pytest.mark.requirement("E2")
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"client_id": "x"}, "need each other"),
        ({"client_secret_file": "/x"}, "client_secret_file"),
        ({"scopes": "profile"}, "openid"),
    ],
)
def test_half_an_issuer_is_refused(said: dict[str, str], why: str) -> None:
    """At start, and not when the first person wants to sign in."""
    with pytest.raises(SettingsError, match=why):
        load(environ={f"MEMGUARD_CONSOLE_{name.upper()}": value for name, value in said.items()})
