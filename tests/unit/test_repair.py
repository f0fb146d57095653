"""Reconciliation and rebuild: the index ends where the ledger is, also while it moves."""

from collections.abc import Sequence

import pytest

from guard.errors import UnavailableError
from guard.nouns import Row
from guard.ports import Entry
from memory.types import MemoryId, State, TenantId
from storage import repair
from storage.follower import Follower
from storage.repair import Drift, mend, rebuild, reconcile
from tests.contracts.index_builders import entry, id_of
from tests.contracts.vault_builders import ALICE, ALICE_ELSEWHERE, signals
from tests.unit.index_world import World

ACME = ALICE.tenant


async def followed(*numbers: int) -> World:
    """Return a world whose memories are all indexed."""
    world = World()
    for number in numbers:
        await world.remember(number)
    following = Follower(world.ledger.outbox, world.ledger, world.vault, world.index, world.clock)
    assert await following.drain() == len(numbers)
    return world


async def repaired(world: World) -> Drift:
    """Reconcile the one tenant."""
    return await reconcile(ACME, world.ledger.outbox, world.vault, world.index)


@pytest.mark.requirement("S9")
async def test_an_index_that_follows_has_no_drift() -> None:
    """Nothing is reported and nothing written."""
    world = await followed(1, 2, 3)
    assert await repaired(world) == Drift(missing=0, stale=0, orphans=0)
    assert await world.found() == [id_of(1), id_of(2), id_of(3)]


@pytest.mark.requirement("S9")
async def test_missing_stale_and_orphaned_entries_are_reported_and_repaired() -> None:
    """Each kind of drift is counted once, and a second look finds none."""
    world = await followed(1, 2, 3)
    material = await world.vault.blind(ALICE, signals())
    await world.index.remove(ACME, [id_of(1)])
    await world.index.upsert(ACME, [entry(2, material, token=b"forged"), entry(9, material)])

    assert await repaired(world) == Drift(missing=1, stale=1, orphans=1)

    assert await world.stored() == [id_of(1), id_of(2), id_of(3)]
    tokens = (await world.search()).tokens
    rows = await world.ledger.outbox.active(ACME, None, 10)
    assert tokens == {row.sealed.label.id: row.sealed.token for row in rows}
    assert await repaired(world) == Drift(missing=0, stale=0, orphans=0)


@pytest.mark.requirement("S9")
async def test_repair_leaves_other_tenants_alone() -> None:
    """An orphan of another tenant is not this tenant's drift."""
    world = await followed(1)
    foreign = await world.vault.blind(ALICE_ELSEWHERE, signals())
    await world.index.upsert(ALICE_ELSEWHERE.tenant, [entry(5, foreign)])
    assert await repaired(world) == Drift(missing=0, stale=0, orphans=0)
    assert await world.stored(ALICE_ELSEWHERE) == [id_of(5)]


