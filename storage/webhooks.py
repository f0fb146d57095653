"""Webhooks in SQL, as their administrators see them: each change with its audit leaf."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.errors import NotFoundError
from guard.findings import Event
from guard.hooks import DeadPost, Hook, SealedHook
from guard.nouns import Leaf
from memory.types import TenantId
from storage.database import Database
from storage.retrying import retried
from storage.rows import check_changeless, instant, leaf_columns, micros, raw
from storage.tables import LEAVES
from storage.webhook_tables import POSTS, SEALS, WEBHOOKS


class SqlHooks:
    """Fulfils `guard.hooks.Hooks`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def all(self, tenant: TenantId) -> list[SealedHook]:
        """Return the tenant's webhooks in the order of their ids."""
        query = (
            select(WEBHOOKS, SEALS.c.token)
            .join(SEALS, (SEALS.c.tenant == WEBHOOKS.c.tenant) & (SEALS.c.id == WEBHOOKS.c.id))
            .where(WEBHOOKS.c.tenant == tenant)
            .order_by(WEBHOOKS.c.id)
        )
        async with self._database.reading(tenant) as connection:
            found = (await connection.execute(query)).all()
        return [SealedHook(hook_of(row), raw(row.token)) for row in found]

    async def put(self, hook: SealedHook, leaf: Leaf) -> None:
        """Add or replace a webhook, paused no longer. One that is there keeps its position.

        Raises ConflictError when another added it at the same moment.
        """
        check_hook(hook.hook.tenant, leaf)
        one = hook.hook
        values = {
            "events": " ".join(one.events),
            "paused": "",
            "changed_at": micros(one.changed_at),
        }
        key = {"tenant": one.tenant, "id": one.id}
        async with self._database.writing(one.tenant) as connection:
            there = await connection.execute(
                update(WEBHOOKS).where(*_is(one.tenant, one.id)).values(values)
            )
            if there.rowcount:
                seal = update(SEALS).where(SEALS.c.tenant == one.tenant, SEALS.c.id == one.id)
                await connection.execute(seal.values(token=hook.token))
            else:
                await connection.execute(
                    insert(WEBHOOKS), key | values | {"position": one.position}
                )
                await connection.execute(insert(SEALS), key | {"token": hook.token})
            await noted(connection, leaf)

    async def remove(self, tenant: TenantId, id: str, leaf: Leaf) -> None:
        """Remove a webhook with all that waits for it. Raises NotFoundError."""
        check_hook(tenant, leaf)
        async with self._database.writing(tenant) as connection:
            mine = POSTS.c.tenant == tenant, POSTS.c.hook == id
            await connection.execute(delete(POSTS).where(*mine))
            await connection.execute(
                delete(SEALS).where(SEALS.c.tenant == tenant, SEALS.c.id == id)
            )
            gone = await connection.execute(delete(WEBHOOKS).where(*_is(tenant, id)))
            if not gone.rowcount:
                raise NotFoundError
            await noted(connection, leaf)

    @retried
    async def dead(self, tenant: TenantId, limit: int) -> list[DeadPost]:
        """Return what was given up, longest dead first."""
        query = (
            select(POSTS)
            .where(POSTS.c.tenant == tenant, POSTS.c.dead_at.is_not(None))
            .order_by(POSTS.c.dead_at, POSTS.c.place)
            .limit(limit)
        )
        async with self._database.reading(tenant) as connection:
            found = (await connection.execute(query)).all()
        return [
            DeadPost(row.hook, row.sequence, row.attempts, row.reason, instant(row.dead_at))
            for row in found
        ]

    async def replay(
        self, tenant: TenantId, id: str, sequence: int | None, at: datetime, leaf: Leaf
    ) -> int:
        """Make what is dead of a webhook due at `at`, one or all; return how many that were."""
        check_hook(tenant, leaf)
        dead = [POSTS.c.tenant == tenant, POSTS.c.hook == id, POSTS.c.dead_at.is_not(None)]
        if sequence is not None:
            dead.append(POSTS.c.sequence == sequence)
        again = {"dead_at": None, "reason": "", "attempts": 0, "due_at": micros(at)}
        async with self._database.writing(tenant) as connection:
            replayed = await connection.execute(update(POSTS).where(*dead).values(again))
            if replayed.rowcount:
                await noted(connection, leaf)
        return int(replayed.rowcount)


def hook_of(row: Any) -> Hook:
    """Return the webhook in a row. A word that is no event any more asks for nothing."""
    events = tuple(one for one in Event if one in row.events.split())
    tenant, changed_at = TenantId(row.tenant), instant(row.changed_at)
    return Hook(tenant, row.id, events, row.position, row.paused, changed_at)


async def noted(connection: AsyncConnection, leaf: Leaf) -> None:
    """Append the audit leaf of a change, in its transaction."""
    await connection.execute(insert(LEAVES), leaf_columns([leaf], {}))


def check_hook(tenant: TenantId, leaf: Leaf) -> None:
    """Raise ValueError when a leaf is none of this tenant's webhooks: a programming error."""
    check_changeless([leaf])
    if leaf.tenant != tenant:
        raise ValueError("a leaf is of another tenant")


def _is(tenant: TenantId, id: str) -> tuple[Any, ...]:
    return WEBHOOKS.c.tenant == tenant, WEBHOOKS.c.id == id
