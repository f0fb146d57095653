"""The console's door and frame: who gets in, what a browser is told, and what no form can do."""

import html
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final

import httpx2
import msgspec
import pytest
import pytest_asyncio

from gateway.console.shield import POLICY
from gateway.edge import build
from gateway.scopes import ROUTES, Access
from gateway.settings import Limits
from guard.principal import Scope
from guard.revoke import Of, revoke
from guard.visits import Ticket
from storage.fakes.visits import MemoryVisits
from tests.edges.browser import REVIEWER, SECURE, Browser, console_of
from tests.edges.guarded import ATTACK, Guarded
from tests.edges.world import ID, World, bearer, key_set, token

PAGES: Final = sorted(
    path.replace("{id}", ID)
    for (method, path), needed in ROUTES.items()
    if path.startswith("/console") and method == "GET" and isinstance(needed, Scope)
)
FORMS: Final = sorted(
    path.replace("{id}", ID)
    for (method, path) in ROUTES
    if path.startswith("/console") and method == "POST" and path != "/console/look"
)
HOSTILE: Final = (
    "<script>window.pwned=1</script>",
    '"><img src=x onerror=window.pwned=1>',
    "' autofocus onfocus='window.pwned=1",
    "javascript:window.pwned=1",
    "</textarea></title></style><svg onload=window.pwned=1>",
    "{{ 7 * 7 }}{% raw %}${7*7}",
    "<a href=javascript:window.pwned=1>x</a>\u2028<iframe srcdoc='<script>1</script>'>",
)

_MARKUP: Final = re.compile(r"<(?:img src=x|svg onload|iframe|a href=javascript|script>window)")


class Common(msgspec.Struct, frozen=True):
    """A console for many tests: its doors and the application over them."""

    guarded: Guarded
    app: Any


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def common(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Common]:
    """Lend one console to all tests that change nothing in it; something is held there."""
    made = Guarded(tmp_path_factory.mktemp("common"))
    app: Any = console_of(made)
    await hold(app, made)
    yield Common(made, app)
    await made.close()


@pytest_asyncio.fixture(loop_scope="module")
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend the real doors."""
    made = Guarded(tmp_path)
    yield made
    await made.close()


@pytest_asyncio.fixture(loop_scope="module")
async def app(guarded: Guarded) -> Any:
    """Return the application over them."""
    return console_of(guarded)


@pytest_asyncio.fixture(loop_scope="module")
async def browser(app: Any, guarded: Guarded) -> AsyncIterator[Browser]:
    """Lend a browser in which a reviewer is signed in."""
    async with signed_in(app, guarded) as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def reader(common: Common) -> AsyncIterator[Browser]:
    """Lend a browser in which a reviewer is signed in at the common console."""
    async with signed_in(common.app, common.guarded) as made:
        yield made


@asynccontextmanager
async def signed_in(app: Any, guarded: Guarded) -> AsyncIterator[Browser]:
    """Lend a reviewer's browser."""
    made = Browser(app)
    answer = await made.sign_in(guarded.key)
    assert answer.status_code == 303
    yield made
    await made.http.aclose()


async def hold(app: Any, guarded: Guarded, **said: Any) -> httpx2.Response:
    """Have something held, by somebody else than the reviewer."""
    origin = {"class": "web"} | (
        {"reference": said.pop("reference")} if "reference" in said else {}
    )
    claims = said.pop("claims", {})
    body = {"text": ATTACK, "origin": origin} | said
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1:8080"
    ) as http:
        answer = await http.post(
            "/v1/memories", json=body, headers=bearer(token(guarded.key, **claims))
        )
    assert answer.status_code == 202, answer.text
    return answer


def cookies(answer: httpx2.Response) -> dict[str, Any]:
    """Return the cookies that an answer sets, with their flags."""
    found: SimpleCookie = SimpleCookie()
    for line in answer.headers.get_list("set-cookie"):
        found.load(line)
    return dict(found)


@pytest.mark.requirement("Q8", "E1")
@pytest.mark.parametrize("path", ["/console", *PAGES])
async def test_a_page_leads_to_the_door_first(common: Common, path: str) -> None:
    """Without a visit, with a made-up ticket, and with a bearer token in the header, which is for
    programs.
    """
    stranger = Browser(common.app)
    made_up = Ticket(msgspec.json.decode(b'"acme"'), b"x" * 32).text()
    for headers in ({}, {"Cookie": f"memguard={made_up}"}, {"Cookie": "memguard=nonsense"}):
        answer = await stranger.get(path, **headers)
        assert answer.status_code == 303
        assert answer.headers["location"] == f"/console/login?next={path}"
        # Without a cookie none is dropped: another site's link would sign people out.
        assert ("set-cookie" in answer.headers) == bool(headers)
    assert (await stranger.get("/console/login")).status_code == 200
    await stranger.http.aclose()


