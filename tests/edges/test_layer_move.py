"""A reviewer promotes and demotes what is stored: it changes its layer, and nothing else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import httpx2
import msgspec
import pytest

from gateway.app.enrolling import LedgerDesk, enrol
from gateway.app.indexing import opened_index
from gateway.app.keep import opened_keep
from gateway.app.serving import new_id, now
from gateway.settings import TenantEntry, load
from guard.errors import ForbiddenError, InvalidError, NotFoundError
from guard.fakes import HashEmbedder
from guard.forget import fade
from guard.move import move
from guard.nouns import Label, Row
from guard.outcomes import Query
from guard.recall import recall
from guard.ruling import Because, Ruling
from memory.types import Layer, MemoryId, Owner, SubjectId, TenantId
from storage.embedders import SqlEmbedders
from storage.registry import SqlRegistry
from tests.attacks.tamper import Site
from tests.edges.guarded import UNTROUBLED, Guarded
from tests.edges.test_decisions import (
    ACME,
    GOOD,
    HELD_PAGE,
    comments,
    decided,
    said,
)
from tests.house import ALICE, caller

LASTING: Final = {"reason": "other", "comment": "It holds every year.", "layer": "semantic"}
PASSING: Final = {"reason": "mistake", "layer": "episodic"}
QUESTION: Final = "When is the quarterly review in Lisbon?"
WHY: Final = Ruling(Because.BUSINESS_NEED)
RITA: Final = caller("rita")
LAYERS: Final = (Layer.EPISODIC, Layer.SEMANTIC)


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def found_in(http: httpx2.AsyncClient, *layers: str) -> list[str]:
    """Return the ids of what the question finds in these layers."""
    answer = await http.post("/v1/recall", json={"query": QUESTION, "layers": list(layers)})
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json()["items"]]


async def row_of(guarded: Guarded, id: str, subject: str = "alice") -> Row:
    """Return a memory as the ledger has it."""
    (row,) = await guarded.house.ledger.rows(ACME, SubjectId(subject), [MemoryId(id)])
    return row


async def label_of(guarded: Guarded, id: str) -> Label:
    """Return the label of a memory."""
    return (await row_of(guarded, id)).sealed.label


def changed(before: Label, after: Label) -> set[str]:
    """Return the fields in which two labels differ."""
    one, other = msgspec.structs.asdict(before), msgspec.structs.asdict(after)
    return {name for name in one if one[name] != other[name]}


@pytest.mark.requirement("L2")
@pytest.mark.parametrize("followed", [True, False], ids=["indexed", "not indexed yet"])
async def test_it_is_found_in_its_new_layer_and_no_more_in_the_old_one(
    guarded: Guarded, *, followed: bool
) -> None:
    """There and back, each time at once, whether or not the index has followed."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id = await said(http, UNTROUBLED)
    await guarded.house.follower.drain()
    assert (await found_in(http, "episodic"), await found_in(http, "semantic")) == ([id], [])
    for body, layer, other in ((LASTING, *LAYERS[::-1]), (PASSING, *LAYERS)):
        answer = await rita.post(f"/v1/memories/{id}/layer", json=body)
        assert answer.status_code == 200, answer.text
        case = answer.json()
        assert (case["id"], case["layer"], case["state"]) == (id, layer, "active")
        assert "Lisbon" not in answer.text
        if followed:
            await guarded.house.follower.drain()
            assert (await row_of(guarded, id)).indexed
        assert (await found_in(http, layer), await found_in(http, other)) == ([id], [])
        assert await found_in(http, "episodic", "semantic") == [id]


