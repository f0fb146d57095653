"""What every Index adapter does, whichever engine is behind it."""

from collections.abc import AsyncIterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
import pytest

from guard.errors import InvalidError, UnavailableError
from guard.ports import Entry, Found
from memory.signals import Sparse
from memory.types import Layer, MemoryId, SubjectMark, TenantId
from storage.repair import Rebuildable
from tests.contracts.index_builders import (
    ACME,
    ADAPTERS,
    ALICE,
    BOB,
    GLOBEX,
    OPENERS,
    START,
    axis,
    blinded,
    entry,
    id_of,
    probe,
    rich,
)

ROUTES = {"dense.en", "dense.multi", "keyword", "entity", "time"}


@pytest.fixture(params=ADAPTERS)
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Rebuildable]:
    """One adapter after the other, empty."""
    async with OPENERS[request.param](tmp_path) as opened:
        yield opened


def ids(found: Found, route: str) -> list[MemoryId]:
    """Return what a route found, best first."""
    return [hit.id for hit in found.routes[route]]


@pytest.mark.requirement("R1", "S2")
async def test_every_route_finds_what_was_stored(index: Rebuildable) -> None:
    """All routes answer in one call, and the content comes along once."""
    await index.upsert(ACME, [entry(1, rich(), token=b"\x00sealed\xff")])
    found = await index.search(ACME, ALICE, probe(rich(), since=START))
    assert set(found.routes) == ROUTES
    for route in ROUTES:
        assert ids(found, route) == [id_of(1)], route
    assert found.tokens == {id_of(1): b"\x00sealed\xff"}
    assert found.routes["dense.en"][0].score == pytest.approx(1.0, abs=1e-5)
    assert found.routes["entity"][0].score == 2.0


async def test_content_comes_along_only_where_it_is_asked_for(index: Rebuildable) -> None:
    """A probe that does without content has the same hits, and no content beside them."""
    await index.upsert(ACME, [entry(n, rich()) for n in range(3)])
    whole = probe(rich(), since=START)
    found = await index.search(ACME, ALICE, whole)
    bare = await index.search(ACME, ALICE, msgspec.structs.replace(whole, contents=False))
    assert bare.routes == found.routes
    assert len(found.tokens) == 3
    assert bare.tokens == {}


@pytest.mark.requirement("R1", "S2")
async def test_another_tenant_with_the_same_material_finds_nothing(index: Rebuildable) -> None:
    """Tenants share nothing, whatever they ask for."""
    await index.upsert(ACME, [entry(1, rich())])
    foreign = await index.search(GLOBEX, ALICE, probe(rich(), since=START))
    own = await index.search(ACME, ALICE, probe(rich(), since=START))
    assert all(hits == () for hits in foreign.routes.values())
    assert set(foreign.routes) == ROUTES
    assert foreign.tokens == {}
    assert all(ids(own, route) == [id_of(1)] for route in ROUTES)


@pytest.mark.requirement("R1")
async def test_no_route_shows_another_subject_or_lets_him_move_a_score(
    index: Rebuildable,
) -> None:
    """Bob's identical and crowding entries neither show up for Alice nor change her scores."""
    await index.upsert(ACME, [entry(1, rich()), entry(2, blinded(terms={7: 1.0, 9: 1.0}))])
    before = await index.search(ACME, ALICE, probe(rich(), since=START))
    crowd = [entry(100 + number, rich(BOB)) for number in range(60)]
    await index.upsert(ACME, [*crowd, entry(99, blinded(BOB, terms={9: 1.0}))])

    after = await index.search(ACME, ALICE, probe(rich(), since=START))
    assert after == before
    assert len(after.routes["keyword"]) == 2

    bobs = await index.search(ACME, BOB, probe(rich(BOB), since=START, limit=200))
    for route in ROUTES:
        assert id_of(100) in ids(bobs, route)
        assert id_of(1) not in ids(bobs, route)


