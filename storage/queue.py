"""Writes that wait to be decided, in SQL. Delivery is at least once; ending one is a commit."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update

from guard.ports import Dead, Due
from memory.types import MemoryId, Owner, SubjectId, TenantId
from storage.database import Database
from storage.engine import SYSTEM
from storage.retrying import retried
from storage.rows import instant, micros
from storage.tables import QUEUE


class SqlQueue:
    """Fulfils `guard.ports.Queue`. A lease is a due time in the future."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def claim(self, limit: int, now: datetime, lease_seconds: float) -> list[Due]:
        """Return due writes, hidden from other claimants until the lease ends."""
        due = (QUEUE.c.dead_at.is_(None), QUEUE.c.due_at <= micros(now))
        turn = func.row_number().over(partition_by=QUEUE.c.tenant, order_by=QUEUE.c.place)
        turns = select(QUEUE.c.place, turn.label("turn")).where(*due).subquery()
        chosen = select(turns.c.place).order_by(turns.c.turn, turns.c.place).limit(limit)
        # A look first: the usual answer is "nothing", and it must not cost a write transaction.
        async with self._database.reading(SYSTEM) as connection:
            if (
                await connection.execute(select(QUEUE.c.place).where(*due).limit(1))
            ).first() is None:
                return []
        async with self._database.writing(SYSTEM) as connection:
            places = list(await connection.scalars(chosen))
            # Due still: another claimant may have taken some since, and what it is taking is left.
            mine = select(QUEUE).where(QUEUE.c.place.in_(places), *due)
            found = (await connection.execute(mine.with_for_update(skip_locked=True))).all()
            await connection.execute(
                update(QUEUE)
                .where(QUEUE.c.place.in_([row.place for row in found]))
                .values(due_at=micros(now + timedelta(seconds=lease_seconds)))
            )
        order = {place: at for at, place in enumerate(places)}
        return [
            Due(_owner(row), MemoryId(row.id), row.attempts)
            for row in sorted(found, key=lambda row: order[row.place])
        ]

    async def retry(self, due: Due, at: datetime, attempts: int) -> None:
        """Make a write due again at `at`, tried in vain `attempts` times."""
        await self._change(due.owner.tenant, due.id, due_at=micros(at), attempts=attempts)

    async def bury(self, due: Due, reason: str, at: datetime) -> None:
        """Give a write up until it is replayed."""
        await self._change(
            due.owner.tenant, due.id, dead_at=micros(at), reason=reason, attempts=due.attempts
        )

    @retried
    async def release(self, now: datetime) -> None:
        """Make every write that waits due now: for a gateway that is alone and finds leases."""
        waits = (QUEUE.c.dead_at.is_(None), QUEUE.c.due_at > micros(now))
        async with self._database.writing(SYSTEM) as connection:
            await connection.execute(update(QUEUE).where(*waits).values(due_at=micros(now)))

    @retried
    async def dead(self, limit: int, tenant: TenantId | None = None) -> list[Dead]:
        """Return writes that were given up, of one tenant or of all, longest dead first."""
        query = select(QUEUE).where(QUEUE.c.dead_at.is_not(None))
        if tenant is not None:
            query = query.where(QUEUE.c.tenant == tenant)
        async with self._database.reading(SYSTEM) as connection:
            found = await connection.execute(
                query.order_by(QUEUE.c.dead_at, QUEUE.c.place).limit(limit)
            )
            return [
                Dead(_owner(row), MemoryId(row.id), row.attempts, row.reason, instant(row.dead_at))
                for row in found
            ]

    @retried
    async def replay(self, tenant: TenantId, id: MemoryId, at: datetime) -> bool:
        """Make a dead write due at `at` as if never tried; return whether it was dead."""
        async with self._database.writing(tenant) as connection:
            replayed = await connection.execute(
                update(QUEUE)
                .where(QUEUE.c.tenant == tenant, QUEUE.c.id == id, QUEUE.c.dead_at.is_not(None))
                .values(dead_at=None, reason="", attempts=0, due_at=micros(at))
            )
        return replayed.rowcount == 1

    @retried
    async def _change(self, tenant: TenantId, id: MemoryId, **values: Any) -> None:
        async with self._database.writing(tenant) as connection:
            await connection.execute(
                update(QUEUE).where(QUEUE.c.tenant == tenant, QUEUE.c.id == id).values(**values)
            )


def _owner(row: Any) -> Owner:
    return Owner(TenantId(row.tenant), SubjectId(row.subject))
