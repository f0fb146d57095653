"""What a SIEM gets over REST, through the real doors: findings by page and line, and webhooks."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from guard.hooks import DeadPost
from guard.webhooks import Hooking
from memory.types import TenantId
from storage.fakes.webhooks import MemoryHooks
from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded
from tests.house import START, caller
from tests.unit.test_findings import wrong_in

AUDITOR = "audit:read"
ADMIN = "tenant:admin"
URL = "https://siem.example/hook/9f8e7d"


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge over an empty house in which webhooks are kept."""
    edge = Guarded(tmp_path)
    edge.hooks = MemoryHooks()  # type: ignore[attr-defined]
    edge.change(hooking=Hooking(edge.hooks, frozenset({"127.0.0.1:8088"})))  # type: ignore[attr-defined]
    yield edge
    await edge.close()


async def _held(guarded: Guarded, *texts: str, tenant: str = "acme") -> list[str]:
    ids = []
    for text in texts:
        outcome: Any = await guarded.house.remember(caller("alice", tenant), text)
        guarded.house.later(minutes=2)
        ids.append(getattr(outcome, "id", ""))
    await guarded.house.journal.flush()
    await guarded.house.ledger.audit.integrate()
    return ids


@pytest.mark.requirement("Q7", "E5")
async def test_findings_are_fetched_page_by_page_or_line_by_line(guarded: Guarded) -> None:
    """The same either way, with the cursor to go on after; those of another tenant never."""
    await _held(guarded, UNTROUBLED)
    ids = await _held(guarded, *(f"{ATTACK} {number}" for number in range(3)))
    await _held(guarded, ATTACK, tenant="umbra")
    http = guarded.client(sub="carol", scope=AUDITOR)
    first = (await http.get("/v1/findings", params={"limit": 2})).json()
    assert [one["finding_info"]["uid"] for one in first["items"]] == ids[:2]
    assert not first["end"]
    rest = (await http.get("/v1/findings", params={"cursor": first["cursor"]})).json()
    assert [one["finding_info"]["uid"] for one in rest["items"]] == ids[2:]
    assert rest["end"]
    lines = await http.get("/v1/findings", headers={"Accept": "application/x-ndjson"})
    assert lines.headers["content-type"].startswith("application/x-ndjson")
    assert lines.headers["memguard-cursor"] == str(rest["cursor"])
    assert lines.headers["memguard-end"] == "true"
    events = [json.loads(line) for line in lines.text.splitlines()]
    assert events == [*first["items"], *rest["items"]]
    assert [wrong_in(one) for one in events] == [[], [], []]
    assert "system prompt" not in lines.text
    for wrong in ("cursor=-1", "limit=0", "limit=501", "tenant=umbra", "cursor=x"):
        assert (await http.get(f"/v1/findings?{wrong}")).status_code == 400, wrong
    reader = guarded.client(scope="memory:read quarantine:read tenant:admin")
    assert (await reader.get("/v1/findings")).status_code == 403


@pytest.mark.requirement("Q7", "E5")
async def test_webhooks_are_put_listed_rotated_and_removed(guarded: Guarded) -> None:
    """A secret is shown by the call that made it; another tenant sees and changes nothing."""
    http = guarded.client(sub="root", scope=ADMIN)
    other = guarded.client(sub="root", tid="umbra", scope=ADMIN)
    path = "/v1/tenant/webhooks"
    made = await http.put(path, json={"id": "siem", "url": URL, "events": ["held", "refused"]})
    assert made.status_code == 200, made.text
    assert made.json()["secret"].startswith("whsec_")
    (listed,) = (await http.get(path)).json()["items"]
    assert (listed["url"], listed["events"], listed["secret"]) == (URL, ["held", "refused"], None)
    rotated = (await http.post(f"{path}/rotate", json={"id": "siem"})).json()
    assert rotated["secret"] not in (None, made.json()["secret"])
    assert rotated["two_secrets_until"]
    again = (await http.put(path, json={"id": "siem", "url": URL})).json()
    assert again["secret"] is None
    assert len(again["events"]) == 7
    assert (await other.get(path)).json()["items"] == []
    assert (await other.post(f"{path}/rotate", json={"id": "siem"})).status_code == 404
    assert (await other.delete(path, params={"id": "siem"})).status_code == 404
    assert (await http.delete(path, params={"id": "siem"})).json() == {"id": "siem"}
    assert (await http.get(path)).json()["items"] == []


@pytest.mark.requirement("Q7", "E9")
async def test_a_webhook_that_leads_inside_is_refused(guarded: Guarded) -> None:
    """With 400, and without a word of where; what the operator named is the control."""
    http = guarded.client(sub="root", scope=ADMIN)
    for url in (
        "http://siem.example/hook",
        "https://127.0.0.1/hook",
        "http://127.0.0.1:8089/hook",
        "https://169.254.169.254/latest",
        "https://root:pw@siem.example/",
        "file:///etc/passwd",
    ):
        answer = await http.put("/v1/tenant/webhooks", json={"id": "siem", "url": url})
        assert (answer.status_code, url in answer.text) == (400, False), url
    for body in (
        {"id": "", "url": URL},
        {"id": "Upper Case", "url": URL},
        {"id": "siem", "url": URL, "events": []},
        {"id": "siem", "url": URL, "events": ["everything"]},
        {"id": "siem", "url": URL, "secret": "mine"},
        {"id": "siem", "url": URL, "tenant": "umbra"},
        {"url": URL},
    ):
        assert (await http.put("/v1/tenant/webhooks", json=body)).status_code == 400, body
    named = {"id": "siem", "url": "http://127.0.0.1:8088/hook"}
    assert (await http.put("/v1/tenant/webhooks", json=named)).status_code == 200


@pytest.mark.requirement("Q7", "E5")
async def test_what_was_given_up_is_listed_and_replayed_by_its_own_tenant(guarded: Guarded) -> None:
    """By number or all of a webhook; there is nothing to be replayed twice, nor by others."""
    http = guarded.client(sub="root", scope=ADMIN)
    other = guarded.client(sub="root", tid="umbra", scope=ADMIN)
    hooks: MemoryHooks = guarded.hooks  # type: ignore[attr-defined]
    hooks.buried[TenantId("acme")] = [
        DeadPost("siem", number, 12, "status.500", START) for number in (4, 7, 9)
    ]
    path = "/v1/tenant/webhooks/dead"
    listed = (await http.get(path)).json()["items"]
    assert [(one["webhook"], one["leaf"], one["reason"]) for one in listed] == [
        ("siem", number, "status.500") for number in (4, 7, 9)
    ]
    assert (await other.get(path)).json()["items"] == []
    assert (await other.post(f"{path}/replay", json={"id": "siem"})).status_code == 404
    one = await http.post(f"{path}/replay", json={"id": "siem", "leaf": 7})
    assert one.json() == {"id": "siem", "replayed": 1}
    rest = await http.post(f"{path}/replay", json={"id": "siem"})
    assert rest.json() == {"id": "siem", "replayed": 2}
    assert (await http.post(f"{path}/replay", json={"id": "siem"})).status_code == 404
    assert [leaf.action for leaf in hooks.leaves] == ["webhook.replay"] * 2