@pytest.mark.requirement("R1")
async def test_a_probe_with_another_subjects_material_is_refused(index: Rebuildable) -> None:
    """The subject who asks and the one whose keys made the material are the same."""
    await index.upsert(ACME, [entry(1, rich())])
    with pytest.raises(InvalidError):
        await index.search(ACME, BOB, probe(rich(ALICE)))


@pytest.mark.requirement("L2")
async def test_layers_are_searched_apart(index: Rebuildable) -> None:
    """A probe sees the layers it names and no other."""
    await index.upsert(ACME, [entry(1, rich()), entry(2, rich(), layer=Layer.EPISODIC)])
    for layers, expected in (
        ((Layer.SEMANTIC,), [id_of(1)]),
        ((Layer.EPISODIC,), [id_of(2)]),
        ((Layer.EPISODIC, Layer.SEMANTIC), [id_of(1), id_of(2)]),
        ((Layer.WORKING,), []),
        ((), []),
    ):
        found = await index.search(ACME, ALICE, probe(rich(), layers=layers, since=START))
        for route in ROUTES:
            assert sorted(ids(found, route)) == expected, (layers, route)


@pytest.mark.requirement("L2")
async def test_a_memory_lives_in_one_layer(index: Rebuildable) -> None:
    """Storing a memory in another layer takes it out of the one it was in."""
    await index.upsert(ACME, [entry(1, rich(), layer=Layer.EPISODIC)])
    await index.upsert(ACME, [entry(1, rich(), layer=Layer.SEMANTIC)])
    episodic = await index.search(ACME, ALICE, probe(rich(), layers=(Layer.EPISODIC,)))
    semantic = await index.search(ACME, ALICE, probe(rich(), layers=(Layer.SEMANTIC,)))
    assert ids(episodic, "dense.en") == []
    assert ids(semantic, "dense.en") == [id_of(1)]
    assert len(await index.inventory(ACME, None, 10)) == 1


@pytest.mark.requirement("L2")
async def test_working_memory_is_never_indexed(index: Rebuildable) -> None:
    """An entry of the working layer is refused."""
    with pytest.raises(InvalidError):
        await index.upsert(ACME, [entry(1, rich(), layer=Layer.WORKING)])
    assert await index.inventory(ACME, None, 10) == []


@pytest.mark.requirement("R1")
async def test_a_time_range_bounds_every_route(index: Rebuildable) -> None:
    """`since` is included and `until` is not; when it was so counts before when it was recorded."""
    long_ago = START - timedelta(days=900)
    await index.upsert(
        ACME,
        [
            entry(1, rich()),
            entry(2, rich()),
            entry(3, rich()),
            entry(4, rich(), occurred=long_ago),
            entry(5, rich(), layer=Layer.EPISODIC, occurred=START + timedelta(hours=1, minutes=1)),
        ],
    )
    since, until = START + timedelta(hours=1), START + timedelta(hours=3)
    found = await index.search(ACME, ALICE, probe(rich(), since=since, until=until))
    for route in ROUTES:
        assert sorted(ids(found, route)) == [id_of(1), id_of(2), id_of(5)], route
    assert ids(found, "time") == [id_of(2), id_of(5), id_of(1)]
    past = await index.search(ACME, ALICE, probe(rich(), until=START))
    assert all(ids(past, route) == [id_of(4)] for route in ROUTES)
    open_end = await index.search(ACME, ALICE, probe(rich(), since=until))
    assert ids(open_end, "time") == [id_of(3)]


@pytest.mark.requirement("R1")
async def test_a_time_range_does_not_change_how_rare_a_term_is(index: Rebuildable) -> None:
    """Rarity counts over all of the subject's memories, not over those in the range."""
    common, rare = blinded(terms={7: 1.0}), blinded(terms={9: 1.0})
    await index.upsert(ACME, [entry(1, rare), *(entry(n, common) for n in range(2, 12))])
    ask = blinded(terms={7: 1.0, 9: 1.0})
    whole = await index.search(ACME, ALICE, probe(ask))
    bounded = await index.search(ACME, ALICE, probe(ask, until=START + timedelta(hours=3)))
    assert ids(bounded, "keyword") == [id_of(1), id_of(2)]
    scores = {hit.id: hit.score for hit in whole.routes["keyword"]}
    for hit in bounded.routes["keyword"]:
        assert hit.score == pytest.approx(scores[hit.id], rel=1e-5)


