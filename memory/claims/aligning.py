"""Claims of one slot that is named in other words: told by what two claims share and what is left.

Every bond of here rests on equal words or has one of the reasons of `LOOSE`. A loose one holds for
one memory at most: a text that could mean two of them replaces neither.
"""

from collections.abc import Sequence
from typing import Final

from memory.claims.lexicon import DOING
from memory.claims.likeness import unlike
from memory.claims.nouns import Bond, BondKind, Claim, Form, Mark, Polarity, ValueKind
from memory.claims.small_rules import COMMON, FAINT, MEANT, RHYTHMS, SWITCHED

LOOSE: Final = frozenset({"aligned", "less_exact", "less_alike", "told_beside"})
"""Reasons of a bond that may be meant of another memory."""
TURNED: Final = frozenset({Mark.CHANGED, Mark.AGAIN})
_TYPED: Final = frozenset(
    {ValueKind.NUMBER, ValueKind.QUANTITY, ValueKind.DATE, ValueKind.TIME, ValueKind.CODE}
)
_CORE: Final = "core"
_MOST: Final = 4
"""Words of a new value: what is longer says more than another value."""


def core(claim: Claim) -> frozenset[str]:
    """Return the words of a claim that carry it, each by the name of all that mean the same."""
    kept = claim.__dict__
    found: frozenset[str] | None = kept.get(_CORE)
    if found is None:
        found = kept[_CORE] = _named((*claim.about, *claim.words))
    return found


def _named(words: Sequence[str]) -> frozenset[str]:
    # Asked of each pair of claims: a list is made sooner than a generator is run.
    return frozenset([MEANT.get(word, word) for word in words]) - FAINT


def aligned(new: Claim, old: Claim) -> Bond | None:
    """Return what two claims are whose slots are named in other words; None where none can tell."""
    if new.slot.whose != old.slot.whose:
        return None
    if _switched(new, old):
        return Bond(BondKind.SUPERSEDES, "aligned")
    mine, its = core(new), core(old)
    if mine == its:
        return _alike(new, old, mine) if mine - COMMON - RHYTHMS else None
    if TURNED.isdisjoint(new.marks) or not (mine & its) - COMMON - RHYTHMS:
        return None
    if Polarity.ENDED in (new.polarity, old.polarity) or new.polarity is not old.polarity:
        return None
    more = new.scope != old.scope or Mark.ADDED in new.marks
    return None if more else _changed(new, old)


def _switched(new: Claim, old: Claim) -> bool:
    """Say whether a claim tells a change to a thing of a kind of which one is used."""
    if new.sort not in SWITCHED or new.sort != old.sort or Mark.CHANGED not in new.marks:
        return False
    bare = not set(new.about) - {"be", "use"} and "use" in old.about
    stated = new.polarity is old.polarity is Polarity.AFFIRMED
    return bare and stated and not new.scope and not old.scope


def swapped(new: Sequence[Claim], old: Sequence[Claim]) -> bool:
    """Say whether a memory names what an older one says as given up, and what is in its place: of
    the older one nothing else may be left.
    """
    for gone in () if any(claim.scope for claim in new) else new:
        if not _given_up(gone):
            continue
        whole = core(gone)
        if not whole - COMMON - RHYTHMS:
            continue
        said = [core(one) for one in new if one is not gone and _stated(one)]
        known = whole.union(*said) | DOING | COMMON
        for one in old if said else ():
            its = core(one)
            if _stated(one) and not one.scope and whole <= its <= known and len(old) == 1:
                return True
    return False


def _given_up(claim: Claim) -> bool:
    """Say whether a claim is what a change, or 不是…是…, names as no longer so."""
    if claim.polarity is Polarity.ENDED:
        return Mark.CHANGED in claim.marks and not claim.about
    return claim.polarity is Polarity.DENIED


def _stated(claim: Claim) -> bool:
    return claim.polarity is Polarity.AFFIRMED


def _alike(new: Claim, old: Claim, words: frozenset[str]) -> Bond | None:
    """Judge two claims of the same words: in another order they may be told of another."""
    if len(words) == 1 and not (new.about and old.about) and not new.scope:
        return None
    if new.scope != old.scope or new.limit is not old.limit or not _in_order(new, old):
        return None
    if new.polarity is old.polarity:
        return Bond(BondKind.SAME, "same_in_other_words")
    if Polarity.ENDED in (new.polarity, old.polarity):
        return None
    return Bond(BondKind.SUPERSEDES, "opposite")


