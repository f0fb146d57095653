"""Texts compared by rules, and where no rule says anything, by how likely it is that one replaces
the other: fulfils `guard.relating.Relating`.
"""

from collections.abc import Sequence
from typing import Final

from guard.claimed import ByClaims, told_apart
from guard.relating import Odds, Said, Tie, Weighing

LEAST_AGAINST: Final = 0.6
"""From here a newer text replaces an older one that no rule compares with it."""
LEAST_DOUBT: Final = 0.5
"""From here somebody should look at the two."""
LEAST_SAME: Final = 0.7
"""From here a newer text adds nothing to an older one."""


_SETTLED: Final = frozenset({Tie.AGAINST, Tie.SAME})


class Weighed(ByClaims):
    """What rules find stands. Only what they leave open is weighed, and of two things that have
    names of their own neither replaces the other, however alike they are.

    By weighing a text replaces one memory at most, and none where rules know which one is meant.
    """

    def __init__(self, pairs: Weighing, by: str = "") -> None:
        super().__init__(by)
        self._pairs = pairs
        self._certain = ByClaims(by)

    @property
    def certain(self) -> ByClaims:
        """The rules alone."""
        return self._certain

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        """Return what `new` is to each of `old`."""
        tied = self.tied(new, old)
        ties = [tie for tie, _ in tied]
        if not _SETTLED.isdisjoint(ties):
            return ties
        left = [place for place, (_, is_open) in enumerate(tied) if is_open]
        weighed = self._pairs.weighed(new.text, [old[place].text for place in left])
        found = sorted(zip(left, weighed, strict=True), key=lambda one: -_most(one[1]))
        for place, odds in found:
            likely = _likely(odds)
            if likely is None or told_apart(new, old[place]):
                continue
            ties[place] = likely if _SETTLED.isdisjoint(ties) else Tie.DOUBT
        return ties


def _most(odds: Odds) -> float:
    return max(odds.against, odds.same)


def _likely(odds: Odds) -> Tie | None:
    """Return what the odds come to, None where they say nothing that the rules don't."""
    if odds.same >= LEAST_SAME:
        return Tie.SAME
    if odds.against >= LEAST_AGAINST:
        return Tie.AGAINST
    return Tie.DOUBT if odds.against >= LEAST_DOUBT else None
