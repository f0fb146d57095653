"""Shared limits while the store answers, this process's own while it does not; never none."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from guard.errors import UnavailableError
from guard.ports import Bucket, Buckets, Taken
from storage.limits.local import Seconds

_LOGGER: Final = logging.getLogger("memguard.limits")
RETRY_SECONDS: Final = 1.0


class FallbackBuckets:
    """Fulfils `guard.ports.Buckets`: asks `shared` within a deadline, and else `local` at once.

    The first failure opens the circuit: for a second everything goes to `local`, then one call
    tries `shared` again while the others don't wait for it. So an outage costs one deadline a
    second, and its price in accuracy is that each replica counts alone: in any time that touches an
    outage, no more than (replicas + 1) times the limit passes.
    """

    def __init__(
        self,
        shared: Buckets,
        local: Buckets,
        now: Seconds,
        *,
        deadline_seconds: float,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        self._shared = shared
        self._local = local
        self._now = now
        self._deadline = deadline_seconds
        self._retry = retry_seconds
        self._again_at: float | None = None
        self.alone = False
        """Whether limits are counted in this process alone at the moment."""
        self.falls = 0
        """How often the shared store was lost."""
        self.taken_alone = 0
        """How many decisions were made without the shared store."""

    async def take(self, buckets: Sequence[Bucket], cost: int) -> Taken:
        """Take `cost` units from each bucket, or from none."""
        if self._closed_or_due():
            try:
                async with asyncio.timeout(self._deadline):
                    taken = await self._shared.take(buckets, cost)
            except (UnavailableError, TimeoutError):
                self._lost()
            else:
                self._found()
                return taken
        self.taken_alone += 1
        return await self._local.take(buckets, cost)

    def _closed_or_due(self) -> bool:
        """Say whether to ask the shared store; when a retry is due, to one caller alone."""
        if self._again_at is None:
            return True
        if self._now() < self._again_at:
            return False
        self._again_at = self._now() + self._retry
        return True

    def _lost(self) -> None:
        self._again_at = self._now() + self._retry
        if not self.alone:
            self.alone = True
            self.falls += 1
            _LOGGER.warning("the shared rate limits do not answer; counting in this process alone")

    def _found(self) -> None:
        if self.alone:
            self.alone = False
            _LOGGER.warning("the shared rate limits answer again")
        self._again_at = None
