"""The reviewer's view in SQL: held rows of one tenant. Decisions go through the ledger."""

from sqlalchemy import ColumnElement, func, select

from guard.nouns import Row
from guard.ports import Page
from memory.types import MemoryId, State, TenantId
from storage.cursor import listing
from storage.database import Database
from storage.ledger import page_of
from storage.rows import rows_of, select_rows
from storage.tables import MEMORIES


class SqlQuarantine:
    """Fulfils `guard.ports.Quarantine`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def held(self, tenant: TenantId, cursor: str | None, limit: int) -> Page:
        """Return held rows of the tenant, newest first. InvalidError for a foreign cursor."""
        scope = listing("held", tenant)
        return await page_of(self._database, select_rows(*_held(tenant)), scope, cursor, limit)

    async def case(self, tenant: TenantId, id: MemoryId) -> Row | None:
        """Return one held row of the tenant, or None."""
        query = select_rows(*_held(tenant), MEMORIES.c.id == id)
        async with self._database.reading() as connection:
            rows = rows_of(await connection.execute(query))
        return rows[0] if rows else None

    async def count(self, tenant: TenantId) -> int:
        """Return how many rows the tenant holds."""
        query = select(func.count()).select_from(MEMORIES).where(*_held(tenant))
        async with self._database.reading() as connection:
            return await connection.scalar(query) or 0


def _held(tenant: TenantId) -> tuple[ColumnElement[bool], ...]:
    return MEMORIES.c.tenant == tenant, MEMORIES.c.state == State.HELD.value
