"""The audit: leaves in a chain, and a journal off the path."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from guard.nouns import Leaf
from memory.types import MemoryId, TenantId


class AuditHead(msgspec.Struct, frozen=True):
    """The newest integrated leaf of a tenant: how many leaves, and the chain value over them."""

    size: int
    hash: bytes


class Integrated(msgspec.Struct, frozen=True):
    """One leaf with its place in the tenant's chain (1-based) and the chain value after it."""

    sequence: int
    leaf: Leaf
    hash: bytes


class Audit(Protocol):
    """The append-only record of one tenant. Changes commit their leaves through the ledger."""

    async def note(self, leaves: Sequence[Leaf]) -> None:
        """Append leaves of things that changed no memory (recalls, refusals), as one batch."""
        ...

    async def integrate(self) -> int:
        """Give every waiting leaf its place in its tenant's chain; return how many."""
        ...

    async def leaves(self, tenant: TenantId, after: int, limit: int) -> list[Integrated]:
        """Return integrated leaves in order, after sequence number `after`."""
        ...

    async def head(self, tenant: TenantId) -> AuditHead:
        """Return the newest head; size 0 and the empty chain's hash for an unknown tenant."""
        ...

    async def made(
        self, tenant: TenantId, ids: Sequence[MemoryId]
    ) -> Mapping[MemoryId, tuple[Leaf, ...]]:
        """Return the leaves that made a version of each of these memories, oldest version first.

        One that is no leaf any more is left out; an unknown memory has none.
        """
        ...


class Journal(Protocol):
    """Takes audit leaves off the request's path; a background task writes them in batches.

    What waits in memory is lost when the process is killed: at most one flush interval (Q6).
    """

    def record(self, leaf: Leaf) -> None:
        """Take one leaf; never blocks and never raises."""
        ...
