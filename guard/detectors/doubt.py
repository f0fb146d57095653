"""What a detector left in doubt: suspicious, and yet nothing that would be held for it alone."""

from collections.abc import Callable, Iterable

import msgspec

from guard.nouns import Tagged
from policies.model import Finding, Score

Settled = Callable[[Tagged, Finding], bool]
"""Says whether policy holds a write for a finding, whoever else is asked."""


def never_settled(tagged: Tagged, finding: Finding) -> bool:
    """Return False: what is in doubt is a matter of scores alone."""
    del tagged, finding
    return False


class Doubt(msgspec.Struct, frozen=True):
    """Findings with this reason leave doubt while their score lies in [low, high), and as long as
    nothing is `settled` by one of them.
    """

    reason: str
    low: Score = 0.0
    high: Score = 1.0
    settled: Settled = never_settled

    def left_by(self, findings: Iterable[Finding], tagged: Tagged) -> bool:
        """Say whether the findings leave doubt about a draft. Nothing found leaves none.

        The highest score counts. A finding without one is certain: policy takes it for as high as
        can be.
        """
        found = [f for f in findings if f.reason == self.reason]
        score = max((1.0 if f.score is None else f.score for f in found), default=None)
        if score is None or not self.low <= score < self.high:
            return False
        return not any(self.settled(tagged, finding) for finding in found)
