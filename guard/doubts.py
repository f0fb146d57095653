"""Which memories stand in doubt beside each other, and that a person has looked. The port."""

from collections.abc import Sequence
from typing import Protocol

from guard.errors import UnavailableError
from guard.nouns import Leaf, SealedRemark
from memory.types import MemoryId, TenantId


class Doubts(Protocol):
    """Pairs of active memories of which nobody knows whether both can hold, until somebody says.

    A pair is gone as soon as either is active no more; until then one that was dismissed is not
    listed, and not raised again.
    """

    async def beside(self, tenant: TenantId, memory: MemoryId) -> tuple[MemoryId, ...]:
        """Return what a memory of the tenant stands in doubt beside, and nobody has dismissed."""
        ...

    async def dismiss(
        self, leaf: Leaf, others: Sequence[MemoryId], remark: SealedRemark | None
    ) -> None:
        """Dismiss the doubts of the leaf's memory beside `others`, with the leaf and its remark:
        all of it durably, or nothing.

        Raises ConflictError when one of them is not open any more.
        """
        ...


class Undoubted:
    """Fulfils `Doubts` where nobody reviews: there are none."""

    async def beside(self, tenant: TenantId, memory: MemoryId) -> tuple[MemoryId, ...]:
        """Return nothing."""
        del tenant, memory
        return ()

    async def dismiss(
        self, leaf: Leaf, others: Sequence[MemoryId], remark: SealedRemark | None
    ) -> None:
        """Raise UnavailableError: a leaf that is not kept must stop whoever asked."""
        del leaf, others, remark
        raise UnavailableError("doubts")
