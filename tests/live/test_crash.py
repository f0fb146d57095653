"""Kills gateways and index workers in the middle of work: what was acknowledged stays."""

import asyncio
import contextlib
import random
import signal
from collections.abc import AsyncIterator

import pytest

from tests.live.conftest import Figure
from tests.live.gateway_process import Caller, GatewayProcess, gone, send, until
from tests.live.writing import Acknowledged, Writing, assert_all_there, recalls

pytestmark = [pytest.mark.live, pytest.mark.timeout(900)]

_WRITERS = 8
_PER_ROUND = 20
"""Texts granted between two kills; the kill falls while some of them are on their way."""


def callers_of(gateway: GatewayProcess) -> list[Caller]:
    """Return two subjects in each of two tenants: with eight writers, each subject has rivals."""
    return [
        gateway.caller(tenant, subject)
        for tenant in ("acme", "globex")
        for subject in ("anna", "béla-李")
    ]


@contextlib.asynccontextmanager
async def going_on(writing: Writing, recalled: "Recalled | None" = None) -> AsyncIterator[None]:
    """Let the writers write meanwhile, and the reader recall."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(writing.run())]
        if recalled is not None:
            tasks.append(group.create_task(recalled.run(writing)))
        yield
        for task in tasks:
            task.cancel()


class Recalled:
    """A reader who asks, again and again, for something that was acknowledged already."""

    def __init__(self) -> None:
        self.found = 0
        self.degraded = 0
        self.missed: list[str] = []

    async def run(self, writing: Writing) -> None:
        """Recall until cancelled."""
        chance = random.Random(4)  # noqa: S311
        await writing.reached(1)
        while True:
            # The newest half the time: those that the index has hardly had time to follow.
            newest = chance.random() < 0.5
            pick = writing.acknowledged[-1] if newest else chance.choice(writing.acknowledged)
            answer = await pick.caller.recall(pick.text)
            self.degraded += answer["degraded"]
            if any(item["id"] == pick.id for item in answer["items"]):
                self.found += 1
            else:
                self.missed.append(pick.text)


@pytest.mark.requirement("S9", "S3", "R13", "Q6", "E12")
async def test_acknowledged_writes_survive_kills_of_the_gateway(
    gateway: GatewayProcess, figure: Figure, kills: int
) -> None:
    """Every acknowledged text is found by id and by recall, once; audit and index agree."""
    writing = Writing(callers_of(gateway), _WRITERS)
    cut_off = 0
    async with going_on(writing):
        for kill in range(kills):
            before = len(writing.acknowledged)
            writing.grant(_PER_ROUND)
            await writing.reached(before + 3 + kill % 8)  # at another point of the work each time
            workers = gateway.worker_pids()
            await gateway.kill()
            if kill % 3 == 0:
                send(signal.SIGKILL, workers)  # a power cut takes both
            cut_off += len(writing.acknowledged) < before + _PER_ROUND
            await gateway.start()
        await writing.finished()

    assert cut_off == kills, "every kill was to fall in the middle of writes"
    assert writing.broken >= kills
    await assert_all_there(writing.acknowledged)
    await gateway.drained()
    await gateway.stop()
    leaves = await gateway.verify_audit()
    assert leaves >= len(writing.acknowledged)
    assert await gateway.drift() == {"missing": 0, "stale": 0, "orphans": 0}
    figure(
        f"{kills} kills of the gateway: {len(writing.acknowledged)} acknowledged "
        f"({dict(writing.answers)}), {writing.broken} requests broken off, 0 lost, 0 recall misses"
    )


@pytest.mark.requirement("S9", "R11", "R13")
async def test_acknowledged_writes_survive_kills_of_the_index_worker(
    gateway: GatewayProcess, figure: Figure, kills: int
) -> None:
    """Writes and recalls go on meanwhile: no write is refused, and no recall misses a memory."""
    callers = callers_of(gateway)
    writing = Writing(callers, _WRITERS)
    reader = Recalled()
    killed: set[int] = set()
    async with going_on(writing, reader):
        for kill in range(kills):
            # Every fifth is killed before it serves.
            await _until_up(gateway, callers[0], killed, serving=bool(kill % 5))
            before = len(writing.acknowledged)
            writing.grant(_PER_ROUND)
            await writing.reached(before + 3 + kill % 8)
            workers = set(gateway.worker_pids()) - killed
            send(signal.SIGKILL, workers)
            killed |= workers
            await writing.finished()  # also while no worker is there

    assert len(killed) == kills
    assert (writing.answers["unavailable"], writing.broken) == (0, 0)
    assert reader.missed == []
    assert 0 < reader.degraded < reader.found, "recalls met the index both dead and alive"
    await assert_all_there(writing.acknowledged)
    await gateway.drained()
    await gateway.stop()
    await gateway.verify_audit()
    assert await gateway.drift() == {"missing": 0, "stale": 0, "orphans": 0}
    figure(
        f"{len(killed)} kills of the index worker: {len(writing.acknowledged)} acknowledged, "
        f"0 refused, 0 lost; {reader.found} recalls meanwhile, {reader.degraded} of them degraded, "
        "0 misses"
    )


async def _until_up(
    gateway: GatewayProcess, caller: Caller, killed: set[int], *, serving: bool
) -> None:
    """Return when there is an index worker that nobody has killed yet, or when it serves."""

    async def up() -> bool:
        if set(gateway.worker_pids()) <= killed:
            return False
        return not serving or not (await caller.recall("Which shelf?"))["degraded"]

    await until(up, "the gateway starts another index worker")


async def _acknowledge(gateway: GatewayProcess, writing: Writing, writes: int) -> None:
    """Have texts acknowledged that the index, whose worker is stopped, can't have."""
    before = gateway.counts()["outbox"]
    writing.grant(writes)
    await writing.finished()
    assert gateway.counts()["outbox"] >= before + writes


