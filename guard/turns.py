"""Writers of one subject take turns within a process, so that they don't overtake each other.

The ledger's epoch is what keeps changes consistent, across processes too; without turns a burst of
writes for one subject would meet at it and retry until some give up.
"""

import asyncio
from typing import Final

from memory.types import Owner

_LOCKS: Final = 1024


class Turns:
    """A fixed number of locks shared by all owners: two that share one wait needlessly, and rarely.

    Fixed, because a lock per owner would be memory that any stream of new subjects could fill.
    """

    def __init__(self) -> None:
        self._locks = tuple(asyncio.Lock() for _ in range(_LOCKS))

    def of(self, owner: Owner) -> asyncio.Lock:
        """Return the lock of this owner; waiters are served in order."""
        return self._locks[hash((owner.tenant, owner.subject)) % _LOCKS]
