"""Visits to the console, in SQL: sealed tokens, found by a mark that only a browser can make."""

from datetime import datetime

from sqlalchemy import delete, insert, select

from guard.nouns import Leaf
from guard.visits import Visit
from memory.types import Owner, SubjectId, TenantId
from storage.database import Database
from storage.retrying import retried
from storage.rows import check_changeless, instant, leaf_columns, micros, raw, storable
from storage.tables import LEAVES, VISITS


class SqlVisits:
    """Fulfils `guard.visits.Visits`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, visit: Visit, leaf: Leaf, now: datetime) -> None:
        """Keep a visit and its audit leaf durably, and remove the tenant's that have expired."""
        check_visit(visit.owner.tenant, leaf)
        tenant = visit.owner.tenant
        async with self._database.writing(tenant) as connection:
            expired = (VISITS.c.tenant == tenant, VISITS.c.expires_at <= micros(now))
            await connection.execute(delete(VISITS).where(*expired))
            await connection.execute(
                insert(VISITS).values(
                    tenant=tenant,
                    id=visit.id,
                    subject=visit.owner.subject,
                    expires_at=micros(visit.expires_at),
                    token=visit.token,
                )
            )
            await connection.execute(insert(LEAVES), leaf_columns([leaf], {}))

    @retried
    async def find(self, tenant: TenantId, id: str, now: datetime) -> Visit | None:
        """Return a visit of the tenant that has not expired."""
        if not storable(tenant) or not storable(id):
            return None
        query = select(VISITS).where(
            VISITS.c.tenant == tenant, VISITS.c.id == id, VISITS.c.expires_at > micros(now)
        )
        async with self._database.reading(tenant) as connection:
            row = (await connection.execute(query)).first()
        if row is None:
            return None
        owner = Owner(tenant, SubjectId(row.subject))
        return Visit(row.id, owner, instant(row.expires_at), raw(row.token))

    async def end(self, tenant: TenantId, id: str, leaf: Leaf) -> None:
        """Remove a visit, with its audit leaf in the same transaction."""
        check_visit(tenant, leaf)
        mine = (VISITS.c.tenant == tenant, VISITS.c.id == id)
        async with self._database.writing(tenant) as connection:
            await connection.execute(delete(VISITS).where(*mine))
            await connection.execute(insert(LEAVES), leaf_columns([leaf], {}))


def check_visit(tenant: TenantId, leaf: Leaf) -> None:
    """Raise ValueError when a leaf does not belong to it: a programming error, not an event."""
    check_changeless([leaf])
    if leaf.tenant != tenant:
        raise ValueError("a leaf is of another tenant")
