"""What a reviewer does to a stored memory in the console, alone or with a second reviewer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest

from tests.edges.browser import Browser, console_of
from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded
from tests.edges.test_decisions import HELD_PAGE, decided, said

WHY: Final = {"reason": "mistake", "comment": "Looked at it again."}
FORMS: Final = ("hold", "layer", "trust", "erase")


@asynccontextmanager
async def signed_in(app: Any, guarded: Guarded, **claims: Any) -> AsyncIterator[Browser]:
    """Lend a browser in which somebody is signed in; rita, a reviewer, unless it says otherwise."""
    browser = Browser(app)
    await browser.sign_in(guarded.key, **claims)
    yield browser
    await browser.http.aclose()


async def sent(browser: Browser, page: str, form: str, **fields: str) -> tuple[int, str]:
    """Send a form from a page; return the status, and where it leads."""
    await browser.get(page)
    answer = await browser.post(form, fields)
    return answer.status_code, answer.headers.get("location", "")


@pytest.mark.requirement("Q8", "Q2", "L5")
async def test_a_memory_is_moved_weighed_and_held_from_its_page(guarded: Guarded) -> None:
    """Each for a reason, and each on the record; its text is never shown by that."""
    http, app = guarded.client(), console_of(guarded)
    id = await said(http, UNTROUBLED)
    page = f"/console/memories/{id}"
    async with signed_in(app, guarded) as rita:
        assert (await sent(rita, page, f"{page}/hold"))[0] == 400
        assert (await sent(rita, page, f"{page}/layer", layer="working", **WHY))[0] == 400
        for layer, done, other in (
            ("semantic", "promoted", "Demote"),
            ("episodic", "demoted", "Promote"),
        ):
            way = await sent(rita, page, f"{page}/layer", layer=layer, **WHY)
            assert way == (303, f"{page}?done={done}")
            shown = (await rita.get(way[1])).text
            assert f"{done.capitalize()} to the {layer} layer." in shown
            assert f"{other} to the" in shown
        way = await sent(rita, page, f"{page}/trust", trust="2", **WHY)
        assert way == (303, f"{page}?done=weighed")
        assert "Its trust is changed." in (await rita.get(way[1])).text
        assert "Lisbon" not in rita.page
        way = await sent(rita, page, f"{page}/hold", **WHY)
        assert way == (303, f"/console/queue?done=held&of={id}")
        assert f"Held: {id}" in (await rita.get(way[1])).text
        # What names it leads to its case now.
        moved = await rita.get(page)
        assert (moved.status_code, moved.headers["location"]) == (303, f"/console/queue/{id}")
        assert (await rita.get(f"/console/queue/{id}")).status_code == 200
    for action in ("promote", "demote", "trust", "hold"):
        (leaf,) = await decided(guarded, action)
        assert (leaf.actor, leaf.subject, leaf.reasons) == ("rita", "alice", ("decide.mistake",))


@pytest.mark.requirement("Q8", "Q2", "W16")
async def test_less_trust_may_have_policy_hold_it(guarded: Guarded) -> None:
    """The way then leads to the queue, which says so; a held case has both forms as well."""
    http, app = guarded.client(), console_of(guarded)
    id = await said(http, HELD_PAGE)
    page = f"/console/memories/{id}"
    async with signed_in(app, guarded) as rita:
        way = await sent(rita, page, f"{page}/trust", trust="1", **WHY)
        assert way == (303, f"/console/queue?done=weighed&of={id}")
        assert f"Trust changed, and held: {id}" in (await rita.get(way[1])).text
        case = f"/console/queue/{id}"
        assert f'action="{page}/trust"' in (await rita.get(case)).text
        way = await sent(rita, case, f"{page}/erase", **WHY)
        assert way == (303, f"/console/proposals?done=proposed&of={id}")


@pytest.mark.requirement("Q8", "Q2", "W4", "S5")
async def test_two_reviewers_raise_trust_and_erase(guarded: Guarded) -> None:
    """The first proposes and may only withdraw; the second approves or refuses, each for a
    reason. Neither page shows a text.
    """
    http, app = guarded.client(), console_of(guarded)
    id = await said(http, UNTROUBLED, origin={"class": "document"})
    page, here = f"/console/memories/{id}", "/console/proposals"
    async with signed_in(app, guarded) as rita, signed_in(app, guarded, sub="otto") as otto:
        assert "Nothing waits" in (await otto.get(here)).text
        way = await sent(rita, page, f"{page}/trust", trust="2", **WHY)
        assert way == (303, f"{here}?done=proposed&of={id}")
        assert "Withdraw" in (await rita.get(way[1])).text
        (waiting,) = (await http_of(guarded).get("/v1/proposals")).json()["items"]
        form = f"{here}/{waiting['id']}"
        assert f"{form}/refuse" in rita.page
        assert f"{form}/approve" not in rita.page
        assert (await sent(rita, here, f"{form}/approve", **WHY))[0] == 403
        listed = (await otto.get(here)).text
        assert "trust 2" in listed
        assert (f'href="{page}"' in listed, f"{form}/approve" in listed) == (True, True)
        assert "Lisbon" not in listed
        assert (await sent(otto, here, f"{form}/approve"))[0] == 400
        assert (await sent(otto, here, f"{form}/approve", **WHY)) == (
            303,
            f"{here}?done=approved&of={id}",
        )
        assert (await http.get(f"/v1/memories/{id}")).json()["trust"] == 2

        for decision, status in (("refuse", 200), ("approve", 404)):
            await sent(otto, page, f"{page}/erase", **WHY)
            (waiting,) = (await http_of(guarded).get("/v1/proposals")).json()["items"]
            path = f"{here}/{waiting['id']}/{decision}"
            assert (await sent(rita, here, path, **WHY))[0] == 303
            assert (await http.get(f"/v1/memories/{id}")).status_code == status
        assert (await sent(rita, here, path, **WHY))[0] == 404


def http_of(guarded: Guarded) -> Any:
    """Return a reviewer who reads the list over REST."""
    return guarded.client(sub="otto")


@pytest.mark.requirement("Q8", "E4", "E5")
async def test_nobody_else_is_offered_or_given_any_of_it(guarded: Guarded) -> None:
    """Not who only reads, not another tenant's, not the subject himself; and in either language a
    reviewer is offered all (the control).
    """
    http, app = guarded.client(), console_of(guarded)
    id, held = await said(http, UNTROUBLED), await said(http, ATTACK)
    page, case = f"/console/memories/{id}", f"/console/queue/{held}"
    fields = WHY | {"layer": "semantic", "trust": "1"}
    needed = {
        "hold": WHY,
        "layer": WHY | {"layer": fields["layer"]},
        "trust": WHY | {"trust": fields["trust"]},
        "erase": WHY,
    }
    for claims, status, seen in (
        ({"scope": "quarantine:read quarantine:reveal"}, 403, 200),
        ({"tid": "umbra"}, 404, 404),
        ({"sub": "alice"}, 403, 200),
    ):
        async with signed_in(app, guarded, **claims) as browser:
            for place in (page, case):
                answer = await browser.get(place)
                assert answer.status_code == seen
                assert not any(f"/{form}" in answer.text for form in FORMS)
            for form in FORMS:
                got = await sent(browser, "/console/queue", f"{page}/{form}", **needed[form])
                assert got[0] == status, (claims, form)
            if "scope" in claims:
                other = await sent(browser, page, f"/console/proposals/{id}/approve", **WHY)
                assert other[0] == 403
    for action in (*FORMS, "promote", "propose"):
        assert await decided(guarded, action) == []
    async with signed_in(app, guarded) as rita:
        for language, word in (("en", "Promote to the semantic layer"), ("zh", "提升至语义记忆")):
            answer = await rita.get(page, **{"Accept-Language": language})
            assert word in answer.text
            assert all(f'action="{page}/{form}"' in answer.text for form in FORMS)
