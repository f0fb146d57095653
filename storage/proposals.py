"""What waits for a second reviewer, in SQL: sealed, and part of the ledger's own transactions."""

from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.errors import ConflictError
from guard.nouns import Change, SealedProposal
from memory.types import MemoryId, Owner, State, SubjectId, TenantId
from storage.database import Database
from storage.expiring import remove_expired
from storage.retrying import retried
from storage.review_tables import PROPOSALS
from storage.rows import instant, micros, raw, storable


async def keep_proposals(connection: AsyncConnection, change: Change) -> None:
    """Settle what a change settles, and keep what it proposes. Raises ConflictError.

    What is forgotten takes along what was proposed for it.
    """
    tenant = change.owner.tenant
    for id in change.settled:
        named = (PROPOSALS.c.tenant == tenant, PROPOSALS.c.id == id)
        if (await connection.execute(delete(PROPOSALS).where(*named))).rowcount != 1:
            raise ConflictError("conflict")
    gone = [row.label.id for row in change.rows if row.label.state is State.FORGOTTEN]
    if gone:
        of = (PROPOSALS.c.tenant == tenant, PROPOSALS.c.memory.in_(gone))
        await connection.execute(delete(PROPOSALS).where(*of))
    if change.proposed:
        values = [
            {
                "tenant": tenant,
                "id": one.id,
                "subject": one.owner.subject,
                "memory": one.memory,
                "expires_at": micros(one.expires_at),
                "token": one.token,
            }
            for one in change.proposed
        ]
        await connection.execute(insert(PROPOSALS), values)


class SqlProposals:
    """Fulfils `guard.undoable.Proposals`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def open(
        self, tenant: TenantId, after: str | None, limit: int, now: datetime
    ) -> list[SealedProposal]:
        """Return proposals of the tenant that have not expired, in the order of their ids."""
        query = select(PROPOSALS).where(
            PROPOSALS.c.tenant == tenant, PROPOSALS.c.expires_at > micros(now)
        )
        if after is not None:
            if not storable(after):
                return []
            query = query.where(PROPOSALS.c.id > after)
        async with self._database.reading(tenant) as connection:
            found = await connection.execute(query.order_by(PROPOSALS.c.id).limit(limit))
            return [_sealed(row) for row in found]

    @retried
    async def one(self, tenant: TenantId, id: str, now: datetime) -> SealedProposal | None:
        """Return one of them, None for any other."""
        if not storable(id):
            return None
        query = select(PROPOSALS).where(
            PROPOSALS.c.tenant == tenant,
            PROPOSALS.c.id == id,
            PROPOSALS.c.expires_at > micros(now),
        )
        async with self._database.reading(tenant) as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else _sealed(row)

    @retried
    async def expire(self, now: datetime) -> int:
        """Remove those of every tenant that have expired; return how many."""
        return await remove_expired(self._database, [PROPOSALS], now)


def _sealed(row: Row[Any]) -> SealedProposal:
    owner = Owner(TenantId(row.tenant), SubjectId(row.subject))
    until = instant(row.expires_at)
    return SealedProposal(row.id, owner, MemoryId(row.memory), until, raw(row.token))
