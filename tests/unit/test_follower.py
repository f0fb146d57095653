"""The follower: what the ledger says ends up in the index, whatever fails on the way."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import pytest

from guard.nouns import Row
from guard.ports import Entry
from memory.types import State, TenantId
from storage.follower import Follower
from tests.contracts.index_builders import id_of
from tests.contracts.vault_builders import ALICE, ALICE_ELSEWHERE, BOB
from tests.unit.index_world import World


def follower(world: World) -> Follower:
    """Return a follower of `world` whose delays have no chance in them."""
    return Follower(
        world.ledger.outbox,
        world.ledger,
        world.vault,
        world.index,
        world.clock,
        jitter=lambda: 1.0,
    )


@asynccontextmanager
async def running(follower: Follower) -> AsyncIterator[None]:
    """Run the background loop for the length of a block."""
    task = asyncio.create_task(follower.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.mark.requirement("S9")
async def test_the_index_has_what_was_committed_and_the_ledger_knows() -> None:
    """After draining, each subject finds his own, and no row counts as unindexed."""
    world = World()
    for number, owner in enumerate((ALICE, BOB, ALICE_ELSEWHERE), start=1):
        await world.remember(number, owner)
    assert len(await world.ledger.unindexed(ALICE.tenant, ALICE.subject, 10)) == 1

    assert await follower(world).drain() == 3

    assert await world.found(ALICE) == [id_of(1)]
    assert await world.found(BOB) == [id_of(2)]
    assert await world.found(ALICE_ELSEWHERE) == [id_of(3)]
    assert await world.ledger.unindexed(ALICE.tenant, ALICE.subject, 10) == []
    assert await world.ledger.outbox.waiting() == 0


@pytest.mark.requirement("S9")
async def test_the_index_keeps_the_sealed_content_and_when_it_was_so() -> None:
    """The token is the ledger's, byte for byte, and every route's material is there."""
    world = World()
    sealed = await world.remember(1)
    await follower(world).drain()
    answer = await world.search()
    assert answer.tokens == {id_of(1): sealed.token}
    assert all(hits for hits in answer.routes.values())
    assert set(answer.routes) == {"dense.en", "dense.multi", "keyword", "entity"}


@pytest.mark.requirement("S9", "S5")
@pytest.mark.parametrize("state", [State.FORGOTTEN, State.SUPERSEDED, State.HELD, State.REJECTED])
async def test_a_memory_that_is_no_longer_active_leaves_the_index(state: State) -> None:
    """Whatever took it out of use, it is found no more; the other one stays."""
    world = World()
    sealed = await world.remember(1)
    await world.remember(2)
    await follower(world).drain()
    await world.change(sealed, state)
    await follower(world).drain()
    assert await world.stored() == [id_of(2)]


@pytest.mark.requirement("S9")
async def test_tasks_of_one_memory_in_one_batch_end_at_its_last_state() -> None:
    """Stored and forgotten before anyone looked: never indexed at all."""
    world = World()
    sealed = await world.remember(1)
    await world.change(sealed, State.FORGOTTEN)
    assert await follower(world).drain() == 2
    assert await world.stored() == []
    assert await world.ledger.outbox.waiting() == 0


@pytest.mark.requirement("S9", "R11")
async def test_an_index_that_is_down_puts_tasks_off_longer_and_longer_and_loses_none() -> None:
    """Each failure doubles the wait; when the index is back everything gets there."""
    world = World()
    await world.remember(1)
    following = follower(world)
    world.index.down = True
    delays = []
    for _ in range(4):
        assert await following.drain() == 0
        for quarter in range(1, 100):
            due = world.now + timedelta(seconds=quarter / 4)
            if await world.ledger.outbox.claim(1, due, 0.0):
                delays.append(quarter / 4)
                world.now = due
                break
    assert delays == [0.25, 0.5, 1.0, 2.0]
    assert following.retries == 4

    world.index.down = False
    assert await following.drain() == 1
    assert await world.found() == [id_of(1)]


@pytest.mark.requirement("S9")
async def test_trouble_of_one_tenant_does_not_hold_up_another() -> None:
    """Tasks are batched per tenant, and only the failing tenant waits."""
    world = World()
    await world.remember(1, ALICE)
    await world.remember(2, ALICE_ELSEWHERE)
    through = world.index.upsert

    async def upsert(tenant: TenantId, entries: Sequence[Entry]) -> None:
        world.index.down = tenant == ALICE.tenant
        try:
            await through(tenant, entries)
        finally:
            world.index.down = False

    world.index.upsert = upsert  # type: ignore[method-assign]
    assert await follower(world).drain() == 1
    assert await world.found(ALICE_ELSEWHERE) == [id_of(2)]
    assert await world.found(ALICE) == []
    assert await world.ledger.outbox.waiting() == 1


@pytest.mark.requirement("S9")
async def test_a_row_that_fails_to_open_is_reported_and_not_tried_for_ever() -> None:
    """A tampered entry is left out and counted; its neighbours in the batch get through."""
    world = World()
    await world.remember(1)
    await world.spoil(2)
    await world.remember(3)
    following = follower(world)
    assert await following.drain() == 3
    assert following.unreadable == 1
    assert await world.stored() == [id_of(1), id_of(3)]
    assert await world.ledger.outbox.waiting() == 0


@pytest.mark.requirement("S9")
async def test_an_entry_the_index_refuses_does_not_hold_up_its_neighbours() -> None:
    """Vectors of another model don't fit; they are counted, and the rest is indexed."""
    world = World()
    for number in (1, 2, 3):
        await world.remember(number)
    through = world.vault.open_entry
    material = [await through(ALICE, row.sealed) for row in await _rows(world)]
    odd = type(material[1])(
        material[1].subject, {"other": material[1].vectors["en"]}, material[1].sparse, ()
    )
    turn = iter([material[0], odd, material[2]])

    async def open_entry(*_args: object) -> object:
        return next(turn)

    world.vault.open_entry = open_entry  # type: ignore[method-assign,assignment]
    following = follower(world)
    assert await following.drain() == 3
    assert following.unreadable == 1
    assert await world.stored() == [id_of(1), id_of(3)]


