"""The reviewer's view in SQL: held rows of one tenant. Decisions go through the ledger."""

from datetime import datetime

from sqlalchemy import ColumnElement, exists, func, or_, select

from guard.nouns import Row
from guard.ports import Page
from memory.origin import OriginClass
from memory.types import ClientId, MemoryId, Owner, State, TenantId
from storage.cursor import listing
from storage.database import Database
from storage.pages import Asked, page_of
from storage.retrying import retried
from storage.rows import micros, rows_of, select_rows, storable
from storage.tables import DOUBTS, MEMORIES


class SqlQuarantine:
    """Fulfils `guard.ports.Quarantine`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def held(self, tenant: TenantId, cursor: str | None, limit: int) -> Page:
        """Return held rows of the tenant, newest first. InvalidError for a foreign cursor."""
        scope = listing("held", tenant)
        query = select_rows(*_held(tenant))
        return await page_of(self._database, tenant, query, Asked(scope, cursor, limit))

    @retried
    async def case(self, tenant: TenantId, id: MemoryId, state: State = State.HELD) -> Row | None:
        """Return one row of the tenant that is in this state, or None."""
        if not storable(id):
            return None
        of = (MEMORIES.c.tenant == tenant, MEMORIES.c.state == state.value, MEMORIES.c.id == id)
        async with self._database.reading(tenant) as connection:
            rows = rows_of(await connection.execute(select_rows(*of)))
        return rows[0] if rows else None

    @retried
    async def doubted(self, tenant: TenantId, cursor: str | None, limit: int) -> Page:
        """Return active rows of the tenant that stand in doubt beside another, newest first."""
        named = exists().where(DOUBTS.c.tenant == tenant, DOUBTS.c.memory == MEMORIES.c.id)
        of = (MEMORIES.c.tenant == tenant, MEMORIES.c.state == State.ACTIVE.value, named)
        asked = Asked(listing("doubted", tenant), cursor, limit)
        return await page_of(self._database, tenant, select_rows(*of), asked)

    @retried
    async def count(self, tenant: TenantId) -> int:
        """Return how many rows the tenant holds."""
        query = select(func.count()).select_from(MEMORIES).where(*_held(tenant))
        async with self._database.reading(tenant) as connection:
            return await connection.scalar(query) or 0

    @retried
    async def count_of(self, owner: Owner, origin: OriginClass, client: ClientId) -> int:
        """Return how many rows are held of one subject from one class of origin and client."""
        of = (
            MEMORIES.c.subject == owner.subject,
            MEMORIES.c.origin == origin.value,
            MEMORIES.c.client == client,
        )
        query = select(func.count()).select_from(MEMORIES).where(*_held(owner.tenant), *of)
        async with self._database.reading(owner.tenant) as connection:
            return await connection.scalar(query) or 0

    @retried
    async def lapsed(
        self,
        tenant: TenantId,
        before: datetime,
        now: datetime,
        after: MemoryId | None,
        limit: int,
    ) -> list[Row]:
        """Return held rows in order of id: those unchanged since `before`, and those expired."""
        over = or_(MEMORIES.c.changed_at <= micros(before), MEMORIES.c.expires_at <= micros(now))
        query = select_rows(*_held(tenant), over)
        if after is not None:
            query = query.where(MEMORIES.c.id > after)
        async with self._database.reading(tenant) as connection:
            return rows_of(await connection.execute(query.order_by(MEMORIES.c.id).limit(limit)))


def _held(tenant: TenantId) -> tuple[ColumnElement[bool], ...]:
    return MEMORIES.c.tenant == tenant, MEMORIES.c.state == State.HELD.value
