"""Exact search in process memory: what is opened, what is kept, and what is overwritten."""

import asyncio
import random
from collections.abc import Sequence

import numpy as np
import pytest

from guard.errors import UnavailableError
from guard.ports import Entry, Found
from memory.types import INDEXED_LAYERS, MemoryId, SubjectMark, TenantId
from storage.fakes.index import MemoryIndex
from storage.index.divided import DividedIndex
from storage.sealed import SealedIndex
from storage.sealed_matrix import Matrix
from tests.contracts.index_builders import (
    ACME,
    ALICE,
    BOB,
    DIMENSIONS,
    GLOBEX,
    axis,
    blinded,
    entry,
    id_of,
    probe,
    rich,
)
from tests.contracts.sealed_shelf import Shelf

ASKED = blinded(
    vectors={"en": axis(8, 1, 2), "multi": axis(12, 1)},
    terms={7: 1.0, 9: 0.5, 11: 2.0},
    entities=("e1", "e2"),
)


class Hours:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the seconds that have passed."""
        return self.now


def index_over(
    shelf: Shelf, *, bytes_limit: int = 1 << 20, load_seconds: float = 30.0, hours: Hours | None
) -> SealedIndex:
    """Return an index over a shelf."""
    return SealedIndex(
        shelf,
        DIMENSIONS,
        bytes_limit=bytes_limit,
        load_seconds=load_seconds,
        idle_seconds=600.0,
        clock=hours or Hours(),
    )


def random_entry(number: int, dice: random.Random, subject: SubjectMark = ALICE) -> Entry:
    """Return an entry with some of everything, or nothing of it."""
    terms = {term: dice.uniform(0.1, 2) for term in dice.sample(range(5, 15), dice.randint(0, 4))}
    vectors = {
        name: axis(size, *(dice.uniform(-1, 1) for _ in range(size)))
        for name, size in DIMENSIONS.items()
        if dice.random() < 0.9
    }
    entities = tuple(dice.sample(["e1", "e2", "e3", "x" * 32], dice.randint(0, 3)))
    material = blinded(subject, vectors=vectors, terms=terms, entities=entities)
    return entry(number, material, layer=dice.choice(INDEXED_LAYERS))


def alike(one: Found, other: Found) -> bool:
    """Return whether two answers name the same hits, with the same scores."""
    if one.tokens != other.tokens or one.routes.keys() != other.routes.keys():
        return False
    for name, hits in one.routes.items():
        others = other.routes[name]
        if [hit.id for hit in hits] != [hit.id for hit in others]:
            return False
        if [hit.score for hit in hits] != pytest.approx([hit.score for hit in others], rel=1e-4):
            return False
    return True


@pytest.mark.requirement("S6", "R1")
@pytest.mark.parametrize("seed", range(6))
async def test_it_finds_what_an_exact_index_finds_whatever_was_changed_meanwhile(seed: int) -> None:
    """Through rounds of writing, replacing and forgetting, read again only as far as it changed."""
    dice = random.Random(seed)  # noqa: S311
    shelf, exact = Shelf(), MemoryIndex(DIMENSIONS)
    index = index_over(shelf, hours=None)
    for _ in range(8):
        entries = [
            random_entry(dice.randrange(60), dice, dice.choice((ALICE, BOB))) for _ in range(12)
        ]
        gone = [id_of(dice.randrange(60)) for _ in range(4)]
        shelf.put(ACME, entries)
        await exact.upsert(ACME, entries)
        shelf.take(ACME, gone)
        await index.remove(ACME, gone)
        await exact.remove(ACME, gone)
        for subject in (ALICE, BOB):
            asked = blinded(
                subject,
                vectors=ASKED.vectors,
                terms=dict(zip(ASKED.sparse.ids, ASKED.sparse.weights, strict=True)),
                entities=ASKED.entities,
            )
            for limit in (3, 100):
                ask = probe(asked, limit=limit)
                found = await index.search(ACME, subject, ask)
                assert alike(found, await exact.search(ACME, subject, ask))
    assert not alike(found, Found(dict.fromkeys(found.routes, ()), {}))


@pytest.mark.requirement("S6")
async def test_only_what_changed_is_opened_again() -> None:
    """A write costs the next question one memory, and none costs it nothing."""
    shelf = Shelf()
    index = index_over(shelf, hours=None)
    shelf.put(ACME, [entry(number, rich()) for number in range(5)])
    await index.search(ACME, ALICE, probe(rich()))
    assert sorted(shelf.opened) == [id_of(number) for number in range(5)]
    await index.search(ACME, ALICE, probe(rich()))
    shelf.put(ACME, [entry(3, rich()), entry(9, rich(BOB))])
    found = await index.search(ACME, ALICE, probe(rich()))
    assert shelf.opened[5:] == [id_of(3)]
    assert len(found.routes["entity"]) == 5


def matrices(index: SealedIndex) -> list[Matrix]:
    """Return what lies in memory."""
    return [one.matrix for one in index._loaded.values()]


def is_blank(matrix: Matrix) -> bool:
    """Return whether nothing is left of a matrix."""
    parts = [*(one.values for one in matrix.vectors.values()), matrix.terms.keys]
    return not (matrix.ids or matrix.tokens or any(np.any(part) for part in parts))


@pytest.mark.requirement("S6", "S5")
async def test_a_removed_memory_is_overwritten_at_once() -> None:
    """Not only when somebody asks next; the rest of the subject stays as it was."""
    shelf = Shelf()
    index = index_over(shelf, hours=None)
    shelf.put(ACME, [entry(1, rich()), entry(2, rich())])
    await index.search(ACME, ALICE, probe(rich()))
    (before,) = matrices(index)
    assert not is_blank(before)
    await index.remove(ACME, [id_of(1)])
    (after,) = matrices(index)
    assert is_blank(before)
    assert after.ids == [id_of(2)]


@pytest.mark.requirement("S6", "S5")
@pytest.mark.parametrize("end", ["drop", "close", "rebuild", "idle"])
async def test_what_is_no_longer_needed_is_overwritten(end: str) -> None:
    """A dropped tenant, a closed index, one under rebuild, a subject that nobody asks for."""
    shelf, hours = Shelf(), Hours()
    index = index_over(shelf, hours=hours)
    shelf.put(ACME, [entry(1, rich())])
    await index.search(ACME, ALICE, probe(rich()))
    (matrix,) = matrices(index)
    hours.now = 599.0
    index.incomplete()
    assert not is_blank(matrix)
    if end == "drop":
        await index.drop(ACME)
    elif end == "close":
        await index.close()
    elif end == "rebuild":
        await index.begin_rebuild(ACME)
    else:
        hours.now = 601.0
        index.incomplete()
    assert is_blank(matrix)
    assert index.subjects == 0


@pytest.mark.requirement("S6")
async def test_the_bound_pushes_out_who_asked_longest_ago() -> None:
    """Both subjects are served; the one who had to go is read anew."""
    shelf = Shelf()
    shelf.put(ACME, [entry(n, rich(ALICE if n < 5 else BOB)) for n in range(10)])
    roomy = index_over(shelf, hours=None)
    await roomy.search(ACME, ALICE, probe(rich()))
    index = index_over(shelf, bytes_limit=roomy.size + 100, hours=None)
    await index.search(ACME, ALICE, probe(rich()))
    (alices,) = matrices(index)
    found = await index.search(ACME, BOB, probe(rich(BOB)))
    assert len(found.routes["entity"]) == 5
    assert (index.subjects, is_blank(alices)) == (1, True)
    assert len((await index.search(ACME, ALICE, probe(rich()))).routes["entity"]) == 5


@pytest.mark.requirement("S6", "R11")
async def test_a_subject_above_the_bound_is_left_to_the_ledger() -> None:
    """Refused before anything is opened, so that recall answers degraded."""
    shelf = Shelf()
    shelf.put(ACME, [entry(n, rich()) for n in range(30)])
    index = index_over(shelf, bytes_limit=1000, hours=None)
    with pytest.raises(UnavailableError):
        await index.search(ACME, ALICE, probe(rich()))
    assert (shelf.opened, index.subjects) == ([], 0)


class SlowShelf(Shelf):
    """A shelf that opens nothing before it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.reading, self.go = asyncio.Event(), asyncio.Event()

    async def entries(
        self, tenant: TenantId, subject: SubjectMark, ids: Sequence[MemoryId]
    ) -> list[Entry]:
        """Wait, then return what there was at the beginning."""
        before = await super().entries(tenant, subject, ids)
        self.reading.set()
        await self.go.wait()
        return before