@pytest.mark.requirement("Q8")
async def test_a_bearer_token_opens_no_page_and_a_ticket_no_other_route(
    app: Any, guarded: Guarded, browser: Browser
) -> None:
    """So no link or form of another site can make a browser call the interfaces of programs."""
    stranger = Browser(app)
    answer = await stranger.get("/console/queue", **bearer(token(guarded.key)))
    assert answer.status_code == 303
    assert (await browser.get("/v1/quarantine")).status_code == 401
    assert (await browser.get("/console/queue")).status_code == 200
    await stranger.http.aclose()


@pytest.mark.requirement("Q8")
async def test_signing_in_sets_one_cookie_that_nobody_else_reads_or_sends(
    app: Any, guarded: Guarded, browser: Browser
) -> None:
    """HttpOnly and SameSite=Strict, for the whole host, with no domain; it holds no token."""
    answer = await browser.sign_in(guarded.key)
    kept = cookies(answer)["memguard"]
    assert (kept["httponly"], kept["samesite"].lower(), kept["path"]) == (True, "strict", "/")
    assert (kept["domain"], kept["max-age"], kept["expires"]) == ("", "", "")
    assert "eyJ" not in answer.headers["set-cookie"]
    assert answer.headers["location"] == "/console"
    ticket = Ticket.read(kept.value)
    assert ticket is not None
    assert len(ticket.secret) == 32
    del app


@pytest.mark.requirement("Q8")
async def test_under_https_the_cookies_are_secure_and_of_this_host(guarded: Guarded) -> None:
    """Their names begin with `__Host-`, so that no other host can have set them."""
    browser = Browser(console_of(guarded, public_url=SECURE), SECURE)
    answer = await browser.sign_in(guarded.key)
    assert answer.status_code == 303
    found = cookies(answer)
    assert set(found) == {"__Host-memguard", "__Host-memguard-draft"}
    for one in found.values():
        assert (one["secure"], one["path"], one["domain"]) == (True, "/", "")
    assert (await browser.get("/console/queue")).status_code == 200
    await browser.http.aclose()


@pytest.mark.requirement("Q8")
async def test_a_ticket_that_somebody_brought_along_is_not_the_one_he_gets(
    app: Any, guarded: Guarded
) -> None:
    """Session fixation: each time one signs in the ticket is fresh, and the one before is dead."""
    browser = Browser(app)
    planted = Ticket(msgspec.json.decode(b'"acme"'), b"\1" * 32).text()
    browser.http.cookies.set("memguard", planted, domain="127.0.0.1", path="/")
    first = cookies(await browser.sign_in(guarded.key))["memguard"].value
    second = cookies(await browser.sign_in(guarded.key))["memguard"].value
    assert len({planted, first, second}) == 3
    other = Browser(app)
    for dead in (planted, first):
        assert (await other.get("/console/queue", Cookie=f"memguard={dead}")).status_code == 303
    assert (await other.get("/console/queue", Cookie=f"memguard={second}")).status_code == 200
    await browser.http.aclose()
    await other.http.aclose()


@pytest.mark.requirement("Q8")
async def test_signing_out_ends_the_visit_and_not_only_the_cookie(
    app: Any, guarded: Guarded, browser: Browser
) -> None:
    """A ticket that was copied before is worth nothing after; the audit has both moments."""
    ticket = browser.http.cookies["memguard"]
    await browser.get("/console/queue")
    answer = await browser.post("/console/logout")
    assert answer.headers["location"] == "/console/login"
    thief = Browser(app)
    assert (await thief.get("/console/queue", Cookie=f"memguard={ticket}")).status_code == 303
    await thief.http.aclose()
    del guarded


