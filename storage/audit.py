"""The audit in SQL: leaves come in with the changes they tell of, and get their places later.

A leaf is committed unsequenced, so that writers of one tenant don't queue on its head (Q6).
Until `integrate` has run, an edit of a waiting leaf shows only where a memory row names it.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Update, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.errors import ConflictError, UnreadableError
from guard.nouns import Leaf
from guard.ports import AuditHead, Integrated
from memory.types import MemoryId, TenantId
from storage.audit_verify import links_after, tree_of, verify
from storage.chain import EMPTY, AuditReport, Link, decode_leaf, follow, leaf_hash
from storage.checkpoints import Checkpoint
from storage.database import Database
from storage.engine import SYSTEM
from storage.retrying import broke_off, retried
from storage.rows import check_changeless, leaf_columns, raw, storable
from storage.tables import LEAVES

_BATCH: Final = 500
"""Leaves per transaction: keeps the write lock short while a backlog is worked off."""


class SqlAudit:
    """Fulfils `guard.ports.Audit`, and verifies for the command line."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def note(self, leaves: Sequence[Leaf]) -> None:
        """Append leaves of things that changed no memory, as one batch, in one transaction.

        Their version is 0, so none of them is ever a memory's newest leaf. Leaves that are
        there already are left as they are: a batch may be noted again when its answer was lost.
        """
        check_changeless(leaves)
        batch = {(leaf.tenant, leaf.id): leaf for leaf in leaves}
        if not batch:
            return
        tenants = sorted({TenantId(tenant) for tenant, _ in batch})
        async with self._database.writing(tenants[0]) as connection:
            for tenant in tenants:
                await self._database.enter(connection, tenant)
                mine = {id: leaf for (of, id), leaf in batch.items() if of == tenant}
                there = select(LEAVES.c.id).where(
                    LEAVES.c.tenant == tenant, LEAVES.c.id.in_([*mine])
                )
                for id in await connection.scalars(there):
                    del mine[id]
                if mine:
                    await connection.execute(insert(LEAVES), leaf_columns([*mine.values()], {}))

    async def integrate(self) -> int:
        """Give every waiting leaf its place in its tenant's chain; return how many."""
        tenants = await self._waiting()
        placed = 0
        for tenant in tenants:
            batch = _BATCH
            while batch == _BATCH:
                batch = await self._integrate(tenant)
                placed += batch
        return placed

    @retried
    async def _waiting(self) -> list[TenantId]:
        waiting = select(LEAVES.c.tenant).where(LEAVES.c.sequence.is_(None)).distinct()
        async with self._database.reading(SYSTEM) as connection:
            return [TenantId(tenant) for tenant in await connection.scalars(waiting)]

    @retried
    async def leaves(self, tenant: TenantId, after: int, limit: int) -> list[Integrated]:
        """Return integrated leaves in order, after sequence number `after`.

        Raises UnreadableError when one of them is not a leaf any more.
        """
        async with self._database.reading(tenant) as connection:
            links = await links_after(connection, tenant, after, limit)
        return [Integrated(link.sequence, _leaf(link), link.hash) for link in links]

    @retried
    async def links(self, tenant: TenantId, after: int, limit: int) -> list[Link]:
        """Return integrated leaves in order as they are stored, whatever is in them."""
        async with self._database.reading(tenant) as connection:
            return await links_after(connection, tenant, after, limit)

    @retried
    async def head(self, tenant: TenantId) -> AuditHead:
        """Return the newest head; size 0 and the empty chain's hash for an unknown tenant."""
        async with self._database.reading(tenant) as connection:
            return await _head(connection, tenant)

    @retried
    async def made(
        self, tenant: TenantId, ids: Sequence[MemoryId]
    ) -> dict[MemoryId, tuple[Leaf, ...]]:
        """Return the leaves that made a version of each of these memories, oldest version first."""
        found: dict[MemoryId, list[Leaf]] = {id: [] for id in ids}
        wanted = [id for id in found if storable(id)]
        async with self._database.reading(tenant) as connection:
            for start in range(0, len(wanted), _BATCH):
                query = (
                    select(LEAVES.c.object, LEAVES.c.body)
                    .where(
                        LEAVES.c.tenant == tenant,
                        LEAVES.c.object.in_(wanted[start : start + _BATCH]),
                        LEAVES.c.row_version.is_not(None),
                    )
                    .order_by(LEAVES.c.row_version, LEAVES.c.id)
                )
                for row in await connection.execute(query):
                    leaf = decode_leaf(raw(row.body))
                    if leaf is not None:
                        found[row.object].append(leaf)
        return {id: tuple(leaves) for id, leaves in found.items()}

    @retried
    async def tenants(self) -> list[TenantId]:
        """Return every tenant that has a leaf."""
        query = select(LEAVES.c.tenant).distinct().order_by(LEAVES.c.tenant)
        async with self._database.reading(SYSTEM) as connection:
            return [TenantId(tenant) for tenant in await connection.scalars(query)]

    @retried
    async def verify(self, tenant: TenantId, kept: Sequence[Checkpoint] = ()) -> AuditReport:
        """Check chain, leaves and rows of a tenant against each other, as of one moment.

        Detects edit, drop, reorder, and rows that disagree with their leaves. A chain cut short at
        its end, or made anew, shows against checkpoints that were `kept` outside and verified.
        """
        async with self._database.snapshot(tenant) as connection:
            return await verify(connection, tenant, kept)

    @retried
    async def tree(self, tenant: TenantId) -> Checkpoint:
        """Return what there is to be signed of a tenant's record, as of one moment."""
        async with self._database.snapshot(tenant) as connection:
            return await tree_of(connection, tenant)

    @retried
    async def _integrate(self, tenant: TenantId) -> int:
        waiting = (
            select(LEAVES.c.id, LEAVES.c.body)
            .where(LEAVES.c.tenant == tenant, LEAVES.c.sequence.is_(None))
            .order_by(LEAVES.c.id)
            .limit(_BATCH)
        )
        try:
            async with self._database.writing(tenant) as connection:
                # Where the database has several writers, integrators of one tenant take turns.
                await self._database.turn(connection, f"chain of {tenant}")
                head = await _head(connection, tenant)
                found = (await connection.execute(waiting)).all()
                places: list[dict[str, Any]] = []
                for row in found:
                    head = AuditHead(head.size + 1, follow(head.hash, leaf_hash(raw(row.body))))
                    places.append(
                        {
                            "of_tenant": tenant,
                            "of_id": row.id,
                            "place": head.size,
                            "value": head.hash,
                        }
                    )
                if places:
                    await connection.execute(_PLACE, places)
        except ConflictError as error:
            if broke_off(error):
                raise
            # Someone who does not take turns took these places first.
            return 0
        return len(places)


_PLACE: Final[Update] = (
    update(LEAVES)
    .where(
        LEAVES.c.tenant == bindparam("of_tenant"),
        LEAVES.c.id == bindparam("of_id"),
        LEAVES.c.sequence.is_(None),
    )
    .values(sequence=bindparam("place"), chain=bindparam("value"))
)


async def _head(connection: AsyncConnection, tenant: TenantId) -> AuditHead:
    query = (
        select(LEAVES.c.sequence, LEAVES.c.chain)
        .where(LEAVES.c.tenant == tenant, LEAVES.c.sequence.is_not(None))
        .order_by(LEAVES.c.sequence.desc())
        .limit(1)
    )
    row = (await connection.execute(query)).first()
    return EMPTY if row is None else AuditHead(row.sequence, row.chain)


def _leaf(link: Link) -> Leaf:
    leaf = decode_leaf(link.body)
    if leaf is None:
        raise UnreadableError("unreadable")
    return leaf
