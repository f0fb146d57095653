"""Visits to the console in memory."""

from datetime import datetime
from typing import Final

from guard.nouns import Leaf
from guard.visits import Visit
from memory.types import TenantId
from storage.visits import check_visit


class MemoryVisits:
    """Fulfils `guard.visits.Visits` in memory. `leaves` are those of its changes."""

    def __init__(self) -> None:
        self.leaves: Final[list[Leaf]] = []
        self.kept: Final[dict[tuple[TenantId, str], Visit]] = {}

    async def add(self, visit: Visit, leaf: Leaf, now: datetime) -> None:
        """Keep a visit and its audit leaf, and remove the tenant's that have expired."""
        check_visit(visit.owner.tenant, leaf)
        for key, one in list(self.kept.items()):
            if key[0] == visit.owner.tenant and one.expires_at <= now:
                del self.kept[key]
        self.kept[visit.owner.tenant, visit.id] = visit
        self.leaves.append(leaf)

    async def find(self, tenant: TenantId, id: str, now: datetime) -> Visit | None:
        """Return a visit of the tenant that has not expired."""
        found = self.kept.get((tenant, id))
        return found if found is not None and found.expires_at > now else None

    async def end(self, tenant: TenantId, id: str, leaf: Leaf) -> None:
        """Remove a visit and keep its audit leaf."""
        check_visit(tenant, leaf)
        self.kept.pop((tenant, id), None)
        self.leaves.append(leaf)