@pytest.mark.requirement("R1")
async def test_dense_hits_come_nearest_first_within_the_limit(index: Rebuildable) -> None:
    """The nearest come first, no more than asked for, also over both layers."""
    await index.upsert(
        ACME,
        [
            entry(n, blinded(vectors={"en": axis(8, 1, n / 10)}), layer=layer)
            for n, layer in enumerate([Layer.SEMANTIC, Layer.EPISODIC] * 5)
        ],
    )
    ask = blinded(vectors={"en": axis(8, 1)})
    found = await index.search(ACME, ALICE, probe(ask, limit=4))
    assert ids(found, "dense.en") == [id_of(0), id_of(1), id_of(2), id_of(3)]
    assert set(found.tokens) == set(ids(found, "dense.en"))
    assert set(found.routes) == {"dense.en"}


@pytest.mark.requirement("R1")
async def test_an_absurd_limit_is_bounded_and_none_finds_none(index: Rebuildable) -> None:
    """`limit` neither overflows the engine nor turns negative into all."""
    await index.upsert(ACME, [entry(1, rich())])
    everything = await index.search(ACME, ALICE, probe(rich(), limit=10**9))
    nothing = await index.search(ACME, ALICE, probe(rich(), limit=0))
    assert ids(everything, "entity") == [id_of(1)]
    assert all(hits == () for hits in nothing.routes.values())


@pytest.mark.requirement("R1")
async def test_entity_hits_are_ranked_by_how_many_match_then_by_newness(
    index: Rebuildable,
) -> None:
    """Two shared entities beat one however many share one; among equals the newest wins."""
    both = entry(1, blinded(entities=("e1", "e2")))
    crowd = [entry(n, blinded(entities=("e1", "x"))) for n in range(2, 40)]
    await index.upsert(ACME, [both, *crowd, entry(50, blinded(entities=("x",)))])
    ask = blinded(entities=("e1", "e2", "e2", "e3"))
    found = await index.search(ACME, ALICE, probe(ask, limit=3))
    hits = found.routes["entity"]
    assert [(hit.id, hit.score) for hit in hits] == [
        (id_of(1), 2.0),
        (id_of(39), 1.0),
        (id_of(38), 1.0),
    ]


@pytest.mark.requirement("R1")
async def test_a_rare_term_weighs_more_than_a_common_one(index: Rebuildable) -> None:
    """Keyword scores follow weight and rarity within the subject."""
    await index.upsert(
        ACME,
        [
            entry(1, blinded(terms={9: 1.0})),
            *(entry(n, blinded(terms={7: 1.0})) for n in range(2, 12)),
            entry(12, blinded(vectors={"en": axis(8, 1)})),
        ],
    )
    found = await index.search(ACME, ALICE, probe(blinded(terms={7: 1.0, 9: 1.0})))
    hits = {hit.id: hit.score for hit in found.routes["keyword"]}
    assert ids(found, "keyword")[0] == id_of(1)
    assert hits[id_of(1)] == pytest.approx(2.0794, abs=1e-3)
    assert hits[id_of(2)] == pytest.approx(0.1335, abs=1e-3)


@pytest.mark.requirement("R1")
async def test_a_route_without_material_does_not_run(index: Rebuildable) -> None:
    """Empty material gives no routes, and no error."""
    await index.upsert(ACME, [entry(1, rich())])
    nothing = await index.search(ACME, ALICE, probe(blinded()))
    assert (dict(nothing.routes), dict(nothing.tokens)) == ({}, {})
    entities = await index.search(ACME, ALICE, probe(blinded(entities=("e1",))))
    assert set(entities.routes) == {"entity"}


