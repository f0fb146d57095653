"""Makes the index follow the ledger: drains the outbox, again and again, until it is empty.

A task is a hint to look, not an instruction: what the ledger says of the memory when it is looked
at decides. So tasks may come twice or out of order and the index still ends where the ledger is.
"""

import asyncio
import contextlib
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta

from guard.errors import GuardError, UnavailableError
from guard.nouns import Label, Row
from guard.ports import Clock, Ledger, Vault
from memory.types import MemoryId, State, SubjectId, TenantId
from storage.figures import made_at
from storage.ports import Outbox, Task
from storage.repair import Rebuildable, index_rows, mend

_CLAIM = 64
_LEASE_SECONDS = 60.0
_POLL_SECONDS = 1.0
_LINGER_SECONDS = 0.05
"""Waited after a nudge, so that what is committed just after it is followed in the same batch: a
claim and its end are two durable writes. Recall sees rows that the index lacks anyway (R13)."""
_FIRST_SECONDS, _LONGEST_SECONDS = 0.25, 60.0


class Follower:
    """One background loop that owns the outbox. `nudge` wakes it; else it looks every second."""

    def __init__(
        self,
        outbox: Outbox,
        ledger: Ledger,
        vault: Vault,
        index: Rebuildable,
        clock: Clock,
        *,
        jitter: Callable[[], float] = random.random,
        followed: Callable[[float], None] = lambda _seconds: None,
    ) -> None:
        """`followed` is told of each change how many seconds later the index had it."""
        self._outbox = outbox
        self._ledger = ledger
        self._vault = vault
        self._index = index
        self._clock = clock
        self._jitter = jitter
        self._followed = followed
        self._wake = asyncio.Event()
        self._failures: Counter[TenantId] = Counter()
        self.unreadable = 0
        """Rows that failed to open, or to fit the index, and were taken out of it."""
        self.retries = 0
        """Batches put off because something did not answer."""
        self.rebuilt = 0
        """Tenants rebuilt because their part of the index was damaged."""

    def nudge(self) -> None:
        """Say that there is something to follow."""
        self._wake.set()

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            self._wake.clear()
            try:
                done = await self.drain()
                self.rebuilt += await mend(self._outbox, self._vault, self._index)
            except GuardError:
                done = 0  # the ledger or the index does not answer; both are asked again below
            if not done:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_POLL_SECONDS):
                        await self._wake.wait()
                        await asyncio.sleep(_LINGER_SECONDS)

    async def drain(self) -> int:
        """Follow all that is due now; return how many tasks were done."""
        done = 0
        while tasks := await self._outbox.claim(_CLAIM, self._clock(), _LEASE_SECONDS):
            batches: defaultdict[TenantId, list[Task]] = defaultdict(list)
            for task in tasks:
                batches[task.tenant].append(task)
            for tenant, batch in batches.items():
                done += await self._follow(tenant, batch)
        return done

    async def _follow(self, tenant: TenantId, tasks: Sequence[Task]) -> int:
        try:
            await self._apply(tenant, tasks)
        except UnavailableError:
            await self._put_off(tenant, tasks)
            return 0
        del self._failures[tenant]
        await self._outbox.done(tasks)
        return len(tasks)

    async def _apply(self, tenant: TenantId, tasks: Sequence[Task]) -> None:
        subjects: defaultdict[SubjectId, dict[MemoryId, None]] = defaultdict(dict)
        for task in tasks:
            subjects[task.subject][task.id] = None
        rows: list[Row] = []
        for subject, ids in subjects.items():
            rows += await self._ledger.rows(tenant, subject, tuple(ids))
        active = [row for row in rows if row.sealed.label.state is State.ACTIVE]
        kept = {row.sealed.label.id for row in active}
        gone = [id for ids in subjects.values() for id in ids if id not in kept]
        await self._index.remove(tenant, gone)
        self.unreadable += await index_rows(tenant, active, self._vault, self._index)
        now = self._clock().timestamp()
        for row in rows:
            self._followed(max(0.0, now - _committed_at(row.sealed.label)))

    async def _put_off(self, tenant: TenantId, tasks: Sequence[Task]) -> None:
        self.retries += 1
        self._failures[tenant] += 1
        delay = min(_LONGEST_SECONDS, _FIRST_SECONDS * 2 ** (self._failures[tenant] - 1))
        spread = delay * (0.5 + self._jitter() / 2)
        await self._outbox.retry(tasks, self._clock() + timedelta(seconds=spread))


def _committed_at(label: Label) -> float:
    """Return when a version came to be, in seconds since 1970.

    By its leaf: a memory that is only judged again keeps the time of its last change.
    """
    try:
        return made_at(label.leaf)
    except ValueError:
        return label.changed_at.timestamp()
