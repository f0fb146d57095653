"""Supervises one index worker: starts it, talks to it, buries it and starts the next.

A call to a worker that is down, late or overwhelmed fails at once with UnavailableError: the ledger
answers meanwhile, and the outbox tries again. Nothing here blocks the event loop.
"""

import asyncio
import contextlib
import sys
import time
from collections import Counter

import msgspec

from guard.errors import InvalidError, UnavailableError
from memory.types import TenantId
from storage.index import wire
from storage.index.child import Child

_STRIKES = 3
"""Deaths in a row over one tenant's calls before its shards are set aside."""
_PENDING_LIMIT = 512
_FIRST_DELAY, _LONGEST_DELAY = 0.05, 5.0
_START_SECONDS = 60.0
_END_SECONDS = 10.0
_COMMAND = (sys.executable, "-I", "-m", "storage.index.worker")
_STALLS = 4
"""Time-outs' worth of silence after which a worker counts as hung and is killed."""


class _Inflight(msgspec.Struct):
    tenant: TenantId | None
    since: float
    answer: asyncio.Future[wire.Result]


class Worker:
    """One supervised worker process for one share of the tenants."""

    def __init__(self, configure: wire.Configure, lock: int, timeout: float) -> None:
        self._configure = configure
        self._lock = lock
        self._timeout = timeout
        self._process: Child | None = None
        self._serving = False
        self._closing = asyncio.Event()
        self._inflight: dict[int, _Inflight] = {}
        self._number = 0
        self._heard = 0.0
        self._strikes: Counter[TenantId] = Counter()
        self._supervisor: asyncio.Task[None] | None = None
        self._started = asyncio.Event()
        self.incomplete: set[TenantId] = set()
        self.strays = 0
        self.restarts = 0

    @property
    def pid(self) -> int | None:
        """The process that serves now."""
        return self._process.pid if self._serving and self._process is not None else None

    async def start(self) -> None:
        """Return when the worker serves. Raises UnavailableError when it doesn't come up."""
        self._supervisor = asyncio.create_task(self._supervise(), name="index worker")
        try:
            async with asyncio.timeout(_START_SECONDS):
                await self._started.wait()
        except TimeoutError:
            await self.close()
            raise UnavailableError("index") from None

    async def call(self, request: wire.Request, tenant: TenantId | None = None) -> wire.Result:
        """Return the worker's result. Raises UnavailableError when there is none in time.

        While it has been silent for longer than that, nobody waits: who comes is told at once.
        """
        if not self._serving:
            raise UnavailableError("index")
        if len(self._inflight) >= _PENDING_LIMIT or self._silence() >= self._timeout:
            self._kill_if_hung()
            raise UnavailableError("index")
        try:
            return await self._exchange(request, tenant, self._timeout)
        except TimeoutError:
            self._kill_if_hung()
            raise UnavailableError("index") from None

    async def close(self) -> None:
        """End the worker after it flushed; kill it when it does not end in time."""
        self._closing.set()
        self._serving = False
        self._end_input()
        if self._supervisor is None:
            return
        done, _ = await asyncio.wait({self._supervisor}, timeout=max(_END_SECONDS, self._timeout))
        if not done and self._process is not None:
            self._process.kill()
        await self._supervisor

    def _end_input(self) -> None:
        if self._process is not None:
            self._process.stdin.close()

    async def _exchange(
        self, request: wire.Request, tenant: TenantId | None, seconds: float
    ) -> wire.Result:
        process = self._process
        if process is None:
            raise UnavailableError("index")
        self._number += 1
        now = time.monotonic()
        try:
            sent = wire.frame(wire.Call(self._number, now + seconds, request))
        except ValueError as error:
            raise InvalidError("too much for one call") from error
        entry = _Inflight(tenant, now, asyncio.get_running_loop().create_future())
        # It stays until answered, also when its caller has left: the oldest one is what the
        # worker is busy with.
        self._inflight[self._number] = entry
        async with asyncio.timeout(seconds):
            # Death is noticed by the reader; uvloop calls a pipe that is closed a RuntimeError.
            with contextlib.suppress(ConnectionError, RuntimeError):
                process.stdin.write(sent)
                await process.stdin.drain()
            return await entry.answer

    async def _supervise(self) -> None:
        delay = _FIRST_DELAY
        while not self._closing.is_set():
            delay = _FIRST_DELAY if await self._live() else min(delay * 2, _LONGEST_DELAY)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._closing.wait()
            self.restarts += 1

    async def _live(self) -> bool:
        """Run one process from birth to death; say whether it answered anything."""
        condemned = tuple(t for t, strikes in self._strikes.items() if strikes >= _STRIKES)
        for tenant in condemned:
            del self._strikes[tenant]
        try:
            process = await Child.start(_COMMAND, self._configure.root, (self._lock,))
        except OSError:
            return False  # no process or memory to be had now
        self._process = process
        if self._closing.is_set():
            self._end_input()
        greeting = asyncio.create_task(self._greet(process, condemned))
        try:
            return await self._listen(process)
        finally:
            self._serving = False
            greeting.cancel()
            self._bury()
            await process.end(_END_SECONDS)

    async def _greet(self, process: Child, condemned: tuple[TenantId, ...]) -> None:
        configure = msgspec.structs.replace(self._configure, condemned=condemned)
        try:
            ready = await self._exchange(configure, None, _START_SECONDS)
        except TimeoutError:
            process.kill()
            return
        if isinstance(ready, wire.Ready):
            self.incomplete = set(ready.incomplete)
            self.strays = ready.strays
            self._serving = True
            self._started.set()

    async def _listen(self, process: Child) -> bool:
        answers = 0
        try:
            while True:
                header = await process.stdout.readexactly(wire.HEADER.size)
                (length,) = wire.HEADER.unpack(header)
                if length > wire.FRAME_LIMIT:
                    break
                self._take(wire.read_answer(await process.stdout.readexactly(length)))
                answers += 1
        except (asyncio.IncompleteReadError, ConnectionError, msgspec.DecodeError):
            pass  # dead, or no longer making sense: either way its time is over
        return answers > 1

    def _take(self, answer: wire.Answer) -> None:
        self._heard = time.monotonic()
        if isinstance(answer.result, wire.Incomplete):
            self.incomplete.add(answer.result.tenant)
            return
        entry = self._inflight.pop(answer.number, None)
        if entry is not None:
            if entry.tenant is not None:
                self._strikes.pop(entry.tenant, None)
            if not entry.answer.done():
                entry.answer.set_result(answer.result)

    def _bury(self) -> None:
        """Fail what waited, and count the death against the tenant that was being served."""
        waiting = list(self._inflight.values())
        self._inflight.clear()
        if waiting and waiting[0].tenant is not None:
            self._strikes[waiting[0].tenant] += 1
        for entry in waiting:
            if not entry.answer.done():
                entry.answer.set_exception(UnavailableError("index"))
                # A caller that left at its deadline never fetches it.
                entry.answer.exception()

    def _silence(self) -> float:
        """Return the seconds for which it has owed an answer and given none, 0 if it owes none."""
        head = next(iter(self._inflight.values()), None)
        return 0.0 if head is None else time.monotonic() - max(self._heard, head.since)

    def _kill_if_hung(self) -> None:
        process = self._process
        if process is None or process.ended:
            return
        if self._silence() >= self._timeout * _STALLS:
            process.kill()
