"""Whether the ledger knows somebody: who has written before must have had keys."""

from sqlalchemy import exists, select

from memory.types import SubjectId, TenantId
from storage.database import Database
from storage.retrying import retried
from storage.tables import SUBJECTS


class SqlHistory:
    """Answers from the epochs, which outlive every memory. Fulfils `storage.keyring.Written`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def __call__(self, tenant: TenantId, subject: SubjectId | None) -> bool:
        """Return whether the tenant, or one of its subjects, ever committed a memory."""
        query = exists().where(SUBJECTS.c.tenant == tenant)
        if subject is not None:
            query = query.where(SUBJECTS.c.subject == subject)
        async with self._database.reading(tenant) as connection:
            return bool(await connection.scalar(select(query)))
