"""Who is told what happens behind the doors: figures and times, never content.

The use-cases say what they do in words of their own; what becomes of it (metrics, traces, nothing)
is for the composition root to choose.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol

from guard.outcomes import WriteOutcome
from policies.model import Status

_NOTHING: Final = nullcontext()


class Watch(Protocol):
    """Takes note. Never raises and never blocks."""

    def step(self, name: str) -> AbstractContextManager[object]:
        """Note how long the block takes. `name` is one of a few words in the code."""
        ...

    def detected(self, name: str, status: Status) -> None:
        """Note how one detector ended."""
        ...

    def wrote(self, outcome: WriteOutcome) -> None:
        """Note what became of a write, over whichever way it came."""
        ...

    def recalled(self, *, reliable: bool, degraded: bool) -> None:
        """Note that a question was answered."""
        ...

    def withheld(self, check: str) -> None:
        """Note that a check kept a memory out of an answer."""
        ...


class Unwatched:
    """Fulfils `Watch` and takes note of nothing."""

    def step(self, name: str) -> AbstractContextManager[object]:
        """Do nothing about the block."""
        del name
        return _NOTHING

    def detected(self, name: str, status: Status) -> None:
        """Do nothing."""

    def wrote(self, outcome: WriteOutcome) -> None:
        """Do nothing."""

    def recalled(self, *, reliable: bool, degraded: bool) -> None:
        """Do nothing."""

    def withheld(self, check: str) -> None:
        """Do nothing."""
