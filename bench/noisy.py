"""A noisy neighbour: does one tenant at 20 times its limit slow the others down?

    python -m bench.noisy [--rounds 3] [--seconds 20] [--without]

One real gateway process. Several quiet tenants recall at a steady rate, round after round, first
among themselves and then beside one tenant that asks for 20 times what it may spend, writes and
recalls mixed, from a process of its own. Printed are the quiet tenants' recall times of both, and
the ratio of their 95th percentiles, which is to stay within 1.5. Requests are sent by the clock,
whether or not earlier ones were answered, and counted from when they were due.

`--without` is the control: the same load on a gateway with limits so wide that none takes effect.
"""

import argparse
import asyncio
import contextlib
import itertools
import statistics
import sys
import time
from asyncio.subprocess import DEVNULL, Process
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final

import httpx2

from gateway.app import tokens
from gateway.cli.private import ENVIRONMENT, Place, command, place

BOUND: Final = 1.5
_TIMES: Final = 20
_QUIET_TENANTS: Final = 4
_QUIET_RATE: Final = 1.0
"""Recalls a second of each quiet tenant."""
_MEMORIES: Final = 40
_UNITS_PER_MINUTE: Final = 240
_WRITE, _RECALL = 5, 2
"""Units: the default costs."""
_NOISY_SUBJECTS: Final = 10
_WARM_SECONDS: Final = 3.0
_START_SECONDS: Final = 120.0
_MOST: Final = 1_000_000_000

LIMITED: Final = {
    "MEMGUARD_LIMITS_TENANT_UNITS_PER_MINUTE": str(_UNITS_PER_MINUTE),
    "MEMGUARD_LIMITS_BURST_SECONDS": "10",
}
UNLIMITED: Final = {
    "MEMGUARD_LIMITS_SUBJECT_UNITS_PER_MINUTE": str(_MOST),
    "MEMGUARD_LIMITS_ORIGIN_UNITS_PER_MINUTE": str(_MOST),
    "MEMGUARD_LIMITS_TENANT_UNITS_PER_MINUTE": str(_MOST),
    "MEMGUARD_LIMITS_CONCURRENCY": "4096",
    "MEMGUARD_LIMITS_TENANT_CONCURRENCY": "4096",
    "MEMGUARD_LIMITS_TENANT_QUEUE": "65536",
}


def _text(number: int) -> str:
    return f"The spare key number {number} of the workshop lies on shelf {number % 17} in Lisbon."


async def _steadily(
    rate: float, seconds: float, send: Callable[[int], Awaitable[None]]
) -> list[float]:
    """Call `send` `rate` times a second by the clock; return how long after its due time each of
    the calls ended.
    """
    start = time.perf_counter()
    taken: list[float] = []

    async def one(number: int, due: float) -> None:
        await send(number)
        taken.append(time.perf_counter() - due)

    async with asyncio.TaskGroup() as group:
        for number in range(round(rate * seconds)):
            due = start + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            group.create_task(one(number, due))
    return taken


class Caller:
    """One subject of a tenant over HTTP."""

    def __init__(self, url: str, token: str) -> None:
        self.http = httpx2.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,
            trust_env=False,
            # Given up sooner than the server closes it: a request must not meet the closing.
            limits=httpx2.Limits(max_connections=None, keepalive_expiry=2.0),
        )
        self.statuses: Counter[int] = Counter()

    async def store(self, number: int) -> None:
        """Write one memory."""
        body = {"text": _text(number), "origin": {"reference": f"notebook {number // 20}"}}
        await self._send("/v1/memories", body)

    async def recall(self, number: int) -> None:
        """Ask for one memory."""
        body = {"query": f"Where is the spare key number {number % _MEMORIES}?", "k": 5}
        await self._send("/v1/recall", body)

    async def _send(self, path: str, body: Mapping[str, object]) -> None:
        try:
            answer = await self.http.post(path, json=body)
        except httpx2.TransportError:
            self.statuses[0] += 1  # no answer at all
        else:
            self.statuses[answer.status_code] += 1


def _caller(where: Place, tenant: str, subject: str) -> Caller:
    token = tokens.token(
        where.settings,
        tenant=tenant,
        subject=subject,
        scopes=("memory:read", "memory:write"),
        client="dev-app",
        ttl_seconds=3600,
    )
    return Caller(where.settings.url, token)


