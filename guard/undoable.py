"""What a reviewer's decision replaced: kept sealed for a short while, so that it can be undone."""

from datetime import datetime
from typing import Protocol

import msgspec

from guard.nouns import Sealed, Undoable
from memory.types import MemoryId, State, TenantId


class Before(msgspec.Struct, frozen=True, array_like=True):
    """What is sealed of a decision: the held row before it, the state that it left the memory in,
    and the memories that gave way to it. Fields may only be appended.
    """

    row: Sealed
    left: State
    gave_way: tuple[MemoryId, ...] = ()


class Undoing(Protocol):
    """The decisions that can still be undone, one of each memory. Written by the ledger's commits.

    All methods raise UnavailableError when the database does not answer.
    """

    async def last(self, tenant: TenantId, memory: MemoryId, now: datetime) -> Undoable | None:
        """Return the last decision on a memory of the tenant, None when its time is over."""
        ...

    async def expire(self, now: datetime) -> int:
        """Remove what can be undone no more, of every tenant; return how many."""
        ...


class Irrevocable:
    """Fulfils `Undoing` where nobody decides: trials, benches, screening."""

    async def last(self, tenant: TenantId, memory: MemoryId, now: datetime) -> Undoable | None:
        """Return None."""
        del tenant, memory, now
        return None

    async def expire(self, now: datetime) -> int:
        """Return 0."""
        del now
        return 0
