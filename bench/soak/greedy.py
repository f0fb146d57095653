"""A subject that asks far more often than it may, and how much more it was given than allowed."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec

from bench.soak.asking import Asking
from bench.soak.book import Book, Owner

GREEDY: Final = Owner(99, 0)
UNITS_PER_MINUTE: Final = 60
BURST_SECONDS: Final = 5
_CAPACITY: Final = UNITS_PER_MINUTE * BURST_SECONDS // 60
_REFILL: Final = UNITS_PER_MINUTE / 60
_EVERY_SECONDS: Final = 0.2
_LOST: Final = "the shared rate limits do not answer; counting in this process alone"
_FOUND: Final = ("the shared rate limits answer again", "serving")
_NOBODYS: Final = "01a2299d-a9d2-7a0c-87c6-3052caa1a056"


class Given(NamedTuple):
    """One request that was let in, which cost one unit."""

    sent: float
    answered: float


class Outage(NamedTuple):
    """A time in which the shared store was not there for some gateway."""

    began: float
    ended: float


class Excess(NamedTuple):
    """The most that any span of time was given, as a multiple of the limit."""

    shared: float
    """In spans without an outage."""
    alone: float
    """In spans that touch one."""


class Greed:
    """Asks five times a second for what costs a unit, with a limit of one unit a second."""

    def __init__(self, asking: Asking, book: Book) -> None:
        self._asking = asking
        self._book = book
        self.given: list[Given] = []
        self.refused = 0

    async def run(self) -> None:
        """Ask until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                group.create_task(self._once())
                await asyncio.sleep(_EVERY_SECONDS)

    async def _once(self) -> None:
        loop = asyncio.get_running_loop()
        sent = loop.time()
        answer = await self._asking.rest(GREEDY, "GET", f"/v1/memories/{_NOBODYS}")
        if answer.status == 429:
            self.refused += 1
        elif answer.status == 404:
            self.given.append(Given(sent, loop.time()))


def excess(given: list[Given], outages: list[Outage]) -> Excess:
    """Return the worst over all spans that begin with one request and end with another's answer.

    A span of `t` seconds may be given what the bucket holds and `t` times what comes back.
    """
    worst = {False: 0.0, True: 0.0}
    by_start = sorted(given)
    for number, first in enumerate(by_start):
        answers = sorted(one.answered for one in by_start[number:])
        for count, end in enumerate(answers, start=1):
            touched = any(o.began < end and first.sent < o.ended for o in outages)
            ratio = count / (_CAPACITY + _REFILL * (end - first.sent))
            worst[touched] = max(worst[touched], ratio)
    return Excess(shared=worst[False], alone=worst[True])


def told(log: Iterable[str], offset: float) -> list[Outage]:
    """Return when a gateway says that it counted alone, which a busy machine makes it do as well.

    `offset` is what makes a time of day one of the loop.
    """
    found: list[Outage] = []
    began: float | None = None
    at = 0.0
    for line in log:
        try:
            said = msgspec.json.decode(line, type=dict[str, Any])
            at = datetime.fromisoformat(said["time"]).timestamp() + offset
        except (msgspec.MsgspecError, KeyError):
            continue  # a killed process leaves half a line
        if said["event"] == _LOST and began is None:
            began = at
        elif said["event"] in _FOUND and began is not None:
            found.append(Outage(began, at))
            began = None
    return found if began is None else [*found, Outage(began, at)]
