"""A tenant's own rules over HTTP: written, compared, put in force on all replicas, rolled back."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from gateway.enacted import Enacted
from guard.detectors import SCREENING
from guard.principal import Scope
from guard.rooms import Rooms
from storage.database import Database
from storage.statutes import SqlStatutes
from tests.contracts.ledger_builders import new_file, url_of
from tests.edges.guarded import Guarded
from tests.unit.test_draft import LOOSER, OWN

PATH: Final = "/v1/tenant/policies"
PLAIN: Final = "My account for {} is DE89370400440532013000."


class Replicas:
    """Two gateways over one SQLite file of versions and one ledger."""

    def __init__(self, guarded: Guarded, database: Database) -> None:
        self.guarded = guarded
        self.statutes = SqlStatutes(database)
        self.enacted = [Enacted(self.statutes, SCREENING, 60.0, 3600.0) for _ in range(2)]

    async def look(self) -> None:
        """Have both look, as they do every second."""
        for one in self.enacted:
            await one.look()

    def rooms(self, replica: int = 0) -> Rooms:
        """Return the rooms of one of them."""
        guarded = self.guarded
        guarded.change(
            enacted=self.enacted[replica],
            statutes=self.statutes,
            stock=guarded.house.ledger.stock,
        )
        return guarded.rooms

    def client(self, replica: int = 0, **claims: Any) -> httpx2.AsyncClient:
        """Return a caller of one of them."""
        return self.guarded.client(self.rooms(replica), **claims)


@pytest.fixture
async def replicas(tmp_path: Path) -> AsyncIterator[Replicas]:
    """Lend two gateways that know what holds."""
    guarded = Guarded(tmp_path)
    database = await Database.open(url_of(await new_file(tmp_path)))
    both = Replicas(guarded, database)
    await both.look()
    yield both
    await guarded.close()
    await database.close()


async def put(http: httpx2.AsyncClient, text: str = OWN, comment: str = "") -> dict[str, Any]:
    """Return the version that a draft became."""
    answer = await http.post(PATH, json={"text": text, "comment": comment})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def move(http: httpx2.AsyncClient, way: str, seen: int | str) -> httpx2.Response:
    """Return the answer to an activation or a rolling back."""
    return await http.post(f"{PATH}/{way}", headers={"If-Match": f'"{seen}"'})


async def told(http: httpx2.AsyncClient, what: str) -> int:
    """Return with which status a text with an account in it is answered."""
    return (await http.post("/v1/memories", json={"text": PLAIN.format(what)})).status_code


@pytest.mark.requirement("Q4", "W11")
async def test_a_version_is_written_activated_seen_by_all_and_rolled_back(
    replicas: Replicas,
) -> None:
    """On the replica that was asked at once, on the other when it looks; another tenant's writes
    are decided as before.
    """
    one, other = replicas.client(0), replicas.client(1)
    stranger = replicas.client(1, tid="globex")
    made = await put(one, comment="no accounts 账户")
    assert (made["version"], made["name"], made["author"]) == (1, "tenant/acme@1", "alice")
    assert (made["comment"], made["text"]) == ("no accounts 账户", OWN)
    assert await told(one, "rent") == 201
    answer = await move(one, "1/activate", 0)
    assert (answer.status_code, answer.headers["etag"]) == (200, '"1"')
    assert answer.json()["policy"].endswith("+tenant@1.af2072cc106c")
    assert [await told(who, "tax") for who in (one, other, stranger)] == [422, 201, 201]
    await replicas.look()
    assert [await told(who, "fees") for who in (one, other, stranger)] == [422, 422, 201]
    listed = await other.get(PATH)
    assert listed.headers["etag"] == '"1"'
    assert (listed.json()["active"]["version"], listed.json()["active"]["back"]) == (1, 0)
    assert [item["text"] for item in listed.json()["items"]] == [None]
    back = await move(other, "rollback", 1)
    assert (back.status_code, back.json()["version"], back.headers["etag"]) == (200, 0, '"0"')
    assert await told(other, "gifts") == 201
    await replicas.look()
    assert await told(one, "books") == 201
    history = (await one.get(f"{PATH}/history")).json()["items"]
    assert [item["version"] for item in history] == [0, 1]


@pytest.mark.requirement("Q4")
async def test_who_has_not_seen_what_holds_changes_nothing(replicas: Replicas) -> None:
    """412 for an older version, 400 for none; the control names what holds."""
    http, other = replicas.client(0), replicas.client(1)
    await put(http)
    await put(http, OWN.replace("reject", "quarantine"))
    assert (await move(http, "1/activate", 0)).status_code == 200
    late = await move(other, "2/activate", 0)
    assert (late.status_code, late.json()["code"]) == (412, "policy_moved")
    assert (await move(other, "rollback", 0)).status_code == 412
    for wrong in ({}, {"If-Match": "1"}, {"If-Match": "*"}, {"If-Match": '"1", "2"'}):
        answer = await http.post(f"{PATH}/2/activate", headers=wrong)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert (await http.get(PATH)).json()["active"]["version"] == 1
    assert (await move(other, "2/activate", 1)).status_code == 200
    assert (await move(other, "0/activate", 2)).json()["version"] == 0


@pytest.mark.requirement("Q4", "W11")
async def test_a_draft_that_loosens_is_refused_by_its_place(replicas: Replicas) -> None:
    """Nothing is kept of it; the same draft tightened is."""
    http = replicas.client()
    told_ = await http.post(f"{PATH}/check", json={"text": OWN + LOOSER})
    assert (told_.status_code, told_.json()["ok"], told_.json()["policy"]) == (200, False, None)
    (flaw,) = told_.json()["flaws"]
    assert (flaw["key"], flaw["line"]) == ("rules[1].effect", 14)
    assert "can only tighten" in flaw["what"]
    refused = await http.post(PATH, json={"text": OWN + LOOSER})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert refused.json()["detail"].startswith("line 14, rules[1].effect: looser than")
    assert (await http.get(PATH)).json()["items"] == []
    good = OWN + LOOSER.replace("lower", "reject")
    checked = (await http.post(f"{PATH}/check", json={"text": good})).json()
    assert [rule["id"] for rule in checked["rules"]] == ["no-accounts", "trusted"]
    assert (await put(http, good))["version"] == 1


@pytest.mark.requirement("Q4", "E5")
async def test_another_tenant_sees_none_of_it(replicas: Replicas) -> None:
    """Neither a version nor what differs nor what held; and each has numbers of its own."""
    http, stranger = replicas.client(), replicas.client(tid="globex")
    await put(http)
    await move(http, "1/activate", 0)
    await replicas.look()
    for path in ("/1", "/1/diff"):
        assert (await http.get(PATH + path)).status_code == 200
        assert (await stranger.get(PATH + path)).status_code == 404
    assert (await move(stranger, "1/activate", 0)).status_code == 404
    assert (await move(stranger, "rollback", 0)).status_code == 400
    listed = (await stranger.get(PATH)).json()
    assert (listed["items"], listed["active"]["version"]) == ([], 0)
    assert "acme" not in str(listed)
    assert (await stranger.get(f"{PATH}/history")).json()["items"] == []
    assert (await put(stranger))["name"] == "tenant/globex@1"
    assert (await http.get(PATH)).json()["active"]["version"] == 1


@pytest.mark.requirement("Q4", "E4")
async def test_reading_and_writing_ask_for_scopes_of_their_own(replicas: Replicas) -> None:
    """Who may look changes nothing."""
    reader = replicas.client(scope=Scope.POLICY_READ)
    writer = replicas.client(scope=Scope.POLICY_WRITE)
    assert (await reader.post(PATH, json={"text": OWN})).status_code == 403
    await put(writer)
    assert (await writer.get(f"{PATH}/1")).status_code == 403
    assert (await move(reader, "1/activate", 0)).status_code == 403
    assert (await move(reader, "rollback", 0)).status_code == 403
    assert (await reader.get(f"{PATH}/1")).json()["text"] == OWN
    diff = (await reader.get(f"{PATH}/1/diff")).json()
    assert (diff["before"], diff["after"], diff["added"]) == (0, 1, ["no-accounts"])
    for strange in ("x", "-1", "1.5", "9" * 12):
        assert (await reader.get(f"{PATH}/{strange}")).status_code == 404


@pytest.mark.requirement("W11")
async def test_a_gateway_that_does_not_know_what_holds_answers_nobody(replicas: Replicas) -> None:
    """503 and nothing written; forgetting goes on. It is mended by the next look."""
    http = replicas.client(0)
    kept = await http.post("/v1/memories", json={"text": "Tea is at four."})
    replicas.enacted[0] = Enacted(replicas.statutes, SCREENING, 60.0, 3600.0)
    blind = replicas.client(0)
    refused = await blind.post("/v1/memories", json={"text": "The review is in Lisbon."})
    assert (refused.status_code, refused.json()["unavailable"]) == (503, "policies")
    assert (await blind.post("/v1/recall", json={"query": "tea?"})).status_code == 503
    gone = await blind.delete(f"/v1/memories/{kept.json()['id']}")
    assert gone.status_code == 200, gone.text
    await replicas.enacted[0].look()
    assert (await blind.post("/v1/recall", json={"query": "tea?"})).status_code == 200


@pytest.mark.requirement("Q4", "W11", "E5")
async def test_a_simulation_tells_what_a_version_would_change_before_it_holds(
    replicas: Replicas,
) -> None:
    """By counts and ids, never a text; of the caller's tenant alone. Nothing is changed by it, and
    what then happens is what was foretold.
    """
    http, stranger = replicas.client(), replicas.client(tid="globex")
    kept = [(await http.post("/v1/memories", json={"text": PLAIN.format(w)})).json() for w in "ab"]
    await http.post("/v1/memories", json={"text": "Tea is at four."})
    await stranger.post("/v1/memories", json={"text": PLAIN.format("rent")})
    await put(http)
    asked = await http.post(f"{PATH}/1/simulate", json={"days": 7})
    assert (asked.status_code, asked.json()["cursor"]) == (200, None)
    found = asked.json()["simulation"]
    assert (found["decisions"], found["unreadable"], found["incomplete"]) == (3, 0, 0)
    (change,) = found["changes"]
    assert (change["before"], change["after"], change["count"]) == ("allow", "reject", 2)
    assert change["samples"] == [one["id"] for one in kept]
    assert [rule["rule"] for rule in found["rules"]] == ["tenant@1:no-accounts"]
    assert "DE89" not in asked.text
    assert (await http.get(PATH)).json()["active"]["version"] == 0
    for missing in (f"{PATH}/2/simulate", f"{PATH}/x/simulate"):
        assert (await http.post(missing, json={})).status_code == 404
    assert (await stranger.post(f"{PATH}/1/simulate", json={})).status_code == 404
    none = (await http.post(f"{PATH}/0/simulate", json={})).json()["simulation"]
    assert (none["changes"], none["current"]) == ([], none["candidate"])
    # What was foretold happens, and is foretold the other way round.
    await move(http, "1/activate", 0)
    await http.post("/v1/recall", json={"query": "account for a"})
    back = (await http.post(f"{PATH}/0/simulate", json={})).json()["simulation"]
    assert [(one["before"], one["after"]) for one in back["changes"]] == [("reject", "allow")]


@pytest.mark.requirement("Q4", "E5")
async def test_a_hunt_lists_what_would_be_held_page_by_page(replicas: Replicas) -> None:
    """By a version that does not hold, by reasons or by origins; of one's tenant alone, and no
    memory is changed or shown.
    """
    http, stranger = replicas.client(), replicas.client(tid="globex")
    texts = [PLAIN.format(one) for one in ("rent", "tax")] + ["Tea is at four.", PLAIN.format("x")]
    ids = [(await http.post("/v1/memories", json={"text": t})).json()["id"] for t in texts]
    await stranger.post("/v1/memories", json={"text": PLAIN.format("rent")})
    await put(http, OWN.replace("reject", "quarantine"))

    async def hunted(**asked: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor, seen = None, 0
        while True:
            answer = await http.post("/v1/tenant/hunts", json=asked | {"cursor": cursor})
            assert answer.status_code == 200, answer.text
            assert "DE89" not in answer.text
            page = answer.json()
            assert page["seen"] <= asked.get("limit", 200)
            found, seen, cursor = found + page["items"], seen + page["seen"], page["cursor"]
            if cursor is None:
                assert seen == len(ids)
                return found

    for limit in (1, 3, 200):
        found = await hunted(version=1, limit=limit)
        assert [one["id"] for one in found] == [ids[0], ids[1], ids[3]]
    assert {(one["effect"], one["would_be_held"], one["subject"]) for one in found} == {
        ("quarantine", True, "alice")
    }
    assert found[0]["rules"] == ["tenant@1:no-accounts"]
    assert await hunted() == []
    by_reason = await hunted(reasons=["secrets.account"])
    assert [(one["id"], one["would_be_held"]) for one in by_reason] == [
        (ids[0], False),
        (ids[1], False),
        (ids[3], False),
    ]
    assert len(await hunted(origins=["user_stated"])) == 4
    assert await hunted(origins=["web"], version=1) == []
    assert await hunted(reasons=["secrets.card"], version=1) == []
    assert len(await replicas.guarded.texts(http)) == 4
    mine = (await stranger.post("/v1/tenant/hunts", json={"origins": ["user_stated"]})).json()
    assert len(mine["items"]) == 1
    assert mine["items"][0]["id"] not in ids
    assert (await stranger.post("/v1/tenant/hunts", json={"version": 1})).status_code == 404
    blind = replicas.client(scope=Scope.QUARANTINE_READ)
    assert (await blind.post("/v1/tenant/hunts", json={})).status_code == 200
    assert (await blind.post("/v1/tenant/hunts", json={"version": 1})).status_code == 403
    for wrong in ({"limit": 0}, {"cursor": "x"}, {"origins": ["moon"]}, {"version": -1}):
        assert (await http.post("/v1/tenant/hunts", json=wrong)).status_code == 400
