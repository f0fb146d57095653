"""Audit leaves of recalls and refusals, written in batches off the request's path (Q6).

The loss window is `interval_seconds`: leaves that wait in memory when the process is killed are
gone. Changes of memories never wait here; they commit their leaf in their own transaction.
"""

import asyncio
import contextlib
from collections import deque

from guard.errors import UnavailableError
from guard.nouns import Leaf
from guard.ports import Audit

_BATCH = 1000


class BatchingJournal:
    """Takes leaves at once and writes them within `interval_seconds`, then has them integrated.

    At most `capacity` leaves wait; beyond that the oldest are given up and counted in `lost`, so
    that a dead database can't exhaust memory.
    """

    def __init__(
        self, audit: Audit, *, interval_seconds: float = 0.25, capacity: int = 100_000
    ) -> None:
        self.lost = 0
        self._audit = audit
        self._interval = interval_seconds
        self._waiting: deque[Leaf] = deque()
        self._capacity = capacity
        self._stopping = asyncio.Event()

    def record(self, leaf: Leaf) -> None:
        """Take one leaf; never blocks and never raises."""
        if len(self._waiting) >= self._capacity:
            self._waiting.popleft()
            self.lost += 1
        self._waiting.append(leaf)

    async def flush(self) -> None:
        """Write what waits and integrate it. Raises UnavailableError; nothing is lost by that."""
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))]
            try:
                await self._audit.note(batch)
            except UnavailableError:
                self._waiting.extendleft(reversed(batch))
                raise
        await self._audit.integrate()

    async def run(self) -> None:
        """Flush again and again until `stop`, then once more."""
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), self._interval)
            # When the database is away, leaves stay in memory and the next round tries again.
            with contextlib.suppress(UnavailableError):
                await self.flush()

    def stop(self) -> None:
        """Make `run` end after a last flush."""
        self._stopping.set()
