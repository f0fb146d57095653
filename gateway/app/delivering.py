"""Posts the findings of tenants to their webhooks while the gateway serves (Q7).

Each replica looks for new leaves of the record and for posts that are due. Which leaves are posts
is written down once for all replicas, and a post is claimed by one for a while: so it is sent at
least once, usually once, and a kill of any process loses none.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Final

import msgspec

from gateway.app.outward import Answer, Outward
from gateway.metrics import Figure, Metrics
from gateway.settings import Webhooks
from gateway.telemetry import LOGGER
from guard.errors import GuardError, UnreadableError
from guard.findings import Told
from guard.hooks import GONE, Hook, SealedHook, signed
from guard.reporting import described, events_in
from guard.rooms import Rooms
from guard.webhooks import Hooking, leaf_of_pause, unsealed
from memory.types import LeafId, TenantId
from storage.database import Database
from storage.posts import Post, SqlPosts
from storage.webhooks import SqlHooks

MOST_WAITING: Final = 10_000
"""Posts of one webhook; beyond that its leaves wait in the record, where nothing is lost either."""
_BATCH: Final = 500
_FIRST_PAUSE: Final = 5.0
_LEASE_FACTOR: Final = 3.0
_GONE: Final = 410
_SUSPENDED_SECONDS: Final = 60.0
Jitter = Callable[[], float]


def spread() -> float:
    """Return a factor by which a pause is longer or shorter, so that attempts don't march."""
    return random.uniform(0.5, 1.5)  # noqa: S311 - no secret


