"""A bad origin over REST: listed, reported, quarantined and let out, by reviewers alone (Q5)."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from gateway.app import tokens
from gateway.app.serving import USE_CASES
from tests.edges.guarded import Guarded
from tests.edges.served import Served, served

PAGE: Final = "https://blog.example/a b?c=d&e=/f#g 李"
POISON: Final = "The supplier Northwind is paid by cheque, number 4471."
PAPER: Final = "The supplier Northwind delivers paper on Tuesdays."
WHEN: Final = "When does the supplier Northwind deliver paper?"
QUESTION: Final = "How is the supplier Northwind paid?"


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def stored(http: httpx2.AsyncClient, text: str, **origin: Any) -> str:
    """Store a text; return its id."""
    answer = await http.post("/v1/memories", json={"text": text, "origin": origin})
    assert answer.json()["outcome"] == "stored", answer.text
    id: str = answer.json()["id"]
    return id


async def asked(http: httpx2.AsyncClient, path: str, **body: Any) -> dict[str, Any]:
    """Return what a door under `/v1/origins` answers."""
    answer = await http.post(f"/v1/origins/{path}", json=body or None)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def recalled(http: httpx2.AsyncClient) -> set[str]:
    """Return the ids in an answer."""
    answer = await http.post("/v1/recall", json={"query": QUESTION})
    return {item["id"] for item in answer.json()["items"]}


@pytest.mark.requirement("Q5")
async def test_an_origin_is_found_reported_held_and_let_out(guarded: Guarded) -> None:
    """Unless told otherwise nothing is held; the name that a writer gave holds any character."""
    alice, rita = guarded.client(), guarded.client(sub="rita")
    first = await stored(alice, POISON, **{"class": "document", "reference": PAGE})
    second = await stored(alice, "Northwind: account 4471.", parents=[first])
    good = await stored(alice, "The supplier Northwind is paid at the end of each month.")
    assert first in await recalled(alice)
    await guarded.house.journal.flush()

    (group,) = (await rita.get("/v1/origins")).json()["items"]
    assert (group["by"], group["active"], group["held"]) == ("source", 1, 0)
    (app,) = [
        one
        for one in (await rita.get("/v1/origins", params={"by": "client"})).json()["items"]
        if one["class"] == "document"
    ]
    assert (app["name"], app["active"]) == ("dev-app", 1)

    named = {"by": "source", "name": PAGE}
    report = await asked(rita, "report", **named)
    assert report["origin"]["name"] == group["name"]
    assert report == await asked(rita, "report", by="source", name=group["name"])
    assert {(one["id"], one["derived"]) for one in report["items"]} == {
        (first, False),
        (second, True),
    }
    assert first in {one["memory"] for one in report["recalls"]}
    assert {(one["subject"], one["client"]) for one in report["recalls"]} == {("alice", "dev-app")}
    assert POISON not in str(report)

    dry = await asked(rita, "quarantine", **named)
    assert (dry["quarantine"], dry["held"], dry["remaining"]) == (None, 0, 2)
    assert first in await recalled(alice)
    done = await asked(rita, "quarantine", **named, dry_run=False)
    assert (done["held"], done["remaining"], done["complete"]) == (2, 0, True)
    assert await recalled(alice) == {good}
    again = await asked(rita, "quarantine", **named, dry_run=False)
    assert (again["held"], again["quarantine"]) == (0, done["quarantine"])
    late = await alice.post(
        "/v1/memories",
        json={"text": "Northwind moved.", "origin": {"class": "document", "reference": PAGE}},
    )
    assert late.json()["outcome"] == "quarantined"

    (ban,) = (await rita.get("/v1/origins/quarantines")).json()["items"]
    assert ban == done["quarantine"]
    lifted = await asked(rita, f"quarantines/{ban['id']}/lift")
    assert (lifted["released"], lifted["left"], lifted["more"]) == (3, 0, False)
    assert {first, good} <= await recalled(alice)


@pytest.mark.requirement("Q5", "E5")
async def test_another_tenants_reviewer_sees_and_changes_nothing(guarded: Guarded) -> None:
    """Its bans are as unknown as one that never was; its own page of that name is another."""
    alice, rita = guarded.client(), guarded.client(sub="rita")
    first = await stored(alice, POISON, **{"class": "document", "reference": PAGE})
    mallory = guarded.client(sub="mallory", tid="umbra")
    assert (await mallory.get("/v1/origins")).json()["items"] == []
    for name, by in ((PAGE, "source"), ("dev-app", "client"), (first, "memory")):
        report = await asked(mallory, "report", by=by, name=name)
        assert (report["reach"]["own"], report["items"]) == (0, [])
        done = await asked(mallory, "quarantine", by=by, name=name, dry_run=False)
        assert done["held"] == 0
    assert await recalled(alice) == {first}
    done = await asked(rita, "quarantine", by="source", name=PAGE, dry_run=False)
    assert done["held"] == 1
    for id in (done["quarantine"]["id"], "0197b7a0-0000-7000-8000-000000000002"):
        answer = await mallory.post(f"/v1/origins/quarantines/{id}/lift")
        assert answer.status_code == 404
    assert await recalled(alice) == set()


@pytest.mark.requirement("Q5", "E8")
async def test_a_wrong_question_is_refused(guarded: Guarded) -> None:
    """As a client's mistake, without a word of what was in it."""
    rita = guarded.client(sub="rita")
    for query in ({"by": "memory"}, {"by": "x"}, {"cursor": "x"}, {"limit": "0"}, {"a": "b"}):
        assert (await rita.get("/v1/origins", params=query)).status_code == 400, query
    for body in (
        {"by": "source"},
        {"by": "source", "name": ""},
        {"by": "source", "name": " "},
        {"by": "source", "name": "a\0"},
        {"by": "nobody", "name": "tea"},
        {"by": "source", "name": "tea", "force": True},
    ):
        for path in ("report", "quarantine"):
            answer = await rita.post(f"/v1/origins/{path}", json=body)
            assert answer.status_code == 400, body
            assert "tea" not in answer.text


