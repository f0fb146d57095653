"""Webhooks in memory."""

from datetime import datetime
from typing import Final

import msgspec

from guard.errors import NotFoundError
from guard.hooks import DeadPost, SealedHook
from guard.nouns import Leaf
from memory.types import TenantId
from storage.webhooks import check_hook


class MemoryHooks:
    """Fulfils `guard.hooks.Hooks` in memory. `leaves` are those of its changes.

    Nobody posts from here: what is `buried` is what a test puts there.
    """

    def __init__(self) -> None:
        self.leaves: Final[list[Leaf]] = []
        self.buried: Final[dict[TenantId, list[DeadPost]]] = {}
        self.replayed: Final[list[DeadPost]] = []
        self._kept: Final[dict[tuple[TenantId, str], SealedHook]] = {}

    async def all(self, tenant: TenantId) -> list[SealedHook]:
        """Return the tenant's webhooks in the order of their ids."""
        return [one for (of, _), one in sorted(self._kept.items()) if of == tenant]

    async def put(self, hook: SealedHook, leaf: Leaf) -> None:
        """Add or replace a webhook, paused no longer. One that is there keeps its position."""
        check_hook(hook.hook.tenant, leaf)
        key = (hook.hook.tenant, hook.hook.id)
        before = self._kept.get(key, hook)
        one = msgspec.structs.replace(hook.hook, position=before.hook.position, paused="")
        self._kept[key] = msgspec.structs.replace(hook, hook=one)
        self.leaves.append(leaf)

    async def remove(self, tenant: TenantId, id: str, leaf: Leaf) -> None:
        """Remove a webhook with all that waits for it. Raises NotFoundError."""
        check_hook(tenant, leaf)
        if self._kept.pop((tenant, id), None) is None:
            raise NotFoundError
        self.buried[tenant] = [one for one in self.buried.get(tenant, []) if one.hook != id]
        self.leaves.append(leaf)

    async def dead(self, tenant: TenantId, limit: int) -> list[DeadPost]:
        """Return what was given up, longest dead first."""
        return sorted(self.buried.get(tenant, []), key=lambda one: one.at)[:limit]

    async def replay(
        self, tenant: TenantId, id: str, sequence: int | None, at: datetime, leaf: Leaf
    ) -> int:
        """Take what is dead of a webhook away, one or all; return how many that were."""
        del at
        check_hook(tenant, leaf)
        dead = self.buried.get(tenant, [])
        chosen = [one for one in dead if one.hook == id and sequence in (None, one.sequence)]
        if chosen:
            self.buried[tenant] = [one for one in dead if one not in chosen]
            self.replayed.extend(chosen)
            self.leaves.append(leaf)
        return len(chosen)
