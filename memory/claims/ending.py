"""What takes a claim back, and what takes up again what was taken back."""

from typing import Final

from memory.claims.nouns import Bond, BondKind, Claim, Mark, Polarity
from memory.claims.small_rules import COMMON, RHYTHMS
from memory.claims.topics import content, on_topic

SAME: Final = Bond(BondKind.SAME, "same_value")
_ELSE: Final = 1
"""Words that an old claim may have beside the one word that is taken back: it may speak of more."""


def given_up(new: Claim, old: Claim) -> Bond:
    """Compare what a new memory names as replaced: nothing less than the whole old value is."""
    if old.polarity is Polarity.AFFIRMED and sorted(new.words) == sorted(old.words):
        return Bond(BondKind.SUPERSEDES, "given_up_for_another")
    return on_topic(new, old)


def ended(new: Claim, old: Claim) -> Bond:
    """Compare two claims of which one takes something back."""
    mine, its = content(new), content(old)
    smaller, larger = (mine, its) if new.polarity is Polarity.ENDED else (its, mine)
    if not _covers(smaller, larger) or (new.scope and old.scope and new.scope != old.scope):
        return on_topic(new, old)
    if new.polarity is old.polarity:
        return SAME if mine == its else Bond(BondKind.BESIDE, "both_ended")
    if new.scope and not old.scope:
        return Bond(BondKind.NARROWS, "scope")
    if Polarity.DENIED in (new.polarity, old.polarity):
        return SAME
    return _over(new, old, smaller, larger) or on_topic(new, old)


def _over(new: Claim, old: Claim, smaller: frozenset[str], larger: frozenset[str]) -> Bond | None:
    """Judge a claim and its end, in either order."""
    whole = old if new.polarity is Polarity.ENDED else new
    if not _about_that(smaller, larger, whole):
        return None
    if new.polarity is Polarity.ENDED:
        return Bond(BondKind.RETRACTS, "taken_back")
    again = {Mark.AGAIN, Mark.CHANGED} & set(new.marks) or (smaller <= larger and len(smaller) > 1)
    return Bond(BondKind.SUPERSEDES, "taken_up_again") if again else None


def _covers(smaller: frozenset[str], larger: frozenset[str]) -> bool:
    """Say whether all that is taken back is in the other claim, how often it was included."""
    strong = smaller - COMMON
    return bool(strong) and strong <= larger and smaller & RHYTHMS <= larger


def _about_that(smaller: frozenset[str], larger: frozenset[str], whole: Claim) -> bool:
    """Say whether the other claim speaks of what is taken back, and not of what goes with it."""
    if len(smaller & larger) > 1 or smaller - COMMON == set(whole.about):
        return True
    others = larger - smaller - COMMON - {"name"}
    return len([word for word in others if not word[0].isdigit()]) <= _ELSE
