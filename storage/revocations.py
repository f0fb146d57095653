"""Which tokens are believed no longer, in SQL."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, insert, select

from guard.nouns import Leaf
from guard.revoke import Of, Revocation
from memory.types import TenantId
from storage.database import Database
from storage.engine import SYSTEM
from storage.retrying import retried
from storage.rows import check_changeless, instant, leaf_columns, micros
from storage.tables import LEAVES, REVOCATIONS


class SqlRevocations:
    """Fulfils `guard.revoke.Revocations`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, revocation: Revocation, leaf: Leaf) -> None:
        """Keep a revocation durably, with its audit leaf in the same transaction."""
        check_revocation(revocation, leaf)
        async with self._database.writing(revocation.tenant) as connection:
            await connection.execute(insert(REVOCATIONS), _columns(revocation))
            await connection.execute(insert(LEAVES), leaf_columns([leaf], {}))

    @retried
    async def since(self, at: datetime | None) -> Sequence[Revocation]:
        """Return all that was decided at `at` or later, of every tenant; without it, all."""
        query = select(REVOCATIONS).order_by(REVOCATIONS.c.at, REVOCATIONS.c.id)
        if at is not None:
            query = query.where(REVOCATIONS.c.at >= micros(at))
        async with self._database.reading(SYSTEM) as connection:
            return [_revocation(row) for row in await connection.execute(query)]

    @retried
    async def of(self, tenant: TenantId, after: str | None, limit: int) -> list[Revocation]:
        """Return revocations of a tenant in the order of their ids, after `after`."""
        query = select(REVOCATIONS).where(REVOCATIONS.c.tenant == tenant)
        if after is not None:
            query = query.where(REVOCATIONS.c.id > after)
        async with self._database.reading(tenant) as connection:
            found = await connection.execute(query.order_by(REVOCATIONS.c.id).limit(limit))
            return [_revocation(row) for row in found]


def check_revocation(revocation: Revocation, leaf: Leaf) -> None:
    """Raise ValueError when the two do not belong together: a programming error, not an event."""
    check_changeless([leaf])
    if leaf.tenant != revocation.tenant:
        raise ValueError("a leaf is of another tenant")


def _columns(one: Revocation) -> dict[str, Any]:
    return {
        "tenant": one.tenant,
        "id": one.id,
        "kind": one.of.value,
        "name": one.name,
        "before": micros(one.before),
        "at": micros(one.at),
    }


def _revocation(row: Row[Any]) -> Revocation:
    return Revocation(
        row.id, TenantId(row.tenant), Of(row.kind), row.name, instant(row.before), instant(row.at)
    )
