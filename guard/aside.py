"""Where pure work on a text is done, so that nobody waits long for somebody else's text.

The event loop serves everybody. What takes long is done in a thread; but handing work to a thread
and taking the answer back costs more than reading a brief text does.
"""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

BRIEF: Final = 512
"""Characters up to which the worst text is read in some ten milliseconds, and most in one."""
_SPARE: Final = 8
"""Threads that are kept for the next work; more end with theirs."""


async def aside(characters: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what `work` makes of so many characters: done at once when brief, else in a thread."""
    if characters <= BRIEF:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


def apart(work: Callable[[], object]) -> None:
    """Start `work` in a thread that does nothing else meanwhile, and return at once.

    Work that hangs for ever, or ends its thread, takes no place from anybody: each has a thread of
    its own while it lasts, and only one that came back is used again.
    """
    _hand().take(work)


def _hand() -> "_Hand":
    while True:
        try:
            hand = _spare.pop()
        except IndexError:
            return _Hand()
        # A forked process has none of its parent's threads.
        if hand.is_alive():
            return hand


class _Hand:
    """A thread that does one thing after the other."""

    def __init__(self) -> None:
        self._given: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="aside", daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def take(self, work: Callable[[], object]) -> None:
        self._given.put(work)

    def _work(self) -> None:
        while True:
            # Nothing of it is kept while the next is waited for.
            self._given.get()()
            if len(_spare) >= _SPARE:
                return
            _spare.append(self)


_spare: Final[list[_Hand]] = []