async def _rows(world: World) -> list[Row]:
    return await world.ledger.outbox.active(ALICE.tenant, None, 10)


@pytest.mark.requirement("S9")
async def test_a_nudge_wakes_the_background_loop() -> None:
    """The loop follows what was there at its start, and later what it is nudged for."""
    world = World()
    await world.remember(1)
    following = follower(world)
    async with running(following):
        await _until(world, [id_of(1)])
        await world.remember(2)
        following.nudge()
        await _until(world, [id_of(1), id_of(2)])


@pytest.mark.requirement("S9", "R11")
async def test_the_background_loop_survives_a_ledger_that_is_away() -> None:
    """It asks again instead of ending, and follows when the ledger is back."""
    world = World()
    await world.remember(1)
    following = follower(world)
    world.ledger.offline = True
    async with running(following):
        await asyncio.sleep(0)
        world.ledger.offline = False
        following.nudge()
        await _until(world, [id_of(1)])


@pytest.mark.requirement("S8", "R11")
async def test_the_background_loop_rebuilds_what_is_not_whole() -> None:
    """A tenant whose shard was damaged is filled from the ledger and served again."""
    world = World()
    await world.remember(1)
    following = follower(world)
    await following.drain()
    await world.index.begin_rebuild(ALICE.tenant)
    async with running(following):
        await _until(world, [id_of(1)])
        following.nudge()
        await _turn_until(lambda: not world.index.incomplete())
    assert await world.found() == [id_of(1)]
    assert following.rebuilt == 1


async def _until(world: World, expected: Sequence[str]) -> None:
    points = world.index._points
    await _turn_until(lambda: sorted(points.get(ALICE.tenant, {})) == list(expected))


async def _turn_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - turns of the loop are waited for, not time
            await asyncio.sleep(0)
