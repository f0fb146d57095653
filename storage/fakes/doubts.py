"""Doubts of one memory, in memory."""

from collections.abc import Callable, Sequence
from typing import Final

from guard.errors import ConflictError
from guard.nouns import Leaf, SealedRemark
from memory.types import MemoryId, TenantId
from storage.doubts import check_dismissal
from storage.fakes.beside import Beside


class MemoryDoubts:
    """Fulfils `guard.doubts.Doubts` in memory; made by `MemoryLedger`.

    `append` keeps a leaf that changed no memory, or raises ConflictError.
    """

    def __init__(self, beside: Beside, append: Callable[[Leaf], None]) -> None:
        self._beside: Final = beside
        self._append: Final = append

    async def beside(self, tenant: TenantId, memory: MemoryId) -> tuple[MemoryId, ...]:
        """Return what a memory of the tenant stands in doubt beside, and nobody has dismissed."""
        self._beside.reachable()
        beside = self._beside
        of = (doubt for doubt in beside.doubts if doubt[:2] == (tenant, memory))
        return tuple(sorted(doubt[2] for doubt in of if doubt not in beside.dismissed))

    async def dismiss(
        self, leaf: Leaf, others: Sequence[MemoryId], remark: SealedRemark | None
    ) -> None:
        """Dismiss the doubts of the leaf's memory beside `others`; raises ConflictError."""
        check_dismissal(leaf, remark)
        tenant, memory = TenantId(leaf.tenant), MemoryId(leaf.object)
        if not {*others} <= {*await self.beside(tenant, memory)}:
            raise ConflictError("conflict")
        self._append(leaf)
        self._beside.dismissed |= {(tenant, memory, other) for other in others}
        if remark is not None:
            self._beside.remarks.append(remark)
