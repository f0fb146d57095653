"""The background loop that decides the writes that wait, again and again until they are decided."""

import asyncio
import contextlib
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

import msgspec

from guard.errors import GuardError, NotFoundError, UnavailableError, UnreadableError
from guard.held import QuarantineFullError, expire_held
from guard.leaves import leaf_of_queue
from guard.ports import Due
from guard.queue import carry_out
from guard.rooms import Rooms
from memory.types import LeafId, Owner

_POLL_SECONDS: Final = 1.0
_HELD_BACK_SECONDS: Final = 60.0
"""Until a suspended tenant's write is looked at again."""
_LONGEST_SHIFT: Final = 20


class Pace(msgspec.Struct, frozen=True):
    """How the queue is worked through; every time in seconds."""

    at_once: int = 4
    lease: float = 60.0
    first_pause: float = 0.5
    longest_pause: float = 600.0
    attempts: int = 20
    tidy: float = 600.0


class Clerk:
    """Decides due writes. `wake` is set when there is one; else it looks every second."""

    def __init__(
        self,
        rooms: Rooms,
        pace: Pace,
        wake: asyncio.Event,
        *,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._rooms = rooms
        self._pace = pace
        self._jitter = jitter
        self._wake = wake
        self._stopping = False
        self._tidy_at = rooms.clock()

    def stop(self) -> None:
        """Make `run` end once what is being decided is decided."""
        self._stopping = True
        self._wake.set()

    async def run(self) -> None:
        """Work until `stop`. When cancelled, what was being decided is due when its lease ends."""
        while not self._stopping:
            self._wake.clear()
            # The ledger does not answer: it is asked again below.
            with contextlib.suppress(GuardError):
                await self.drain()
                await self.tidy()
            if not self._stopping:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_POLL_SECONDS):
                        await self._wake.wait()

    async def drain(self) -> int:
        """Look at all that is due now, a few at once; return how many writes were looked at."""
        seen = 0
        while dues := await self._rooms.queue.claim(
            self._pace.at_once, self._rooms.clock(), self._pace.lease
        ):
            of_one: defaultdict[Owner, list[Due]] = defaultdict(list)
            for due in dues:
                of_one[due.owner].append(due)
            # A subject's writes in their order; different subjects' at once.
            async with asyncio.TaskGroup() as group:
                for some in of_one.values():
                    group.create_task(self._in_order(some))
            seen += len(dues)
            if self._stopping:
                break
        return seen

    async def tidy(self) -> None:
        """Remove what has expired, now and then: answers, outcomes, turns, traces, what is held."""
        now = self._rooms.clock()
        if now >= self._tidy_at:
            self._tidy_at = now + timedelta(seconds=self._pace.tidy)
            await self._rooms.answers.expire(now)
            await self._rooms.transcript.expire(now)
            await self._rooms.traces.expire(now)
            await self._rooms.undoing.expire(now)
            await self._rooms.proposals.expire(now)
            await expire_held(self._rooms)

    async def _in_order(self, dues: Sequence[Due]) -> None:
        for due in dues:
            # When the ledger does not answer here, either, the lease brings the write back.
            with contextlib.suppress(GuardError):
                await self._decide(due)

    async def _decide(self, due: Due) -> None:
        rooms = self._rooms
        tenant = await rooms.registry.tenant(due.owner.tenant)
        if tenant is None or tenant.suspended:
            later = rooms.clock() + timedelta(seconds=_HELD_BACK_SECONDS)
            await rooms.queue.retry(due, later, due.attempts)
            return
        try:
            # Beyond the lease another may be at it; only one of the two can commit.
            async with asyncio.timeout(self._pace.lease):
                await carry_out(due, rooms)
        except NotFoundError:
            return  # decided elsewhere, or forgotten meanwhile
        except UnreadableError:
            await self._bury(due, "queue.unreadable")
        except (UnavailableError, TimeoutError):
            await self._again(due, "queue.unavailable")
        except QuarantineFullError:
            await self._again(due, "queue.quarantine_full")
        # One write that breaks the code must not keep all others waiting. The exception may quote
        # the text, so it is not kept; what is, is that the write came to nothing so often.
        except Exception:  # noqa: BLE001
            await self._again(due, "queue.failed")

    async def _again(self, due: Due, reason: str) -> None:
        attempts = due.attempts + 1
        if attempts >= self._pace.attempts:
            await self._bury(msgspec.structs.replace(due, attempts=attempts), reason)
            return
        doubled = self._pace.first_pause * 2 ** min(due.attempts, _LONGEST_SHIFT)
        pause = min(self._pace.longest_pause, doubled) * (0.5 + self._jitter() / 2)
        at = self._rooms.clock() + timedelta(seconds=pause)
        await self._rooms.queue.retry(due, at, attempts)

    async def _bury(self, due: Due, reason: str) -> None:
        now = self._rooms.clock()
        await self._rooms.queue.bury(due, reason, now)
        leaf_id = LeafId(self._rooms.new_id())
        leaf = leaf_of_queue(due.owner, due.id, leaf_id, now, outcome="buried", reasons=(reason,))
        await self._rooms.audit.note([leaf])
