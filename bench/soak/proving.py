"""Afterwards, with everything there again: each acknowledgement is held against what is there."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeVar

from bench.soak.asking import Answer, Asking
from bench.soak.book import Book, Entry, State
from bench.soak.site import Site
from bench.soak.visiting import Visiting
from tests.live.gateway_process import until

_T = TypeVar("_T")

_DRAIN_SECONDS: Final = 240.0
"""The longest lease of a killed gateway and the longest pause after failures, and some."""
_AT_ONCE: Final = 8
_ATTEMPTS: Final = 20
_RECALLED: Final = 300
"""How many memories are asked for in their own words."""


class Proving:
    """Asks for everything that the book knows; what does not fit becomes a violation there."""

    def __init__(self, asking: Asking, book: Book) -> None:
        self._asking = asking
        self._book = book
        # Nobody visits: it only lends its way of reading.
        self._visiting = Visiting(asking, book, [], random.Random(0))  # noqa: S311

    async def everything(self, chance: random.Random) -> None:
        """Read each memory by id, list everybody's, and ask for a sample."""
        self._book.settle()
        owners = self._book.owners()
        entries = [entry for owner in owners for entry in self._book.entries(owner)]
        await self._each(entries, self._read)
        await self._each(owners, self._visiting.list)
        kept = [one for one in entries if one.state is State.KEPT]
        await self._each(chance.sample(kept, min(_RECALLED, len(kept))), self._recall)
        gone = [one for one in entries if one.state is State.GONE]
        await self._each(chance.sample(gone, min(_RECALLED // 3, len(gone))), self._recall)

    async def _read(self, entry: Entry) -> None:
        answer = await self._insisted(lambda: self._visiting.read_one(entry))
        if answer.again:
            self._book.violated(f"NO ANSWER: {entry.owner} {entry.id}: {answer.status}")

    async def _recall(self, entry: Entry) -> None:
        body = {"query": entry.text, "k": 10}
        answer = await self._insisted(
            lambda: self._asking.rest(entry.owner, "POST", "/v1/recall", body)
        )
        if answer.status != 200 or answer.body["degraded"]:
            self._book.violated(f"NO ANSWER: recall of {entry.owner}: {answer.status}")
            return
        self._book.recalled(entry.owner, answer.texts)
        if entry.state is State.KEPT and entry.id not in answer.texts:
            self._book.violated(f"NOT RECALLED: {entry.owner} {entry.id}")

    async def _insisted(self, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """Ask until there is an answer: an index that was away is tried again by and by."""
        for _ in range(_ATTEMPTS):
            answer = await ask()
            if not answer.again and not answer.body.get("degraded"):
                break
            await asyncio.sleep(1)
        return answer

    async def _each(self, them: Iterable[_T], check: Callable[[_T], Awaitable[None]]) -> None:
        rest = iter(them)

        async def work() -> None:
            for one in rest:
                await check(one)

        async with asyncio.TaskGroup() as group:
            for _ in range(_AT_ONCE):
                group.create_task(work())


async def drained(site: Site, book: Book) -> None:
    """Wait until every accepted write is decided and the index has followed."""
    for table in ("queue", "outbox"):

        async def empty(table: str = table) -> bool:
            return await asyncio.to_thread(site.count, table) == 0

        try:
            await until(empty, f"{table} is empty", _DRAIN_SECONDS)
        except AssertionError as late:
            book.violated(f"NOT DRAINED: {late}: {site.count(table)} left")


async def audited(site: Site, book: Book) -> int:
    """Verify every tenant's audit with the command; return how many leaves there are."""
    code, reports = await site.gateways[0].memguard("audit", "verify")
    bad = [one for one in reports if not one["ok"]]
    if code or bad or not reports:
        book.violated(f"AUDIT: exit code {code}: {bad or 'no tenants'}")
    return sum(one["leaves"] for one in reports)


async def stopped(site: Site, book: Book) -> None:
    """Stop every gateway as its operator would, and compare index and ledger."""
    for gateway in site.gateways:
        try:
            await gateway.stop()
        except AssertionError as error:
            book.violated(f"STUCK: {error}")
            await gateway.kill()
    drift = await site.gateways[0].drift()
    if any(drift.values()):
        book.violated(f"DRIFT: {drift}")
