"""What a detector left in doubt: found, neither clear enough to hold nor weak enough to pass."""

from collections.abc import Iterable

import msgspec

from policies.model import Finding, Score


class Doubt(msgspec.Struct, frozen=True):
    """A finding with this reason is in doubt while its score lies in [low, high)."""

    reason: str
    low: Score
    high: Score

    def left_by(self, findings: Iterable[Finding]) -> bool:
        """Say whether the highest score among the findings with this reason is in doubt.

        A finding without a score is certain: policy takes it for as high as can be.
        """
        found = [f for f in findings if f.reason == self.reason]
        score = max((1.0 if f.score is None else f.score for f in found), default=None)
        return score is not None and self.low <= score < self.high
