"""The reviewer's view in SQL: held rows of one tenant. Decisions go through the ledger."""

from sqlalchemy import ColumnElement, func, select

from guard.nouns import Row
from guard.ports import Page
from memory.types import MemoryId, State, TenantId
from storage.cursor import listing
from storage.database import Database
from storage.pages import Asked, page_of
from storage.retrying import retried
from storage.rows import rows_of, select_rows, storable
from storage.tables import MEMORIES


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
    async def case(self, tenant: TenantId, id: MemoryId) -> Row | None:
        """Return one held row of the tenant, or None."""
        if not storable(id):
            return None
        query = select_rows(*_held(tenant), MEMORIES.c.id == id)
        async with self._database.reading(tenant) as connection:
            rows = rows_of(await connection.execute(query))
        return rows[0] if rows else None

    @retried
    async def count(self, tenant: TenantId) -> int:
        """Return how many rows the tenant holds."""
        query = select(func.count()).select_from(MEMORIES).where(*_held(tenant))
        async with self._database.reading(tenant) as connection:
            return await connection.scalar(query) or 0


def _held(tenant: TenantId) -> tuple[ColumnElement[bool], ...]:
    return MEMORIES.c.tenant == tenant, MEMORIES.c.state == State.HELD.value