async def _kill_both(gateway: GatewayProcess) -> None:
    workers = gateway.worker_pids()
    await gateway.kill()
    send(signal.SIGKILL, workers)


@pytest.mark.requirement("S9", "R13")
async def test_a_kill_between_commit_and_index_loses_nothing(
    gateway: GatewayProcess, figure: Figure
) -> None:
    """Recall finds at once what only the ledger has, and the index catches up; repair sees the gap.

    The worker is stopped, so that commits are acknowledged and the index stays behind.
    """
    writing = Writing(callers_of(gateway), _WRITERS)
    async with going_on(writing):
        # Committed and handed to a worker that never answers.
        send(signal.SIGSTOP, gateway.worker_pids())
        await _acknowledge(gateway, writing, _PER_ROUND)
        await _kill_both(gateway)
        await gateway.start()
        first = writing.acknowledged[:]
        await assert_all_there(first)

        # The same, and the worker wakes up when its gateway is gone: it may finish what it was
        # told, and leaves.
        workers = gateway.worker_pids()
        send(signal.SIGSTOP, workers)
        await _acknowledge(gateway, writing, _PER_ROUND)
        await gateway.kill()
        send(signal.SIGCONT, workers)

        async def left() -> bool:
            return all(gone(pid) for pid in workers)

        await until(left, "the worker leaves")
        await gateway.start()
        await assert_all_there(writing.acknowledged)

        # Indexed, and killed before the ledger could be told so.
        await _index_without_a_mark(gateway, writing)
        await gateway.start()
        await assert_all_there(writing.acknowledged)

        # Once more nothing is indexed; this time the repair finds it.
        send(signal.SIGSTOP, gateway.worker_pids())
        await _acknowledge(gateway, writing, _PER_ROUND)
        await _kill_both(gateway)

    found = await gateway.drift()
    assert found["missing"] >= _PER_ROUND, "the last texts were to be missing from the index"
    assert await gateway.drift() == {"missing": 0, "stale": 0, "orphans": 0}
    await gateway.start()
    await assert_all_there(writing.acknowledged)
    await gateway.stop()
    await gateway.verify_audit()
    figure(
        f"4 kills between commit and index: {len(writing.acknowledged)} acknowledged, 0 lost, "
        f"0 recall misses; the repair found {found['missing']} missing entries"
    )


async def _index_without_a_mark(gateway: GatewayProcess, writing: Writing) -> None:
    """Have a text indexed while the ledger can't be written, and kill the gateway right then."""
    workers = gateway.worker_pids()
    send(signal.SIGSTOP, workers)
    await _acknowledge(gateway, writing, 1)
    last: Acknowledged = writing.acknowledged[-1]

    async def claimed() -> bool:
        return _unclaimed(gateway) == 0

    await until(claimed, "the follower claims what it has to index")
    with contextlib.closing(gateway.ledger()) as ledger:
        ledger.execute("BEGIN IMMEDIATE")
        send(signal.SIGCONT, workers)
        # The worker takes calls in order: once it answers a search, it has indexed the text.
        assert await recalls(last.caller, last.id, last.text, degraded=False)
        await gateway.kill()
        ledger.execute("ROLLBACK")
    assert gateway.counts()["outbox"] > 0


def _unclaimed(gateway: GatewayProcess) -> int:
    """Return how many tasks the follower has not taken yet: their due time is no lease."""
    with contextlib.closing(gateway.ledger()) as ledger:
        found = ledger.execute("SELECT count(*) FROM outbox WHERE due_at = 0").fetchone()
    return int(found[0])
