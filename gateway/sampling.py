"""Figures that cost a query: looked up when somebody asks, but not each time."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

from gateway.metrics import Figure, Sample
from guard.errors import UnavailableError

FRESH_SECONDS: Final = 30.0
"""How long figures serve again: two scrapes of the usual interval."""
PATIENCE_SECONDS: Final = 2.0
"""How long a scrape waits for fresh ones; then it takes those there are, and the query goes on."""
_STALE: Final = 10


class Sampler:
    """Fulfils `Sample`. Figures that could not be renewed for long are left out, not told again."""

    def __init__(
        self,
        read: Sample,
        now: Callable[[], float] = time.monotonic,
        *,
        fresh: float = FRESH_SECONDS,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._read, self._now = read, now
        self._fresh, self._patience = fresh, patience
        self._figures: Sequence[Figure] = ()
        self._at: float | None = None
        self._failures = 0
        self._reading: asyncio.Task[None] | None = None

    async def __call__(self) -> Sequence[Figure]:
        """Return the figures, and how often they could not be had."""
        if self._age() >= self._fresh and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._renew(), name="figures")
        if self._reading is not None:
            await asyncio.wait((self._reading,), timeout=self._patience)
        failures = Figure(
            "sample_failures",
            "Looks at the ledger for figures that failed.",
            self._failures,
            counts=True,
        )
        return (failures, *(self._figures if self._age() < self._fresh * _STALE else ()))

    def _age(self) -> float:
        return float("inf") if self._at is None else self._now() - self._at

    async def _renew(self) -> None:
        began = self._now()
        try:
            self._figures = await self._read()
            self._at = began
        except UnavailableError:
            self._failures += 1