@pytest.mark.requirement("S6", "R13")
async def test_who_joins_a_reading_that_began_before_his_write_finds_what_he_wrote() -> None:
    """Two who ask at once read once; who wrote in between is not answered from before."""
    shelf = SlowShelf()
    index = index_over(shelf, hours=None)
    shelf.put(ACME, [entry(1, rich())])
    first = asyncio.create_task(index.search(ACME, ALICE, probe(rich())))
    await shelf.reading.wait()
    shelf.put(ACME, [entry(2, rich())])
    second = asyncio.create_task(index.search(ACME, ALICE, probe(rich())))
    await asyncio.sleep(0)
    shelf.go.set()
    await first
    assert {hit.id for hit in (await second).routes["entity"]} == {id_of(1), id_of(2)}
    assert shelf.opened == [id_of(1), id_of(2)]


@pytest.mark.requirement("S6", "S5")
async def test_what_is_removed_while_it_is_read_does_not_come_back() -> None:
    """A removal reaches what is on its way into memory."""
    shelf = SlowShelf()
    index = index_over(shelf, hours=None)
    shelf.put(ACME, [entry(1, rich()), entry(2, rich())])
    asking = asyncio.create_task(index.search(ACME, ALICE, probe(rich())))
    await shelf.reading.wait()
    await index.remove(ACME, [id_of(1)])
    shelf.go.set()
    assert [hit.id for hit in (await asking).routes["entity"]] == [id_of(2)]
    assert [matrix.ids for matrix in matrices(index)] == [[id_of(2)]]


