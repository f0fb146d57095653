"""Whether a Qdrant server is whole: founding, loss, rebuilds, and several gateways at once."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from guard.errors import UnavailableError
from storage.index.placement import Spread
from storage.index.server import ServerIndex
from tests.contracts.index_builders import ACME, ALICE, GLOBEX, entry, id_of, mark_of, probe, rich
from tests.contracts.qdrant_double import QdrantDouble
from tests.unit.server_world import ServerWorld, answer, found

SPREADS = pytest.mark.parametrize("spread", list(Spread))
_LEASE = 60.0


async def refused(index: ServerIndex) -> bool:
    """Say whether a search of Acme's is refused."""
    try:
        await index.search(ACME, ALICE, probe(rich()))
    except UnavailableError:
        return True
    return False


async def rebuilt(index: ServerIndex, *numbers: int) -> None:
    """Rebuild Acme with these memories."""
    await index.begin_rebuild(ACME)
    await index.upsert(ACME, [entry(number, rich()) for number in numbers])
    await index.end_rebuild(ACME)


@pytest.mark.requirement("S2")
async def test_nothing_is_sent_before_it_is_needed() -> None:
    """The server may come up later than the gateway."""
    world = ServerWorld()
    index = world.gateway()
    assert (index.incomplete(), world.asked) == (frozenset(), 0)
    await index.close()


@pytest.mark.requirement("R11", "S8")
@SPREADS
async def test_a_server_that_was_never_filled_refuses_until_every_tenant_is_rebuilt(
    spread: Spread,
) -> None:
    """A ledger that has tenants and a server that knows of none: silence would be a lie."""
    world = ServerWorld()
    index = world.gateway(spread, tenants=(ACME, GLOBEX))
    assert await refused(index)
    assert index.incomplete() == {ACME, GLOBEX}
    with pytest.raises(UnavailableError):
        await index.upsert(ACME, [entry(1, rich())])
    await rebuilt(index, 1)
    assert await found(index) == [id_of(1)]
    assert index.incomplete() == {GLOBEX}
    assert "memguard-about" not in await world.double.names()

    late = world.gateway(spread, tenants=(ACME, GLOBEX))
    assert await refused(late)

    await index.begin_rebuild(GLOBEX)
    await index.end_rebuild(GLOBEX)
    assert "memguard-about" in await world.double.names()
    later = world.gateway(spread, tenants=(ACME, GLOBEX))
    assert await found(later) == [id_of(1)]


@pytest.mark.requirement("R11", "S8")
@SPREADS
async def test_a_server_that_comes_back_empty_is_noticed(spread: Spread) -> None:
    """After an outage the gateway looks again before it believes an answer."""
    world = ServerWorld()
    index = world.gateway(spread, tenants=(ACME,))
    await rebuilt(index, 1)
    world.fail(*[answer(500)] * 6)
    assert await refused(index)
    world.double.faults.clear()
    await world.double.wipe()
    world.seconds += 1.0
    assert await refused(index)
    assert index.incomplete() == {ACME}
    await rebuilt(index, 1)
    assert await found(index) == [id_of(1)]
    assert await found(world.gateway(spread, tenants=(ACME,))) == [id_of(1)]


@pytest.mark.requirement("R11")
@SPREADS
async def test_a_server_that_comes_back_whole_needs_no_rebuild(spread: Spread) -> None:
    """The control: an outage alone makes nothing incomplete."""
    world = ServerWorld()
    index = world.gateway(spread, tenants=(ACME,))
    await rebuilt(index, 1)
    world.fail(*[answer(500)] * 6)
    assert await refused(index)
    world.double.faults.clear()
    world.seconds += 1.0
    assert await found(index) == [id_of(1)]
    assert index.incomplete() == frozenset()


@pytest.mark.requirement("R11", "S8")
@SPREADS
@pytest.mark.parametrize("way", ["search", "upsert", "inventory"])
async def test_a_collection_that_vanishes_is_a_loss_not_an_empty_one(
    spread: Spread, way: str
) -> None:
    """Whoever was in it waits for a rebuild; in a shared collection that is everybody."""
    world = ServerWorld()
    index = world.gateway(spread, tenants=(ACME, GLOBEX))
    for tenant in (ACME, GLOBEX):
        await index.begin_rebuild(tenant)
        await index.upsert(tenant, [entry(1 if tenant is ACME else 2, rich())])
        await index.end_rebuild(tenant)
    whose = "all" if spread is Spread.SHARED else await mark_of(ACME)
    await world.double.engine.delete_collection(f"memguard-{whose}-semantic")
    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "search": lambda: index.search(ACME, ALICE, probe(rich())),
        "upsert": lambda: index.upsert(ACME, [entry(3, rich())]),
        "inventory": lambda: index.inventory(ACME, None, 10),
    }
    with pytest.raises(UnavailableError):
        await ways[way]()
    lost = {ACME, GLOBEX} if spread is Spread.SHARED else {ACME}
    assert index.incomplete() == lost
    await rebuilt(index, 1)
    assert await found(index) == [id_of(1)]


@pytest.mark.requirement("S7")
@SPREADS
async def test_a_server_filled_for_other_vectors_is_refused(spread: Spread) -> None:
    """Another model's dimensions fail, visibly, instead of finding nothing for ever."""
    world = ServerWorld()
    await world.gateway(spread).upsert(ACME, [entry(1, rich())])
    other = world.gateway(spread, dimensions={"en": 9})
    with pytest.raises(UnavailableError, match="other vectors"):
        await other.ping()
    assert await found(world.gateway(spread)) == [id_of(1)]


