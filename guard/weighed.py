"""Texts compared by rules, and where those settle nothing, by how likely it is that one replaces
the other: fulfils `guard.relating.Relating`.
"""

from collections.abc import Sequence
from typing import Final

from guard.claimed import ByClaims, Compared, Once, told_apart
from guard.relating import Odds, Read, Said, Tie, Weighing
from memory.pairs_told import apart

LEAST_AGAINST: Final = 0.55
"""From here a newer text replaces an older one of which rules say that both may stay."""
LEAST_DOUBT: Final = 0.45
"""From here somebody should look at the two."""
LEAST_SAME: Final = 0.6
"""From here a newer text adds nothing to an older one."""

_MOST_CLAIMS: Final = 2
"""A text that says more than so many things is no plain new version of another: it may be in doubt
beside one, and by weighing replaces none."""

_APART: Final = frozenset(
    {"of_another", "other_end", "measured_again", "happened_again", "both_ended"}
)
"""Reasons of bonds that tell two texts apart: whose it is, which end of a limit, which time."""
_ALIKE: Final = "slot_more_exact"
_SETTLED: Final = frozenset({Tie.AGAINST, Tie.SAME})


class Weighed(ByClaims):
    """Where rules find that a text replaces another or says the same, that stands. What else they
    say of two texts is one sign among others, and all are weighed, but what tells the two apart:
    of two people, or two things that have names of their own, neither replaces the other.

    By weighing a text replaces one memory at most, and none where rules know which one is meant.
    """

    def __init__(self, pairs: Weighing, by: str = "") -> None:
        super().__init__(by)
        self._pairs = pairs

    @property
    def once(self) -> ByClaims:
        """Return the same reader for one write."""
        return _WeighedOnce(self._pairs, self._by)

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        """Return what `new` is to each of `old`."""
        read, compared = self.compared(new, old)
        ties = [one.tie for one in compared]
        if not _SETTLED.isdisjoint(ties):
            return ties
        left = [place for place, one in enumerate(compared) if not _is_apart(read, one)]
        asked = [(compared[place].old, compared[place].bond) for place in left]
        weighed = zip(left, self._pairs.weighed(read, asked), strict=True)
        found = sorted(weighed, key=lambda one: -_most(one[1]))
        for place, odds in found:
            likely = _likely(odds)
            its = compared[place].old
            if likely is None or told_apart(read, its):
                continue
            if likely is Tie.AGAINST and len(read.claims) > _MOST_CLAIMS:
                likely = Tie.DOUBT
            if apart(read.text, read.claims, its.text, its.claims):
                continue
            ties[place] = likely if _SETTLED.isdisjoint(ties) else Tie.DOUBT
        return ties


class _WeighedOnce(Once, Weighed):
    """The same for one write: what was read, compared or looked at is held until it ends."""


def _is_apart(new: Read, one: Compared) -> bool:
    """Say whether rules tell two texts apart, or the slots of the two are of two people."""
    whose = {claim.slot.whose for claim in new.claims}
    two = whose.isdisjoint([claim.slot.whose for claim in one.old.claims])
    return one.bond.reason in _APART or (two and one.bond.reason == _ALIKE)


def _most(odds: Odds) -> float:
    return max(odds.against, odds.same)


def _likely(odds: Odds) -> Tie | None:
    """Return what the odds come to, None where they say nothing that the rules don't."""
    if odds.same >= LEAST_SAME:
        return Tie.SAME
    if odds.against >= LEAST_AGAINST:
        return Tie.AGAINST
    return Tie.DOUBT if odds.against >= LEAST_DOUBT else None
