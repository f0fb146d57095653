"""What two claims have in common where neither is a value of the other's slot."""

from typing import Final

from memory.claims.nouns import Bond, BondKind, Claim, Limit
from memory.claims.small_rules import COMMON

UNRELATED: Final = Bond(BondKind.UNRELATED, "no_common_word")


def content(claim: Claim) -> set[str]:
    """Return the words of a claim, those of its slot and those of its value."""
    limited = {"limit"} if claim.limit is not Limit.EXACT else set()
    return {*claim.about, *claim.words, *limited}


def on_topic(new: Claim, old: Claim) -> Bond:
    """Return what two claims are to each other that are of two slots: both stay."""
    common = (content(new) & content(old)) - COMMON
    if not common and not _signs(new) & _signs(old):
        return UNRELATED
    if common and new.scope and not old.scope:
        return Bond(BondKind.NARROWS, "scope")
    return Bond(BondKind.BESIDE, "common_topic")


def _signs(claim: Claim) -> set[str]:
    """Return how the Chinese words of the slot end: 分机号 and 短号 are both numbers."""
    return {word[-1] for word in claim.about if word[-1] >= "\u3400"} - COMMON