@pytest.mark.requirement("Q8", "E6")
async def test_a_visit_ends_with_its_token(guarded: Guarded) -> None:
    """When it was revoked, on the next request; when it has expired; when its time is over."""
    edge = guarded.edge()
    browser = Browser(build(edge))
    await browser.sign_in(guarded.key)
    assert (await browser.get("/console/queue")).status_code == 200
    guarded.house.later(hours=8)
    assert (await browser.get("/console/queue")).status_code == 303
    await browser.sign_in(guarded.key)
    assert (await browser.get("/console/queue")).status_code == 200

    class Desk:
        clock, new_id = guarded.rooms.clock, staticmethod(guarded.new_id)
        revocations = edge.revoked.store

    # The house's clock stands at an earlier day than tokens are from: take back by the token's id.
    named = await browser.sign_in(guarded.key, jti="lost-laptop")
    assert named.status_code == 303
    boss = msgspec.structs.replace(_principal(guarded), scopes=frozenset(Scope))
    await revoke(boss, Of.TOKEN, "lost-laptop", None, Desk())
    await edge.revoked.look()
    assert (await browser.get("/console/queue")).status_code == 303
    assert (await browser.sign_in(guarded.key, jti="lost-laptop")).status_code == 401
    await browser.http.aclose()


def _principal(guarded: Guarded) -> Any:
    from tests.house import caller  # noqa: PLC0415 - the clock of that house is this one's

    return msgspec.structs.replace(caller("boss"), issued_at=guarded.house.now)


@pytest.mark.requirement("Q8", "E1")
@pytest.mark.parametrize(
    "changed",
    [
        {"aud": "https://elsewhere.example"},
        {"exp": 1},
        {"iss": "https://evil.example"},
        {"tid": None},
    ],
)
async def test_a_bad_token_begins_no_visit(common: Common, changed: dict[str, Any]) -> None:
    """One opaque answer for all of them, and no cookie."""
    browser = Browser(common.app)
    answer = await browser.sign_in(common.guarded.key, **changed)
    assert answer.status_code == 401
    assert "memguard" not in cookies(answer)
    assert "This token is not valid here." in answer.text
    await browser.http.aclose()


@pytest.mark.requirement("Q8", "E14")
async def test_trying_tokens_at_the_door_is_bounded_as_everywhere(guarded: Guarded) -> None:
    """After so many that fail the address waits, with a good one as well."""
    edge = guarded.edge()
    limits = msgspec.structs.replace(edge.settings.limits, peer_failures_per_minute=3)
    settings = msgspec.structs.replace(edge.settings, limits=limits)
    browser = Browser(build(msgspec.structs.replace(edge, settings=settings)))
    answers = [await browser.sign_in(guarded.key, exp=1) for _ in range(4)]
    assert [one.status_code for one in answers] == [401, 401, 401, 429]
    assert (await browser.sign_in(guarded.key)).status_code == 429
    await browser.http.aclose()


@pytest.mark.requirement("Q8")
@pytest.mark.parametrize("path", FORMS)
async def test_no_form_is_taken_from_anywhere_else(common: Common, path: str) -> None:
    """Not without the secret of this visit, not with another's, not from a foreign page."""
    browser = Browser(common.app)
    await browser.sign_in(common.guarded.key, scope=" ".join(Scope))
    if path != "/console/login":
        await browser.get("/console/queue")
    else:
        await browser.get(path)
    right = browser.secret
    assert right
    wrong: list[tuple[str, dict[str, str | None]]] = [
        ("", {}),
        ("x" * 43, {}),
        (right[:-1] + ("A" if right[-1] != "A" else "B"), {}),
        (right, {"Origin": None}),
        (right, {"Origin": "null"}),
        (right, {"Origin": "https://evil.example"}),
        (right, {"Origin": "http://127.0.0.1:8080.evil.example"}),
        (right, {"Origin": "http://127.0.0.1:8080@evil"}),
    ]
    for secret, headers in wrong:
        answer = await browser.post(path, {"token": "x"}, secret=secret, headers=headers)
        assert answer.status_code == 403, (secret, headers)
    # The control: the same form with both is refused for what is in it, or taken.
    answer = await browser.post(path, {"token": "x"}, secret=right)
    assert answer.status_code in {303, 400, 401, 404}
    assert (await browser.get("/console/login")).status_code == 200
    await browser.http.aclose()


@pytest.mark.requirement("Q8")
async def test_the_secret_of_another_visit_opens_nothing(app: Any, guarded: Guarded) -> None:
    """Somebody who is signed in himself can't have his own secret sent with another's cookie."""
    one, other = Browser(app), Browser(app)
    for browser in (one, other):
        await browser.sign_in(guarded.key)
        await browser.get("/console/queue")
    assert one.secret != other.secret
    assert (await one.post("/console/logout", secret=other.secret)).status_code == 403
    assert (await one.post("/console/logout")).status_code == 303
    await one.http.aclose()
    await other.http.aclose()


