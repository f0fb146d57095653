"""The Qdrant double as a process of its own, whose faults are switched by lines on its stdin.

    python -m bench.soak.index_server PORT

`well`, `error` (every request 500), `slow SECONDS`, `down` (nobody listens). It ends with its
stdin.
"""

import asyncio
import sys
from typing import Final

import httpx

from tests.contracts.qdrant_double import QdrantDouble, failure
from tests.edges.qdrant_served import ServedDouble

WELL, ERROR, SLOW, DOWN = "well", "error", "slow", "down"
_BROKEN: Final = 500


class FaultyDouble(QdrantDouble):
    """A double with one fault at a time that lasts until it is taken away."""

    def __init__(self) -> None:
        super().__init__()
        self.broken = False
        self.slow_seconds = 0.0

    async def _handle(self, request: httpx.Request) -> httpx.Response:
        if self.slow_seconds:
            await asyncio.sleep(self.slow_seconds)
        # The requests are not remembered: there are many.
        return failure(_BROKEN) if self.broken else await self.serve(request)


async def _main(port: int) -> None:
    double = FaultyDouble()
    served = ServedDouble(double, port)
    await served.start()
    up = True
    _say(served.url)
    while line := await asyncio.to_thread(sys.stdin.readline):
        fault, _, seconds = line.strip().partition(" ")
        double.broken = fault == ERROR
        double.slow_seconds = float(seconds) if fault == SLOW else 0.0
        if up and fault == DOWN:
            await served.stop()
        elif not up and fault != DOWN:
            await served.start()
        up = fault != DOWN
        _say(fault)
    if up:
        await served.stop()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1])))
