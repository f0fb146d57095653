"""What reviewers remarked, in SQL: sealed, and appended with the audit leaf that it belongs to."""

from sqlalchemy import insert, select

from guard.nouns import Change, Leaf, SealedRemark
from memory.types import LeafId, MemoryId, Owner, SubjectId, TenantId
from storage.database import Database
from storage.retrying import retried
from storage.rows import check_changeless, leaf_columns, raw, storable
from storage.tables import LEAVES, REMARKS


class SqlRemarks:
    """Fulfils `guard.ports.Remarks`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, leaf: Leaf, remark: SealedRemark) -> None:
        """Append a leaf that changed no memory, and the remark on it: both or neither.

        Not tried again: when the answer is lost it may stand, and whoever asked is told that it
        failed. A leaf too many harms nobody.
        """
        check_remark(leaf, remark)
        async with self._database.writing(remark.owner.tenant) as connection:
            await connection.execute(insert(LEAVES), leaf_columns([leaf], {}))
            await connection.execute(insert(REMARKS), [columns_of_remark(remark)])

    @retried
    async def on(self, tenant: TenantId, memory: MemoryId, limit: int) -> list[SealedRemark]:
        """Return the newest remarks on a memory of the tenant, newest first."""
        if not storable(memory):
            return []
        query = (
            select(REMARKS)
            .where(REMARKS.c.tenant == tenant, REMARKS.c.memory == memory)
            .order_by(REMARKS.c.id.desc())
            .limit(limit)
        )
        async with self._database.reading(tenant) as connection:
            found = (await connection.execute(query)).all()
        return [
            SealedRemark(
                LeafId(row.id), Owner(tenant, SubjectId(row.subject)), memory, raw(row.token)
            )
            for row in found
        ]


def check_remark(leaf: Leaf, remark: SealedRemark) -> None:
    """Raise ValueError when a remark does not belong to its leaf: a programming error."""
    check_changeless([leaf])
    if not _belongs(leaf, remark):
        raise ValueError("a remark says otherwise than its leaf")


def check_remarks(change: Change) -> None:
    """Raise ValueError when a remark belongs to no leaf of its change: a programming error."""
    leaves = {leaf.id: leaf for leaf in change.leaves}
    for remark in change.remarks:
        leaf = leaves.get(remark.id)
        if leaf is None or not _belongs(leaf, remark):
            raise ValueError("a remark says otherwise than its leaf")


def _belongs(leaf: Leaf, remark: SealedRemark) -> bool:
    named = (leaf.id, leaf.tenant, leaf.subject, leaf.object)
    owner = remark.owner
    return named == (remark.id, owner.tenant, owner.subject, remark.memory)


def columns_of_remark(remark: SealedRemark) -> dict[str, object]:
    """Return the columns of a remark."""
    return {
        "tenant": remark.owner.tenant,
        "id": remark.id,
        "subject": remark.owner.subject,
        "memory": remark.memory,
        "token": remark.token,
    }
