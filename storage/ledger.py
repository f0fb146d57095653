"""The ledger in SQL: what is true of every memory, one transaction per change."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Executable, bindparam, insert, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.errors import ConflictError, UnavailableError
from guard.nouns import Accepted, Change, Row
from guard.ports import Beside, Filter, Page
from memory.types import Epoch, MemoryId, State, SubjectId, TenantId
from storage.beside import keep_beside
from storage.cursor import listing
from storage.database import UNDECIDED, Database
from storage.pages import Asked, filtered, newest_first, page_of
from storage.remarks import check_remarks
from storage.retrying import PAUSES, broke_off, retried
from storage.rows import (
    columns_of,
    leaf_columns,
    raw,
    rows_of,
    select_rows,
    storable,
    versions_by_leaf,
)
from storage.sessions import beside
from storage.tables import LEAVES, MEMORIES, OUTBOX, SUBJECTS

_IDS_PER_QUERY: Final = 500
"""Databases bound the parameters of one statement."""
_AT_ONCE: Final = 0
"""Due time of a task that need not wait."""
_SETTLE_SECONDS: Final = 8.0
"""How long a commit whose answer was lost is asked after, before the caller is told so."""
_SETTLE_PAUSE: Final = 0.25


class SqlLedger:
    """Fulfils `guard.ports.Ledger`."""

    def __init__(
        self,
        database: Database,
        *,
        committed: Callable[[], object] = lambda: None,
        accepted: Callable[[], object] = lambda: None,
    ) -> None:
        """Call `committed` after each commit, and `accepted` after one that leaves a write to be
        decided later: what follows the ledger can be woken by it.
        """
        self._database = database
        self._committed = committed
        self._accepted = accepted

    @retried
    async def epoch(self, tenant: TenantId, subject: SubjectId) -> Epoch:
        """Return the subject's epoch, 0 for one that has never written."""
        asked = {"tenant": tenant, "subject": subject}
        (found,) = await self._database.fetch(tenant, (_EPOCH, asked))
        return Epoch(found[0].epoch if found else 0)

    async def commit(self, change: Change) -> None:
        """Apply all of `change` durably in one transaction, or nothing.

        When the answer is lost and doesn't come, raises UnavailableError naming `commit`: the
        change may stand. Nobody applies it twice: its epoch is used up.
        """
        # (1) What can't be right is refused before the database is asked.
        versions = versions_by_leaf(change)
        check_remarks(change)
        # In one order for everybody, so that two changes can't wait for each other.
        rows = sorted((columns_of(sealed) for sealed in change.rows), key=lambda row: row["id"])
        leaves = leaf_columns(change.leaves, versions)
        # (2) Apply it.
        try:
            await self._apply(change, rows, leaves)
        except (ConflictError, UnavailableError) as error:
            if not broke_off(error):
                raise
            # (3) The database broke off: try again, and find out whether it stood already.
            await self._settle(change, rows, leaves, error)
        self._committed()
        if isinstance(change.later, Accepted):
            self._accepted()

    async def _apply(
        self, change: Change, rows: list[dict[str, Any]], leaves: list[dict[str, Any]]
    ) -> None:
        new = [row | {"indexed_version": 0} for row in rows if row["version"] == 1]
        async with self._database.writing(change.owner.tenant) as connection:
            # (1) Nobody else wrote for this subject since the facts were gathered.
            await _move_epoch(connection, change)
            # (2) Leaves first: rows refer to them.
            if leaves:
                await connection.execute(insert(LEAVES), leaves)
            # (3) New rows, and rows that replace exactly the version before them.
            if new:
                await connection.execute(insert(MEMORIES), new)
            for row in rows:
                if row["version"] > 1:
                    await _replace(connection, row)
            # (4) What is kept beside the memories.
            await keep_beside(connection, change)
            # (5) The index has to follow each of them.
            if rows:
                await connection.execute(insert(OUTBOX), [_task(row) for row in rows])

    async def _settle(
        self,
        change: Change,
        rows: list[dict[str, Any]],
        leaves: list[dict[str, Any]],
        error: ConflictError | UnavailableError,
    ) -> None:
        """Apply a change that broke off once more, until it stands or surely does not.

        The attempt itself asks: if an earlier one is still being committed it waits for that one's
        lock, and if it stands the epoch has moved. Then our leaf is there.
        """
        doubtful, attempts = _is_doubtful(error), 0
        until = time.monotonic() + _SETTLE_SECONDS
        while attempts < len(PAUSES) or (doubtful and time.monotonic() < until):
            await asyncio.sleep(_SETTLE_PAUSE if doubtful else PAUSES[attempts])
            attempts += 1
            try:
                return await self._apply_or_find(change, rows, leaves, doubtful=doubtful)
            except (ConflictError, UnavailableError) as again:
                if isinstance(again, ConflictError) and not broke_off(again):
                    raise
                doubtful = doubtful or _is_doubtful(again)
                error = again
        raise UnavailableError(UNDECIDED) if doubtful else error

    async def _apply_or_find(
        self,
        change: Change,
        rows: list[dict[str, Any]],
        leaves: list[dict[str, Any]],
        *,
        doubtful: bool,
    ) -> None:
        try:
            await self._apply(change, rows, leaves)
        except ConflictError:
            if not (doubtful and await self._stands(change)):
                raise

    @retried
    async def _stands(self, change: Change) -> bool:
        """Tell whether exactly this change is in the ledger, by the leaves it committed."""
        ids = [leaf.id for leaf in change.leaves]
        query = select(LEAVES.c.id, LEAVES.c.body).where(
            LEAVES.c.tenant == change.owner.tenant, LEAVES.c.id.in_(ids)
        )
        async with self._database.reading(change.owner.tenant) as connection:
            there = {(row.id, raw(row.body)) for row in await connection.execute(query)}
        ours = {(row["id"], row["body"]) for row in leaf_columns(change.leaves, {})}
        return bool(ours) and there == ours

    @retried
    async def rows(
        self, tenant: TenantId, subject: SubjectId, ids: Sequence[MemoryId]
    ) -> list[Row]:
        """Return those of `ids` that this subject owns, in any state, in the order of `ids`."""
        wanted = [id for id in dict.fromkeys(ids) if storable(id)]
        owned = {"tenant": tenant, "subject": subject}
        queries = [
            (_BY_ID, owned | {"ids": wanted[start : start + _IDS_PER_QUERY]})
            for start in range(0, len(wanted), _IDS_PER_QUERY)
        ]
        every = await self._database.fetch(tenant, *queries) if queries else []
        found = {row.sealed.label.id: row for some in every for row in rows_of(some)}
        return [found[id] for id in wanted if id in found]

    async def unindexed(self, tenant: TenantId, subject: SubjectId, limit: int) -> list[Row]:
        """Return the newest active rows that the index does not have yet, at most `limit`."""
        asked = {"tenant": tenant, "subject": subject, "most": limit}
        return await self._listed(tenant, _UNINDEXED, asked)

    @retried
    async def page(
        self, tenant: TenantId, subject: SubjectId, filter: Filter, cursor: str | None, limit: int
    ) -> Page:
        """Return one page of the subject's rows. Raises InvalidError for a foreign cursor."""
        owned = (MEMORIES.c.tenant == tenant, MEMORIES.c.subject == subject)
        query = select_rows(*owned, *filtered(filter))
        scope = listing("page", tenant, subject, filter)
        return await page_of(self._database, tenant, query, Asked(scope, cursor, limit))

    async def twins(
        self, tenant: TenantId, subject: SubjectId, fingerprint: bytes, claim: bytes = b""
    ) -> list[Row]:
        """Return the subject's rows with this fingerprint, or with this claim unless it is empty,
        in any state, newest first.
        """
        asked = {"tenant": tenant, "subject": subject, "fingerprint": fingerprint}
        if not claim:
            found = await self._listed(tenant, _TWINS, asked)
        else:
            found = await self._listed(tenant, _ALIKE, asked | {"claim": claim})
        return sorted(found, key=_age, reverse=True)

    @retried
    async def beside(
        self, tenant: TenantId, subject: SubjectId, ids: Sequence[MemoryId]
    ) -> Mapping[MemoryId, Beside]:
        """Return what stands beside those of `ids` that this subject has in a session."""
        return await beside(self._database, tenant, subject, ids)

    @retried
    async def _listed(
        self, tenant: TenantId, query: Executable, asked: dict[str, Any]
    ) -> list[Row]:
        (found,) = await self._database.fetch(tenant, (query, asked))
        return rows_of(found)


