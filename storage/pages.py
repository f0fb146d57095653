"""Listings in pages, each with a cursor to the next; newest first, unless asked otherwise."""

from typing import Any, Final, assert_never

import msgspec
from sqlalchemy import BigInteger, ColumnElement, Select, String, cast, tuple_

from guard.ports import Filter, Order, Page
from memory.types import TenantId
from storage.cursor import Position, decode, encode
from storage.database import Database
from storage.rows import micros, rows_of
from storage.tables import MEMORIES

_LAST_INSTANT: Final = 2**62
_WORST: Final = 2**31 - 1


class Asked(msgspec.Struct, frozen=True):
    """Which page of which listing, how long, and in which order.

    `few` says that its filter leaves few rows: then the worst are sorted out of those, and not
    looked for among all.
    """

    listing: bytes
    cursor: str | None
    limit: int
    order: Order = Order.NEWEST
    few: bool = False


async def page_of(database: Database, tenant: TenantId, query: Select[Any], asked: Asked) -> Page:
    """Return the page of `query` that was asked for. Raises InvalidError for a foreign cursor.

    Rows that can't be read are left out and the listing goes on behind them, however many there
    are: whoever spoils a row hides that row and no other.
    """
    if asked.limit < 1:
        raise ValueError("a page holds at least one row")
    before = None if asked.cursor is None else decode(asked.cursor, asked.listing)
    query = _ordered(query.where(*_SORTABLE, *_within(before, asked)), asked.order)
    query = query.limit(asked.limit + 1)
    async with database.reading(tenant) as connection:
        found = (await connection.execute(query)).all()
    rows = tuple(rows_of(found[: asked.limit]))
    if len(found) <= asked.limit:
        return Page(rows, None)
    last = found[asked.limit - 1]
    weight = last.gravity if asked.order is Order.SCORE else 0
    position = Position(asked.listing, last.recorded_at, last.id, weight)
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
_SORTABLE: Final = (
    cast(MEMORIES.c.recorded_at, BigInteger) == MEMORIES.c.recorded_at,
    cast(MEMORIES.c.id, String) == MEMORIES.c.id,
)


def _ordered(query: Select[Any], order: Order) -> Select[Any]:
    match order:
        case Order.NEWEST:
            return newest_first(query)
        case Order.OLDEST:
            return query.order_by(MEMORIES.c.recorded_at, MEMORIES.c.id)
        case Order.SCORE:
            return newest_first(query.order_by(MEMORIES.c.gravity.desc()))
        case _ as never:
            assert_never(never)


def _within(before: Position | None, asked: Asked) -> tuple[ColumnElement[bool], ...]:
    """Return what bounds a listing: its ends, and on that side where it goes on, the position.

    One bound for each side, and the position as one value: of two bounds SQLite enters its index at
    the one and walks up to the other.
    """
    at, id = MEMORIES.c.recorded_at, MEMORIES.c.id
    place, last = tuple_(at, id), None if before is None else (before.recorded_at, before.id)
    match asked.order:
        case Order.NEWEST:
            return at >= 0, at <= _LAST_INSTANT if last is None else place < last
        case Order.OLDEST:
            return at >= 0 if last is None else place > last, at <= _LAST_INSTANT
        case Order.SCORE:
            # An expression has no index: where few are left, theirs is the better one.
            weight = MEMORIES.c.gravity + 0 if asked.few else MEMORIES.c.gravity
            end = weight <= _WORST
            if before is not None:
                worst = (before.gravity, before.recorded_at, before.id)
                end = tuple_(weight, at, id) < worst
            placed = (at.between(0, _LAST_INSTANT), cast(weight, BigInteger) == weight)
            return weight >= 0, end, *placed
        case _ as never:
            assert_never(never)
