"""Rooms in which nobody reviews: trials, benches, screening."""

from guard.errors import UnavailableError
from guard.nouns import Leaf, SealedRemark
from memory.types import MemoryId, TenantId


class Unremarked:
    """Fulfils `guard.ports.Remarks` and keeps nothing, so that nothing is revealed either."""

    async def keep(self, leaf: Leaf, remark: SealedRemark) -> None:
        """Raise UnavailableError: a leaf that is not kept must stop whoever asked."""
        del leaf, remark
        raise UnavailableError("remarks")

    async def on(self, tenant: TenantId, memory: MemoryId, limit: int) -> list[SealedRemark]:
        """Return nothing."""
        del tenant, memory, limit
        return []