@pytest.mark.requirement("Q8")
@pytest.mark.parametrize(
    "path",
    [
        "/console",
        "/console/login",
        "/console/queue",
        "/console/nothing",
        "/console/static/console.js",
    ],
)
async def test_every_answer_tells_the_browser_what_may_not_be(reader: Browser, path: str) -> None:
    """Also a redirect, a refusal, what no route takes, and a file."""
    answer = await reader.get(path)
    told = answer.headers
    assert told["content-security-policy"] == POLICY
    for part in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert part in POLICY
    assert "unsafe" not in POLICY
    assert told["x-frame-options"] == "DENY"
    assert told["x-content-type-options"] == "nosniff"
    assert told["referrer-policy"] == "same-origin"
    assert "static" in path or told["cache-control"] == "no-store"
    assert (await reader.get("/healthz")).headers.get("content-security-policy") is None


@pytest.mark.requirement("Q8")
@pytest.mark.parametrize("path", ["/console/login", *PAGES])
async def test_no_page_has_a_script_or_a_style_in_it_or_asks_others(
    reader: Browser, path: str
) -> None:
    """Scripts, styles and pictures are files of ours; the policy would forbid them otherwise."""
    page = (await reader.get(path)).text
    assert re.findall(r"<script(?![^>]* src=\"/console/static/)", page) == []
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=", page) == []
    assert re.findall(r"(?:src|href|action)=\"(?!/console|#)", page) == []


@pytest.mark.requirement("Q8")
@pytest.mark.parametrize("hostile", HOSTILE)
async def test_what_others_wrote_is_text_on_every_page(common: Common, hostile: str) -> None:
    """As memory, source, session, subject, tenant, and in what a form is filled in with again."""
    app, guarded = common.app, common.guarded
    tenant = hostile.translate({0x2028: None})  # each has one of his own in the common console
    claims = {"tid": tenant, "sub": tenant}
    await hold(
        app,
        guarded,
        text=f"{ATTACK} {hostile}",
        reference=tenant,
        session_id=tenant[:120],
        claims=claims,
    )
    browser = Browser(app)
    assert (await browser.sign_in(guarded.key, tid=tenant, sub=f"{tenant} rita")).status_code == 303
    for path in (
        "/console/queue",
        f"/console/queue?subject={httpx2.QueryParams({'s': tenant})['s']}",
    ):
        answer = await browser.get(path)
        assert answer.status_code == 200
        assert not _MARKUP.search(answer.text)
        assert (
            html.escape(tenant[:20]).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
            in answer.text
        )
        assert "49" not in re.findall(r"<b>([^<]*)</b>", answer.text)
    assert "1 held" in (await browser.get("/console/queue")).text
    await browser.http.aclose()


@pytest.mark.requirement("Q8", "E5")
async def test_a_reviewer_sees_his_own_tenant(app: Any, guarded: Guarded) -> None:
    """On every page that he may open, with every scope there is."""
    mine = (await hold(app, guarded, claims={"tid": "acme", "sub": "ada-of-acme"})).json()["id"]
    theirs = await hold(app, guarded, claims={"tid": "umbra", "sub": "eve-of-umbra"})
    other = theirs.json()["id"]
    browser = Browser(app)
    await browser.sign_in(guarded.key, scope=" ".join(Scope))
    pages = [(await browser.get(path)).text for path in PAGES if ID not in path]
    assert not any("umbra" in page or other in page for page in pages)
    assert any(mine in page for page in pages)
    await browser.http.aclose()


@pytest.mark.requirement("Q8", "E4")
@pytest.mark.parametrize("path", PAGES)
async def test_each_page_asks_for_exactly_its_scope(common: Common, path: str) -> None:
    """All scopes but the right one give 403 that names it, and the menu does not lead there."""
    template = path.replace(ID, "{id}")
    needed, key = ROUTES["GET", template], common.guarded.key
    browser = Browser(common.app)
    await browser.sign_in(key, scope=" ".join(set(Scope) - {needed}))
    answer = await browser.get(path)
    assert answer.status_code == 403
    assert str(needed) in answer.text
    if template == path:
        assert f'href="{path}"' not in (await browser.get("/console/login")).text
    await browser.sign_in(key, scope=str(needed))
    assert (await browser.get(path)).status_code in {200, 404}
    await browser.http.aclose()


