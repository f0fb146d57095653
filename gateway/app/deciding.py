"""Writes that were accepted and wait: decided in the background, listed and replayed by hand."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final

from gateway.app.keep import opened_keep
from gateway.settings import Settings
from gateway.telemetry import LOGGER
from guard.clerk import Clerk, Pace
from guard.leaves import leaf_of_queue
from guard.ports import Dead
from guard.rooms import Rooms
from memory.ids import RANDOM_BYTES, uuid7
from memory.origin import Channel
from memory.types import LeafId, TenantId
from storage.queue import SqlQueue

MOST: Final = 1000
"""Dead writes that are listed or replayed at once."""


class Deciding:
    """The clerk of one gateway, at work while it serves."""

    def __init__(self, settings: Settings, rooms: Rooms, accepted: asyncio.Event) -> None:
        writes = settings.writes
        pace = Pace(
            at_once=writes.at_once,
            lease=writes.lease_seconds,
            longest_pause=writes.longest_pause_seconds,
            attempts=writes.attempts,
        )
        self._clerk = Clerk(rooms, pace, accepted)
        self._patience = settings.http.shutdown_seconds
        self.running: list[asyncio.Task[None]] = []
        """The work, while there is some."""

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Decide what waits meanwhile; then let what is being decided come to its end."""
        task = asyncio.create_task(self._clerk.run(), name="clerk")
        self.running.append(task)
        try:
            yield
        finally:
            self.running.remove(task)
            self._clerk.stop()
            await asyncio.wait((task,), timeout=self._patience)
            task.cancel()
            await asyncio.wait((task,))
            if not task.cancelled() and task.exception() is not None:
                LOGGER.error("background work broke", extra={"task": task.get_name()})


async def dead_writes(settings: Settings, tenant: str | None) -> list[Dead]:
    """Return the writes that were given up, of one tenant or all, longest dead first."""
    async with opened_keep(settings) as keep:
        return await SqlQueue(keep.database).dead(MOST, _named(tenant))


async def replay(settings: Settings, tenant: str | None, ids: frozenset[str]) -> list[Dead]:
    """Have dead writes tried again, those with these ids or, without ids, all; return which.

    Works beside a gateway that serves. What it does is in the audit.
    """
    replayed: list[Dead] = []
    async with opened_keep(settings) as keep:
        queue = SqlQueue(keep.database)
        for one in await queue.dead(MOST, _named(tenant)):
            if ids and one.id not in ids:
                continue
            at = datetime.now(UTC)
            leaf_id = LeafId(uuid7(at, secrets.token_bytes(RANDOM_BYTES)))
            # Noted first: a replay that nobody knows of must not be possible.
            leaf = leaf_of_queue(
                one.owner, one.id, leaf_id, at, outcome="replayed", channel=Channel.CLI
            )
            await keep.audit.note([leaf])
            if await queue.replay(one.owner.tenant, one.id, at):
                replayed.append(one)
    return replayed


def _named(tenant: str | None) -> TenantId | None:
    return None if tenant is None else TenantId(tenant)
