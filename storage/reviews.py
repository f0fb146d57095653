"""What a reviewer's decision keeps beside its memory, as part of the ledger's own transaction."""

from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.nouns import Change, Undoable
from memory.types import LeafId, MemoryId, Owner, State, SubjectId, TenantId
from storage.database import Database
from storage.expiring import remove_expired
from storage.retrying import retried
from storage.review_tables import DECISIONS, ESCALATIONS
from storage.rows import instant, micros, raw, storable
from storage.tables import MEMORIES


async def keep_reviews(connection: AsyncConnection, change: Change) -> None:
    """Mark what is escalated; whatever a change touches otherwise is escalated no more."""
    tenant = change.owner.tenant
    marked = [*change.escalated]
    over = [row.label.id for row in change.rows if row.label.state is not State.HELD]
    if over or marked:
        named = ESCALATIONS.c.memory.in_([*over, *marked])
        await connection.execute(delete(ESCALATIONS).where(ESCALATIONS.c.tenant == tenant, named))
    if marked:
        values = [{"tenant": tenant, "memory": id} for id in marked]
        await connection.execute(insert(ESCALATIONS), values)
    await _keep_decisions(connection, change)


async def _keep_decisions(connection: AsyncConnection, change: Change) -> None:
    tenant = change.owner.tenant
    gone = [row.label.id for row in change.rows if row.label.state is State.FORGOTTEN]
    replaced = [one.memory for one in change.undoable]
    over = [*gone, *change.undone, *replaced]
    if over:
        named = DECISIONS.c.memory.in_(over)
        await connection.execute(delete(DECISIONS).where(DECISIONS.c.tenant == tenant, named))
    if change.undoable:
        values = [
            {
                "tenant": tenant,
                "memory": one.memory,
                "subject": one.owner.subject,
                "leaf": one.leaf,
                "expires_at": micros(one.expires_at),
                "token": one.token,
            }
            for one in change.undoable
        ]
        await connection.execute(insert(DECISIONS), values)


class SqlUndoing:
    """Fulfils `guard.undoable.Undoing`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def last(self, tenant: TenantId, memory: MemoryId, now: datetime) -> Undoable | None:
        """Return the last decision on a memory of the tenant, None when its time is over."""
        if not storable(memory):
            return None
        query = select(DECISIONS).where(
            DECISIONS.c.tenant == tenant,
            DECISIONS.c.memory == memory,
            DECISIONS.c.expires_at > micros(now),
        )
        async with self._database.reading(tenant) as connection:
            row = (await connection.execute(query)).first()
        if row is None:
            return None
        owner = Owner(tenant, SubjectId(row.subject))
        until = instant(row.expires_at)
        return Undoable(owner, memory, LeafId(row.leaf), until, raw(row.token))

    @retried
    async def expire(self, now: datetime) -> int:
        """Remove what can be undone no more, of every tenant; return how many."""
        return await remove_expired(self._database, [DECISIONS], now)


def is_escalated(tenant: TenantId) -> ColumnElement[bool]:
    """Return the condition that a memory of the tenant is marked."""
    return exists().where(ESCALATIONS.c.tenant == tenant, ESCALATIONS.c.memory == MEMORIES.c.id)
