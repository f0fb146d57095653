"""What recalls left behind, in SQL: sealed, and gone when it has expired."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, insert, select

from memory.types import Owner, SubjectId, TenantId, TraceId
from storage.database import Database
from storage.expiring import remove_expired
from storage.ports import SealedTrace
from storage.retrying import retried
from storage.rows import instant, micros, raw
from storage.tables import TRACES


class SqlTraces:
    """Fulfils `storage.ports.TraceStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def add(self, traces: Sequence[SealedTrace]) -> None:
        """Add traces of any tenants durably, all or none. Raises ConflictError for a known id."""
        # In one order for everybody, so that two batches can't wait for each other.
        tenants = sorted({trace.owner.tenant for trace in traces})
        if not tenants:
            return
        async with self._database.writing(tenants[0]) as connection:
            for tenant in tenants:
                await self._database.enter(connection, tenant)
                rows = [_columns(trace) for trace in traces if trace.owner.tenant == tenant]
                await connection.execute(insert(TRACES), rows)

    @retried
    async def find(
        self, tenant: TenantId, subject: SubjectId, id: TraceId, now: datetime
    ) -> SealedTrace | None:
        """Return the subject's trace, None when there is none or it has expired."""
        query = select(TRACES).where(
            TRACES.c.tenant == tenant,
            TRACES.c.subject == subject,
            TRACES.c.id == id,
            TRACES.c.expires_at > micros(now),
        )
        async with self._database.reading(tenant) as connection:
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            return None
        at, expires_at = instant(row.at), instant(row.expires_at)
        return SealedTrace(Owner(tenant, subject), id, at, expires_at, raw(row.token))

    @retried
    async def erase(self, tenant: TenantId, subject: SubjectId | None) -> int:
        """Remove the traces of a subject, or of the whole tenant; return how many."""
        where = [TRACES.c.tenant == tenant]
        if subject is not None:
            where.append(TRACES.c.subject == subject)
        async with self._database.writing(tenant) as connection:
            return (await connection.execute(delete(TRACES).where(*where))).rowcount

    @retried
    async def expire(self, now: datetime) -> int:
        """Remove the traces of every tenant that have expired; return how many."""
        return await remove_expired(self._database, [TRACES], now)


def _columns(trace: SealedTrace) -> dict[str, object]:
    return {
        "tenant": trace.owner.tenant,
        "id": trace.id,
        "subject": trace.owner.subject,
        "at": micros(trace.at),
        "expires_at": micros(trace.expires_at),
        "token": trace.token,
    }
