"""Rooms in which nothing is posted: trials, benches, screening."""

from datetime import datetime

from guard.errors import NotFoundError, UnavailableError
from guard.hooks import DeadPost, SealedHook
from guard.nouns import Leaf
from memory.types import TenantId


class Unhooked:
    """Fulfils `guard.hooks.Hooks`: there are none, and there can be none."""

    async def all(self, tenant: TenantId) -> list[SealedHook]:
        """Return nothing."""
        del tenant
        return []

    async def put(self, hook: SealedHook, leaf: Leaf) -> None:
        """Raise UnavailableError: who believes that findings are posted must hear of it."""
        del hook, leaf
        raise UnavailableError("webhooks")

    async def remove(self, tenant: TenantId, id: str, leaf: Leaf) -> None:
        """Raise NotFoundError."""
        del tenant, id, leaf
        raise NotFoundError

    async def dead(self, tenant: TenantId, limit: int) -> list[DeadPost]:
        """Return nothing."""
        del tenant, limit
        return []

    async def replay(
        self, tenant: TenantId, id: str, sequence: int | None, at: datetime, leaf: Leaf
    ) -> int:
        """Return that nothing was dead."""
        del tenant, id, sequence, at, leaf
        return 0