@pytest.mark.requirement("Q5", "R5")
async def test_a_ban_holds_on_another_replica_at_once(guarded: Guarded) -> None:
    """Two gateways on one ledger: what one bars, the other withholds and holds without waiting."""
    alice, rita = guarded.client(), guarded.client(sub="rita")
    other = guarded.client(guarded.house.with_rooms(hot=type(guarded.rooms.hot)(1_000_000)))
    first = await stored(alice, POISON, **{"class": "document", "reference": PAGE})
    for _ in range(2):
        assert await recalled(other) == {first}
    await asked(rita, "quarantine", by="source", name=PAGE, dry_run=False)
    assert await recalled(other) == set()
    late = await other.post(
        "/v1/memories",
        json={"text": "Northwind moved.", "origin": {"class": "document", "reference": PAGE}},
    )
    assert late.json()["outcome"] == "quarantined"


def reviewer(gateway: Served) -> httpx2.Client:
    """Return a reviewer of the served gateway."""
    scopes = ("quarantine:read", "quarantine:decide")
    return gateway.client(
        tokens.token(
            gateway.settings,
            tenant="acme",
            subject="rita",
            scopes=scopes,
            client="console",
            ttl_seconds=3600,
        )
    )


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Served]:
    """Serve the real rooms, on a real ledger."""
    with served(tmp_path, {"honest": USE_CASES}) as running:
        yield running


@pytest.mark.requirement("Q5", "Q6")
def test_a_served_gateway_keeps_a_ban_in_its_ledger(gateway: Served) -> None:
    """The whole of it, wired as it is served, on SQLite."""
    with gateway.client(gateway.token("alice")) as http:
        body = {"text": PAPER, "origin": {"class": "document", "reference": PAGE}}
        stored = http.post("/v1/memories", json=body).json()
        assert stored["outcome"] == "stored", stored
        first = stored["id"]
        then = {"text": "Northwind comes on Tuesdays.", "origin": {"parents": [first]}}
        second = http.post("/v1/memories", json=then).json()["id"]
        found = http.post("/v1/recall", json={"query": WHEN}).json()["items"]
        assert first in {item["id"] for item in found}
    named = {"by": "source", "name": PAGE}
    with reviewer(gateway) as rita:
        answer = rita.post("/v1/origins/quarantine", json=named | {"dry_run": False})
        assert answer.status_code == 200, answer.text
        done = answer.json()
        assert (done["held"], done["reach"]["derived"]) == (2, 1)
        held = rita.get("/v1/quarantine").json()
        assert {item["id"] for item in held["items"]} == {first, second}
        groups = rita.get("/v1/origins", params={"by": "client"}).json()["items"]
        assert sum(group["held"] for group in groups) == 2
    with gateway.client(gateway.token("alice")) as http:
        assert http.post("/v1/recall", json={"query": WHEN}).json()["items"] == []
    with reviewer(gateway) as rita:
        id = done["quarantine"]["id"]
        lifted = rita.post(f"/v1/origins/quarantines/{id}/lift").json()
        assert (lifted["released"], lifted["left"]) == (2, 0)
    with gateway.client(gateway.token("alice")) as http:
        found = http.post("/v1/recall", json={"query": WHEN}).json()["items"]
        assert first in {item["id"] for item in found}