@pytest.mark.requirement("S9")
async def test_storing_again_replaces(index: Rebuildable) -> None:
    """The newest content and material stand alone, whole."""
    await index.upsert(ACME, [entry(1, rich(), token=b"old")])
    await index.upsert(ACME, [entry(1, blinded(entities=("e9",)), token=b"new")])
    old = await index.search(ACME, ALICE, probe(rich()))
    new = await index.search(ACME, ALICE, probe(blinded(entities=("e9",))))
    assert all(hits == () for hits in old.routes.values())
    assert new.tokens == {id_of(1): b"new"}


@pytest.mark.requirement("S5", "S9")
async def test_removed_entries_are_found_by_no_route(index: Rebuildable) -> None:
    """Removal reaches every layer, spares the rest and may be repeated."""
    await index.upsert(
        ACME, [entry(1, rich()), entry(2, rich(), layer=Layer.EPISODIC), entry(3, rich())]
    )
    await index.remove(ACME, [id_of(1), id_of(2), id_of(77)])
    await index.remove(ACME, [id_of(1)])
    found = await index.search(ACME, ALICE, probe(rich(), since=START))
    assert all(ids(found, route) == [id_of(3)] for route in ROUTES)
    assert set(found.tokens) == {id_of(3)}


@pytest.mark.requirement("S9")
async def test_removing_from_an_unknown_tenant_is_no_error(index: Rebuildable) -> None:
    """There is nothing to remove, so it is removed."""
    await index.remove(GLOBEX, [id_of(1)])
    assert await index.inventory(GLOBEX, None, 10) == []


@pytest.mark.requirement("S9")
async def test_inventory_walks_all_ids_in_order_with_digests(index: Rebuildable) -> None:
    """Pages cover every id of both layers and both subjects exactly once."""
    layers = [Layer.SEMANTIC, Layer.EPISODIC, Layer.EPISODIC]
    await index.upsert(
        ACME,
        [
            entry(n, rich(ALICE if n % 2 else BOB), layer=layers[n % 3])
            for n in (7, 3, 5, 1, 6, 2, 4)
        ],
    )
    await index.upsert(GLOBEX, [entry(8, rich())])
    walked: list[tuple[MemoryId, bytes]] = []
    while page := await index.inventory(ACME, walked[-1][0] if walked else None, 3):
        assert len(page) <= 3
        walked += page
    assert walked == [(id_of(n), sha256(f"sealed {n}".encode()).digest()) for n in range(1, 8)]


@pytest.mark.requirement("S9")
async def test_inventory_goes_on_after_an_id_that_is_gone(index: Rebuildable) -> None:
    """The cursor need not exist any more."""
    await index.upsert(ACME, [entry(n, rich()) for n in (1, 2, 3)])
    await index.remove(ACME, [id_of(2)])
    assert [id for id, _ in await index.inventory(ACME, id_of(2), 10)] == [id_of(3)]


@pytest.mark.requirement("S5")
async def test_dropping_a_tenant_removes_all_of_it_and_nothing_else(index: Rebuildable) -> None:
    """A dropped tenant is empty at once, may be dropped again, and may write again."""
    await index.upsert(ACME, [entry(1, rich()), entry(2, rich(), layer=Layer.EPISODIC)])
    await index.upsert(GLOBEX, [entry(3, rich())])
    await index.drop(ACME)
    await index.drop(ACME)
    assert await index.inventory(ACME, None, 10) == []
    gone = await index.search(ACME, ALICE, probe(rich()))
    assert all(hits == () for hits in gone.routes.values())
    assert len(await index.inventory(GLOBEX, None, 10)) == 1
    await index.upsert(ACME, [entry(4, rich())])
    assert [id for id, _ in await index.inventory(ACME, None, 10)] == [id_of(4)]