def _age(row: Row) -> tuple[datetime, MemoryId]:
    return row.sealed.label.recorded_at, row.sealed.label.id


def _is_doubtful(error: ConflictError | UnavailableError) -> bool:
    """Tell whether it was the commit itself whose answer was lost."""
    return isinstance(error, UnavailableError) and error.what == UNDECIDED


# Built once: putting a query together costs as much as running it.
_OWNED: Final = (
    MEMORIES.c.tenant == bindparam("tenant"),
    MEMORIES.c.subject == bindparam("subject"),
)
_EPOCH: Final = select(SUBJECTS.c.epoch).where(
    SUBJECTS.c.tenant == bindparam("tenant"), SUBJECTS.c.subject == bindparam("subject")
)
_BY_ID: Final = select_rows(
    MEMORIES.c.tenant == bindparam("tenant"),
    # Not as a column: by its indexes, SQLite would go through all that the subject has.
    MEMORIES.c.subject.concat("") == bindparam("subject"),
    MEMORIES.c.id.in_(bindparam("ids", expanding=True)),
)
# In no order: with one, SQLite goes through all that the subject has, newest first.
_TWINS: Final = select_rows(*_OWNED, MEMORIES.c.fingerprint == bindparam("fingerprint"))
_ALIKE: Final = union_all(
    _TWINS,
    select_rows(
        *_OWNED,
        MEMORIES.c.claim == bindparam("claim"),
        MEMORIES.c.fingerprint != bindparam("fingerprint"),
    ),
)
_UNINDEXED: Final = newest_first(
    select_rows(
        *_OWNED,
        MEMORIES.c.state == State.ACTIVE.value,
        MEMORIES.c.indexed_version < MEMORIES.c.version,
    )
).limit(bindparam("most"))


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
