"""The ledger in SQL: what is true of every memory, one transaction per change."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, bindparam, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.errors import ConflictError
from guard.nouns import Change, Row
from guard.ports import Filter, Page
from memory.types import Epoch, MemoryId, State, SubjectId, TenantId
from storage.cursor import Position, decode, encode, listing
from storage.database import Database
from storage.rows import columns_of, leaf_columns, micros, rows_of, select_rows, versions_by_leaf
from storage.tables import LEAVES, MEMORIES, OUTBOX, SUBJECTS

_IDS_PER_QUERY: Final = 500
"""Databases bound the parameters of one statement."""
_AT_ONCE: Final = 0
"""Due time of a task that need not wait."""


class SqlLedger:
    """Fulfils `guard.ports.Ledger`."""

    def __init__(
        self, database: Database, *, committed: Callable[[], object] = lambda: None
    ) -> None:
        """Call `committed` after each commit: what follows the ledger can be woken by it."""
        self._database = database
        self._committed = committed

    async def epoch(self, tenant: TenantId, subject: SubjectId) -> Epoch:
        """Return the subject's epoch, 0 for one that has never written."""
        async with self._database.reading() as connection:
            epoch = await connection.scalar(_EPOCH, {"tenant": tenant, "subject": subject})
        return Epoch(epoch or 0)

    async def commit(self, change: Change) -> None:
        """Apply all of `change` durably in one transaction, or nothing."""
        # (1) What can't be right is refused before the database is asked.
        versions = versions_by_leaf(change)
        rows = [columns_of(sealed) for sealed in change.rows]
        new = [row | {"indexed_version": 0} for row in rows if row["version"] == 1]

        async with self._database.writing() as connection:
            # (2) Nobody else wrote for this subject since the facts were gathered.
            await _move_epoch(connection, change)
            # (3) Leaves first: rows refer to them.
            if change.leaves:
                await connection.execute(insert(LEAVES), leaf_columns(change.leaves, versions))
            # (4) New rows, and rows that replace exactly the version before them.
            if new:
                await connection.execute(insert(MEMORIES), new)
            for row in rows:
                if row["version"] > 1:
                    await _replace(connection, row)
            # (5) The index has to follow each of them.
            if rows:
                await connection.execute(insert(OUTBOX), [_task(row) for row in rows])
        self._committed()

    async def rows(
        self, tenant: TenantId, subject: SubjectId, ids: Sequence[MemoryId]
    ) -> list[Row]:
        """Return those of `ids` that this subject owns, in any state, in the order of `ids`."""
        wanted = list(dict.fromkeys(ids))
        found: dict[MemoryId, Row] = {}
        async with self._database.reading() as connection:
            for start in range(0, len(wanted), _IDS_PER_QUERY):
                some = wanted[start : start + _IDS_PER_QUERY]
                asked = {"tenant": tenant, "subject": subject, "ids": some}
                for row in rows_of(await connection.execute(_BY_ID, asked)):
                    found[row.sealed.label.id] = row
        return [found[id] for id in wanted if id in found]

    async def unindexed(self, tenant: TenantId, subject: SubjectId, limit: int) -> list[Row]:
        """Return the newest active rows that the index does not have yet, at most `limit`."""
        asked = {"tenant": tenant, "subject": subject, "most": limit}
        return await self._listed(_UNINDEXED, asked)

    async def page(
        self, tenant: TenantId, subject: SubjectId, filter: Filter, cursor: str | None, limit: int
    ) -> Page:
        """Return one page of the subject's rows. Raises InvalidError for a foreign cursor."""
        owned = (MEMORIES.c.tenant == tenant, MEMORIES.c.subject == subject)
        query = select_rows(*owned, *_filtered(filter))
        scope = listing("page", tenant, subject, filter)
        return await page_of(self._database, query, scope, cursor, limit)

    async def twins(self, tenant: TenantId, subject: SubjectId, fingerprint: bytes) -> list[Row]:
        """Return the subject's rows with this fingerprint, in any state, newest first."""
        asked = {"tenant": tenant, "subject": subject, "fingerprint": fingerprint}
        return await self._listed(_TWINS, asked)

    async def _listed(self, query: Select[Any], asked: dict[str, Any]) -> list[Row]:
        async with self._database.reading() as connection:
            return rows_of(await connection.execute(query, asked))


