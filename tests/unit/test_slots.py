"""Slots are bounded, go round among tenants, and are never lost."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.slots import SlotBounds, Slots
from guard.errors import LimitedError, UnavailableError
from memory.types import TenantId

pytestmark = pytest.mark.requirement("E8")

ACME, GLOBEX, UMBRA = TenantId("acme"), TenantId("globex"), TenantId("umbra")
_STEPS = 50


async def _settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(_STEPS):
        await asyncio.sleep(0)


def _slots(total: int = 2, each: int = 2, waiting: int = 100, seconds: float = 60.0) -> Slots:
    return Slots(SlotBounds(total, each, waiting, seconds))


class Crowd:
    """Operations that work until they are let go, and a record of who got a slot."""

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.entered: list[TenantId] = []
        self._leave: dict[TenantId, list[asyncio.Event]] = {}

    async def operation(self, tenant: TenantId) -> None:
        """Hold a slot until let go."""
        async with self.slots.held(tenant):
            self.entered.append(tenant)
            go = asyncio.Event()
            self._leave.setdefault(tenant, []).append(go)
            await go.wait()

    async def let_go(self, tenant: TenantId) -> None:
        """End the tenant's oldest operation."""
        self._leave[tenant].pop(0).set()
        await _settle()

    async def end(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        """Let all operations end."""
        while not all(task.done() for task in tasks):
            for waiting in self._leave.values():
                for go in waiting:
                    go.set()
            await asyncio.sleep(0)


async def test_one_tenant_has_no_more_than_its_share() -> None:
    """A flood of one tenant leaves room that another takes at once."""
    crowd = Crowd(_slots(total=4, each=2))
    tasks = [asyncio.create_task(crowd.operation(ACME)) for _ in range(10)]
    await _settle()
    assert Counter(crowd.entered) == {ACME: 2}
    tasks.append(asyncio.create_task(crowd.operation(GLOBEX)))
    await _settle()
    assert Counter(crowd.entered) == {ACME: 2, GLOBEX: 1}
    await crowd.end(tasks)
    assert len(crowd.entered) == 11
    assert (crowd.slots.busy, crowd.slots.waiting) == (0, 0)


async def test_free_slots_go_round_among_tenants() -> None:
    """Whoever waits with twenty gets as many turns as whoever waits with two."""
    crowd = Crowd(_slots(total=1, each=1))
    tasks = [asyncio.create_task(crowd.operation(ACME)) for _ in range(20)]
    await _settle()
    for tenant in (GLOBEX, GLOBEX, UMBRA):
        tasks.append(asyncio.create_task(crowd.operation(tenant)))
        await _settle()
    for _ in range(6):
        await crowd.let_go(crowd.entered[-1])
    assert crowd.entered[:7] == [ACME, ACME, GLOBEX, UMBRA, ACME, GLOBEX, ACME]
    await crowd.end(tasks)


async def test_a_tenant_that_has_its_share_does_not_hold_up_the_next() -> None:
    """A free slot skips who may not have it."""
    crowd = Crowd(_slots(total=2, each=1))
    tasks = [asyncio.create_task(crowd.operation(one)) for one in (ACME, GLOBEX, ACME, UMBRA)]
    await _settle()
    assert crowd.entered == [ACME, GLOBEX]
    await crowd.let_go(GLOBEX)
    assert crowd.entered == [ACME, GLOBEX, UMBRA]
    await crowd.end(tasks)


async def test_what_waits_is_bounded_per_tenant() -> None:
    """One too many is refused at once; another tenant still finds room to wait."""
    crowd = Crowd(_slots(total=1, each=1, waiting=2))
    tasks = [asyncio.create_task(crowd.operation(ACME)) for _ in range(3)]
    await _settle()
    with pytest.raises(LimitedError):
        await crowd.operation(ACME)
    tasks.append(asyncio.create_task(crowd.operation(GLOBEX)))
    await _settle()
    assert crowd.slots.waiting == 3
    await crowd.end(tasks)
    assert Counter(crowd.entered) == {ACME: 3, GLOBEX: 1}


@pytest.mark.parametrize("each", [1, 2])
async def test_waiting_in_vain_says_whose_fault_it_was(each: int) -> None:
    """429 when the tenant's own operations did not end, 503 when everyone's did not."""
    slots = _slots(total=2, each=each, seconds=0.001)
    error = LimitedError if each == 1 else UnavailableError
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(slots.held(ACME))
        await stack.enter_async_context(slots.held(GLOBEX))
        with pytest.raises(error):
            await stack.enter_async_context(slots.held(ACME))
        assert (slots.busy, slots.waiting) == (2, 0)
    assert slots.busy == 0


async def test_a_slot_is_given_back_when_the_work_fails() -> None:
    """An error inside goes out, and the slot with it."""
    slots = _slots(total=1, each=1)
    with pytest.raises(RuntimeError):
        async with slots.held(ACME):
            raise RuntimeError
    async with slots.held(ACME):
        assert slots.busy == 1


@pytest.mark.parametrize("order", ["cancelled", "cancelled unnoticed", "given unnoticed"])
async def test_a_slot_given_to_one_who_was_just_cancelled_goes_on(order: str) -> None:
    """In whatever order the two happen, the slot is not lost and nobody fails."""
    crowd = Crowd(_slots(total=1, each=1))
    tasks = [asyncio.create_task(crowd.operation(ACME)) for _ in range(3)]
    await _settle()
    go = crowd._leave[ACME][0]
    if order == "cancelled":
        tasks[1].cancel()
        await _settle()
    go.set()
    if order == "given unnoticed":
        await asyncio.sleep(0)
    tasks[1].cancel()
    await _settle()
    assert tasks[1].cancelled()
    assert len(crowd.entered) == 2
    await crowd.end(tasks)
    assert [task.exception() for task in (tasks[0], tasks[2])] == [None, None]
    assert (crowd.slots.busy, crowd.slots.waiting) == (0, 0)


@given(
    steps=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=60),
    total=st.integers(1, 3),
    each=st.integers(1, 3),
    waiting=st.integers(0, 4),
)
@settings(max_examples=150, deadline=None)
def test_no_sequence_of_events_breaks_a_bound_or_loses_a_slot(
    steps: list[tuple[str, int]], total: int, each: int, waiting: int
) -> None:
    """Arrivals, ends and cancellations in any order: bounds hold, and nobody waits beside a slot
    that is free for him.
    """

    async def run() -> None:
        slots = _slots(total, each, waiting)
        crowd = Crowd(slots)
        tasks: list[tuple[TenantId, asyncio.Task[None]]] = []
        for name, what in steps:
            tenant = TenantId(name)
            if what <= 1:
                tasks.append((tenant, asyncio.create_task(crowd.operation(tenant))))
            elif what == 2 and crowd._leave.get(tenant):
                crowd._leave[tenant].pop(0).set()
            elif tasks:
                tasks[len(crowd.entered) % len(tasks)][1].cancel()
            if what != 3:  # sometimes the next step comes before anyone noticed this one
                await _settle()
            assert slots.busy <= total
            assert max(slots._busy.values(), default=0) <= each
            assert max(map(len, slots._queues.values()), default=0) <= waiting
        await _settle()
        if slots.busy < total:
            assert all(slots._busy[one] >= each for one in slots._queues)
        await crowd.end([task for _, task in tasks])
        assert (slots.busy, slots.waiting) == (0, 0)
        for _, task in tasks:
            assert task.cancelled() or task.exception() is None or waiting < len(tasks)

    asyncio.run(run())
