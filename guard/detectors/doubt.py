"""What a detector left in doubt: found, neither clear enough to hold nor weak enough to pass."""

from collections.abc import Iterable

import msgspec

from policies.model import Finding, Score


class Band(msgspec.Struct, frozen=True):
    """Scores in [low, high) are in doubt."""

    low: Score
    high: Score

    def holds(self, score: float) -> bool:
        """Say whether a score lies in the band."""
        return self.low <= score < self.high


def score_of(findings: Iterable[Finding], reason: str) -> float | None:
    """Return the highest score among the findings with this reason, None without any.

    A finding without a score is certain: policy takes it for as high as can be.
    """
    found = [f for f in findings if f.reason == reason]
    return max((1.0 if f.score is None else f.score for f in found), default=None)
