"""Tenants on one Qdrant server: names, filters, forged points, mixed-up answers."""

from typing import Any

import httpx
import msgspec
import pytest
from qdrant_client import models

from memory.types import TenantId
from storage.index.placement import Spread
from tests.contracts.index_builders import (
    ACME,
    ALICE,
    BOB,
    GLOBEX,
    START,
    entry,
    id_of,
    mark_of,
    probe,
    rich,
)
from tests.contracts.qdrant_double import QdrantDouble
from tests.unit.server_world import URL, ServerWorld, found

SPREADS = list(Spread)


async def forge(
    double: QdrantDouble, layer: str, number: int, payload: dict[str, Any] | None = None
) -> None:
    """Put a point into every collection of a layer, as somebody with the server's key can."""
    vectors: dict[str, Any] = {name: vector.tolist() for name, vector in rich().vectors.items()} | {
        "terms": models.SparseVector(indices=[7], values=[1.0])
    }
    for name in await double.names():
        if name.endswith(layer):
            point = models.PointStruct(id=id_of(number), vector=vectors, payload=payload or {})
            await double.engine.upsert(name, [point])


async def payload_of(tenant: TenantId, subject: str = ALICE) -> dict[str, Any]:
    """Return what a whole point of a tenant's subject carries."""
    return {
        "tenant": await mark_of(tenant),
        "subject": subject,
        "entities": ["e1", "e2"],
        "when": int(START.timestamp() * 1e6) + 1,
        "token": "Zm9yZ2Vk",
    }


@pytest.mark.requirement("R1", "S2")
@pytest.mark.parametrize("spread", SPREADS)
async def test_a_forged_point_of_another_tenant_never_surfaces(spread: Spread) -> None:
    """Whatever lies beside a tenant's points and is not marked as his stays unseen by every route.

    The control: the same point under his own mark is found by all of them.
    """
    world = ServerWorld()
    index = world.gateway(spread)
    await index.upsert(ACME, [entry(1, rich())])
    foreign = await payload_of(GLOBEX)
    nobody = {key: value for key, value in foreign.items() if key != "tenant"}
    for number, payload in ((2, foreign), (3, nobody), (4, await payload_of(ACME, BOB))):
        await forge(world.double, "semantic", number, payload)
    assert await found(index) == [id_of(1)]
    listed = [id for id, _ in await index.inventory(ACME, None, 10)]
    assert listed == [id_of(1), id_of(4)]  # Bob's own, under Acme: an orphan for reconciliation
    await forge(world.double, "semantic", 5, await payload_of(ACME))
    assert await found(index) == [id_of(1), id_of(5)]


@pytest.mark.requirement("R1", "S2")
@pytest.mark.parametrize("wrong", ["tenant", "subject", "marks", "nothing"])
async def test_an_answer_meant_for_somebody_else_is_dropped(wrong: str) -> None:
    """A server, cache or proxy that mixes up answers does not mix up owners; as it should, it does.

    `marks` is a point that claims to be everybody's; `nothing` is the control.
    """
    world = ServerWorld()
    index = world.gateway()
    await index.upsert(ACME, [entry(1, rich())])

    async def mixed(request: httpx.Request) -> httpx.Response:
        response = await world.double.wire.handle_async_request(request)
        answer = msgspec.json.decode(await response.aread())
        for batch in answer["result"]:
            for hit in batch["points"]:
                payload = hit["payload"]
                if wrong == "marks":
                    payload["tenant"] = [payload["tenant"], "another"]
                elif wrong != "nothing":
                    payload[wrong] = "another"
        return httpx.Response(200, json=answer)

    behind = world.gateway(wire=httpx.MockTransport(_only_searches(world, mixed)))
    assert await found(behind) == ([id_of(1)] if wrong == "nothing" else [])
    assert await found(index) == [id_of(1)]


def _only_searches(world: ServerWorld, mixed: Any) -> Any:
    async def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/query/batch"):
            answer: httpx.Response = await mixed(request)
            return answer
        return await world.double.wire.handle_async_request(request)

    return handle


@pytest.mark.requirement("S2")
async def test_one_id_in_two_tenants_takes_nothing_from_the_first() -> None:
    """In a shared collection the second comer is left out: a miss, never a loss for another."""
    world = ServerWorld()
    index = world.gateway(Spread.SHARED)
    await index.upsert(ACME, [entry(1, rich(), token=b"acme's")])
    await index.upsert(GLOBEX, [entry(1, rich(), token=b"globex's"), entry(2, rich())])
    await index.remove(GLOBEX, [id_of(1)])
    await index.upsert(GLOBEX, [entry(1, rich())])
    result = await index.search(ACME, ALICE, probe(rich()))
    assert dict(result.tokens) == {id_of(1): b"acme's"}
    assert await found(index, GLOBEX) == [id_of(2)]
    await index.upsert(ACME, [entry(1, rich(), token=b"newer")])
    result = await index.search(ACME, ALICE, probe(rich()))
    assert dict(result.tokens) == {id_of(1): b"newer"}


