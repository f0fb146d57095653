"""Spares callers the wait for a server that does not answer."""

from collections.abc import Callable

from guard.errors import UnavailableError

_FAILURES = 5
"""Failures in a row that open it: one lost connection or restart is not yet an outage."""
_FIRST_REST, _LONGEST_REST = 1.0, 30.0


class Breaker:
    """Refuses calls at once after failures in a row; after a rest one call at a time may try."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._failures = 0
        self._rest = _FIRST_REST
        self._until: float | None = None
        self._trying = False
        self.reopenings = 0
        """How often the server came back: what was known of it may have changed meanwhile."""

    @property
    def is_open(self) -> bool:
        """Whether calls are refused, but for the one that tries."""
        return self._until is not None

    def require(self) -> None:
        """Return when a call may be made. Raises UnavailableError with the rest that remains."""
        if self._until is None:
            return
        rest = self._until - self._monotonic()
        if rest > 0 or self._trying:
            raise UnavailableError("index", retry_after=max(rest, _FIRST_REST))

    def admit(self) -> bool:
        """Return whether this call is the one that tries. Raises UnavailableError like `require`.

        Each admitted call ends in `leave`.
        """
        self.require()
        self._trying = self._until is not None
        return self._trying

    def leave(self, *, tried: bool) -> None:
        """Say that an admitted call is over, however it ended."""
        if tried:
            self._trying = False

    def answered(self) -> None:
        """Note that the server answered, even if it refused."""
        if self._until is not None:
            self.reopenings += 1
        self._until = None
        self._failures = 0
        self._rest = _FIRST_REST

    def failed(self) -> None:
        """Note that the server did not answer, or not sensibly."""
        self._failures += 1
        if self._until is not None:
            if self._trying:
                self._rest = min(self._rest * 2, _LONGEST_REST)
                self._until = self._monotonic() + self._rest
        elif self._failures >= _FAILURES:
            self._until = self._monotonic() + self._rest
