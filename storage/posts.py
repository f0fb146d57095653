"""What is yet to be posted to webhooks, in SQL. Delivery is at least once, order is not promised.

Which leaves are posts is written down together with how far that has come, in one transaction: a
process that dies between two loses none and makes none twice, and of several only one makes them.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import delete, func, insert, select, update

from guard.errors import ConflictError
from guard.hooks import Hook
from guard.nouns import Leaf
from memory.types import TenantId
from storage.database import Database
from storage.engine import SYSTEM
from storage.retrying import retried
from storage.rows import instant, micros
from storage.webhook_tables import POSTS, WEBHOOKS
from storage.webhooks import check_hook, hook_of, noted

_LOOKED_AT: Final = 500
"""Due webhooks that one claim looks at, to find some that nobody here is posting to."""


class Post(msgspec.Struct, frozen=True):
    """An audit leaf whose turn it is, for one webhook, and how often it was tried in vain."""

    tenant: TenantId
    hook: str
    sequence: int
    attempts: int


class Standing(msgspec.Struct, frozen=True):
    """What waits and is dead of all tenants, and when the oldest that waits became a post."""

    waiting: int
    dead: int
    oldest: datetime | None


class SqlPosts:
    """A queue. A lease is a due time in the future."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def hooks(self) -> list[Hook]:
        """Return the webhooks of every tenant that are not paused."""
        query = select(WEBHOOKS).where(WEBHOOKS.c.paused == "")
        async with self._database.reading(SYSTEM) as connection:
            found = (await connection.execute(query)).all()
        return [hook_of(row) for row in found]

    @retried
    async def count(self, tenant: TenantId, hook: str) -> int:
        """Return how many posts a webhook has, dead ones included."""
        mine = POSTS.c.tenant == tenant, POSTS.c.hook == hook
        query = select(func.count()).select_from(POSTS).where(*mine)
        async with self._database.reading(tenant) as connection:
            return await connection.scalar(query) or 0

    @retried
    async def make(self, hook: Hook, sequences: Sequence[int], upto: int, now: datetime) -> bool:
        """Write down which leaves are posts, and that all up to `upto` were looked at.

        Returns False, with nothing written, when somebody else has gone on from there.
        """
        at = micros(now)
        rows = [
            {
                "tenant": hook.tenant,
                "hook": hook.id,
                "sequence": sequence,
                "made_at": at,
                "due_at": at,
                "attempts": 0,
                "dead_at": None,
                "reason": "",
            }
            for sequence in sequences
        ]
        mine = (
            WEBHOOKS.c.tenant == hook.tenant,
            WEBHOOKS.c.id == hook.id,
            WEBHOOKS.c.position == hook.position,
        )
        try:
            async with self._database.writing(hook.tenant) as connection:
                moved = await connection.execute(
                    update(WEBHOOKS).where(*mine).values(position=upto)
                )
                if moved.rowcount and rows:
                    await connection.execute(insert(POSTS), rows)
        except ConflictError:
            return False
        return bool(moved.rowcount)

    @retried
    async def claim(
        self,
        limit: int,
        now: datetime,
        lease_seconds: float,
        busy: Collection[tuple[TenantId, str]] = (),
    ) -> list[Post]:
        """Return due posts, the first of each webhook, hidden until the lease ends.

        None of a paused webhook, nor of those that are `busy`: so that one that hangs keeps no
        other waiting.
        """
        due = (POSTS.c.dead_at.is_(None), POSTS.c.due_at <= micros(now))
        of = (POSTS.c.tenant == WEBHOOKS.c.tenant) & (POSTS.c.hook == WEBHOOKS.c.id)
        firsts = (
            select(POSTS.c.tenant, POSTS.c.hook, func.min(POSTS.c.place).label("place"))
            .join(WEBHOOKS, of)
            .where(*due, WEBHOOKS.c.paused == "")
            .group_by(POSTS.c.tenant, POSTS.c.hook)
            .order_by(func.min(POSTS.c.place))
            .limit(_LOOKED_AT)
        )
        # A look first: the usual answer is "nothing", and it must not cost a write transaction.
        async with self._database.reading(SYSTEM) as connection:
            found = (await connection.execute(firsts)).all()
        places = [row.place for row in found if (row.tenant, row.hook) not in busy][:limit]
        if not places:
            return []
        async with self._database.writing(SYSTEM) as connection:
            # Due still: another claimant may have taken some since, and what it is taking is left.
            mine = select(POSTS).where(POSTS.c.place.in_(places), *due)
            rows = (await connection.execute(mine.with_for_update(skip_locked=True))).all()
            await connection.execute(
                update(POSTS)
                .where(POSTS.c.place.in_([row.place for row in rows]))
                .values(due_at=micros(now + timedelta(seconds=lease_seconds)))
            )
        return [
            Post(TenantId(row.tenant), row.hook, row.sequence, row.attempts)
            for row in sorted(rows, key=lambda row: row.place)
        ]

    @retried
    async def done(self, post: Post) -> None:
        """Forget a post that arrived."""
        async with self._database.writing(post.tenant) as connection:
            await connection.execute(delete(POSTS).where(*_is(post)))

    async def retry(self, post: Post, at: datetime, attempts: int, reason: str) -> None:
        """Make a post due again at `at`, tried in vain `attempts` times."""
        await self._change(post, due_at=micros(at), attempts=attempts, reason=reason)

    async def bury(self, post: Post, at: datetime, attempts: int, reason: str) -> None:
        """Give a post up until it is replayed."""
        await self._change(post, dead_at=micros(at), attempts=attempts, reason=reason)

    @retried
    async def pause(self, tenant: TenantId, hook: str, reason: str, leaf: Leaf) -> bool:
        """Post nothing more to a webhook until it is put again; return whether it was not so."""
        check_hook(tenant, leaf)
        mine = WEBHOOKS.c.tenant == tenant, WEBHOOKS.c.id == hook, WEBHOOKS.c.paused == ""
        async with self._database.writing(tenant) as connection:
            paused = await connection.execute(update(WEBHOOKS).where(*mine).values(paused=reason))
            if paused.rowcount:
                await noted(connection, leaf)
        return bool(paused.rowcount)

    @retried
    async def standing(self) -> Standing:
        """Return what waits and is dead."""
        waits = POSTS.c.dead_at.is_(None)
        waiting = select(func.count(), func.min(POSTS.c.made_at)).where(waits)
        dead = select(func.count()).select_from(POSTS).where(~waits)
        async with self._database.reading(SYSTEM) as connection:
            count, oldest = (await connection.execute(waiting)).one()
            given_up = await connection.scalar(dead) or 0
        return Standing(count, given_up, None if oldest is None else instant(oldest))

    @retried
    async def _change(self, post: Post, **values: Any) -> None:
        async with self._database.writing(post.tenant) as connection:
            await connection.execute(update(POSTS).where(*_is(post)).values(**values))


def _is(post: Post) -> tuple[Any, ...]:
    return (
        POSTS.c.tenant == post.tenant,
        POSTS.c.hook == post.hook,
        POSTS.c.sequence == post.sequence,
    )