@pytest.mark.requirement("S5")
async def test_dropping_a_tenant_from_a_shared_collection_spares_the_others() -> None:
    """Each gets only his own removed, on rebuild as on drop."""
    world = ServerWorld()
    index = world.gateway(Spread.SHARED)
    for tenant, number in ((ACME, 1), (GLOBEX, 2)):
        await index.upsert(tenant, [entry(number, rich())])
    await index.begin_rebuild(GLOBEX)
    assert await found(index) == [id_of(1)]
    await index.drop(GLOBEX)
    assert await found(index) == [id_of(1)]
    assert await found(index, GLOBEX) == []
    points = [one for name in await world.double.names() for one in await world.double.points(name)]
    assert [point.id for point in points] == [id_of(1)]


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("spread", SPREADS)
async def test_every_request_about_points_names_the_tenant(spread: Spread) -> None:
    """Each filter, corpus and stored point carries the tenant's mark, under either placement."""
    world = ServerWorld()
    index = world.gateway(spread)
    await index.begin_rebuild(ACME)
    await index.upsert(ACME, [entry(1, rich())])
    await index.end_rebuild(ACME)
    await index.search(ACME, ALICE, probe(rich(), since=START))
    await index.inventory(ACME, None, 10)
    await index.remove(ACME, [id_of(1)])
    own = {"key": "tenant", "match": {"value": await mark_of(ACME)}}

    seen = 0
    for sent in (*world.bodies("/query/batch"), *world.bodies("/scroll"), *world.bodies("/batch")):
        for one in _filters(sent):
            assert own in one["must"]
            seen += 1
        for point in _points(sent):
            assert point["payload"]["tenant"] == await mark_of(ACME)
            seen += 1
    assert seen > 20


def _filters(sent: Any) -> list[Any]:
    """Return the outermost filters of a request."""
    if isinstance(sent, list):
        return [found for one in sent for found in _filters(one)]
    if not isinstance(sent, dict):
        return []
    here = [sent[key] for key in ("filter", "update_filter", "corpus") if sent.get(key)]
    return here + [found for key, one in sent.items() if key != "filter" for found in _filters(one)]


def _points(sent: Any) -> list[Any]:
    operations = sent.get("operations", [])
    return [point for one in operations for point in one.get("upsert", {}).get("points", [])]


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("spread", SPREADS)
async def test_the_server_learns_no_name(spread: Spread) -> None:
    """No path and no body says who the tenant is."""
    world = ServerWorld()
    index = world.gateway(spread)
    secret = TenantId("very-secret-tenant")
    await index.upsert(secret, [entry(1, rich())])
    await index.begin_rebuild(secret)
    await index.drop(secret)
    assert world.asked > 5
    for request in world.double.requests:
        assert "secret" not in str(request.url)
        assert b"secret" not in request.content


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("spread", SPREADS)
async def test_collections_are_made_strict_and_indexed_for_their_placement(spread: Spread) -> None:
    """What Memguard never asks for is refused; the tenant, or the subject, orders the storage."""
    world = ServerWorld()
    await world.gateway(spread).upsert(ACME, [entry(1, rich())])
    made = [
        msgspec.json.decode(request.content)
        for request in world.double.requests
        if request.method == "PUT" and not request.url.path.endswith("/index")
    ]
    assert len(made) == 3
    for one in made:
        assert one["strict_mode_config"]["enabled"] is True
        assert one["strict_mode_config"]["unindexed_filtering_retrieve"] is False
        assert one["strict_mode_config"]["unindexed_filtering_update"] is False
        assert one["hnsw_config"] == {"m": 0, "payload_m": 16}
        assert one["sparse_vectors"]["terms"]["modifier"] == "idf"
        assert one["vectors"]["en"]["size"] == 8
    fields = {one["field_name"]: one["field_schema"] for one in world.bodies("/index")}
    assert fields["tenant"]["is_tenant"] is (spread is Spread.SHARED)
    assert fields["subject"]["is_tenant"] is (spread is Spread.PER_TENANT)
    assert {name: schema["type"] for name, schema in fields.items()} == {
        "tenant": "keyword",
        "subject": "keyword",
        "entities": "keyword",
        "rebuild": "keyword",
        "when": "integer",
    }


@pytest.mark.requirement("S2")
async def test_strict_mode_of_the_double_refuses_what_has_no_index() -> None:
    """The control: a filter on another field, and a limit beyond the bound, do not get through."""
    world = ServerWorld()
    await world.gateway().upsert(ACME, [entry(1, rich())])
    name = (await world.double.names())[1]
    async with httpx.AsyncClient(transport=world.double.wire, base_url=URL) as client:
        for query in (
            {"filter": {"must": [{"key": "token", "match": {"value": "x"}}]}},
            {"query": {"order_by": {"key": "token"}}},
            {"limit": 100_000},
        ):
            sent = await client.post(
                f"/collections/{name}/points/query/batch", json={"searches": [query]}
            )
            assert sent.status_code == 400, query
