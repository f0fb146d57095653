"""Check a tenant's chain, leaves and memory rows against each other, on one read transaction."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

from sqlalchemy import Column, RowMapping, Select, and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.merkle import Growing
from memory.types import TenantId
from storage.chain import (
    AuditReport,
    Flaw,
    Link,
    Problem,
    check_row,
    decode_leaf,
    leaf_hash,
    report,
)
from storage.checkpoints import Checkpoint
from storage.layouts import digest
from storage.recount import Recount
from storage.rows import newest_leaf, raw, sealed_of
from storage.tables import LEAVES, MEMORIES

_BATCH: Final = 500


async def verify(
    connection: AsyncConnection, tenant: TenantId, kept: Sequence[Checkpoint] = ()
) -> AuditReport:
    """Return what is wrong with a tenant's audit and the rows it tells of.

    `kept` are checkpoints of this tenant whose signatures have been checked.
    """
    # (1) The chain: each integrated leaf in its place, unchanged, and as it was at checkpoints.
    size, problems = await _check_chain(connection, tenant, kept)
    # (2) The columns that leaves are found by; the chain covers only what leaves say.
    problems += [p async for p in _check_finding_columns(connection, tenant)]
    # (3) Each memory row is what its newest leaf says.
    problems += [p async for p in _check_rows(connection, tenant)]
    # (4) Each leaf that made a row still has one.
    problems += [p async for p in _check_lost_rows(connection, tenant)]
    return report(tenant, size, problems)


async def links_after(
    connection: AsyncConnection, tenant: TenantId, after: int, limit: int
) -> list[Link]:
    """Return integrated leaves in order, up to the first whose number is no number."""
    query = (
        select(LEAVES.c.sequence, LEAVES.c.body, LEAVES.c.chain)
        .where(LEAVES.c.tenant == tenant, LEAVES.c.sequence > after)
        .order_by(LEAVES.c.sequence)
        .limit(limit)
    )
    links: list[Link] = []
    for sequence, body, chain in await connection.execute(query):
        if not isinstance(sequence, int):
            break
        links.append(Link(sequence, raw(body), raw(chain)))
    return links


async def tree_of(connection: AsyncConnection, tenant: TenantId) -> Checkpoint:
    """Return the Merkle root over all integrated leaves, and how many they are."""
    tree, after = Growing(), 0
    while links := await links_after(connection, tenant, after, _BATCH):
        for link in links:
            tree.add(leaf_hash(link.body))
        after = links[-1].sequence
    return Checkpoint(tenant, tree.size, tree.root())


async def _check_chain(
    connection: AsyncConnection, tenant: TenantId, kept: Sequence[Checkpoint]
) -> tuple[int, list[Problem]]:
    count = Recount(tenant, kept)
    while links := await links_after(connection, tenant, count.after, _BATCH):
        count.take(links)
    return count.done()


async def _check_finding_columns(
    connection: AsyncConnection, tenant: TenantId
) -> AsyncIterator[Problem]:
    query = select(LEAVES).where(LEAVES.c.tenant == tenant)
    async for row in _by_id(connection, query, LEAVES.c.id):
        leaf, sequence = decode_leaf(raw(row["body"])), row["sequence"]
        if leaf is None:
            # One with a place has been reported with the chain.
            if sequence is None:
                yield Problem(Flaw.LEAF_UNREADABLE, None, row["object"])
            continue
        named = (leaf.tenant, leaf.id, leaf.object) == (tenant, row["id"], row["object"])
        placed = sequence is None or (isinstance(sequence, int) and sequence > 0)
        if not named or not placed or (row["row_version"] or 0) != leaf.version:
            yield Problem(Flaw.LEAF_MISPLACED, None, leaf.object)


async def _check_rows(connection: AsyncConnection, tenant: TenantId) -> AsyncIterator[Problem]:
    named = and_(LEAVES.c.tenant == MEMORIES.c.tenant, LEAVES.c.id == MEMORIES.c.leaf)
    query = (
        select(MEMORIES, LEAVES.c.body, newest_leaf().label("newest_leaf"))
        .select_from(MEMORIES.outerjoin(LEAVES, named))
        .where(MEMORIES.c.tenant == tenant)
    )
    async for row in _by_id(connection, query, MEMORIES.c.id):
        sealed = sealed_of(row)
        if sealed is None:
            yield Problem(Flaw.ROW_UNREADABLE, None, row["id"])
            continue
        label = sealed.label
        leaf = None if row["body"] is None else decode_leaf(raw(row["body"]))
        problem = check_row(label, leaf, row["newest_leaf"] or "")
        if problem is not None:
            yield problem
        elif (digest(sealed.token), digest(sealed.entry)) != (label.digest, label.entry_digest):
            yield Problem(Flaw.ROW_CHANGED, None, label.id)


async def _check_lost_rows(connection: AsyncConnection, tenant: TenantId) -> AsyncIterator[Problem]:
    same = and_(MEMORIES.c.tenant == LEAVES.c.tenant, MEMORIES.c.id == LEAVES.c.object)
    # Every row began with a leaf of version 1.
    query = (
        select(LEAVES.c.id, LEAVES.c.object)
        .select_from(LEAVES.outerjoin(MEMORIES, same))
        .where(LEAVES.c.tenant == tenant, LEAVES.c.row_version == 1, MEMORIES.c.id.is_(None))
    )
    async for row in _by_id(connection, query, LEAVES.c.id):
        yield Problem(Flaw.ROW_MISSING, None, row["object"])


async def _by_id(
    connection: AsyncConnection, query: Select[Any], id: Column[Any]
) -> AsyncIterator[RowMapping]:
    """Run `query` in batches, in order of `id`, so that memory stays flat."""
    after = ""
    while True:
        batch = query.where(id > after).order_by(id).limit(_BATCH)
        rows = (await connection.execute(batch)).mappings().all()
        for row in rows:
            yield row
        if len(rows) < _BATCH:
            return
        after = rows[-1][id]