@pytest.mark.requirement("E4")
async def test_who_may_see_nothing_is_told_so(app: Any, guarded: Guarded) -> None:
    """A token without any scope of the console gets in, to a page that says that."""
    browser = Browser(app)
    await browser.sign_in(guarded.key, scope="memory:write")
    answer = await browser.get("/console")
    assert answer.status_code == 403
    assert "Nothing for you here" in answer.text
    await browser.http.aclose()


@pytest.mark.requirement("Q8", "E7")
async def test_pages_are_paid_for_like_calls(guarded: Guarded) -> None:
    """From the same buckets: who has spent all gets a page that says to wait."""
    edge = guarded.edge()
    limits = Limits(subject_units_per_minute=60, origin_units_per_minute=60, burst_seconds=5)
    settings = msgspec.structs.replace(edge.settings, limits=limits)
    browser = Browser(build(msgspec.structs.replace(edge, settings=settings)))
    await browser.sign_in(guarded.key)
    answers = [await browser.get("/console/queue") for _ in range(4)]
    assert answers[0].status_code == 200
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) > 0
    await browser.http.aclose()


@pytest.mark.requirement("Q8")
async def test_pages_speak_the_readers_language(browser: Browser) -> None:
    """What the browser would rather have, until somebody chooses; his choice is kept."""
    chinese = await browser.get("/console/queue", **{"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"})
    assert 'lang="zh"' in chinese.text
    assert "审核队列" in chinese.text
    assert 'lang="en"' in (await browser.get("/console/queue")).text
    sent = await browser.post(
        "/console/look", {"language": "zh", "next": "/console/queue"}, secret=""
    )
    assert (sent.status_code, sent.headers["location"]) == (303, "/console/queue")
    assert "审核队列" in (await browser.get("/console/queue")).text
    dark = await browser.post("/console/look", {"theme": "dark"}, secret="")
    assert dark.status_code == 303
    assert 'data-theme="dark"' in (await browser.get("/console/queue")).text


@pytest.mark.requirement("Q8")
@pytest.mark.parametrize(
    "onward", ["https://evil.example", "//evil.example", "/\\evil", "/console/../v1", "/v1/x", "x"]
)
async def test_no_form_leads_out_of_the_console(reader: Browser, onward: str) -> None:
    """Where to go on is a path of the console, or its root."""
    sent = await reader.post("/console/look", {"language": "en", "next": onward}, secret="")
    assert sent.headers["location"] == "/console"
    page = (await reader.get(f"/console/login?next={onward}")).text
    assert 'name="next" value="/console"' in page


@pytest.mark.requirement("E2")
async def test_in_production_no_token_is_taken_at_the_door(
    tmp_path: Path, signing_key: dict[str, Any]
) -> None:
    """The page offers no field for it, and the form is refused."""
    from gateway.settings import Mode  # noqa: PLC0415
    from tests.house import House  # noqa: PLC0415

    world = World(key_set(tmp_path, signing_key))
    edge = world.edge()
    settings = msgspec.structs.replace(edge.settings, mode=Mode.PRODUCTION)
    edge = msgspec.structs.replace(
        edge, settings=settings, rooms=House().rooms, visits=MemoryVisits()
    )
    browser = Browser(build(edge))
    page = await browser.get("/console/login")
    assert page.status_code == 200
    assert "<textarea" not in page.text
    assert (await browser.sign_in(signing_key)).status_code == 403
    await browser.http.aclose()


async def test_the_pages_of_this_test_are_those_of_the_table() -> None:
    """Or a new page would be forgotten here; and nothing but the door and the files is public."""
    assert "/console/queue" in PAGES
    assert "/console/logout" in FORMS
    public = {
        path for (_, path), one in ROUTES.items() if one is Access.PUBLIC and "console" in path
    }
    door = {"/console/login", "/console/look", "/console/away", "/console/back"}
    assert public == {*door, "/console/static/{name}"}
    assert REVIEWER.split()


async def decided(browser: Browser, id: str, action: str, **fields: str) -> httpx2.Response:
    """Decide on a case from its page."""
    await browser.get(f"/console/queue/{id}")
    return await browser.post(f"/console/queue/{id}/{action}", fields)