@pytest.mark.requirement("Q2")
async def test_it_is_written_down_who_moved_it_and_why(guarded: Guarded) -> None:
    """A leaf each, that says which way, with the reason; the comment is sealed."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id = await said(http, UNTROUBLED)
    guarded.house.later(days=2)
    for body in (LASTING, PASSING):
        assert (await rita.post(f"/v1/memories/{id}/layer", json=body)).status_code == 200
    up, down = await decided(guarded, "promote", "demote")
    assert (up.action, up.actor, up.subject, up.object) == ("promote", "rita", "alice", id)
    assert (up.outcome, up.reasons) == ("active", ("decide.other",))
    assert (down.action, down.outcome, down.reasons) == ("demote", "active", ("decide.mistake",))
    label = await label_of(guarded, id)
    assert (label.leaf, label.version, label.digest) == (down.id, down.version, down.digest)
    assert up.at - label.recorded_at >= timedelta(days=2)
    assert await comments(guarded, id) == [LASTING["comment"]]
    assert "every year" not in str(up)


@pytest.mark.requirement("Q2", "W4")
async def test_nothing_else_of_it_changes(guarded: Guarded) -> None:
    """Neither text, trust, reasons nor age; and what its subject let fade stays faded."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    page = {"class": "document", "reference": "rules.pdf"}
    more: dict[str, Any] = {"origin": page, "importance": 0.3, "metadata": {"room": "b"}}
    id = await said(http, HELD_PAGE, occurred_at="2026-10-01T08:00:00Z", **more)
    assert (await rita.post(f"/v1/quarantine/{id}/release", json=GOOD)).status_code == 200
    await fade(ALICE, MemoryId(id), guarded.rooms)
    seen, before = (await http.get(f"/v1/memories/{id}")).json(), await label_of(guarded, id)
    assert before.faded == 1
    guarded.house.later(days=3)
    case = (await rita.post(f"/v1/memories/{id}/layer", json=LASTING)).json()
    assert "review.released" in case["reasons"]
    after = await label_of(guarded, id)
    assert changed(before, after) == {
        *("layer", "expires_at", "leaf"),
        *("version", "revision", "digest", "entry_digest"),
    }
    assert (after.version, after.revision) == (before.version + 1, before.revision + 1)
    shown = (await http.get(f"/v1/memories/{id}")).json()
    assert {name for name in seen if seen[name] != shown[name]} == {"layer", "expires_at"}


@pytest.mark.requirement("L5")
async def test_it_is_kept_as_its_new_layer_keeps_and_never_shorter(guarded: Guarded) -> None:
    """From now on; nobody has something erased by demoting it, and what expired stays away."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    bounds, house = guarded.rooms.bounds, guarded.house
    id = await said(http, UNTROUBLED)
    house.later(days=20)
    await rita.post(f"/v1/memories/{id}/layer", json=LASTING)
    (up,) = await decided(guarded, "promote")
    long = up.at + timedelta(days=bounds.ttl_semantic_days)
    assert abs((await label_of(guarded, id)).expires_at - long) < timedelta(seconds=1)  # type: ignore[operator]
    kept = (await label_of(guarded, id)).expires_at
    await rita.post(f"/v1/memories/{id}/layer", json=PASSING)
    assert (await label_of(guarded, id)).expires_at == kept
    house.later(days=bounds.ttl_semantic_days - 1)
    assert (await rita.post(f"/v1/memories/{id}/layer", json=LASTING)).status_code == 200
    short = await said(http, "The lift in Lisbon is out of order.", ttl_days=1)
    house.later(days=2)
    assert (await rita.post(f"/v1/memories/{short}/layer", json=LASTING)).status_code == 404
    assert await found_in(http, "semantic") == [id]


@pytest.mark.requirement("L2", "R4")
async def test_of_two_equal_ones_the_promoted_one_goes_first(guarded: Guarded) -> None:
    """Whichever it is: it fades later, and nothing else tells them apart."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    texts = [f"Ada rides the {colour} bicycle to work." for colour in ("blue", "green")]
    pair = [await said(http, text) for text in texts]
    guarded.house.later(days=20)
    for first in (pair, pair[::-1]):
        assert (await rita.post(f"/v1/memories/{first[0]}/layer", json=LASTING)).status_code == 200
        asked = {"query": "Which bicycle does Ada ride to work?"}
        items = (await http.post("/v1/recall", json=asked)).json()["items"]
        assert [one["id"] for one in items] == first
        assert (await rita.post(f"/v1/memories/{first[0]}/layer", json=PASSING)).status_code == 200


