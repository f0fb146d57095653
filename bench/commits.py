"""How long a commit takes on SQLite and on PostgreSQL, in one run on one disk, both durable.

    python -m bench.commits [--rounds 400]

PostgreSQL is a throwaway server on this machine with `fsync` on; its figures hold the trips over a
local socket and not those over your network.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from memory.types import MemoryId, Owner, SubjectId
from storage.database import Database
from storage.ledger import SqlLedger
from storage.migrations import migrate
from tests.contracts.ledger_builders import ACME, change, sealed
from tests.postgres import GATEWAY, throwaway

_WRITERS = 8
_CONTENT = 6000
"""Bytes of one row: about what the sealed material of one memory takes."""


async def _measured(name: str, url: str, rounds: int) -> None:
    database = await Database.open(url)
    ledger = SqlLedger(database)
    alone = await _committed(ledger, "alone", rounds)
    start = time.perf_counter()
    together = await asyncio.gather(
        *(_committed(ledger, f"writer {n}", rounds // _WRITERS) for n in range(_WRITERS))
    )
    elapsed = time.perf_counter() - start
    times = sorted(one for writer in together for one in writer)
    owner = SubjectId("alone")
    epoch = await _timed(lambda: ledger.epoch(ACME, owner), rounds)
    print(
        f"{name:<12} commit p50 {_ms(alone, 50)} p95 {_ms(alone, 95)} | {_WRITERS} writers"
        f" p50 {_ms(times, 50)} p95 {_ms(times, 95)}, {len(times) / elapsed:.0f}/s"
        f" | read of one number p50 {_ms(epoch, 50)}"
    )
    await database.close()


async def _committed(ledger: SqlLedger, subject: str, rounds: int) -> list[float]:
    owner = Owner(ACME, SubjectId(subject))
    epochs = iter(range(rounds))

    async def commit() -> None:
        epoch = next(epochs)
        row = sealed(owner, id=MemoryId(f"{subject} {epoch}"), client="x" * _CONTENT)
        await ledger.commit(change(epoch, row, owner=owner))

    return await _timed(commit, rounds)


async def _timed(work: Callable[[], Awaitable[object]], rounds: int) -> list[float]:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        await work()
        times.append(time.perf_counter() - start)
    return times


def _ms(times: list[float], percent: int) -> str:
    return f"{1000 * statistics.quantiles(times, n=100)[percent - 1]:.2f} ms"


def main() -> None:
    """Measure both and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=400)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder, throwaway(fsync="on") as cluster:
        place = cluster.database()
        asyncio.run(migrate(place.owner, GATEWAY))
        for name, url in (
            ("SQLite", f"sqlite:///{Path(folder) / 'ledger.db'}"),
            ("PostgreSQL", place.gateway),
        ):
            asyncio.run(_measured(name, url, rounds))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
