"""Which origins are barred, in SQL. Nothing is kept in memory: a ban holds as soon as made."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy import bindparam, delete, insert, or_, select, update

from guard.errors import ConflictError, NotFoundError
from guard.nouns import Barred, Leaf, Row
from guard.origins import Ban, Kind, Place
from memory.types import MemoryId, State, TenantId
from storage.database import Database
from storage.origin_tables import BANS, BARRED, DERIVATIONS
from storage.retrying import retried
from storage.rows import (
    check_changeless,
    instant,
    leaf_columns,
    micros,
    rows_of,
    select_rows,
    storable,
)
from storage.tables import LEAVES, MEMORIES

_AT_ONCE: Final = 500
"""Databases bound the parameters of one statement."""


class SqlBans:
    """Fulfils `guard.origins.Bans`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def standing(self, tenant: TenantId) -> Sequence[Ban]:
        """Return the bans that are not lifted, in the order of their ids."""
        (found,) = await self._database.fetch(tenant, (_STANDING, {"tenant": tenant}))
        return [_ban(row) for row in found]

    @retried
    async def every(self, tenant: TenantId, after: str | None, limit: int) -> list[Ban]:
        """Return bans, lifted ones too, in the order of their ids, after `after`."""
        query = select(BANS).where(BANS.c.tenant == tenant)
        if after is not None:
            query = query.where(BANS.c.id > after)
        async with self._database.reading(tenant) as connection:
            found = (await connection.execute(query.order_by(BANS.c.id).limit(limit))).all()
        return [_ban(row) for row in found]

    async def put(self, ban: Ban, leaf: Leaf) -> None:
        """Keep a ban, or that it is lifted, with its audit leaf."""
        check_ban(ban, leaf)
        mine = BANS.c.tenant == ban.tenant, BANS.c.id == ban.id
        async with self._database.writing(ban.tenant) as connection:
            await connection.execute(insert(LEAVES), leaf_columns([leaf], {}))
            if ban.lifted_at is None:
                await connection.execute(insert(BANS), _columns(ban))
                return
            lifted = await connection.execute(
                update(BANS)
                .where(*mine, BANS.c.lifted_at.is_(None))
                .values(lifted_at=micros(ban.lifted_at))
            )
            if lifted.rowcount == 1:
                return
            there = await connection.scalar(select(BANS.c.id).where(*mine))
            raise NotFoundError if there is None else ConflictError("conflict")

    @retried
    async def derived(
        self, tenant: TenantId, ids: Sequence[MemoryId], bans: Sequence[Ban]
    ) -> Mapping[MemoryId, str]:
        """Return those of `ids` that were derived from a barred origin, with the ban's id."""
        wanted = [id for id in dict.fromkeys(ids) if storable(id)]
        found: dict[MemoryId, str] = {}
        if not bans:
            return found
        places = [(ban.id, ban.place) for ban in bans]
        async with self._database.reading(tenant) as connection:
            for start in range(0, len(wanted), _AT_ONCE):
                query = _above(tenant, wanted[start : start + _AT_ONCE], bans)
                for start_id, *where in await connection.execute(query):
                    above = dict(zip(_NAMED, where, strict=True))
                    by = next(id for id, place in places if above[place.kind] == place.name)
                    found.setdefault(MemoryId(start_id), by)
        return found

    @retried
    async def holds(
        self, tenant: TenantId, ban: str, after: MemoryId | None, limit: int
    ) -> list[tuple[Barred, Row]]:
        """Return what a ban holds, as far as nothing has become of it since, by id."""
        join = (
            BARRED.c.tenant == MEMORIES.c.tenant,
            BARRED.c.memory == MEMORIES.c.id,
            BARRED.c.version == MEMORIES.c.version,
        )
        held = select(BARRED.c.memory, BARRED.c.version, BARRED.c.changed_at).where(
            BARRED.c.tenant == tenant,
            BARRED.c.ban == ban,
            *join,
            MEMORIES.c.state == State.HELD.value,
        )
        if after is not None:
            held = held.where(BARRED.c.memory > after)
        held = held.order_by(BARRED.c.memory).limit(limit)
        async with self._database.snapshot(tenant) as connection:
            records = (await connection.execute(held)).all()
            ids = [record.memory for record in records]
            query = select_rows(MEMORIES.c.tenant == tenant, MEMORIES.c.id.in_(ids))
            rows = {row.sealed.label.id: row for row in rows_of(await connection.execute(query))}
        return [
            (Barred(ban, one.memory, one.version, instant(one.changed_at)), rows[one.memory])
            for one in records
            if one.memory in rows
        ]

    async def left(self, tenant: TenantId, ban: str, ids: Sequence[MemoryId]) -> None:
        """Leave memories that a ban held to reviewers: lifting it no longer releases them."""
        async with self._database.writing(tenant) as connection:
            for start in range(0, len(ids), _AT_ONCE):
                some = BARRED.c.memory.in_(ids[start : start + _AT_ONCE])
                mine = BARRED.c.tenant == tenant, BARRED.c.ban == ban
                await connection.execute(delete(BARRED).where(*mine, some))


def check_ban(ban: Ban, leaf: Leaf) -> None:
    """Raise ValueError when the two do not belong together: a programming error, not an event."""
    check_changeless([leaf])
    if leaf.tenant != ban.tenant or leaf.object != ban.id:
        raise ValueError("a leaf is of another ban")


# Built once: putting a query together costs as much as running it.
_STANDING: Final = (
    select(BANS)
    .where(BANS.c.tenant == bindparam("tenant"), BANS.c.lifted_at.is_(None))
    .order_by(BANS.c.id)
)
_NAMED: Final = (Kind.SOURCE, Kind.SESSION, Kind.CLIENT, Kind.MEMORY)
_IN: Final = (MEMORIES.c.source, MEMORIES.c.session, MEMORIES.c.client, MEMORIES.c.id)


def _above(tenant: TenantId, ids: Sequence[MemoryId], bans: Sequence[Ban]) -> Any:
    """Return the query for what memories were derived from, as far as a ban is on it."""
    own = select(DERIVATIONS.c.child.label("start"), DERIVATIONS.c.parent.label("id")).where(
        DERIVATIONS.c.tenant == tenant, DERIVATIONS.c.child.in_(ids)
    )
    above = own.cte("above", recursive=True)
    above = above.union(
        select(above.c.start, DERIVATIONS.c.parent).where(
            DERIVATIONS.c.tenant == tenant, DERIVATIONS.c.child == above.c.id
        )
    )
    barred = [
        column.in_(names)
        for kind, column in zip(_NAMED, _IN, strict=True)
        if (names := [ban.place.name for ban in bans if ban.place.kind is kind])
    ]
    return (
        select(above.c.start, *_IN)
        .join(MEMORIES, (MEMORIES.c.tenant == tenant) & (MEMORIES.c.id == above.c.id))
        .where(or_(*barred))
    )


def _columns(ban: Ban) -> dict[str, Any]:
    return {
        "tenant": ban.tenant,
        "id": ban.id,
        "kind": ban.place.kind.value,
        "name": ban.place.name,
        "at": micros(ban.at),
        "lifted_at": None,
    }


def _ban(row: SqlRow[Any]) -> Ban:
    lifted = None if row.lifted_at is None else instant(row.lifted_at)
    place = Place(Kind(row.kind), row.name)
    return Ban(row.id, TenantId(row.tenant), place, instant(row.at), lifted)