def _in_order(new: Claim, old: Claim) -> bool:
    """Say whether the values are one, slot and value have changed places, or a value stands whole
    in the words that nobody understood.
    """
    if Form.OPAQUE is new.form is old.form:
        return [w for w in new.words if w not in FAINT] == [w for w in old.words if w not in FAINT]
    if Form.OPAQUE in (new.form, old.form):
        opaque, read = (new, old) if new.form is Form.OPAQUE else (old, new)
        return "\x1f".join(w for w in read.words if w not in FAINT) in "\x1f".join(opaque.words)
    mine, its = _named(new.words), _named(old.words)
    return mine == its or (mine == _named(old.about) and its == _named(new.about))


def _changed(new: Claim, old: Claim) -> Bond | None:
    """Judge a claim that says that something changed, and names the slot of an older one."""
    mine, its = core(new), core(old)
    added, gone = mine - its, its - mine
    if not added or not gone or len(added) > _MOST or not _answers(new, old):
        return None
    slot, other = _named(old.about) - DOING, _named(new.about) - DOING
    said = new.form is Form.OPAQUE or added <= _named(new.words)
    if slot - COMMON - RHYTHMS and slot <= mine and gone <= _named(old.words):
        return Bond(BondKind.SUPERSEDES, "aligned") if said else None
    if said and _counted(new) and _counted(old) and other - COMMON - RHYTHMS and other <= its:
        return Bond(BondKind.SUPERSEDES, "less_exact")
    return None


def _counted(claim: Claim) -> bool:
    """Say whether a value is of numbers, dates and times alone."""
    return bool(claim.words) and all(any(c.isdigit() for c in word) for word in claim.words)


def _answers(new: Claim, old: Claim) -> bool:
    """Say whether the new value can be in place of the old one."""
    kinds = {new.value.kind, old.value.kind}
    if new.many or old.many or (len(kinds) > 1 and kinds & _TYPED):
        return False
    if Form.OPAQUE in (new.form, old.form):
        return bool(set(old.about or old.words) & set(new.about or new.words))
    named = len(set(old.about) & set(new.words)) > 1
    stated = old.form is Form.STATED or (new.form is Form.STATED and not named)
    return not stated and not unlike(new, old)


_UNNAMED: Final = DOING | COMMON | {"weight", "height", "size"}
"""Words that name nothing of which there could be another: what is done, and what is measured."""
_MOSTLY: Final = 0.6
"""Share of the words of a slot by which a clause names it, whatever else its text speaks of."""


def repeated(new: Claim, old: Claim, known: frozenset[str]) -> bool:
    """Say whether a claim only says again what an older text said, where a clause of that leaves
    out what the one before it named: "the wedding is on 6 June, the place is …".
    """
    told = new.value == old.value and new.polarity is old.polarity and new.scope == old.scope
    named = set(old.about) <= set(new.about) and bool(old.about) and core(new) - COMMON <= known
    return told and named and new.limit is old.limit


def told_beside(new: Claim, old: Claim, said: frozenset[str]) -> Bond | None:
    """Return what a value is to an older one if another clause of its text names the slot: "I
    weighed my rucksack again, it's 11 kg now". Nothing else may be named there.
    """
    slot = _named(old.about) - DOING - COMMON - RHYTHMS
    own = _named(new.about) - DOING - COMMON - RHYTHMS
    if not slot or not slot <= said or not own <= slot:
        return None
    if len(own) < _MOSTLY * len(slot) and said - slot - _named(new.words) - _UNNAMED:
        return None
    if new.value.kind is not old.value.kind or new.value.kind not in _TYPED or new.many or old.many:
        return None
    if new.scope or old.scope or new.limit is not old.limit or Form.OPAQUE in (new.form, old.form):
        return None
    one_unit = _unit(new) == _unit(old) and new.value != old.value
    stated = new.polarity is old.polarity is Polarity.AFFIRMED
    return Bond(BondKind.SUPERSEDES, "told_beside") if one_unit and stated else None


def _unit(claim: Claim) -> str:
    return claim.value.text.partition(" ")[2] if claim.value.kind is ValueKind.QUANTITY else ""