@pytest.mark.requirement("Q8", "Q2")
async def test_a_case_is_decided_on_its_page(app: Any, guarded: Guarded, browser: Browser) -> None:
    """Release, reject and escalate take a reason, lead back to the queue and stand in the audit."""
    ids = [(await hold(app, guarded, text=f"{ATTACK} {n}")).json()["id"] for n in "abc"]
    assert (await decided(browser, ids[0], "release")).status_code == 400
    assert (await decided(browser, ids[0], "release", reason="other")).status_code == 400
    for id, action, word in zip(
        ids, ("release", "reject", "escalate"), ("released", "rejected", "escalated"), strict=True
    ):
        done = await decided(browser, id, action, reason="mistake", comment="looked at it")
        assert done.status_code == 303
        assert done.headers["location"] == f"/console/queue?done={word}&of={id}"
        assert id in (await browser.get(done.headers["location"])).text
    assert (await browser.get(f"/console/queue/{ids[1]}")).status_code == 404
    await browser.get(f"/console/queue?done=released&of={ids[0]}")
    undone = await browser.post(f"/console/queue/{ids[0]}/undo", {"reason": "mistake"})
    assert undone.headers["location"] == f"/console/queue?done=undone&of={ids[0]}"
    assert (await browser.get(f"/console/queue/{ids[0]}")).status_code == 200
    assert ids[2] in (await browser.get("/console/queue?state=escalated")).text
    mine = [one for one in await guarded.house.audited() if one[0] in {"release", "reject"}]
    assert [one[2] for one in mine] == [("decide.mistake",)] * 2


@pytest.mark.requirement("Q8", "Q3")
async def test_a_text_is_shown_for_a_ground_and_not_again(
    app: Any, guarded: Guarded, browser: Browser
) -> None:
    """What was found is marked in it; without the scope no form for it is offered."""
    id = (await hold(app, guarded, reference="https://x.example/a?b=<c>")).json()["id"]
    page = f"/console/queue/{id}"
    assert "all previous instructions" not in (await browser.get(page)).text
    assert (await browser.post(f"{page}/reveal", {"ground": "review"})).status_code == 400
    await browser.get(page)
    shown = await browser.post(f"{page}/reveal", {"ground": "incident", "comment": "who sent it"})
    assert shown.status_code == 200
    assert "<mark title=" in shown.text
    assert "https://x.example/a?b=&lt;c&gt;" in shown.text
    assert "all previous instructions" not in (await browser.get(page)).text
    leaves = [one for one in await guarded.house.audited() if one[0] == "reveal"]
    assert [one[2] for one in leaves] == [("reveal.incident",)]
    blind = Browser(app)
    await blind.sign_in(guarded.key, scope="quarantine:read quarantine:decide")
    assert "/reveal" not in (await blind.get(page)).text
    assert (
        await blind.post(f"{page}/reveal", {"ground": "review", "comment": "x"})
    ).status_code == 403
    await blind.http.aclose()


@pytest.mark.requirement("Q8", "Q6")
async def test_the_record_is_verified_against_what_was_kept(
    app: Any, guarded: Guarded, browser: Browser
) -> None:
    """A checkpoint of before is proved, another root is not, and neither is one of the future."""
    await hold(app, guarded)
    await guarded.house.ledger.audit.integrate()
    page = (await browser.get("/console/audit")).text
    size, root = (
        html.unescape(re.findall(rf'name="{name}"[^>]* value="([^"]*)"', page)[0])
        for name in ("size", "root")
    )
    assert int(size) > 0
    assert "remember" in page
    await hold(app, guarded, text=f"{ATTACK} again")
    await guarded.house.ledger.audit.integrate()
    await browser.get("/console/audit")
    proved = await browser.post("/console/audit/verify", {"size": size, "root": root, "leaf": "1"})
    assert "Proved: leaf 1" in proved.text
    assert "NOT PROVED" not in proved.text
    other = ("A" if root[0] != "A" else "B") + root[1:]
    await browser.get("/console/audit")
    wrong = await browser.post("/console/audit/verify", {"size": size, "root": other})
    assert "NOT PROVED" in wrong.text
    for bad in ({"size": "999", "root": root}, {"size": size, "root": "x" * 44}, {"size": size}):
        await browser.get("/console/audit")
        assert (await browser.post("/console/audit/verify", bad)).status_code == 400
    filtered = await browser.get("/console/audit?action=remember&since=2026-01-01")
    assert "remember" in filtered.text
    assert "No leaf fits." in (await browser.get("/console/audit?action=nothing")).text
