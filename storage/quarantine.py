"""The reviewer's view in SQL: held rows of one tenant. Decisions go through the ledger."""

from datetime import datetime
from typing import Final

from sqlalchemy import (
    ColumnElement,
    exists,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
)

from guard.nouns import Row
from guard.ports import WHOLE_QUEUE, Docket, Page
from memory.origin import OriginClass
from memory.types import ClientId, MemoryId, Owner, State, TenantId
from storage.cursor import listing
from storage.database import Database
from storage.pages import Asked, page_of
from storage.retrying import retried
from storage.reviews import is_escalated
from storage.rows import micros, rows_of, select_rows, storable
from storage.tables import DOUBTS, MEMORIES

_HELD: Final[ColumnElement[str]] = literal_column(f"'{State.HELD.value}'")


class SqlQuarantine:
    """Fulfils `guard.ports.Quarantine`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def held(
        self, tenant: TenantId, cursor: str | None, limit: int, docket: Docket = WHOLE_QUEUE
    ) -> Page:
        """Return held rows of the tenant. Raises InvalidError for another docket's cursor."""
        few = bool(docket.subjects or docket.sources or docket.sessions)
        asked = Asked(listing("held", tenant, docket), cursor, limit, docket.order, few=few)
        query = select_rows(*_listed(tenant, docket))
        return await page_of(self._database, tenant, query, asked)

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
        """Return active rows of the tenant that stand in an open doubt, newest first."""
        of_it = (DOUBTS.c.tenant == tenant, DOUBTS.c.memory == MEMORIES.c.id)
        named = exists().where(*of_it, DOUBTS.c.dismissed_at.is_(None))
        of = (MEMORIES.c.tenant == tenant, MEMORIES.c.state == State.ACTIVE.value, named)
        asked = Asked(listing("doubted", tenant), cursor, limit)
        return await page_of(self._database, tenant, select_rows(*of), asked)

    @retried
    async def count(
        self, tenant: TenantId, docket: Docket = WHOLE_QUEUE, most: int | None = None
    ) -> int:
        """Return how many rows the tenant holds, `most` where there are more than that."""
        some = select(literal(1)).select_from(MEMORIES).where(*_listed(tenant, docket))
        query = select(func.count()).select_from(some.limit(most).subquery())
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
    # As a literal: the indexes of the queue have held rows alone, and no parameter says that it is.
    return MEMORIES.c.tenant == tenant, MEMORIES.c.state == _HELD


def _listed(tenant: TenantId, docket: Docket) -> list[ColumnElement[bool]]:
    where = [*_held(tenant)]
    wanted: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("subject", docket.subjects),
        ("client", docket.clients),
        ("source", docket.sources),
        ("session", docket.sessions),
        ("origin", tuple(one.value for one in docket.origins)),
        ("layer", tuple(one.value for one in docket.layers)),
    )
    for name, values in wanted:
        if not all(map(storable, values)):
            return [false()]
        if len(values) == 1:
            # Equality keeps the order of the index; a list of one would be sorted afterwards.
            where.append(MEMORIES.c[name] == values[0])
        elif values:
            where.append(MEMORIES.c[name].in_(values))
    if docket.escalated:
        where.append(is_escalated(tenant))
    if docket.since is not None:
        where.append(MEMORIES.c.recorded_at >= micros(docket.since))
    if docket.until is not None:
        where.append(MEMORIES.c.recorded_at < micros(docket.until))
    return where
