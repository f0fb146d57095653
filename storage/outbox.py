"""What the index has yet to follow, in SQL. Delivery is at least once; applying is idempotent."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Delete, Update, UpdateBase, bindparam, delete, func, select, update

from guard.nouns import Row
from memory.types import MemoryId, State, SubjectId, TenantId
from storage.database import Database
from storage.engine import SYSTEM
from storage.ports import Task
from storage.retrying import retried
from storage.rows import micros, rows_of, select_rows
from storage.tables import MEMORIES, OUTBOX, SUBJECTS


class SqlOutbox:
    """Fulfils `storage.ports.Outbox`. A lease is a due time in the future."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def claim(self, limit: int, now: datetime, lease_seconds: float) -> list[Task]:
        """Return due tasks, oldest first, hidden from other claimants until the lease ends."""
        due = (
            select(OUTBOX)
            .where(OUTBOX.c.due_at <= micros(now))
            .order_by(OUTBOX.c.place)
            .limit(limit)
        )
        # A look first: the usual answer is "nothing", and it must not cost a write transaction.
        async with self._database.reading(SYSTEM) as connection:
            if (await connection.execute(due.limit(1))).first() is None:
                return []
        leased_until = micros(now + timedelta(seconds=lease_seconds))
        async with self._database.writing(SYSTEM) as connection:
            # Where the database has several writers, each takes what no other is taking.
            found = (await connection.execute(due.with_for_update(skip_locked=True))).all()
            await connection.execute(
                update(OUTBOX)
                .where(OUTBOX.c.place.in_([row.place for row in found]))
                .values(due_at=leased_until)
            )
        return [
            Task(TenantId(row.tenant), SubjectId(row.subject), MemoryId(row.id), row.version)
            for row in found
        ]

    async def done(self, tasks: Sequence[Task]) -> None:
        """Forget tasks and mark their rows as indexed at that version."""
        await self._change(tasks, (_MARK, _FORGET), {})

    async def retry(self, tasks: Sequence[Task], at: datetime) -> None:
        """Make tasks due again at `at`, and count the attempt."""
        await self._change(tasks, (_AGAIN,), {"due": micros(at)})

    @retried
    async def release(self, now: datetime) -> None:
        """Make every task due now: for a gateway that is alone and finds another's leases."""
        later = OUTBOX.c.due_at > micros(now)
        async with self._database.writing(SYSTEM) as connection:
            await connection.execute(update(OUTBOX).where(later).values(due_at=micros(now)))

    @retried
    async def waiting(self) -> int:
        """Return how many tasks there are, claimed ones included."""
        async with self._database.reading(SYSTEM) as connection:
            return await connection.scalar(select(func.count()).select_from(OUTBOX)) or 0

    @retried
    async def active(self, tenant: TenantId, after: MemoryId | None, limit: int) -> list[Row]:
        """Return active rows of a tenant in order of id, after `after`: for rebuild and repair."""
        query = select_rows(MEMORIES.c.tenant == tenant, MEMORIES.c.state == State.ACTIVE.value)
        if after is not None:
            query = query.where(MEMORIES.c.id > after)
        async with self._database.reading(tenant) as connection:
            found = await connection.execute(query.order_by(MEMORIES.c.id).limit(limit))
            return rows_of(found)

    @retried
    async def tenants(self) -> list[TenantId]:
        """Return every tenant that owns a row, by the epochs: rows are out of sight from here."""
        query = select(SUBJECTS.c.tenant).distinct().order_by(SUBJECTS.c.tenant)
        async with self._database.reading(SYSTEM) as connection:
            return [TenantId(tenant) for tenant in await connection.scalars(query)]

    @retried
    async def _change(
        self, tasks: Sequence[Task], statements: Sequence[UpdateBase], values: dict[str, Any]
    ) -> None:
        """Run statements on tasks in one transaction, each tenant's in the scope of that tenant."""
        if not tasks:
            return
        # In one order for everybody, so that two processes can't wait for each other.
        keys = sorted((task.tenant, task.id, task.version) for task in tasks)
        async with self._database.writing(keys[0][0]) as connection:
            for tenant, of_one in groupby(keys, key=itemgetter(0)):
                await self._database.enter(connection, tenant)
                bound = [dict(zip(_KEY, key, strict=True)) | values for key in of_one]
                for statement in statements:
                    await connection.execute(statement, bound)


_KEY: Final = ("of_tenant", "of_id", "of_version")
_MARK: Update = (
    update(MEMORIES)
    .where(
        MEMORIES.c.tenant == bindparam("of_tenant"),
        MEMORIES.c.id == bindparam("of_id"),
        MEMORIES.c.indexed_version <= bindparam("of_version"),
    )
    .values(indexed_version=bindparam("of_version"))
)
_FORGET: Delete = delete(OUTBOX).where(
    OUTBOX.c.tenant == bindparam("of_tenant"),
    OUTBOX.c.id == bindparam("of_id"),
    OUTBOX.c.version == bindparam("of_version"),
)
_AGAIN: Update = (
    update(OUTBOX)
    .where(
        OUTBOX.c.tenant == bindparam("of_tenant"),
        OUTBOX.c.id == bindparam("of_id"),
        OUTBOX.c.version == bindparam("of_version"),
    )
    .values(due_at=bindparam("due"), attempts=OUTBOX.c.attempts + 1)
)