def newest_first(query: Select[Any]) -> Select[Any]:
    """Return `query` in the order of every listing."""
    return query.order_by(MEMORIES.c.recorded_at.desc(), MEMORIES.c.id.desc())


# Built once: putting a query together costs as much as running it.
_OWNED: Final = (
    MEMORIES.c.tenant == bindparam("tenant"),
    MEMORIES.c.subject == bindparam("subject"),
)
_EPOCH: Final = select(SUBJECTS.c.epoch).where(
    SUBJECTS.c.tenant == bindparam("tenant"), SUBJECTS.c.subject == bindparam("subject")
)
_BY_ID: Final = select_rows(*_OWNED, MEMORIES.c.id.in_(bindparam("ids", expanding=True)))
_TWINS: Final = newest_first(
    select_rows(*_OWNED, MEMORIES.c.fingerprint == bindparam("fingerprint"))
)
_UNINDEXED: Final = newest_first(
    select_rows(
        *_OWNED,
        MEMORIES.c.state == State.ACTIVE.value,
        MEMORIES.c.indexed_version < MEMORIES.c.version,
    )
).limit(bindparam("most"))


async def page_of(
    database: Database, query: Select[Any], scope: bytes, cursor: str | None, limit: int
) -> Page:
    """Return the page of `query` after `cursor`. Raises InvalidError for a foreign cursor."""
    if limit < 1:
        raise ValueError("a page holds at least one row")
    if cursor is not None:
        query = query.where(_older_than(decode(cursor, scope)))
    async with database.reading() as connection:
        result = await connection.execute(newest_first(query).limit(limit + 1))
        found = result.all()
    rows = rows_of(found[:limit])
    if len(found) <= limit or not rows:
        return Page(tuple(rows), None)
    last = rows[-1].sealed.label
    return Page(tuple(rows), encode(Position(scope, micros(last.recorded_at), last.id)))


def _filtered(filter: Filter) -> list[ColumnElement[bool]]:
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
    return where


def _older_than(position: Position) -> ColumnElement[bool]:
    return or_(
        MEMORIES.c.recorded_at < position.recorded_at,
        and_(MEMORIES.c.recorded_at == position.recorded_at, MEMORIES.c.id < position.id),
    )


async def _move_epoch(connection: AsyncConnection, change: Change) -> None:
    tenant, subject = change.owner.tenant, change.owner.subject
    if change.epoch == 0:
        # A subject that wrote meanwhile has its row already, and the primary key refuses ours.
        first = {"tenant": tenant, "subject": subject, "epoch": 1}
        await connection.execute(insert(SUBJECTS), first)
        return
    moved = await connection.execute(
        update(SUBJECTS)
        .where(
            SUBJECTS.c.tenant == tenant,
            SUBJECTS.c.subject == subject,
            SUBJECTS.c.epoch == change.epoch,
        )
        .values(epoch=change.epoch + 1)
    )
    if moved.rowcount != 1:
        raise ConflictError("conflict")


async def _replace(connection: AsyncConnection, row: dict[str, Any]) -> None:
    replaced = await connection.execute(
        update(MEMORIES)
        .where(
            MEMORIES.c.tenant == row["tenant"],
            MEMORIES.c.subject == row["subject"],
            MEMORIES.c.id == row["id"],
            MEMORIES.c.version == row["version"] - 1,
        )
        .values(row)
    )
    if replaced.rowcount != 1:
        raise ConflictError("conflict")


def _task(row: dict[str, Any]) -> dict[str, Any]:
    task = {name: row[name] for name in ("tenant", "subject", "id", "version")}
    return task | {"due_at": _AT_ONCE, "attempts": 0}
