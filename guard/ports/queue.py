"""Writes that are accepted and not yet made, and answers given once."""

from datetime import datetime
from typing import Protocol

import msgspec

from guard.nouns import Answer, Write
from memory.types import MemoryId, Owner, SubjectId, TenantId


class Answers(Protocol):
    """What was answered and what is promised, beside the memories. Written by the ledger's commits.

    All methods raise UnavailableError when the database does not answer.
    """

    async def answer(
        self, tenant: TenantId, subject: SubjectId, mark: bytes, now: datetime
    ) -> Answer | None:
        """Return the subject's answer of this mark, None when there is none or it has expired."""
        ...

    async def write(self, tenant: TenantId, subject: SubjectId, id: MemoryId) -> Write | None:
        """Return the subject's accepted write, None when there is none."""
        ...

    async def waiting(self, tenant: TenantId, limit: int) -> int:
        """Return how many writes of the tenant wait, dead ones included; counts up to `limit`."""
        ...

    async def expire(self, now: datetime) -> int:
        """Remove answers and outcomes of every tenant that have expired; return how many."""
        ...


class Due(msgspec.Struct, frozen=True):
    """A write whose turn it is, and how often it was tried in vain."""

    owner: Owner
    id: MemoryId
    attempts: int


class Dead(msgspec.Struct, frozen=True):
    """A write that was given up: it waits for an operator. Nothing of it is lost."""

    owner: Owner
    id: MemoryId
    attempts: int
    reason: str
    at: datetime


class Queue(Protocol):
    """Writes that wait to be decided (W14). They enter and leave it by the ledger's commits.

    What is changed here of a write that is no longer there changes nothing.
    """

    async def claim(self, limit: int, now: datetime, lease_seconds: float) -> list[Due]:
        """Return due writes, hidden from other claimants until the lease ends.

        Oldest first within a tenant, and one of each tenant before the second of any.
        """
        ...

    async def retry(self, due: Due, at: datetime, attempts: int) -> None:
        """Make a write due again at `at`, tried in vain `attempts` times."""
        ...

    async def bury(self, due: Due, reason: str, at: datetime) -> None:
        """Give a write up until it is replayed."""
        ...

    async def release(self, now: datetime) -> None:
        """Make every write that waits due now: for a gateway that is alone and finds leases."""
        ...

    async def dead(self, limit: int, tenant: TenantId | None = None) -> list[Dead]:
        """Return writes that were given up, of one tenant or of all, longest dead first."""
        ...

    async def replay(self, tenant: TenantId, id: MemoryId, at: datetime) -> bool:
        """Make a dead write due at `at` as if never tried; return whether it was dead."""
        ...
