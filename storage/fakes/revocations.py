"""Revocations in memory."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from guard.nouns import Leaf
from guard.revoke import Revocation
from memory.types import TenantId
from storage.revocations import check_revocation


class MemoryRevocations:
    """Fulfils `guard.revoke.Revocations` in memory. `leaves` are those of its changes."""

    def __init__(self) -> None:
        self.leaves: Final[list[Leaf]] = []
        self._kept: Final[list[Revocation]] = []

    async def add(self, revocation: Revocation, leaf: Leaf) -> None:
        """Keep a revocation and its audit leaf."""
        check_revocation(revocation, leaf)
        self._kept.append(revocation)
        self.leaves.append(leaf)

    async def since(self, at: datetime | None) -> Sequence[Revocation]:
        """Return all that was decided at `at` or later, of every tenant; without it, all."""
        found = [one for one in self._kept if at is None or one.at >= at]
        return sorted(found, key=lambda one: (one.at, one.id))

    async def of(self, tenant: TenantId, after: str | None, limit: int) -> list[Revocation]:
        """Return revocations of a tenant in the order of their ids, after `after`."""
        mine = [one for one in self._kept if one.tenant == tenant]
        found = sorted(mine, key=lambda one: one.id)
        return [one for one in found if after is None or one.id > after][:limit]
