"""What two claims have in common where neither is a value of the other's slot."""

from typing import Final

from memory.claims.lexicon import THINGS
from memory.claims.nouns import Bond, BondKind, Claim, Limit, Mark
from memory.claims.small_rules import COMMON, KIN, PERSONS

UNRELATED: Final = Bond(BondKind.UNRELATED, "no_common_word")


_CONTENT: Final = "content"


def content(claim: Claim) -> frozenset[str]:
    """Return the words of a claim, those of its slot and those of its value."""
    kept = claim.__dict__
    found: frozenset[str] | None = kept.get(_CONTENT)
    if found is None:
        also = ["limit"] if claim.limit is not Limit.EXACT else []
        if "employed" in claim.about:
            also.append("work")
        found = kept[_CONTENT] = frozenset((*claim.about, *claim.words, *also))
    return found


def on_topic(new: Claim, old: Claim) -> Bond:
    """Return what two claims are to each other that are of two slots: both stay."""
    common = (content(new) & content(old)) - COMMON
    if _of_another(new, old):
        return Bond(BondKind.BESIDE, "of_another")
    if _one_more(new, old):
        return Bond(BondKind.EXTENDS, "said_to_be_added")
    if common and new.scope and not old.scope:
        return Bond(BondKind.NARROWS, "scope")
    if _strangers(new, old, common):
        return UNRELATED
    added = Mark.ADDED in new.marks and new.about and old.about
    kind = BondKind.EXTENDS if added else BondKind.BESIDE
    return Bond(kind, "said_to_be_added" if added else "common_topic")


def _strangers(new: Claim, old: Claim, common: frozenset[str]) -> bool:
    """Say whether two claims have nothing in common but a word that names two things."""
    signs = _signs(new)
    if signs and signs & _signs(old):
        return False
    return not common or _apart(new, old, common)


def _one_more(new: Claim, old: Claim) -> bool:
    """Say whether a memory adds to what one likes, can or has, in another word for it."""
    if Mark.ADDED not in new.marks or new.slot.whose != old.slot.whose:
        return False
    return any(kin & set(new.about) and kin & set(old.about) for kin in KIN)


def _of_another(new: Claim, old: Claim) -> bool:
    """Say whether two claims say the same kind of thing of two people."""
    if new.slot.whose == old.slot.whose:
        return False
    mine, its = set(new.about) - PERSONS, set(old.about) - PERSONS
    return mine == its != set()


def _apart(new: Claim, old: Claim, common: frozenset[str]) -> bool:
    """Say whether two claims of two slots share no topic: a cherry, Cherry Street."""
    if not common <= set(new.words) & set(old.words) or common & (THINGS | _TITLES):
        return False
    stated = new.about and old.about and not (set(new.about) & set(old.about)) - COMMON
    return bool(stated) and len(common) <= _FEW and not _signs(new) & _signs(old)


_TITLES: Final = frozenset({"dr", "mr", "mrs", "ms"})
_FEW: Final = 2


def _signs(claim: Claim) -> set[str]:
    """Return how the Chinese words of the slot end: 分机号 and 短号 are both numbers."""
    return {word[-1] for word in claim.about if word[-1] >= "\u3400"} - COMMON
