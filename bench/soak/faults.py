"""What goes wrong meanwhile, by chance: gateways are killed, and what they depend on goes away."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from bench.soak.book import Book
from bench.soak.greedy import Outage
from bench.soak.index_server import DOWN, ERROR, SLOW, WELL
from bench.soak.site import Site
from tests.live.gateway_process import GatewayProcess

KILL_GAP: Final = (12.0, 30.0)
"""Seconds between two kills of gateways, at least and at most."""
FAULT_GAP: Final = (6.0, 15.0)
_FAULT_LASTS: Final = (1.5, 6.0)
_SLOW_SECONDS: Final = 1.2
_REACH: Final = 4.0
"""Seconds after its return until every process counts in the shared store again: a rest of one
second, the next request of each, and its deadline."""
_AGAIN_SECONDS: Final = 1.0
_TOLD: Final = 800
"""Characters of a gateway's last words that a report repeats."""


class Faults:
    """Two lines of trouble side by side, so that a gateway also starts while something is away."""

    def __init__(self, site: Site, book: Book, chance: random.Random) -> None:
        self._site = site
        self._book = book
        self._chance = chance
        self.injected: Counter[str] = Counter()
        self.outages: list[Outage] = []
        """When the shared limits were away."""
        self._away = 0
        self._episodes = 0
        """How often something went away so far."""
        kinds: dict[str, Callable[[], Awaitable[None]]] = {
            "PostgreSQL restarted": self._postgres_restarts,
            "PostgreSQL killed": self._postgres_dies,
            "Redis stopped": self._redis_stops,
            "Redis frozen": self._redis_freezes,
        }
        if not site.index.real:
            kinds |= {
                "index answers 500": lambda: self._index_turns(ERROR),
                "index slow": lambda: self._index_turns(f"{SLOW} {_SLOW_SECONDS}"),
                "index down": lambda: self._index_turns(DOWN),
            }
        self._kinds = kinds

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Inject faults while the block runs; after it, everything is well again."""
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._kill_gateways(stop))
            group.create_task(self._take_away(stop))
            try:
                yield
            finally:
                stop.set()

    async def _kill_gateways(self, stop: asyncio.Event) -> None:
        while not await self._paused(stop, KILL_GAP):
            gateway = self._chance.choice(self._site.gateways)
            if gateway.runs:
                await gateway.kill()
                self.injected["gateways killed"] += 1
            else:
                self._book.violated(
                    f"ENDED: a gateway ended by itself: …{gateway.last_words()[-_TOLD:]}"
                )
            await self.started(gateway)

    async def started(self, gateway: GatewayProcess) -> None:
        """Start a gateway as a service manager does: again, if it gives up while something is away.

        A gateway that gives up while everything is there is a violation.
        """
        while True:
            calm, episodes = not self._away, self._episodes
            try:
                await gateway.start()
            except AssertionError as error:
                if calm and episodes == self._episodes:
                    self._book.violated(f"NOT STARTED: …{str(error)[-_TOLD:]}")
                self.injected["starts given up"] += 1
                await gateway.kill()
                await asyncio.sleep(_AGAIN_SECONDS)
            else:
                return

    async def _take_away(self, stop: asyncio.Event) -> None:
        waiting: list[str] = []
        while not await self._paused(stop, FAULT_GAP):
            if not waiting:  # all kinds once, in an order of chance, and then all again
                waiting = list(self._kinds)
                self._chance.shuffle(waiting)
            kind = waiting.pop()
            self._away += 1
            self._episodes += 1
            await self._kinds[kind]()
            self.injected[kind] += 1
            self._away -= 1

    async def _postgres_restarts(self) -> None:
        await asyncio.to_thread(self._site.cluster.stop)
        await self._lasts()
        await asyncio.to_thread(self._site.cluster.start)

    async def _postgres_dies(self) -> None:
        await asyncio.to_thread(self._site.cluster.kill)
        await self._lasts()
        await asyncio.to_thread(self._site.cluster.start)

    async def _redis_stops(self) -> None:
        async with self._limits_away():
            self._site.redis.kill()
            await self._lasts()
            await asyncio.to_thread(self._site.redis.start)

    async def _redis_freezes(self) -> None:
        async with self._limits_away():
            self._site.redis.freeze()
            await self._lasts()
            self._site.redis.thaw()

    async def _index_turns(self, fault: str) -> None:
        await self._site.index.turn(fault)
        await self._lasts()
        await self._site.index.turn(WELL)

    @asynccontextmanager
    async def _limits_away(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        yield
        self.outages.append(Outage(began, loop.time() + _REACH))

    async def _lasts(self) -> None:
        await asyncio.sleep(self._chance.uniform(*_FAULT_LASTS))

    async def _paused(self, stop: asyncio.Event, gap: tuple[float, float]) -> bool:
        """Wait until the next one; return whether it is over instead."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._chance.uniform(*gap)):
                await stop.wait()
        return stop.is_set()
