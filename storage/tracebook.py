"""Traces of recalls, sealed and written in batches off the request's path.

The loss window is `interval_seconds`, as for the audit's leaves of recalls. What waits is in this
process's memory alone, and what is to be erased is taken out of there too.
"""

import asyncio
import contextlib
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Final

from guard.errors import ConflictError, UnavailableError, UnreadableError
from guard.ports import Clock, Envelopes, Record
from memory.types import Owner, SubjectId, TenantId, TraceId
from storage.ports import SealedTrace, TraceStore
from storage.rows import micros

_BATCH: Final = 200
_CAPACITY_BYTES: Final = 32 * 2**20
_MOST_BARS: Final = 10_000

_Place = tuple[Owner, TraceId]
_Whose = tuple[TenantId, SubjectId | None]


class TraceBook:
    """Fulfils `guard.ports.Traces`: takes traces at once, writes them within `interval_seconds`.

    At most `capacity_bytes` wait; beyond that the oldest are given up and counted in `lost`, so
    that a dead database can't exhaust memory.
    """

    def __init__(
        self,
        store: TraceStore,
        envelopes: Envelopes,
        clock: Clock,
        *,
        keep: timedelta = timedelta(days=7),
        interval_seconds: float = 0.25,
        capacity_bytes: int = _CAPACITY_BYTES,
    ) -> None:
        self.lost = 0
        self._store = store
        self._envelopes = envelopes
        self._clock = clock
        self._keep = keep
        self._interval = interval_seconds
        self._capacity = capacity_bytes
        self._waiting: OrderedDict[_Place, tuple[datetime, bytes]] = OrderedDict()
        self._bytes = 0
        self._bars: OrderedDict[_Whose, datetime] = OrderedDict()
        self._writing = asyncio.Lock()
        self._stopping = asyncio.Event()

    def record(self, owner: Owner, id: TraceId, at: datetime, plain: bytes) -> None:
        """Take one trace; never blocks and never raises."""
        if self._is_barred(owner, at):
            return  # It was being answered while the owner's traces were erased.
        self._waiting[owner, id] = (at, plain)
        self._bytes += len(plain)
        while self._bytes > self._capacity:
            self._taken()
            self.lost += 1

    async def read(self, owner: Owner, id: TraceId, now: datetime) -> bytes | None:
        """Return what was recorded, None for what is not this owner's, expired or unreadable."""
        await _all_answered()
        waiting = self._waiting.get((owner, id))
        if waiting is not None:
            return waiting[1] if waiting[0] + self._keep > now else None
        # What is being written just now is in the store when the writing has ended.
        async with self._writing:
            kept = await self._store.find(owner.tenant, owner.subject, id, now)
        if kept is None:
            return None
        try:
            place = _place(id, kept.at, kept.expires_at)
            return await self._envelopes.unwrap(owner, Record.TRACE, place, kept.token)
        except UnreadableError:
            return None

    async def erase(self, tenant: TenantId, subject: SubjectId | None) -> int:
        """Remove all traces of a subject, or of the whole tenant; return how many."""
        await _all_answered()
        self._bars[tenant, subject] = self._clock()
        self._bars.move_to_end((tenant, subject))
        while len(self._bars) > _MOST_BARS:
            self._bars.popitem(last=False)
        mine = [
            place
            for place in self._waiting
            if place[0].tenant == tenant and subject in (None, place[0].subject)
        ]
        for place in mine:
            self._bytes -= len(self._waiting.pop(place)[1])
        # A batch that is being written just now must be there to be removed.
        async with self._writing:
            return len(mine) + await self._store.erase(tenant, subject)

    async def expire(self, now: datetime) -> int:
        """Remove the traces of every tenant that have expired; return how many."""
        return await self._store.expire(now)

    async def flush(self) -> None:
        """Write what waits. Raises UnavailableError; nothing is lost by that."""
        await _all_answered()
        while self._waiting:
            async with self._writing:
                await self._write()

    async def run(self) -> None:
        """Flush again and again until `stop`, then once more."""
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), self._interval)
            # When the database is away, traces stay in memory and the next round tries again.
            with contextlib.suppress(UnavailableError):
                await self.flush()

    def stop(self) -> None:
        """Make `run` end after a last flush."""
        self._stopping.set()

    async def _write(self) -> None:
        batch = [self._taken() for _ in range(min(_BATCH, len(self._waiting)))]
        try:
            sealed = [await self._sealed(*place, at, plain) for place, (at, plain) in batch]
            await self._store.add([trace for trace in sealed if trace is not None])
        except ConflictError:
            self.lost += len(batch)
        except UnavailableError:
            self._put_back(batch)
            raise
        else:
            self.lost += sealed.count(None)

    async def _sealed(
        self, owner: Owner, id: TraceId, at: datetime, plain: bytes
    ) -> SealedTrace | None:
        """Return a trace as it is kept, None when its owner's key is gone."""
        until = at + self._keep
        try:
            token = await self._envelopes.wrap(owner, Record.TRACE, _place(id, at, until), plain)
        except UnreadableError:
            return None
        return SealedTrace(owner, id, at, until, token)

    def _put_back(self, batch: list[tuple[_Place, tuple[datetime, bytes]]]) -> None:
        for place, (at, plain) in reversed(batch):
            if not self._is_barred(place[0], at):
                self._waiting[place] = (at, plain)
                self._waiting.move_to_end(place, last=False)
                self._bytes += len(plain)

    def _taken(self) -> tuple[_Place, tuple[datetime, bytes]]:
        place, kept = self._waiting.popitem(last=False)
        self._bytes -= len(kept[1])
        return place, kept

    def _is_barred(self, owner: Owner, at: datetime) -> bool:
        bars = (self._bars.get((owner.tenant, name)) for name in (owner.subject, None))
        return any(bar is not None and at <= bar for bar in bars)


async def _all_answered() -> None:
    """Return when the loop has come to what was scheduled before: traces of answers given."""
    await asyncio.sleep(0)


def _place(id: TraceId, at: datetime, expires_at: datetime) -> tuple[bytes, ...]:
    """Return what binds a trace to where and until when it lies: its times can't be prolonged."""
    return id.encode(), *(micros(one).to_bytes(8, "big") for one in (at, expires_at))
