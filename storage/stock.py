"""All rows of a tenant in SQL, in the order of their ids: for whoever goes through everything."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, String, cast, func, or_, select

from guard.ports import Stretch, Sweep
from memory.types import MemoryId, TenantId
from storage.database import Database
from storage.retrying import retried
from storage.rows import micros, rows_of, select_rows
from storage.tables import MEMORIES


class SqlStock:
    """Fulfils `guard.ports.Stock`. Reads a stretch at a time, so that writers hardly wait."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def count(self, tenant: TenantId, sweep: Sweep) -> int:
        """Return how many rows the sweep has now."""
        query = select(func.count()).select_from(MEMORIES).where(*_swept(tenant, sweep))
        async with self._database.reading(tenant) as connection:
            return await connection.scalar(query) or 0

    @retried
    async def rows(
        self, tenant: TenantId, sweep: Sweep, after: MemoryId | None, limit: int
    ) -> Stretch:
        """Return the next rows of the sweep, those with ids after `after`."""
        query = select_rows(*_swept(tenant, sweep)).order_by(MEMORIES.c.id).limit(limit)
        if after is not None:
            query = query.where(MEMORIES.c.id > after)
        async with self._database.reading(tenant) as connection:
            found: Sequence[Any] = (await connection.execute(query)).all()
        last = MemoryId(found[-1].id) if found else None
        return Stretch(tuple(rows_of(found)), last)


def _swept(tenant: TenantId, sweep: Sweep) -> list[ColumnElement[bool]]:
    if not sweep.states:
        raise ValueError("a sweep names at least one state")
    columns = MEMORIES.c
    where = [
        columns.tenant == tenant,
        columns.state.in_([state.value for state in sweep.states]),
        # An id spoilt beyond text has no place in the order: SQLite takes any kind of value.
        cast(columns.id, String) == columns.id,
    ]
    if sweep.since is not None:
        where.append(columns.recorded_at >= micros(sweep.since))
    if sweep.unless is not None:
        where.append(columns.policy != sweep.unless)
    if sweep.alive_at is not None:
        alive = micros(sweep.alive_at)
        where.append(or_(columns.expires_at.is_(None), columns.expires_at > alive))
    return where
