"""What recalls left behind, in memory. `traces.offline = True` makes every call fail."""

from collections.abc import Callable, Sequence
from datetime import datetime

from guard.errors import ConflictError, UnavailableError
from memory.types import Owner, SubjectId, TenantId, TraceId
from storage.ports import SealedTrace


class MemoryTraces:
    """Fulfils `storage.ports.TraceStore`."""

    def __init__(self) -> None:
        self.offline = False
        self._kept: dict[tuple[TenantId, TraceId], SealedTrace] = {}

    async def add(self, traces: Sequence[SealedTrace]) -> None:
        """Add traces, all or none. Raises ConflictError for a known id."""
        self._answer()
        new = {(trace.owner.tenant, trace.id): trace for trace in traces}
        if len(new) < len(traces) or new.keys() & self._kept.keys():
            raise ConflictError("conflict")
        self._kept |= new

    async def find(
        self, tenant: TenantId, subject: SubjectId, id: TraceId, now: datetime
    ) -> SealedTrace | None:
        """Return the subject's trace, None when there is none or it has expired."""
        self._answer()
        found = self._kept.get((tenant, id))
        if found is None or found.owner != Owner(tenant, subject) or found.expires_at <= now:
            return None
        return found

    async def erase(self, tenant: TenantId, subject: SubjectId | None) -> int:
        """Remove the traces of a subject, or of the whole tenant; return how many."""
        return self._removed(
            lambda one: one.owner.tenant == tenant and subject in (None, one.owner.subject)
        )

    async def expire(self, now: datetime) -> int:
        """Remove the traces of every tenant that have expired; return how many."""
        return self._removed(lambda one: one.expires_at <= now)

    def _removed(self, goes: Callable[[SealedTrace], bool]) -> int:
        self._answer()
        gone = [place for place, trace in self._kept.items() if goes(trace)]
        for place in gone:
            del self._kept[place]
        return len(gone)

    def _answer(self) -> None:
        if self.offline:
            raise UnavailableError("ledger")