@pytest.mark.requirement("R1")
@pytest.mark.parametrize(
    ("version", "serves"), [("1.19.3", False), ("0.9.0", False), ("1.20.0", True), ("2.0.0", True)]
)
async def test_a_server_that_counts_rarity_over_everybody_is_refused(
    version: str,
    serves: bool,  # noqa: FBT001 - what the table says
) -> None:
    """Versions before 1.20 ignore the corpus that a query names."""
    world = ServerWorld(QdrantDouble(version=version))
    index = world.gateway()
    if serves:
        await index.ping()
    else:
        with pytest.raises(UnavailableError, match=r"older than 1\.20"):
            await index.ping()
        assert await world.double.names() == []


@pytest.mark.requirement("R11", "S9")
@SPREADS
async def test_a_rebuild_in_one_gateway_is_seen_by_all(spread: Spread) -> None:
    """Every search asks the server, in the same request, whether the tenant is being rebuilt."""
    world = ServerWorld()
    index, other = world.gateway(spread), world.gateway(spread)
    await index.upsert(ACME, [entry(1, rich())])
    assert await found(other) == [id_of(1)]
    await index.begin_rebuild(ACME)
    assert await refused(other)
    assert other.incomplete() == frozenset()
    assert await found(other, GLOBEX) == []
    await index.upsert(ACME, [entry(2, rich())])
    assert await refused(other)
    await index.end_rebuild(ACME)
    assert await found(other) == [id_of(2)]


@pytest.mark.requirement("R11", "S9")
@SPREADS
async def test_an_abandoned_rebuild_is_taken_up_by_another_gateway(spread: Spread) -> None:
    """One that gives signs is left alone; a minute without any, and the next who looks begins."""
    world = ServerWorld()
    index, other = world.gateway(spread), world.gateway(spread)
    await index.begin_rebuild(ACME)
    world.seconds += _LEASE - 1
    await index.upsert(ACME, [entry(1, rich())])
    world.seconds += _LEASE - 1
    assert await refused(other)
    assert other.incomplete() == frozenset()
    world.seconds += 2
    assert await refused(other)
    assert other.incomplete() == {ACME}
    await rebuilt(other, 1, 2)
    assert await found(other) == [id_of(1), id_of(2)]


@pytest.mark.requirement("R11", "S9")
@SPREADS
async def test_an_older_rebuild_does_not_end_a_newer_one(spread: Spread) -> None:
    """Only the one that emptied last can say that the tenant is whole."""
    world = ServerWorld()
    older, newer = world.gateway(spread), world.gateway(spread)
    await older.begin_rebuild(ACME)
    await older.upsert(ACME, [entry(1, rich())])
    await newer.begin_rebuild(ACME)
    await older.end_rebuild(ACME)
    assert await refused(older)
    assert await refused(world.gateway(spread))
    await newer.upsert(ACME, [entry(1, rich()), entry(2, rich())])
    await newer.end_rebuild(ACME)
    assert await found(older) == [id_of(1), id_of(2)]


@pytest.mark.requirement("R11")
async def test_a_rebuild_that_did_not_begin_can_not_end() -> None:
    """Another process's rebuild is not ended by chance."""
    world = ServerWorld()
    index = world.gateway()
    await index.begin_rebuild(ACME)
    with pytest.raises(UnavailableError):
        await world.gateway().end_rebuild(ACME)
    assert await refused(world.gateway())


@pytest.mark.requirement("S9")
@SPREADS
async def test_a_creation_that_was_cut_short_is_completed(spread: Spread) -> None:
    """A collection without its payload indexes gets them before anything is stored in it."""
    world = ServerWorld()
    index = world.gateway(spread)
    await index.ping()
    world.fail(*[world.double.serve] * 3, *[answer(500)] * 3)
    with pytest.raises(UnavailableError):
        await index.upsert(ACME, [entry(1, rich())])
    world.double.faults.clear()
    other = world.gateway(spread)
    await other.upsert(ACME, [entry(1, rich())])
    assert await found(other) == [id_of(1)]


@pytest.mark.requirement("R11", "S9")
@SPREADS
async def test_a_collection_that_is_being_made_holds_nothing_yet(spread: Spread) -> None:
    """A search that comes before the payload indexes is answered; one refused later is not."""
    world = ServerWorld()
    halfway = world.gateway(spread)
    await halfway.ping()
    world.fail(*[world.double.serve] * 3, *[answer(500)] * 3)
    with pytest.raises(UnavailableError):
        await halfway.upsert(ACME, [entry(1, rich())])
    world.double.faults.clear()
    other = world.gateway(spread)
    assert await found(other) == []

    await other.upsert(ACME, [entry(1, rich())])
    await other.ping()
    world.fail(*[answer(400)] * 4)
    assert await refused(other)
    world.double.faults.clear()
    assert await found(other) == [id_of(1)]


@pytest.mark.requirement("R11")
async def test_a_refusal_of_what_is_whole_is_no_answer() -> None:
    """A gateway that has not looked at a collection yet does not take a refusal for emptiness."""
    world = ServerWorld()
    await world.gateway().upsert(ACME, [entry(1, rich())])
    other = world.gateway()
    await other.ping()
    world.fail(*[answer(400)] * 2)
    assert await refused(other)


@pytest.mark.requirement("S9")
async def test_two_gateways_may_make_the_same_collections() -> None:
    """Whoever comes second finds them made."""
    world = ServerWorld()
    gateways = [world.gateway() for _ in range(4)]
    await asyncio.gather(
        *(gateway.upsert(ACME, [entry(n, rich())]) for n, gateway in enumerate(gateways))
    )
    assert await found(gateways[0]) == [id_of(n) for n in range(4)]
    makings = [r.url.path for r in world.double.requests if r.method == "PUT"]
    assert len(makings) > len(set(makings))  # the control: some did come second