@pytest.mark.requirement("R11")
async def test_a_tenant_under_rebuild_is_refused_not_answered_with_silence(
    index: Rebuildable,
) -> None:
    """Between begin and end searches fail, so that the ledger is asked; others go on."""
    await index.upsert(ACME, [entry(1, rich())])
    await index.upsert(GLOBEX, [entry(2, rich())])
    await index.begin_rebuild(ACME)
    assert index.incomplete() == {ACME}
    with pytest.raises(UnavailableError):
        await index.search(ACME, ALICE, probe(rich()))
    assert await index.inventory(ACME, None, 10) == []
    await index.upsert(ACME, [entry(3, rich())])
    assert ids(await index.search(GLOBEX, ALICE, probe(rich())), "entity") == [id_of(2)]
    await index.end_rebuild(ACME)
    assert index.incomplete() == frozenset()
    assert ids(await index.search(ACME, ALICE, probe(rich())), "entity") == [id_of(3)]


_BAD = {
    "not a number": blinded(vectors={"en": np.full(8, np.nan, dtype=np.float32)}),
    "infinite": blinded(vectors={"multi": np.full(12, np.inf, dtype=np.float32)}),
    "wrong size": blinded(vectors={"en": axis(9, 1)}),
    "unknown vector": blinded(vectors={"fr": axis(8, 1)}),
    "negative weight": blinded(terms={7: -1.0}),
    "weight not a number": blinded(terms={7: float("nan")}),
    "term id too large": blinded(terms={2**32: 1.0}),
}


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("case", sorted(_BAD))
async def test_material_that_an_engine_would_mistake_is_refused(
    index: Rebuildable, case: str
) -> None:
    """Neither stored nor searched for; what was stored before stays."""
    await index.upsert(ACME, [entry(1, rich())])
    with pytest.raises(InvalidError):
        await index.upsert(ACME, [entry(1, _BAD[case])])
    with pytest.raises(InvalidError):
        await index.search(ACME, ALICE, probe(_BAD[case]))
    assert ids(await index.search(ACME, ALICE, probe(rich())), "dense.en") == [id_of(1)]


@pytest.mark.requirement("S2")
async def test_terms_that_do_not_pair_up_are_refused(index: Rebuildable) -> None:
    """Repeated ids, and ids without weights, are refused."""
    for sparse in (Sparse((7, 7), (1.0, 1.0)), Sparse((7, 8), (1.0,))):
        material = blinded()
        bad = type(material)(material.subject, {}, sparse, ())
        with pytest.raises(InvalidError):
            await index.upsert(ACME, [entry(1, bad)])


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("id", ["", "not-a-uuid", "..", "0197ABCD-0000-7000-8000-000000000001"])
async def test_an_id_that_would_come_back_changed_is_refused(index: Rebuildable, id: str) -> None:
    """Only the canonical spelling of a UUID is an id."""
    good = entry(1, rich())
    bad = Entry(
        MemoryId(id), good.layer, good.blinded, good.recorded_at, good.occurred_at, good.token
    )
    with pytest.raises(InvalidError):
        await index.upsert(ACME, [bad])
    with pytest.raises(InvalidError):
        await index.remove(ACME, [MemoryId(id)])


@pytest.mark.requirement("S2")
@pytest.mark.parametrize(
    "tenant", ["公司-甲", "../../etc", "a" * 200, "Ünïcode 🚀", "ACME", "acme "]
)
async def test_any_tenant_name_is_just_a_name(index: Rebuildable, tenant: str) -> None:
    """Names in any script, with separators or differing in case, are tenants of their own."""
    named = TenantId(tenant)
    await index.upsert(ACME, [entry(1, rich())])
    await index.upsert(named, [entry(2, rich(SubjectMark("主体-é")))])
    found = await index.search(
        named, SubjectMark("主体-é"), probe(rich(SubjectMark("主体-é")), since=START)
    )
    assert all(ids(found, route) == [id_of(2)] for route in ROUTES)
    assert [id for id, _ in await index.inventory(ACME, None, 10)] == [id_of(1)]


@pytest.mark.requirement("E11")
async def test_a_living_index_answers_a_ping(index: Rebuildable) -> None:
    """Readiness can ask."""
    await index.ping()
