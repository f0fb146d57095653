"""Kills index workers, and the process that owns them, in the middle of work."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterable
from pathlib import Path

import pytest

from guard.errors import UnavailableError
from memory.types import Layer, MemoryId
from storage.index.embedded import EmbeddedIndex
from tests.contracts.index_builders import (
    ACME,
    ALICE,
    DIMENSIONS,
    GLOBEX,
    entry,
    id_of,
    probe,
    rich,
)

pytestmark = pytest.mark.live

_LAYERS = (Layer.SEMANTIC, Layer.EPISODIC)


async def until_up(index: EmbeddedIndex) -> None:
    """Return when every worker answers."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await index.ping()
            except UnavailableError:
                await asyncio.sleep(0.01)


async def everything(index: EmbeddedIndex) -> list[MemoryId]:
    """Return all ids of the tenant."""
    found: list[MemoryId] = []
    while page := await index.inventory(ACME, found[-1] if found else None, 500):
        found += [id for id, _ in page]
    return found


@pytest.mark.requirement("S9", "R11")
@pytest.mark.parametrize("workers", [1, 2])
async def test_what_a_worker_acknowledged_survives_kills(
    tmp_path: Path, workers: int, kills: int
) -> None:
    """Under upserts and searches, each kill costs refused calls and no acknowledged entry."""
    index = await EmbeddedIndex.open(tmp_path, DIMENSIONS, workers)
    acknowledged: set[MemoryId] = set()
    counts = {"refused": 0, "searched": 0}
    stop = asyncio.Event()

    async def write(first: int) -> None:
        number = first
        while not stop.is_set():
            batch = [entry(number + i, rich(), layer=_LAYERS[i % 2]) for i in range(8)]
            try:
                await index.upsert(ACME, batch)
                acknowledged.update(item.id for item in batch)
                number += 8
            except UnavailableError:
                counts["refused"] += 1
                await asyncio.sleep(0.005)

    async def search() -> None:
        while not stop.is_set():
            before = len(acknowledged)
            try:
                found = await index.search(ACME, ALICE, probe(rich(), limit=50))
                assert len(found.routes["entity"]) >= min(before, 50)
                counts["searched"] += 1
            except UnavailableError:
                counts["refused"] += 1
                await asyncio.sleep(0.005)

    work = [asyncio.create_task(write(n * 1_000_000)) for n in range(3)]
    work.append(asyncio.create_task(search()))
    try:
        for kill in range(kills):
            await until_up(index)
            goal = len(acknowledged) + 16
            async with asyncio.timeout(60):
                while len(acknowledged) < goal:  # noqa: ASYNC110 - progress is polled for
                    await asyncio.sleep(0.001)
            await asyncio.sleep(0.0007 * kill)  # at another point of the work each time
            for pid in index.worker_pids:
                os.kill(pid, signal.SIGKILL)
    finally:
        stop.set()
        await asyncio.gather(*work)
    await until_up(index)
    assert acknowledged <= set(await everything(index))
    assert index.incomplete() == frozenset()
    assert index.restarts == kills * workers
    assert counts["refused"] > 0
    assert counts["searched"] > 0
    await index.close()

    again = await EmbeddedIndex.open(tmp_path, DIMENSIONS, workers)
    assert acknowledged <= set(await everything(again))
    await again.close()


_OWNER = """
import asyncio, sys
from pathlib import Path
from storage.index.embedded import EmbeddedIndex
from tests.contracts.index_builders import ACME, DIMENSIONS, entry, id_of, rich

async def main():
    index = await EmbeddedIndex.open(Path(sys.argv[1]), DIMENSIONS)
    number = int(sys.argv[2])
    while True:
        await index.upsert(ACME, [entry(number, rich())])
        print(id_of(number), flush=True)
        number += 1

asyncio.run(main())
"""


@pytest.mark.requirement("S9")
async def test_the_next_owner_takes_over_after_the_owner_was_killed(tmp_path: Path) -> None:
    """Its workers leave by themselves, the directory is free, and what was stored is there."""
    acknowledged: set[str] = set()
    for round_ in range(5):
        owner = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _OWNER, str(tmp_path), str(round_ * 10_000)),
            stdout=PIPE,
            env={"PYTHONPATH": str(Path(__file__).parents[2])},
        )
        assert owner.stdout is not None
        async with asyncio.timeout(60):
            for _ in range(20):
                acknowledged.add((await owner.stdout.readline()).decode().strip())
        owner.kill()
        rest = await owner.stdout.read()
        await owner.wait()
        # The last line may have been cut off; those before it were acknowledged.
        acknowledged.update(line for line in rest.decode().split("\n")[:-1])
    index = await EmbeddedIndex.open(tmp_path, DIMENSIONS)
    assert _missing(acknowledged, await everything(index)) == set()
    assert len(acknowledged) >= 100
    await index.close()


def _missing(acknowledged: Iterable[str], found: Iterable[str]) -> set[str]:
    return set(acknowledged) - set(found)


@pytest.mark.requirement("S9", "R11")
async def test_a_worker_killed_while_it_starts_comes_up_all_the_same(tmp_path: Path) -> None:
    """Kills in quick succession delay the restart and never end it; the other tenant is there."""
    index = await EmbeddedIndex.open(tmp_path, DIMENSIONS)
    await index.upsert(ACME, [entry(1, rich())])
    await index.upsert(GLOBEX, [entry(2, rich())])
    (worker,) = index._workers
    for _ in range(5):
        process = worker._process
        assert process is not None
        process.kill()
        await process.end(10)
        await asyncio.sleep(0.03)
    await until_up(index)
    assert await everything(index) == [id_of(1)]
    await index.close()
