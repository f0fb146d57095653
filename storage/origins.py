"""What came from where, in SQL: an origin is followed through all that was derived from it."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    CTE,
    ColumnElement,
    Select,
    and_,
    distinct,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.nouns import Change, Row
from guard.origins import GROUPED, Group, Groups, Kind, Place, Reach, Shown, Tally, showed
from memory.origin import OriginClass
from memory.types import MemoryId, State, SubjectId, TenantId
from storage.chain import decode_leaf
from storage.cursor import Position, decode, encode, listing
from storage.database import Database
from storage.origin_tables import BARRED, DERIVATIONS, LINEAGES
from storage.retrying import retried
from storage.rows import instant, micros, raw, rows_of, select_rows, storable
from storage.tables import LEAVES, MEMORIES

_AT_ONCE: Final = 500
"""Databases bound the parameters of one statement."""
_LOOKED_AT: Final = 5000
"""Leaves that are looked at for recalls, the newest first."""
_BETWEEN: Final = "\x1f"
_COLUMNS: Final = {
    Kind.SOURCE: MEMORIES.c.source,
    Kind.SESSION: MEMORIES.c.session,
    Kind.CLIENT: MEMORIES.c.client,
    Kind.MEMORY: MEMORIES.c.id,
}


class SqlOrigins:
    """Fulfils `guard.origins.Origins`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def groups(self, tenant: TenantId, kind: Kind, cursor: str | None, limit: int) -> Groups:
        """Return one page of a tenant's origins. Raises InvalidError for a foreign cursor."""
        if kind not in GROUPED or limit < 1:
            raise ValueError("memories are listed by source, session or client")
        scope = listing("origins", tenant, kind)
        after = None if cursor is None else decode(cursor, scope)
        query = _grouped(tenant, kind, after).limit(limit + 1)
        async with self._database.reading(tenant) as connection:
            found = (await connection.execute(query)).all()
        items = tuple(_group(kind, row) for row in found[:limit])
        if len(found) <= limit:
            return Groups(items, None)
        last = found[limit - 1]
        return Groups(items, encode(Position(scope, last.newest, _mark(last.name, last.origin))))

    @retried
    async def tally(self, tenant: TenantId, place: Place) -> Tally:
        """Return how far an origin reaches."""
        if not storable(place.name):
            return Tally({}, 0, 0, 0, 0)
        ids, own = select(_reached(tenant, place).c.id), _COLUMNS[place.kind] == place.name
        inside = (
            MEMORIES.c.tenant == tenant,
            MEMORIES.c.id.in_(ids),
            MEMORIES.c.state.in_([state.value for state in State]),
        )
        counted = func.count().label("number")
        by_state = select(MEMORIES.c.state, own.label("own"), counted).where(*inside)
        gave_way = select(counted).where(
            MEMORIES.c.tenant == tenant,
            MEMORIES.c.superseded_by.in_(ids),
            MEMORIES.c.id.not_in(ids),
        )
        async with self._database.snapshot(tenant) as connection:
            # By its label: PostgreSQL does not see that two parameters are the same.
            grouped = by_state.group_by(MEMORIES.c.state, "own")
            found = (await connection.execute(grouped)).all()
            whose = select(func.count(distinct(MEMORIES.c.subject))).where(*inside)
            subjects = await connection.scalar(whose)
            replaced = await connection.scalar(gave_way)
        states: dict[State, int] = {}
        for row in found:
            states[State(row.state)] = states.get(State(row.state), 0) + row.number
        mine = sum(row.number for row in found if row.own)
        return Tally(states, mine, sum(states.values()) - mine, subjects or 0, replaced or 0)

    @retried
    async def reached(self, tenant: TenantId, reach: Reach, limit: int) -> list[Row]:
        """Return memories that an origin reaches. What can't be read is left out."""
        if not storable(reach.place.name):
            return []
        where: list[ColumnElement[bool]] = [
            MEMORIES.c.tenant == tenant,
            MEMORIES.c.id.in_(select(_reached(tenant, reach.place).c.id)),
            MEMORIES.c.state.in_([state.value for state in reach.states]),
        ]
        if reach.after is not None:
            where.append(MEMORIES.c.id > reach.after)
        if reach.subject is not None:
            where.append(MEMORIES.c.subject == reach.subject)
        query = select_rows(*where).order_by(MEMORIES.c.id).limit(limit)
        async with self._database.reading(tenant) as connection:
            return rows_of(await connection.execute(query))

    @retried
    async def shown(self, tenant: TenantId, place: Place, limit: int) -> Shown:
        """Return leaves of recalls that showed a memory which an origin reaches, newest first."""
        if not storable(place.name):
            return Shown((), more=False)
        query = (
            select(LEAVES.c.body)
            .where(
                LEAVES.c.tenant == tenant,
                LEAVES.c.object.in_(select(_reached(tenant, place).c.id)),
                LEAVES.c.row_version.is_(None),
            )
            .order_by(LEAVES.c.id.desc())
            .limit(_LOOKED_AT)
        )
        async with self._database.reading(tenant) as connection:
            bodies = [raw(body) for body in await connection.scalars(query)]
        leaves = (decode_leaf(body) for body in bodies)
        found = [leaf for leaf in leaves if leaf is not None and showed(leaf)]
        more = len(found) > limit or len(bodies) == _LOOKED_AT
        return Shown(tuple(found[:limit]), more=more)

    @retried
    async def unread(self, tenant: TenantId, place: Place, limit: int) -> list[SubjectId]:
        """Return subjects that have memories of an origin, and derivations that nobody has read."""
        if not storable(place.name):
            return []
        read = exists().where(LINEAGES.c.tenant == tenant, LINEAGES.c.subject == MEMORIES.c.subject)
        query = (
            select(MEMORIES.c.subject)
            .where(MEMORIES.c.tenant == tenant, _COLUMNS[place.kind] == place.name, ~read)
            .distinct()
            .order_by(MEMORIES.c.subject)
            .limit(limit)
        )
        async with self._database.reading(tenant) as connection:
            return [SubjectId(subject) for subject in await connection.scalars(query)]

    async def learn(
        self, tenant: TenantId, subject: SubjectId, pairs: Sequence[tuple[MemoryId, MemoryId]]
    ) -> None:
        """Keep all that a subject's memories, named first, were derived from. Idempotent."""
        mine = LINEAGES.c.tenant == tenant, LINEAGES.c.subject == subject
        async with self._database.writing(tenant) as connection:
            await _derive(connection, tenant, pairs)
            if await connection.scalar(select(exists().where(*mine))):
                return
            await connection.execute(insert(LINEAGES), {"tenant": tenant, "subject": subject})


