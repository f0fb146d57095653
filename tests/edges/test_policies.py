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
