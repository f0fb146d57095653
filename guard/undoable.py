"""What reviewers leave for later: what a decision replaced, so that it can be undone, and what one
proposes and another decides. All of it is sealed, and for a while.
"""

from datetime import datetime
from typing import Protocol

import msgspec

from guard.nouns import Sealed, SealedProposal, Undoable
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


class Proposals(Protocol):
    """What waits for a second reviewer. Written by the ledger's commits.

    All methods raise UnavailableError when the database does not answer.
    """

    async def open(
        self, tenant: TenantId, after: str | None, limit: int, now: datetime
    ) -> list[SealedProposal]:
        """Return proposals of the tenant that have not expired, in the order of their ids."""
        ...

    async def one(self, tenant: TenantId, id: str, now: datetime) -> SealedProposal | None:
        """Return one of them, None for any other."""
        ...

    async def expire(self, now: datetime) -> int:
        """Remove those of every tenant that have expired; return how many."""
        ...


class Unproposed:
    """Fulfils `Proposals` where nobody reviews."""

    async def open(
        self, tenant: TenantId, after: str | None, limit: int, now: datetime
    ) -> list[SealedProposal]:
        """Return nothing."""
        del tenant, after, limit, now
        return []

    async def one(self, tenant: TenantId, id: str, now: datetime) -> SealedProposal | None:
        """Return None."""
        del tenant, id, now
        return None

    async def expire(self, now: datetime) -> int:
        """Return 0."""
        del now
        return 0


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