class Delivering:
    """The postman of one gateway."""

    def __init__(
        self,
        settings: Webhooks,
        rooms: Rooms,
        posts: SqlPosts,
        outward: Outward,
        jitter: Jitter = spread,
    ) -> None:
        self._settings, self._rooms, self._posts = settings, rooms, posts
        self._outward, self._jitter = outward, jitter
        self._lease = max(30.0, _LEASE_FACTOR * settings.timeout_seconds)
        self._spoilt: set[TenantId] = set()
        self._busy: dict[tuple[TenantId, str], asyncio.Task[None]] = {}
        self.running: list[asyncio.Task[None]] = []
        """The work, while there is some."""
        self.delivered = self.failed = self.buried = 0

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Post meanwhile. What is under way at the end is broken off, and sent again later."""
        task = asyncio.create_task(self._work(), name="webhooks")
        self.running.append(task)
        try:
            yield
        finally:
            self.running.remove(task)
            ending = (task, *self._busy.values())
            for one in ending:
                one.cancel()
            await asyncio.wait(ending)
            if not task.cancelled() and task.exception() is not None:
                LOGGER.error("background work broke", extra={"task": task.get_name()})

    async def _work(self) -> None:
        while True:
            try:
                await self.look()
                await self.send()
            except GuardError as error:
                LOGGER.warning("webhooks wait", extra={"outcome": type(error).__name__})
            under_way = tuple(self._busy.values())
            if under_way:
                await asyncio.wait(
                    under_way,
                    timeout=self._settings.seconds,
                    return_when=asyncio.FIRST_COMPLETED,
                )
            else:
                await asyncio.sleep(self._settings.seconds)

    async def look(self) -> None:
        """Write down which new leaves are posts, for each webhook of every tenant."""
        for hook in await self._posts.hooks():
            try:
                await self._look(hook)
            except UnreadableError:
                # A spoilt record holds up its own tenant's posts and nobody else's.
                if hook.tenant not in self._spoilt:
                    LOGGER.error("a tenant's audit can't be read: run audit verify")
                self._spoilt.add(hook.tenant)

    async def _look(self, hook: Hook) -> None:
        audit, at = self._rooms.audit, hook.position
        if await self._posts.count(hook.tenant, hook.id) >= MOST_WAITING:
            return
        while batch := await audit.leaves(hook.tenant, at, _BATCH):
            told = await events_in(hook.tenant, batch, audit)
            wanted = [one.sequence for one in told if one.event in hook.events]
            here = msgspec.structs.replace(hook, position=at)
            at = batch[-1].sequence
            if not await self._posts.make(here, wanted, at, self._rooms.clock()):
                return
            if len(batch) < _BATCH:
                return

    async def send(self) -> None:
        """Begin to post what is due, one post of each webhook at a time."""
        free = self._settings.at_once - len(self._busy)
        if free <= 0:
            return
        due = await self._posts.claim(free, self._rooms.clock(), self._lease, {*self._busy})
        for post in due:
            key = (post.tenant, post.hook)
            task = asyncio.create_task(self._deliver(post), name="webhook post")
            self._busy[key] = task
            task.add_done_callback(partial(self._ended, key))

    async def drain(self) -> None:
        """Look, and post all that is due, to the end."""
        await self.look()
        while True:
            await self.send()
            if not self._busy:
                return
            await asyncio.wait(self._busy.values())

    def _ended(self, key: tuple[TenantId, str], task: asyncio.Task[None]) -> None:
        self._busy.pop(key, None)
        if not task.cancelled() and task.exception() is not None:
            # Its lease ends, and then it is tried again.
            error = type(task.exception()).__name__
            LOGGER.warning("a post to a webhook broke", extra={"outcome": error})

    async def _deliver(self, post: Post) -> None:
        # (1) Is it still wanted, and is its tenant served?
        hooks = await self._rooms.hooking.store.all(post.tenant)
        hook = next((one for one in hooks if one.hook.id == post.hook), None)
        if hook is None or hook.hook.paused:
            return
        tenant = await self._rooms.registry.tenant(post.tenant)
        if tenant is None or tenant.suspended:
            at = self._rooms.clock() + timedelta(seconds=_SUSPENDED_SECONDS)
            await self._posts.retry(post, at, post.attempts, "suspended")
            return

        # (2) Make the body, sign it, and post it.
        try:
            answer = await self._send(post, hook)
        except UnreadableError:
            answer = Answer(0, "unreadable")

        # (3) What became of it.
        if answer.taken:
            self.delivered += 1
            await self._posts.done(post)
        elif answer.status == _GONE:
            await self._pause(post)
        else:
            self.failed += 1
            await self._put_off(post, answer)

    async def _send(self, post: Post, hook: SealedHook) -> Answer:
        told = await self._told(post)
        if told is None:
            return Answer(0, "unreadable")
        kept = await unsealed(hook, self._rooms.envelopes)
        (finding,) = await described(post.tenant, [told], self._rooms)
        body, now = msgspec.json.encode(finding), self._rooms.clock()
        fields = signed(told.leaf.id, now, body, kept.counting(now))
        return await self._outward.post(kept.url, fields, body)

    async def _told(self, post: Post) -> Told | None:
        batch = await self._rooms.audit.leaves(post.tenant, post.sequence - 1, 1)
        told = await events_in(post.tenant, batch, self._rooms.audit)
        return next((one for one in told if one.sequence == post.sequence), None)

    async def _put_off(self, post: Post, answer: Answer) -> None:
        now, attempts = self._rooms.clock(), post.attempts + 1
        if attempts >= self._settings.attempts:
            self.buried += 1
            LOGGER.warning("a post to a webhook was given up", extra={"outcome": answer.reason})
            await self._posts.bury(post, now, attempts, answer.reason)
            return
        longest = self._settings.longest_pause_seconds
        pause = min(longest, _FIRST_PAUSE * 2 ** min(post.attempts, 30)) * self._jitter()
        pause = max(pause, min(answer.again_in or 0.0, longest))
        await self._posts.retry(post, now + timedelta(seconds=pause), attempts, answer.reason)

    async def _pause(self, post: Post) -> None:
        """Post nothing more there until an administrator puts the webhook again."""
        self.failed += 1
        now = self._rooms.clock()
        leaf = leaf_of_pause(post.tenant, post.hook, LeafId(self._rooms.new_id()), now, GONE)
        await self._posts.pause(post.tenant, post.hook, GONE, leaf)
        await self._posts.retry(post, now, post.attempts, GONE)


def hooking_of(settings: Webhooks, database: Database) -> Hooking:
    """Return where webhooks are kept, and which places the operator vouches for."""
    return Hooking(SqlHooks(database), _allowed(settings))


def delivering_of(settings: Webhooks, rooms: Rooms, database: Database) -> Delivering:
    """Return the postman of a gateway. Raises SettingsError for certificates that are none."""
    outward = Outward(_allowed(settings), settings.timeout_seconds, settings.ca_file)
    return Delivering(settings, rooms, SqlPosts(database), outward)


def _allowed(settings: Webhooks) -> frozenset[str]:
    return frozenset(settings.allowed_hosts)


def watch_posts(metrics: Metrics, delivering: Delivering) -> None:
    """Show what this process posted, and what waits of all tenants."""
    metrics.look_up(
        lambda: (
            Figure("webhook_delivered", "Posts that arrived.", delivering.delivered, counts=True),
            Figure("webhook_failed", "Attempts in vain.", delivering.failed, counts=True),
            Figure("webhook_given_up", "Posts given up here.", delivering.buried, counts=True),
        )
    )
