"""Tenants' own rules in memory."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from guard.errors import ConflictError
from guard.nouns import Leaf
from guard.statutes import Enactment, Ruleset
from memory.types import TenantId
from storage.statutes import check_statute


class MemoryStatutes:
    """Fulfils `guard.statutes.Statutes` in memory. `leaves` are those of its changes."""

    def __init__(self) -> None:
        self.leaves: Final[list[Leaf]] = []
        self._rulesets: Final[dict[tuple[TenantId, int], Ruleset]] = {}
        self._enactments: Final[dict[tuple[TenantId, int], Enactment]] = {}

    async def add(self, ruleset: Ruleset, leaf: Leaf) -> None:
        """Keep a version and its audit leaf."""
        check_statute(ruleset, leaf)
        if (ruleset.tenant, ruleset.number) in self._rulesets:
            raise ConflictError("conflict")
        self._rulesets[ruleset.tenant, ruleset.number] = ruleset
        self.leaves.append(leaf)

    async def one(self, tenant: TenantId, number: int) -> Ruleset | None:
        """Return a version of the tenant."""
        return self._rulesets.get((tenant, number))

    async def of(self, tenant: TenantId, below: int | None, limit: int) -> list[Ruleset]:
        """Return versions of the tenant with numbers below `below`, newest first."""
        mine = [one for (whose, _), one in self._rulesets.items() if whose == tenant]
        found = [one for one in mine if below is None or one.number < below]
        return sorted(found, key=lambda one: -one.number)[:limit]

    async def enact(self, enactment: Enactment, leaf: Leaf) -> None:
        """Have a version hold, and keep its audit leaf."""
        check_statute(enactment, leaf)
        if (enactment.tenant, enactment.place) in self._enactments:
            raise ConflictError("conflict")
        self._enactments[enactment.tenant, enactment.place] = enactment
        self.leaves.append(leaf)

    async def enacted(self, tenant: TenantId, below: int | None, limit: int) -> list[Enactment]:
        """Return what held for the tenant, at places below `below`, newest first."""
        mine = [one for (whose, _), one in self._enactments.items() if whose == tenant]
        found = [one for one in mine if below is None or one.place < below]
        return sorted(found, key=lambda one: -one.place)[:limit]

    async def current(self, since: datetime | None) -> Sequence[Enactment]:
        """Return each tenant's newest enactment, of those that were made at `since` or later."""
        newest: dict[TenantId, Enactment] = {}
        for one in self._enactments.values():
            known = newest.get(one.tenant)
            made = since is None or one.at >= since
            if made and (known is None or one.place > known.place):
                newest[one.tenant] = one
        return [newest[tenant] for tenant in sorted(newest)]
