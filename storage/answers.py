"""First answers and accepted writes, in SQL. They are written by the ledger's commits."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Delete, Table, and_, delete, func, select

from guard.nouns import Answer, Progress, Write
from memory.types import MemoryId, SubjectId, TenantId
from storage.database import Database
from storage.engine import SYSTEM
from storage.retrying import retried
from storage.rows import instant, micros, raw, storable
from storage.tables import ANSWERS, QUEUE, SUBJECTS, WRITES

_TENANTS_AT_ONCE: Final = 100
"""Tenants whose expired rows one transaction removes: writers of others wait no longer for it."""


class SqlAnswers:
    """Fulfils `guard.ports.Answers`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def answer(
        self, tenant: TenantId, subject: SubjectId, mark: bytes, now: datetime
    ) -> Answer | None:
        """Return the subject's answer of this mark, None when there is none or it has expired."""
        query = select(ANSWERS).where(
            ANSWERS.c.tenant == tenant,
            ANSWERS.c.subject == subject,
            ANSWERS.c.mark == mark,
            ANSWERS.c.expires_at > micros(now),
        )
        async with self._database.reading(tenant) as connection:
            row = (await connection.execute(query)).first()
        if row is None:
            return None
        memory = None if row.memory is None else MemoryId(row.memory)
        request, token = raw(row.request), raw(row.token)
        return Answer(raw(row.mark), request, memory, instant(row.expires_at), token)

    @retried
    async def write(self, tenant: TenantId, subject: SubjectId, id: MemoryId) -> Write | None:
        """Return the subject's accepted write, None when there is none."""
        if not storable(id):
            return None
        waits = and_(QUEUE.c.tenant == WRITES.c.tenant, QUEUE.c.id == WRITES.c.id)
        query = (
            select(WRITES, QUEUE.c.place, QUEUE.c.dead_at)
            .outerjoin(QUEUE, waits)
            .where(WRITES.c.tenant == tenant, WRITES.c.subject == subject, WRITES.c.id == id)
        )
        async with self._database.reading(tenant) as connection:
            row = (await connection.execute(query)).first()
        if row is None:
            return None
        progress = Progress.QUEUED if row.dead_at is None else Progress.DEAD
        return Write(
            MemoryId(row.id),
            Progress.DONE if row.place is None else progress,
            instant(row.accepted_at),
            raw(row.token),
            raw(row.outcome),
        )

    @retried
    async def waiting(self, tenant: TenantId, limit: int) -> int:
        """Return how many writes of the tenant wait, dead ones included; counts up to `limit`."""
        some = select(QUEUE.c.place).where(QUEUE.c.tenant == tenant).limit(limit).subquery()
        async with self._database.reading(tenant) as connection:
            return await connection.scalar(select(func.count()).select_from(some)) or 0

    @retried
    async def expire(self, now: datetime) -> int:
        """Remove answers and outcomes of every tenant that have expired; return how many."""
        query = select(SUBJECTS.c.tenant).distinct().order_by(SUBJECTS.c.tenant)
        async with self._database.reading(SYSTEM) as connection:
            tenants = [TenantId(tenant) for tenant in await connection.scalars(query)]
        removed = 0
        for some in _batches(tenants):
            async with self._database.writing(some[0]) as connection:
                for tenant in some:
                    await self._database.enter(connection, tenant)
                    for table in (ANSWERS, WRITES):
                        gone = await connection.execute(_expired(table, tenant, now))
                        removed += gone.rowcount
        return removed


def _expired(table: Table, tenant: TenantId, now: datetime) -> Delete:
    # A write that waits has no time of expiry, and NULL is not before anything.
    return delete(table).where(table.c.tenant == tenant, table.c.expires_at <= micros(now))


def _batches(tenants: Sequence[TenantId]) -> Iterator[Sequence[TenantId]]:
    for start in range(0, len(tenants), _TENANTS_AT_ONCE):
        yield tenants[start : start + _TENANTS_AT_ONCE]