@asynccontextmanager
async def _gateway(where: Place, environment: dict[str, str]) -> AsyncIterator[None]:
    http, storage = where.settings.http, where.settings.storage
    options = ("--host", http.host, "--port", str(http.port), "--data-dir", str(storage.data_dir))
    with where.log.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command("serve", *options),
            stdin=DEVNULL,
            stdout=log,
            stderr=log,
            env={**ENVIRONMENT, **environment},
        )
        try:
            await _ready(where.settings.url, process)
            yield
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()


async def _ready(url: str, process: Process) -> None:
    async with asyncio.timeout(_START_SECONDS), httpx2.AsyncClient(trust_env=False) as http:
        while process.returncode is None:
            with contextlib.suppress(httpx2.TransportError):
                if (await http.get(f"{url}/readyz")).is_success:
                    return
            await asyncio.sleep(0.2)
    raise RuntimeError("the gateway did not start")


async def make_noise(url: str, seconds: float, tokens: Sequence[str]) -> None:
    """Ask for 20 times the limit, half the units as writes and half as recalls."""
    callers = [Caller(url, token) for token in tokens]
    units = _UNITS_PER_MINUTE / 60 * _TIMES / 2
    turns = itertools.cycle(callers)
    async with asyncio.TaskGroup() as group:
        group.create_task(_steadily(units / _WRITE, seconds, lambda n: next(turns).store(n)))
        group.create_task(_steadily(units / _RECALL, seconds, lambda n: next(turns).recall(n)))
    total = sum((one.statuses for one in callers), Counter[int]())
    print(f"  the noisy tenant was answered {dict(sorted(total.items()))}")


@asynccontextmanager
async def _noise(where: Place, seconds: float) -> AsyncIterator[None]:
    tokens = [
        _caller(where, "noisy", f"subject-{number}").http.headers["Authorization"].split()[1]
        for number in range(_NOISY_SUBJECTS)
    ]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.noisy", "--noise", where.settings.url),
        *("--seconds", str(seconds + 2 * _WARM_SECONDS), *tokens),
        stdin=DEVNULL,
    )
    await asyncio.sleep(_WARM_SECONDS)
    yield
    await process.wait()


async def _measure(rounds: int, seconds: float, environment: dict[str, str]) -> float:
    async with place() as where, _gateway(where, environment):
        quiet = [_caller(where, f"quiet-{number}", "one") for number in range(_QUIET_TENANTS)]
        for one in quiet:
            # Within the limit, as a good neighbour.
            await _steadily(_UNITS_PER_MINUTE / 60 / _WRITE, _MEMORIES / 4, one.store)

        async def recalls(length: float) -> list[float]:
            asking = (_steadily(_QUIET_RATE, length, one.recall) for one in quiet)
            return [taken for part in await asyncio.gather(*asking) for taken in part]

        await recalls(_WARM_SECONDS)
        for one in quiet:
            one.statuses.clear()
        alone: list[float] = []
        beside: list[float] = []
        for _ in range(rounds):
            alone += await recalls(seconds)
            async with _noise(where, seconds):
                beside += await recalls(seconds)
        statuses = sum((one.statuses for one in quiet), Counter[int]())
    print(f"  the quiet tenants were answered {dict(sorted(statuses.items()))}")
    print(f"  quiet tenants alone:   {_told(alone)}")
    print(f"  beside the noisy one:  {_told(beside)}")
    if set(statuses) != {200}:
        raise RuntimeError("a quiet tenant was refused")
    return _p95(beside) / _p95(alone)


def _p95(taken: Sequence[float]) -> float:
    return statistics.quantiles(taken, n=20)[-1]


def _told(taken: Sequence[float]) -> str:
    median = statistics.median(taken)
    return f"p50 {median * 1e3:.1f} ms, p95 {_p95(taken) * 1e3:.1f} ms ({len(taken)} recalls)"


def main() -> None:
    """Measure and print; exit 1 when the bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--without", action="store_true", help="the control: no limit takes effect")
    parser.add_argument("--noise", metavar="URL", help=argparse.SUPPRESS)
    parser.add_argument("tokens", nargs="*", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.noise:
        asyncio.run(make_noise(arguments.noise, arguments.seconds, arguments.tokens))
        return
    environment = UNLIMITED if arguments.without else LIMITED
    ratio = asyncio.run(_measure(arguments.rounds, arguments.seconds, environment))
    print(f"recall p95 beside a tenant at {_TIMES} times its limit: {ratio:.2f} x the quiet run")
    if not arguments.without and ratio > BOUND:
        sys.exit(1)


if __name__ == "__main__":
    main()
