"""Who holds the open MCP sessions: no subject may take them all from everybody else (E8)."""

import math
import time
from collections.abc import Callable
from itertools import count

from guard.errors import LimitedError
from memory.types import Owner


class Seats:
    """Counts open sessions per subject; one that is idle for longer than it may be has ended."""

    def __init__(
        self, each: int, idle_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._each = each
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._holders: dict[str, tuple[Owner, float]] = {}
        self._numbers = count()

    @property
    def taken(self) -> int:
        """How many are taken now."""
        self._forget_idle()
        return len(self._holders)

    def take(self, owner: Owner) -> str:
        """Return a seat to hold until `leave`. Raises LimitedError when `owner` has enough."""
        self._forget_idle()
        if sum(holder == owner for holder, _ in self._holders.values()) >= self._each:
            raise LimitedError(min(60.0, self._idle_seconds))
        seat = f"seat-{next(self._numbers)}"
        self._holders[seat] = owner, math.inf
        return seat

    def settle(self, seat: str, session: str | None) -> None:
        """Turn a seat into that of a session, which may now fall idle; free it without one."""
        owner, _ = self._holders.pop(seat)
        if session is not None:
            self._holders[session] = owner, self._clock()

    def used(self, owner: Owner, session: str) -> None:
        """Note that a session was used; one that is not `owner`'s is none of his."""
        if self._holders.get(session, (None, 0.0))[0] == owner:
            self._holders[session] = owner, self._clock()

    def leave(self, owner: Owner, session: str) -> None:
        """Free the seat of a session that its owner has ended."""
        if self._holders.get(session, (None, 0.0))[0] == owner:
            del self._holders[session]

    def _forget_idle(self) -> None:
        since = self._clock() - self._idle_seconds
        for session in [name for name, (_, used) in self._holders.items() if used < since]:
            del self._holders[session]
