"""Threads that run a model, one unless bounds say more, and a bounded queue in front of them.

Whatever waits when a thread is free runs together; nothing is held back to wait for company, so
an idle gateway answers at once and a busy one batches by itself. Brief texts (questions, most
memories) and long ones wait in queues of their own that take turns: behind a flood of long texts a
question waits for one batch of them and not for all.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Final, Generic, TypeVar

import msgspec

from guard.errors import UnavailableError

T = TypeVar("T")
Run = Callable[[Sequence[str]], list[T]]
"""Texts to what a model makes of each, in order."""

_WHAT: Final = "embedder"
_PADDING: Final = 1.25
_SHORT: Final = 4


class BatchBounds(msgspec.Struct, frozen=True):
    """How much runs at once and on how many threads, how many characters are brief, how much may
    wait, and how long a caller waits (seconds).
    """

    texts: int = 32
    characters: int = 16_384
    brief: int = 1024
    waiting: int = 256
    deadline: float = 10.0
    lanes: int = 1


class OutageError(UnavailableError):
    """The model can't be reached, whatever the texts: running them apart would only ask more of it.

    `str()` says why, for the operator; callers are told `what`, as of any embedder.
    """

    def __init__(self, reason: str, retry_after: float = 1.0) -> None:
        super().__init__(_WHAT, retry_after)
        self.args = (f"{_WHAT}: {reason}",)


class _Ticket(msgspec.Struct, Generic[T], frozen=True):
    """Texts of one caller that run in one batch, and where their answer goes."""

    texts: tuple[str, ...]
    answer: Future[list[T]]


class Batching(Generic[T]):
    """Runs texts of concurrent callers together, off their event loops.

    `what` is the name that callers and threads know it by.
    """

    def __init__(self, run: Run[T], bounds: BatchBounds, what: str = _WHAT) -> None:
        self._run = run
        self._bounds = bounds
        self._what = what
        self._brief: deque[_Ticket[T]] = deque()
        self._long: deque[_Ticket[T]] = deque()
        self._turns = deque((self._brief, self._long))
        self._waiting = 0
        self._open = True
        self._changed = threading.Condition()
        self._threads = [
            threading.Thread(target=self._work, name=f"{what}-{lane}", daemon=True)
            for lane in range(bounds.lanes)
        ]
        for thread in self._threads:
            thread.start()

    async def submit(self, texts: Sequence[str]) -> list[T]:
        """Return what the model makes of `texts`, in order.

        Raises UnavailableError when the queue is full, the deadline passes, the model fails, or
        after close.
        """
        made: list[T] = []
        try:
            async with asyncio.timeout(self._bounds.deadline):
                # In turns of one batch, so that a caller with many texts lets the others in.
                for start in range(0, len(texts), self._bounds.texts):
                    answer = self._enqueue(tuple(texts[start : start + self._bounds.texts]))
                    part: list[T] = await asyncio.wrap_future(answer)
                    made.extend(part)
        except TimeoutError:
            raise UnavailableError(self._what) from None
        return made

    async def close(self) -> None:
        """Refuse what waits, let what runs answer, and end the threads. Idempotent."""
        with self._changed:
            self._open = False
            refused = (*self._brief, *self._long)
            self._brief.clear()
            self._long.clear()
            self._waiting = 0
            self._changed.notify_all()
        for ticket in refused:
            _fail(ticket.answer, UnavailableError(self._what))
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    def _enqueue(self, texts: tuple[str, ...]) -> Future[list[T]]:
        answer: Future[list[T]] = Future()
        with self._changed:
            if not self._open or self._waiting + len(texts) > self._bounds.waiting:
                raise UnavailableError(self._what)
            brief = sum(map(len, texts)) <= self._bounds.brief
            (self._brief if brief else self._long).append(_Ticket(texts, answer))
            self._waiting += len(texts)
            self._changed.notify()
        return answer

    def _work(self) -> None:
        while tickets := self._take():
            self._answer([t for t in tickets if t.answer.set_running_or_notify_cancel()])

    def _take(self) -> list[_Ticket[T]]:
        """Wait for work and return as much of one queue as runs at once; nothing after close."""
        with self._changed:
            self._changed.wait_for(lambda: any(self._turns) or not self._open)
            self._turns.rotate()
            queue = self._turns[0] or self._turns[1]
            taken: list[_Ticket[T]] = []
            texts = characters = 0
            while queue:
                ticket = queue[0]
                texts += len(ticket.texts)
                characters += sum(map(len, ticket.texts))
                over = texts > self._bounds.texts or characters > self._bounds.characters
                if taken and over:
                    break
                taken.append(queue.popleft())
                self._waiting -= len(ticket.texts)
            return taken

    def _answer(self, tickets: Sequence[_Ticket[T]]) -> None:
        if not tickets:
            return
        try:
            made = self._run([text for ticket in tickets for text in ticket.texts])
        except OutageError as outage:
            for ticket in tickets:
                _fail(ticket.answer, outage)
            return
        # A model may fail in any way at all, and the thread must outlive it. The exception may
        # quote a text, so it is not kept.
        except Exception:  # noqa: BLE001
            self._answer_apart(tickets)
            return
        start = 0
        for ticket in tickets:
            ticket.answer.set_result(made[start : start + len(ticket.texts)])
            start += len(ticket.texts)

    def _answer_apart(self, tickets: Sequence[_Ticket[T]]) -> None:
        """Run each ticket alone, so that a text that breaks the model fails its caller alone."""
        if len(tickets) == 1:
            _fail(tickets[0].answer, UnavailableError(self._what))
            return
        for ticket in tickets:
            self._answer([ticket])


def alike(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield groups of positions whose lengths are about equal, shortest first.

    Texts run together while the longest has at most 1.25 times the tokens of the shortest: one long
    text among short ones costs nine times as much padded as apart.
    """
    group: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if group and lengths[i] > _PADDING * lengths[group[0]] + _SHORT:
            yield group
            group = []
        group.append(i)
    if group:
        yield group


def _fail(answer: Future[list[T]], error: UnavailableError) -> None:
    if not answer.done():
        answer.set_exception(error)
