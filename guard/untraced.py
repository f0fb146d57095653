"""Rooms in which nobody asks what a recall looked at: trials, benches, screening."""

from datetime import datetime

from memory.types import Owner, SubjectId, TenantId, TraceId


class Untraced:
    """Fulfils `guard.ports.Traces` and keeps nothing."""

    def record(self, owner: Owner, id: TraceId, at: datetime, plain: bytes) -> None:
        """Let go of the trace."""

    async def read(self, owner: Owner, id: TraceId, now: datetime) -> bytes | None:
        """Return None."""
        del owner, id, now
        return None

    async def erase(self, tenant: TenantId, subject: SubjectId | None) -> int:
        """Return 0."""
        del tenant, subject
        return 0

    async def expire(self, now: datetime) -> int:
        """Return 0."""
        del now
        return 0
