"""The best memories, read together with the question by a cross-encoder when there is one (R3).

It orders among what was found and checked; it makes nothing relevant, and what it can't read in
time stays in the order that it was found in.
"""

from collections.abc import Sequence
from typing import Protocol

from guard.errors import UnavailableError


class PairReader(Protocol):
    """A model that reads a question and a text together."""

    @property
    def version(self) -> str:
        """What decides its scores."""
        ...

    async def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return per text, in order, how well it answers, in [0, 1]. Raises UnavailableError."""
        ...


class Closely:
    """Reads at most `items` memories for a question; a full score adds `weight` to relevance."""

    def __init__(self, reader: PairReader, *, items: int, weight: float) -> None:
        self._reader = reader
        self.items, self.weight = items, weight
        self.asked = 0
        """Questions that it was asked about."""
        self.failed = 0
        """Those of them that it did not answer, or not in time."""

    @property
    def version(self) -> str:
        """The model, and how far it counts."""
        return f"{self._reader.version}@{self.items}/{self.weight:.3g}"

    async def scores(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """Return one score per text, None when they can't be had: all count, or none does."""
        self.asked += 1
        try:
            found = list(await self._reader.scores(question, texts))
        except UnavailableError:
            found = []
        # NaN compares false, so it is refused with the rest.
        if len(found) != len(texts) or not all(0.0 <= one <= 1.0 for one in found):
            self.failed += 1
            return None
        return found