@pytest.mark.requirement("S6", "R11")
async def test_a_long_reading_is_not_waited_for_and_not_in_vain() -> None:
    """Who asks first is told that the index does not answer; who asks later is served."""
    shelf = SlowShelf()
    index = index_over(shelf, load_seconds=0.01, hours=None)
    shelf.put(ACME, [entry(1, rich())])
    with pytest.raises(UnavailableError):
        await index.search(ACME, ALICE, probe(rich()))
    shelf.go.set()
    await asyncio.gather(*index._loading.values())
    assert (await index.search(ACME, ALICE, probe(rich()))).tokens.keys() == {id_of(1)}
    assert shelf.opened == [id_of(1)]


@pytest.mark.requirement("S6", "E5")
async def test_material_under_another_mark_is_left_out() -> None:
    """Whatever the ledger hands over, a subject's question meets his own mark alone."""
    shelf = Shelf()
    shelf.put(ACME, [entry(1, rich()), entry(2, rich())])

    class Confused(Shelf):
        async def entries(
            self, tenant: TenantId, subject: SubjectMark, ids: Sequence[MemoryId]
        ) -> list[Entry]:
            del tenant, subject
            return [entry(1, rich()), entry(2, rich(BOB))][: len(ids)]

    confused = Confused()
    confused.of, confused.epochs = shelf.of, shelf.epochs
    found = await index_over(confused, hours=None).search(ACME, ALICE, probe(rich()))
    assert found.tokens.keys() == {id_of(1)}
    control = await index_over(shelf, hours=None).search(ACME, ALICE, probe(rich()))
    assert control.tokens.keys() == {id_of(1), id_of(2)}


@pytest.mark.requirement("S6")
async def test_an_engine_never_gets_an_entry_of_a_sealed_tenant() -> None:
    """What is written goes by the ledger's word of this moment, not by what was so of late."""
    engine, shelf = MemoryIndex(DIMENSIONS), Shelf()
    sealed = {ACME}

    async def now(tenant: TenantId) -> bool:
        return tenant in sealed

    async def lately(_tenant: TenantId) -> bool:
        return False

    index = DividedIndex(engine, index_over(shelf, hours=None), now, lately)
    await index.upsert(ACME, [entry(1, rich())])
    await index.upsert(GLOBEX, [entry(2, rich())])
    assert await engine.inventory(ACME, None, 10) == []
    assert [id for id, _ in await engine.inventory(GLOBEX, None, 10)] == [id_of(2)]

    # A stray entry, say of a restored backup, goes when the tenant is rebuilt or dropped.
    for empty in (index.begin_rebuild, index.drop):
        await engine.upsert(ACME, [entry(3, rich())])
        await empty(ACME)
        assert await engine.inventory(ACME, None, 10) == []
    assert index.incomplete() == frozenset()
