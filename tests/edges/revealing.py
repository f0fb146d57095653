"""What the tests of reading a case, and of reading a stored memory, ask alike."""

from guard.errors import UnavailableError
from guard.nouns import Leaf, SealedRemark
from memory.types import MemoryId, TenantId
from tests.edges.guarded import Guarded
from tests.edges.test_decisions import decided


async def revealed(guarded: Guarded) -> list[Leaf]:
    """Return the leaves of all that was revealed."""
    return await decided(guarded, "reveal")


class Broken:
    """Keeps nothing and says so."""

    async def keep(self, leaf: Leaf, remark: SealedRemark) -> None:
        """Fail, as when the ledger is away."""
        del leaf, remark
        raise UnavailableError("ledger")

    async def on(self, tenant: TenantId, memory: MemoryId, limit: int) -> list[SealedRemark]:
        """Return nothing."""
        del tenant, memory, limit
        return []
