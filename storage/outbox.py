"""What the index has yet to follow, in SQL. Delivery is at least once; applying is idempotent."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Delete, Update, bindparam, delete, func, select, update

from guard.nouns import Row
from memory.types import MemoryId, State, SubjectId, TenantId
from storage.database import Database
from storage.ports import Task
from storage.rows import micros, rows_of, select_rows
from storage.tables import MEMORIES, OUTBOX, SUBJECTS


class SqlOutbox:
    """Fulfils `storage.ports.Outbox`. A lease is a due time in the future."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, limit: int, now: datetime, lease_seconds: float) -> list[Task]:
        """Return due tasks, oldest first, hidden from other claimants until the lease ends."""
        due = (
            select(OUTBOX)
            .where(OUTBOX.c.due_at <= micros(now))
            .order_by(OUTBOX.c.place)
            .limit(limit)
        )
        # A look first: the usual answer is "nothing", and it must not cost a write transaction.
        async with self._database.reading() as connection:
            if (await connection.execute(due.limit(1))).first() is None:
                return []
        leased_until = micros(now + timedelta(seconds=lease_seconds))
        async with self._database.writing() as connection:
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
        if not tasks:
            return
        keys = [_key(task) for task in tasks]
        async with self._database.writing() as connection:
            await connection.execute(_MARK, keys)
            await connection.execute(_FORGET, keys)

    async def retry(self, tasks: Sequence[Task], at: datetime) -> None:
        """Make tasks due again at `at`, and count the attempt."""
        if not tasks:
            return
        keys = [_key(task) | {"due": micros(at)} for task in tasks]
        async with self._database.writing() as connection:
            await connection.execute(_AGAIN, keys)

    async def waiting(self) -> int:
        """Return how many tasks there are, claimed ones included."""
        async with self._database.reading() as connection:
            return await connection.scalar(select(func.count()).select_from(OUTBOX)) or 0

    async def active(self, tenant: TenantId, after: MemoryId | None, limit: int) -> list[Row]:
        """Return active rows of a tenant in order of id, after `after`: for rebuild and repair."""
        query = select_rows(MEMORIES.c.tenant == tenant, MEMORIES.c.state == State.ACTIVE.value)
        if after is not None:
            query = query.where(MEMORIES.c.id > after)
        async with self._database.reading() as connection:
            found = await connection.execute(query.order_by(MEMORIES.c.id).limit(limit))
            return rows_of(found)

    async def tenants(self) -> list[TenantId]:
        """Return every tenant that owns a row."""
        owns = (
            select(MEMORIES.c.id)
            .where(MEMORIES.c.tenant == SUBJECTS.c.tenant, MEMORIES.c.subject == SUBJECTS.c.subject)
            .exists()
        )
        query = select(SUBJECTS.c.tenant).where(owns).distinct().order_by(SUBJECTS.c.tenant)
        async with self._database.reading() as connection:
            return [TenantId(tenant) for tenant in await connection.scalars(query)]


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


def _key(task: Task) -> dict[str, Any]:
    return {"of_tenant": task.tenant, "of_id": task.id, "of_version": task.version}
