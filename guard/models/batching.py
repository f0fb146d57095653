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
from typing import Final

import msgspec

from guard.errors import UnavailableError
from memory.signals import Vectors

Run = Callable[[Sequence[str]], list[Vectors]]

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


class _Ticket(msgspec.Struct, frozen=True):
    """Texts of one caller that run in one batch, and where their answer goes."""

    texts: tuple[str, ...]
    answer: Future[list[Vectors]]


class Batching:
    """Runs texts of concurrent callers together, off their event loops."""

    def __init__(self, run: Run, bounds: BatchBounds) -> None:
        self._run = run
        self._bounds = bounds
        self._brief: deque[_Ticket] = deque()
        self._long: deque[_Ticket] = deque()
        self._turns = deque((self._brief, self._long))
        self._waiting = 0
        self._open = True
        self._changed = threading.Condition()
        self._threads = [
            threading.Thread(target=self._work, name=f"embedder-{lane}", daemon=True)
            for lane in range(bounds.lanes)
        ]
        for thread in self._threads:
            thread.start()

    async def submit(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the vectors of `texts`, in order.

        Raises UnavailableError when the queue is full, the deadline passes, the model fails, or
        after close.
        """
        vectors: list[Vectors] = []
        try:
            async with asyncio.timeout(self._bounds.deadline):
                # In turns of one batch, so that a caller with many texts lets the others in.
                for start in range(0, len(texts), self._bounds.texts):
                    answer = self._enqueue(tuple(texts[start : start + self._bounds.texts]))
                    part: list[Vectors] = await asyncio.wrap_future(answer)
                    vectors.extend(part)
        except TimeoutError:
            raise _unavailable() from None
        return vectors

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
            _fail(ticket, _unavailable())
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    def _enqueue(self, texts: tuple[str, ...]) -> Future[list[Vectors]]:
        answer: Future[list[Vectors]] = Future()
        with self._changed:
            if not self._open or self._waiting + len(texts) > self._bounds.waiting:
                raise _unavailable()
            brief = sum(map(len, texts)) <= self._bounds.brief
            (self._brief if brief else self._long).append(_Ticket(texts, answer))
            self._waiting += len(texts)
            self._changed.notify()
        return answer

    def _work(self) -> None:
        while tickets := self._take():
            self._answer([t for t in tickets if t.answer.set_running_or_notify_cancel()])

    def _take(self) -> list[_Ticket]:
        """Wait for work and return as much of one queue as runs at once; nothing after close."""
        with self._changed:
            self._changed.wait_for(lambda: any(self._turns) or not self._open)
            self._turns.rotate()
            queue = self._turns[0] or self._turns[1]
            taken: list[_Ticket] = []
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

    def _answer(self, tickets: Sequence[_Ticket]) -> None:
        if not tickets:
            return
        try:
            vectors = self._run([text for ticket in tickets for text in ticket.texts])
        except OutageError as outage:
            for ticket in tickets:
                _fail(ticket, outage)
            return
        # A model may fail in any way at all, and the thread must outlive it. The exception may
        # quote a text, so it is not kept.
        except Exception:  # noqa: BLE001
            self._answer_apart(tickets)
            return
        start = 0
        for ticket in tickets:
            ticket.answer.set_result(vectors[start : start + len(ticket.texts)])
            start += len(ticket.texts)

    def _answer_apart(self, tickets: Sequence[_Ticket]) -> None:
        """Run each ticket alone, so that a text that breaks the model fails its caller alone."""
        if len(tickets) == 1:
            _fail(tickets[0], _unavailable())
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


def _fail(ticket: _Ticket, error: UnavailableError) -> None:
    if not ticket.answer.done():
        ticket.answer.set_exception(error)


def _unavailable() -> UnavailableError:
    return UnavailableError(_WHAT)
