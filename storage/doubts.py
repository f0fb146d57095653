"""Doubts of one memory in SQL. They are made with a change and go with one: `storage.beside`."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, insert, select, update

from guard.errors import ConflictError
from guard.nouns import Leaf, SealedRemark
from memory.types import MemoryId, TenantId
from storage.database import Database
from storage.remarks import check_remark, columns_of_remark
from storage.retrying import retried
from storage.rows import check_changeless, leaf_columns, micros, storable
from storage.tables import DOUBTS, LEAVES, REMARKS


class SqlDoubts:
    """Fulfils `guard.doubts.Doubts`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def beside(self, tenant: TenantId, memory: MemoryId) -> tuple[MemoryId, ...]:
        """Return what a memory of the tenant stands in doubt beside, and nobody has dismissed."""
        if not storable(memory):
            return ()
        query = select(DOUBTS.c.other).where(*_open(tenant, memory)).order_by(DOUBTS.c.other)
        async with self._database.reading(tenant) as connection:
            return tuple(MemoryId(other) for other in await connection.scalars(query))

    async def dismiss(
        self, leaf: Leaf, others: Sequence[MemoryId], remark: SealedRemark | None
    ) -> None:
        """Dismiss the doubts of the leaf's memory beside `others`; raises ConflictError.

        Not tried again: when the answer is lost it may stand, and then there is nothing to dismiss.
        """
        check_dismissal(leaf, remark)
        tenant = TenantId(leaf.tenant)
        async with self._database.writing(tenant) as connection:
            await connection.execute(insert(LEAVES), leaf_columns([leaf], {}))
            some = (*_open(tenant, MemoryId(leaf.object)), DOUBTS.c.other.in_(others))
            ended = update(DOUBTS).where(*some).values(dismissed_at=micros(leaf.at))
            if (await connection.execute(ended)).rowcount != len(set(others)):
                raise ConflictError("conflict")
            if remark is not None:
                await connection.execute(insert(REMARKS), [columns_of_remark(remark)])


def check_dismissal(leaf: Leaf, remark: SealedRemark | None) -> None:
    """Raise ValueError when leaf and remark do not belong together: a programming error."""
    check_changeless([leaf])
    if remark is not None:
        check_remark(leaf, remark)


def _open(tenant: TenantId, memory: MemoryId) -> tuple[ColumnElement[bool], ...]:
    of = (DOUBTS.c.tenant == tenant, DOUBTS.c.memory == memory)
    return (*of, DOUBTS.c.dismissed_at.is_(None))
