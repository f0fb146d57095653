"""Listings in pages, each with a cursor to the next; newest first, unless asked otherwise."""

from typing import Any, Final

import msgspec
from sqlalchemy import BigInteger, ColumnElement, Select, String, and_, cast, or_

from guard.ports import Filter, Order, Page
from memory.types import TenantId
from storage.cursor import Position, decode, encode
from storage.database import Database
from storage.rows import micros, rows_of
from storage.tables import MEMORIES

_LAST_INSTANT: Final = 2**62


class Asked(msgspec.Struct, frozen=True):
    """Which page of which listing, how long, and in which order."""

    listing: bytes
    cursor: str | None
    limit: int
    order: Order = Order.NEWEST


async def page_of(database: Database, tenant: TenantId, query: Select[Any], asked: Asked) -> Page:
    """Return the page of `query` that was asked for. Raises InvalidError for a foreign cursor.

    Rows that can't be read are left out and the listing goes on behind them, however many there
    are: whoever spoils a row hides that row and no other.
    """
    if asked.limit < 1:
        raise ValueError("a page holds at least one row")
    before = None if asked.cursor is None else decode(asked.cursor, asked.listing)
    if before is not None:
        query = query.where(_behind(before, asked.order))
    query = _ordered(query.where(*_PLACED), asked.order).limit(asked.limit + 1)
    async with database.reading(tenant) as connection:
        found = (await connection.execute(query)).all()
    rows = tuple(rows_of(found[: asked.limit]))
    if len(found) <= asked.limit:
        return Page(rows, None)
    last = found[asked.limit - 1]
    position = Position(asked.listing, last.recorded_at, last.id)
    # An id spoilt beyond text could stand still here; no listing may go round in a circle.
    return Page(rows, None if position == before else encode(position))


def newest_first(query: Select[Any]) -> Select[Any]:
    """Return `query` in the order of every listing."""
    return query.order_by(MEMORIES.c.recorded_at.desc(), MEMORIES.c.id.desc())


def filtered(filter: Filter) -> list[ColumnElement[bool]]:
    """Return the conditions of a filter."""
    if not filter.states:
        raise ValueError("a filter names at least one state")
    where: list[ColumnElement[bool]] = [MEMORIES.c.state.in_([s.value for s in filter.states])]
    if filter.layers:
        where.append(MEMORIES.c.layer.in_([layer.value for layer in filter.layers]))
    if filter.kinds:
        where.append(MEMORIES.c.kind.in_([kind.value for kind in filter.kinds]))
    if filter.origins:
        where.append(MEMORIES.c.origin.in_([origin.value for origin in filter.origins]))
    if filter.since is not None:
        where.append(MEMORIES.c.recorded_at >= micros(filter.since))
    if filter.until is not None:
        where.append(MEMORIES.c.recorded_at < micros(filter.until))
    if filter.superseded_by:
        where.append(MEMORIES.c.superseded_by.in_([*filter.superseded_by]))
    return where


# What has no place in the order can't be paged past: SQLite takes any kind of value in any column.
_PLACED: Final = (
    MEMORIES.c.recorded_at.between(0, _LAST_INSTANT),
    cast(MEMORIES.c.recorded_at, BigInteger) == MEMORIES.c.recorded_at,
    cast(MEMORIES.c.id, String) == MEMORIES.c.id,
)


def _ordered(query: Select[Any], order: Order) -> Select[Any]:
    if order is Order.OLDEST:
        return query.order_by(MEMORIES.c.recorded_at, MEMORIES.c.id)
    return newest_first(query)


def _behind(position: Position, order: Order) -> ColumnElement[bool]:
    at, id = MEMORIES.c.recorded_at, MEMORIES.c.id
    if order is Order.OLDEST:
        # Both bounds of the first column: an index is entered at the position, not walked up to it.
        return and_(at >= position.recorded_at, or_(at > position.recorded_at, id > position.id))
    return or_(at < position.recorded_at, and_(at == position.recorded_at, id < position.id))
