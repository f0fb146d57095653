"""Search material of sealed tenants where it lies: in the ledger, opened through the vault."""

from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, select

from guard.errors import UnavailableError, UnreadableError
from guard.nouns import Row
from guard.ports import Entry
from memory.types import Epoch, MemoryId, Owner, State, SubjectMark, TenantId
from storage.database import Database
from storage.repair import entry_of
from storage.retrying import retried
from storage.rows import rows_of, select_rows
from storage.tables import MEMORIES, SUBJECTS
from storage.vault import SealingVault


class LedgerShelves:
    """Fulfils `storage.sealed.Shelves`.

    A mark is a keyed id that nothing can be read from: the vault knows whose it is, because the
    question that bears it was blinded there just before.
    """

    def __init__(self, database: Database, vault: SealingVault) -> None:
        self._database = database
        self._vault = vault

    @retried
    async def epoch(self, tenant: TenantId, subject: SubjectMark) -> Epoch:
        """Return the subject's epoch: while it stays, so does everything below."""
        owner = self._owner(tenant, subject)
        query = select(SUBJECTS.c.epoch).where(
            SUBJECTS.c.tenant == tenant, SUBJECTS.c.subject == owner.subject
        )
        async with self._database.reading(tenant) as connection:
            return Epoch(await connection.scalar(query) or 0)

    @retried
    async def versions(self, tenant: TenantId, subject: SubjectMark) -> Mapping[MemoryId, int]:
        """Return the version of each active memory of the subject."""
        query = select(MEMORIES.c.id, MEMORIES.c.version).where(*self._active(tenant, subject))
        async with self._database.reading(tenant) as connection:
            found = (await connection.execute(query)).all()
        return {MemoryId(row.id): int(row.version) for row in found}

    async def entries(
        self, tenant: TenantId, subject: SubjectMark, ids: Sequence[MemoryId]
    ) -> list[Entry]:
        """Return, opened, those of `ids` that are the subject's, active, and whole."""
        entries = []
        for row in await self._rows(tenant, subject, ids):
            try:
                entries.append(await entry_of(row, self._vault))
            except UnreadableError:
                continue  # An index has no such entry either; the audit names the row.
        return entries

    @retried
    async def inventory(
        self, tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        """Return ids of active memories in order, with the digest of their content."""
        query = select(MEMORIES.c.id, MEMORIES.c.digest).where(
            MEMORIES.c.tenant == tenant, MEMORIES.c.state == State.ACTIVE.value
        )
        if after is not None:
            query = query.where(MEMORIES.c.id > after)
        async with self._database.reading(tenant) as connection:
            found = await connection.execute(query.order_by(MEMORIES.c.id).limit(limit))
            return [(MemoryId(row.id), bytes(row.digest)) for row in found]

    @retried
    async def _rows(
        self, tenant: TenantId, subject: SubjectMark, ids: Sequence[MemoryId]
    ) -> list[Row]:
        query = select_rows(*self._active(tenant, subject), MEMORIES.c.id.in_(ids))
        async with self._database.reading(tenant) as connection:
            return rows_of(await connection.execute(query))

    def _active(self, tenant: TenantId, subject: SubjectMark) -> list[ColumnElement[bool]]:
        owner = self._owner(tenant, subject)
        return [
            MEMORIES.c.tenant == tenant,
            MEMORIES.c.subject == owner.subject,
            MEMORIES.c.state == State.ACTIVE.value,
        ]

    def _owner(self, tenant: TenantId, subject: SubjectMark) -> Owner:
        owner = self._vault.owner_of(tenant, subject)
        if owner is None:
            raise UnavailableError("index")
        return owner