@pytest.mark.requirement("S9")
async def test_drift_is_found_on_every_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages smaller than the tenant cover it whole, orphans beyond the last row included."""
    monkeypatch.setattr(repair, "_PAGE", 2)
    world = await followed(2, 3, 5, 6, 7)
    material = await world.vault.blind(ALICE, signals())
    await world.index.remove(ACME, [id_of(3), id_of(7)])
    strays = [entry(n, material) for n in (1, 4, 8, 9, 10)]
    await world.index.upsert(ACME, strays)
    seen: list[int] = []
    drift = await reconcile(ACME, world.ledger.outbox, world.vault, world.index, seen.append)
    assert drift == Drift(missing=2, stale=0, orphans=5)
    assert seen == [2, 4, 5]
    assert await world.stored() == [id_of(n) for n in (2, 3, 5, 6, 7)]


@pytest.mark.requirement("S8", "S9")
async def test_an_unreadable_row_is_reported_and_not_indexed() -> None:
    """A tampered row neither stops the repair nor stays in the index."""
    world = await followed(1)
    await world.spoil(2)
    assert await repaired(world) == Drift(missing=1, stale=0, orphans=0, unreadable=1)
    assert await world.stored() == [id_of(1)]


@pytest.mark.requirement("S5", "S9")
@pytest.mark.parametrize("how", ["reconcile", "rebuild"])
async def test_a_memory_forgotten_during_repair_does_not_come_back(how: str) -> None:
    """Forgotten between the reading of its row and the writing of its entry, it stays out."""
    world = await followed(1, 2)
    rows = await world.ledger.rows(ACME, ALICE.subject, [id_of(2)])
    await world.index.drop(ACME)
    following = Follower(world.ledger.outbox, world.ledger, world.vault, world.index, world.clock)
    through = world.index.upsert
    forgotten = False

    async def upsert(tenant: TenantId, entries: Sequence[Entry]) -> None:
        nonlocal forgotten
        if not forgotten:
            forgotten = True
            await world.change(rows[0].sealed, State.FORGOTTEN)
            await following.drain()
        await through(tenant, entries)

    world.index.upsert = upsert  # type: ignore[method-assign]
    if how == "reconcile":
        await repaired(world)
    else:
        await rebuild(ACME, world.ledger.outbox, world.vault, world.index)
    assert forgotten
    assert await world.stored() == [id_of(1)]


@pytest.mark.requirement("S9")
async def test_a_memory_indexed_during_repair_is_not_taken_for_an_orphan() -> None:
    """Committed and followed after the ledger was read, it is still there in the end."""
    world = await followed(1)
    following = Follower(world.ledger.outbox, world.ledger, world.vault, world.index, world.clock)
    through = world.index.inventory
    written = False

    async def inventory(
        tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        nonlocal written
        if not written:
            written = True
            await world.remember(2)
            await following.drain()
        return await through(tenant, after, limit)

    world.index.inventory = inventory  # type: ignore[method-assign]
    await repaired(world)
    assert await world.stored() == [id_of(1), id_of(2)]


@pytest.mark.requirement("S8")
async def test_a_rebuild_fills_an_empty_index_from_the_ledger() -> None:
    """Same answers as before, without a model, and progress on the way."""
    world = await followed(1, 2, 3)
    await world.change((await _rows(world))[0].sealed, State.SUPERSEDED)
    before = await world.search()
    await world.index.drop(ACME)
    seen: list[int] = []
    count = await rebuild(ACME, world.ledger.outbox, world.vault, world.index, seen.append)
    after = await world.search()
    assert (count, seen) == (2, [2])
    assert {hit.id for hit in before.routes["entity"]} > {hit.id for hit in after.routes["entity"]}
    assert await world.found() == [id_of(2), id_of(3)]
    assert {id: before.tokens[id] for id in after.tokens} == dict(after.tokens)


@pytest.mark.requirement("S8")
async def test_a_rebuild_replaces_vectors_that_were_edited_in_place() -> None:
    """Edited material with the right content escapes reconciliation, not a rebuild."""
    world = await followed(1)
    true = (await world.search()).routes["dense.en"][0].score
    sealed = (await _rows(world))[0].sealed
    other = await world.vault.blind(ALICE, signals(3))
    await world.index.upsert(ACME, [entry(1, other, layer=sealed.label.layer, token=sealed.token)])
    assert (await world.search()).routes["dense.en"][0].score != pytest.approx(true)
    assert await repaired(world) == Drift(missing=0, stale=0, orphans=0)
    await rebuild(ACME, world.ledger.outbox, world.vault, world.index)
    assert (await world.search()).routes["dense.en"][0].score == pytest.approx(true)


@pytest.mark.requirement("S8", "R11")
async def test_a_rebuild_that_breaks_off_leaves_searches_refused_until_one_gets_through() -> None:
    """Half an index never answers; mending finishes the work."""
    world = await followed(1, 2)
    world.ledger.offline = True
    with pytest.raises(UnavailableError):
        await rebuild(ACME, world.ledger.outbox, world.vault, world.index)
    world.ledger.offline = False
    with pytest.raises(UnavailableError):
        await world.search()
    assert await mend(world.ledger.outbox, world.vault, world.index) == 1
    assert await world.found() == [id_of(1), id_of(2)]
    assert await mend(world.ledger.outbox, world.vault, world.index) == 0


async def _rows(world: World) -> list[Row]:
    return await world.ledger.outbox.active(ACME, None, 100)


@pytest.mark.requirement("S9")
async def test_a_row_spoilt_beyond_reading_does_not_end_the_walk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page that came back short is not the last: what follows is no orphan."""
    monkeypatch.setattr(repair, "_PAGE", 2)
    world = await followed(1, 2, 3, 4, 5)
    through = world.ledger.outbox.active

    async def active(tenant: TenantId, after: MemoryId | None, limit: int) -> list[Row]:
        rows = await through(tenant, after, limit)
        return [row for row in rows if row.sealed.label.id != id_of(2)]

    monkeypatch.setattr(world.ledger.outbox, "active", active)
    assert await repaired(world) == Drift(missing=0, stale=0, orphans=1)
    assert await world.stored() == [id_of(n) for n in (1, 3, 4, 5)]
