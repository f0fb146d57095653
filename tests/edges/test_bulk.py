"""Many cases are decided at once: exactly those that were shown, and each as if by itself."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded
from tests.edges.test_decisions import comments, decided, said

REJECT: Final = {"decision": "reject", "reason": "poisoning", "comment": "Campaign 12."}
PAGE: Final = {"class": "web", "reference": "https://forum.example/t/9"}


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def bulk(http: httpx2.AsyncClient, **body: Any) -> dict[str, Any]:
    """Ask for a preview or a decision."""
    answer = await http.post("/v1/quarantine/bulk", json=REJECT | body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def became(answer: dict[str, Any]) -> dict[str, str]:
    """Return what became of each case."""
    return {one["id"]: one["became"] for one in answer["results"]}


@pytest.mark.requirement("Q2")
@pytest.mark.parametrize("decision", ["reject", "release", "escalate"])
async def test_exactly_what_was_shown_is_decided(guarded: Guarded, decision: str) -> None:
    """What comes to fit the filter afterwards is not; each case has its own leaf and comment."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    shown = [await said(http, f"{ATTACK} Case {i}.", origin=PAGE) for i in range(3)]
    other = await said(http, ATTACK)
    filter = {"origin": ["web"]}
    preview = await bulk(rita, decision=decision, filter=filter)
    assert (preview["count"], preview["more"]) == (3, False)
    assert sorted(preview["sample"]) == sorted(shown)
    assert await decided(guarded, decision) == []
    late = await said(http, f"{ATTACK} Case 9.", origin=PAGE)

    done = await bulk(rita, decision=decision, preview=preview["preview"])
    assert became(done) == dict.fromkeys(shown, "decided")
    leaves = await decided(guarded, decision)
    assert sorted(leaf.object for leaf in leaves) == sorted(shown)
    assert {leaf.reasons for leaf in leaves} == {("decide.poisoning",)}
    assert [await comments(guarded, id) for id in shown] == [[REJECT["comment"]]] * 3
    items = (await rita.get("/v1/quarantine")).json()["items"]
    held = {one["id"] for one in items}
    assert {other, late} <= held
    assert (decision == "escalate") == (set(shown) <= held)

    again = await bulk(rita, decision=decision, preview=preview["preview"])
    assert set(became(again).values()) == {"changed" if decision == "escalate" else "gone"}
    assert len(await decided(guarded, decision)) == 3


@pytest.mark.requirement("Q2")
async def test_what_changed_or_went_since_the_preview_is_left_alone(guarded: Guarded) -> None:
    """Told for each; and the reviewer's own writes are not even in it."""
    http, rita, otto = guarded.client(), guarded.client(sub="rita"), guarded.client(sub="otto")
    gone, changed, fine = [await said(http, f"{ATTACK} Case {i}.") for i in range(3)]
    own = await said(rita, ATTACK)
    stored = await said(http, UNTROUBLED)
    preview = await bulk(rita, ids=[gone, changed, fine, own, stored])
    assert preview["count"] == 3
    why = {"reason": "duplicate"}
    assert (await otto.post(f"/v1/quarantine/{gone}/reject", json=why)).status_code == 200
    assert (await otto.post(f"/v1/quarantine/{changed}/escalate", json=why)).status_code == 200
    done = await bulk(rita, preview=preview["preview"])
    assert became(done) == {gone: "gone", changed: "changed", fine: "decided"}
    held = {one["id"] for one in (await otto.get("/v1/quarantine")).json()["items"]}
    assert held == {changed, own}


@pytest.mark.requirement("Q2", "E5")
async def test_a_token_serves_its_reviewer_its_decision_and_its_time(guarded: Guarded) -> None:
    """Everything else is refused, and nothing is decided."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id = await said(http, ATTACK)
    token = (await bulk(rita, ids=[id]))["preview"]

    async def told(client: httpx2.AsyncClient, **body: Any) -> int:
        answer = await client.post("/v1/quarantine/bulk", json=REJECT | body)
        return answer.status_code

    flipped = ("B" if token[0] == "A" else "A") + token[1:]
    assert await told(rita, preview=flipped) == 400
    assert await told(rita, preview=token[:-4]) == 400
    assert await told(rita, preview=f"{token}====A") == 400
    assert await told(rita, preview="x") == 400
    assert await told(rita, preview=token, decision="release") == 400
    assert await told(guarded.client(sub="otto"), preview=token) == 400
    assert await told(guarded.client(sub="rita", tid="umbra"), preview=token) == 400
    reader = guarded.client(sub="rita", scope="quarantine:read")
    assert await told(reader, preview=token) == 403
    bodies: tuple[dict[str, Any], ...] = (
        {},
        {"ids": [id], "preview": token},
        {"ids": []},
        {"ids": [id] * 501},
        {"filter": {"cursor": "x"}},
        {"filter": {"colour": "red"}},
        {"ids": [id], "reason": None},
        {"ids": [id], "decision": "raise"},
    )
    for body in bodies:
        assert await told(rita, **body) == 400, body
    elsewhere = await bulk(guarded.client(sub="rita", tid="umbra"), ids=[id])
    assert elsewhere["count"] == 0
    assert await decided(guarded, "reject", "release") == []
    guarded.house.later(minutes=16)
    assert await told(rita, preview=token) == 400
    fresh = (await bulk(rita, ids=[id]))["preview"]
    assert await told(rita, preview=fresh) == 200