@pytest.mark.requirement("Q2", "E5")
async def test_nobody_moves_his_own_or_for_another_tenant(guarded: Guarded) -> None:
    """Nor without the right, without a reason, or to where it is; the control moves it."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id, held = await said(http, UNTROUBLED), await said(http, HELD_PAGE, origin={"class": "web"})
    path, before = f"/v1/memories/{id}/layer", await label_of(guarded, id)
    foreign = guarded.client(sub="rita", tid="umbra")
    reader = guarded.client(sub="rita", scope="quarantine:read memory:write memory:delete")
    for client, status in ((http, 403), (foreign, 404), (reader, 403)):
        assert (await client.post(path, json=LASTING)).status_code == status
    for body in (
        {},
        {"layer": "semantic"},
        {"layer": "semantic", "reason": "other"},
        {"reason": "mistake"},
        {"layer": "working", "reason": "mistake"},
        {"layer": "semantic", "reason": "mistake", "trust": 3},
        PASSING,
    ):
        assert (await rita.post(path, json=body)).status_code == 400, body
    for other in (held, id[:-4] + "0000"):
        answer = await rita.post(f"/v1/memories/{other}/layer", json=LASTING)
        assert answer.status_code == 404
    assert await decided(guarded, "promote", "demote") == []
    assert await label_of(guarded, id) == before
    assert (await rita.post(path, json=LASTING)).status_code == 200
    assert (await rita.post(path, json=LASTING)).status_code == 400


@pytest.mark.requirement("Q2")
async def test_a_release_from_before_can_not_be_undone(guarded: Guarded) -> None:
    """Nor is a move undone, but by the other move; held, it still can be."""
    http, rita = guarded.client(), guarded.client(sub="rita")
    id, other = [await said(http, HELD_PAGE + end, origin={"class": "web"}) for end in ("", " 2")]
    oops = {"reason": "mistake"}
    for one in (id, other):
        assert (await rita.post(f"/v1/quarantine/{one}/release", json=GOOD)).status_code == 200
    assert (await rita.post(f"/v1/memories/{id}/layer", json=LASTING)).status_code == 200
    assert (await rita.post(f"/v1/quarantine/{id}/undo", json=oops)).status_code == 404
    assert (await rita.post(f"/v1/quarantine/{other}/undo", json=oops)).status_code == 200
    assert (await rita.post(f"/v1/memories/{id}/hold", json=oops)).status_code == 200


@asynccontextmanager
async def real_site(folder: Path, tenant: TenantId, *, sealed: bool) -> AsyncIterator[Site]:
    """Lend rooms on the real ledger and the embedded index."""
    settings = load(environ={}, overrides={"storage.data_dir": str(folder / "data")})
    async with opened_keep(settings) as keep:
        embedder = HashEmbedder().id
        await SqlEmbedders(keep.database).adopt(embedder)
        desk = LedgerDesk(now, new_id, SqlRegistry(keep.database))
        await enrol((TenantEntry(id=tenant, sealed=sealed),), desk)
        async with opened_index(settings, keep, embedder.dimensions) as index:
            yield Site(settings, keep, index)  # type: ignore[arg-type]


@pytest.mark.requirement("L2", "S6")
@pytest.mark.parametrize("sealed", [False, True], ids=["engine", "sealed tenant"])
async def test_the_real_index_has_it_once_and_in_its_new_layer(
    tmp_path: Path, *, sealed: bool
) -> None:
    """Through the outbox, on files; what the record and the label say fits together."""
    tenant = TenantId("acme")
    alice, rita = caller("alice"), caller("rita")
    async with real_site(tmp_path, tenant, sealed=sealed) as site:
        id = await site.remember(alice, UNTROUBLED)
        await site.settle()

        async def ask(*layers: Layer) -> list[MemoryId]:
            answer = await recall(alice, Query(QUESTION, 3, layers=layers), site.rooms)
            assert not answer.degraded
            return [one.memory.id for one in answer.items]

        for here, there in (LAYERS[::-1], LAYERS, LAYERS[::-1]):
            assert (await ask(here), await ask(there)) == ([], [id])
            case = await move(rita, id, here, site.rooms, WHY)
            assert case.label.layer is here
            # Before the index follows, and after it.
            assert (await ask(here), await ask(there)) == ([id], [])
            await site.settle()
            assert await site.rooms.ledger.unindexed(tenant, alice.owner.subject, 9) == []
            assert (await ask(here), await ask(there)) == ([id], [])
            assert await ask(*LAYERS) == [id]
            listed = await site.index.inventory(tenant, None, 9)
            assert [one for one, _ in listed] == [id]
        for who, layer, error in (
            (alice, Layer.EPISODIC, ForbiddenError),
            (caller("rita", "umbra"), Layer.EPISODIC, NotFoundError),
            (rita, Layer.SEMANTIC, InvalidError),
            (rita, Layer.WORKING, InvalidError),
        ):
            with pytest.raises(error):
                await move(who, id, layer, site.rooms, WHY)
        opened = await site.rooms.vault.open(
            Owner(tenant, alice.owner.subject),
            (await site.rooms.ledger.rows(tenant, alice.owner.subject, [id]))[0].sealed,
        )
        assert (opened.body.text, opened.label.layer) == (UNTROUBLED, Layer.SEMANTIC)
