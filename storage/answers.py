"""First answers and accepted writes, in SQL. They are written by the ledger's commits."""

from datetime import datetime

from sqlalchemy import and_, func, select

from guard.nouns import Answer, Progress, Write
from memory.types import MemoryId, SubjectId, TenantId
from storage.database import Database
from storage.expiring import remove_expired
from storage.retrying import retried
from storage.rows import instant, micros, raw, storable
from storage.tables import ANSWERS, QUEUE, WRITES


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
        return await remove_expired(self._database, [ANSWERS, WRITES], now)