async def keep_origins(connection: AsyncConnection, change: Change) -> None:
    """Keep what a change's rows were derived from, and which of them a ban holds."""
    tenant = change.owner.tenant
    if change.epoch == 0:
        # Who has not written before has no derivations that nobody has read.
        first = {"tenant": tenant, "subject": change.owner.subject}
        await connection.execute(insert(LINEAGES), first)
    await _derive(connection, tenant, change.derived)
    if change.barred:
        values = [
            {
                "tenant": tenant,
                "ban": one.ban,
                "memory": one.memory,
                "version": one.version,
                "changed_at": micros(one.changed_at),
            }
            for one in change.barred
        ]
        for one in change.barred:
            await connection.execute(
                BARRED.delete().where(
                    BARRED.c.tenant == tenant,
                    BARRED.c.ban == one.ban,
                    BARRED.c.memory == one.memory,
                )
            )
        await connection.execute(insert(BARRED), values)


async def _derive(
    connection: AsyncConnection, tenant: TenantId, pairs: Sequence[tuple[MemoryId, MemoryId]]
) -> None:
    """Keep derivations, those that are there already left as they are."""
    every = sorted({pair for pair in pairs if all(map(storable, pair))})
    for start in range(0, len(every), _AT_ONCE):
        some = every[start : start + _AT_ONCE]
        known = select(DERIVATIONS.c.child, DERIVATIONS.c.parent).where(
            DERIVATIONS.c.tenant == tenant, DERIVATIONS.c.child.in_([child for child, _ in some])
        )
        there = {(child, parent) for child, parent in await connection.execute(known)}
        values = [
            {"tenant": tenant, "child": child, "parent": parent}
            for child, parent in some
            if (child, parent) not in there
        ]
        if values:
            await connection.execute(insert(DERIVATIONS), values)


def _reached(tenant: TenantId, place: Place) -> CTE:
    """Return the ids of an origin's memories and of all that was derived from them."""
    own = select(MEMORIES.c.id).where(
        MEMORIES.c.tenant == tenant, _COLUMNS[place.kind] == place.name
    )
    reached = own.cte("reached", recursive=True)
    return reached.union(
        select(DERIVATIONS.c.child).where(
            DERIVATIONS.c.tenant == tenant, DERIVATIONS.c.parent == reached.c.id
        )
    )


def _grouped(tenant: TenantId, kind: Kind, after: Position | None) -> Select[Any]:
    name, newest = _COLUMNS[kind], func.max(MEMORIES.c.recorded_at)
    origin = MEMORIES.c.origin if kind is Kind.CLIENT else literal("")
    by = (name, origin) if kind is Kind.CLIENT else (name,)
    query = (
        select(
            name.label("name"),
            origin.label("origin"),
            newest.label("newest"),
            _number(State.ACTIVE).label("active"),
            _number(State.HELD).label("held"),
        )
        .where(
            MEMORIES.c.tenant == tenant,
            name != "",
            MEMORIES.c.origin.in_([class_.value for class_ in OriginClass]),
        )
        .group_by(*by)
        .order_by(newest.desc(), name, *by[1:])
    )
    if after is None:
        return query
    last, _, class_ = after.id.partition(_BETWEEN)
    behind = [newest < after.recorded_at, and_(newest == after.recorded_at, name > last)]
    if kind is Kind.CLIENT:
        behind.append(and_(newest == after.recorded_at, name == last, origin > class_))
    return query.having(or_(*behind))


def _number(state: State) -> ColumnElement[int]:
    return func.count().filter(MEMORIES.c.state == state.value)


def _mark(name: str, origin: str) -> str:
    return name + _BETWEEN + origin


def _group(kind: Kind, row: Any) -> Group:
    class_ = OriginClass(row.origin) if kind is Kind.CLIENT else None
    return Group(Place(kind, row.name), class_, row.active, row.held, instant(row.newest))
