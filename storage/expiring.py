"""Removes what has expired, of every tenant."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Table, delete, select, union

from memory.types import TenantId
from storage.database import Database
from storage.engine import SYSTEM
from storage.rows import micros
from storage.tables import SUBJECTS, TENANTS

_TENANTS_AT_ONCE: Final = 100
"""Tenants whose expired rows one transaction removes: writers of others wait no longer for it."""


async def remove_expired(database: Database, tables: Sequence[Table], now: datetime) -> int:
    """Remove the rows whose `expires_at` has come, each tenant's by itself; return how many.

    A row without a time stays: NULL is not before anything.
    """
    # A subject may have asked or spoken and never written: its tenant is registered all the same.
    names = union(select(SUBJECTS.c.tenant), select(TENANTS.c.id))
    async with database.reading(SYSTEM) as connection:
        tenants = sorted(await connection.scalars(names))
    removed = 0
    for some in _batches([TenantId(tenant) for tenant in tenants]):
        async with database.writing(some[0]) as connection:
            for tenant in some:
                await database.enter(connection, tenant)
                for table in tables:
                    expired = (table.c.tenant == tenant, table.c.expires_at <= micros(now))
                    removed += (await connection.execute(delete(table).where(*expired))).rowcount
    return removed


def _batches(tenants: Sequence[TenantId]) -> Iterator[Sequence[TenantId]]:
    for start in range(0, len(tenants), _TENANTS_AT_ONCE):
        yield tenants[start : start + _TENANTS_AT_ONCE]
