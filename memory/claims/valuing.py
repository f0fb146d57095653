"""What two values of one slot are to each other."""

from collections.abc import Sequence
from typing import Final

from memory.claims.ending import SAME
from memory.claims.lexicon import MANY, THINGS
from memory.claims.likeness import open_to_several, unlike
from memory.claims.nouns import (
    Bond,
    BondKind,
    Claim,
    Limit,
    Mark,
    Polarity,
    ValueKind,
)
from memory.claims.small_rules import GRADES, HEADS, NUMBERED, TODAY

_MEASURED: Final = frozenset({ValueKind.QUANTITY, ValueKind.DATE, ValueKind.TIME})
"""Values that answer different questions: when is it due, and how much is it?"""
_TURNED: Final = frozenset({Mark.CHANGED, Mark.AGAIN})


def valued(new: Claim, old: Claim) -> Bond:
    """Compare what two claims say of one slot."""
    equal = _equal(new, old)
    return (
        _scoped(new, old, equal=equal)
        or _opposed(new, old, equal=equal)
        or (SAME if equal else None)
        or _unlike(new, old)
        or _several(new, old)
        or Bond(BondKind.SUPERSEDES, "other_value")
    )


def _scoped(new: Claim, old: Claim, *, equal: bool) -> Bond | None:
    """Judge claims that hold at different times, or are the two ends of one range."""
    if new.scope == old.scope:
        if _measured_again(new, old, equal=equal):
            return Bond(BondKind.BESIDE, "measured_again")
        ends = {new.limit, old.limit} == {Limit.AT_MOST, Limit.AT_LEAST}
        return Bond(BondKind.BESIDE, "other_end") if ends else None
    if new.scope and old.scope and equal and _TURNED & set(new.marks):
        return Bond(BondKind.SUPERSEDES, "scope_changed")
    if equal and new.polarity is old.polarity and not new.scope:
        return Bond(BondKind.BESIDE, "holds_always_too")
    return Bond(BondKind.NARROWS if new.scope and not old.scope else BondKind.BESIDE, "scope")


def _measured_again(new: Claim, old: Claim, *, equal: bool) -> bool:
    """Say whether two numbers of one day are two readings: nobody says that the first is wrong."""
    today = set(new.scope) & TODAY and not equal and not new.marks
    return bool(today) and new.value.kind is old.value.kind is ValueKind.NUMBER


def _opposed(new: Claim, old: Claim, *, equal: bool) -> Bond | None:
    """Judge claims of which one denies."""
    if new.polarity is not old.polarity:
        if equal:
            return Bond(BondKind.SUPERSEDES, "opposite")
        return Bond(BondKind.BESIDE, "opposite_of_another")
    ends = {"before", "after", "前", "后"} & set(new.about) or new.value.kind in _MEASURED
    if new.polarity is Polarity.DENIED and not equal and not new.many and not ends:
        return Bond(BondKind.BESIDE, "not_that_either")
    return None


def _unlike(new: Claim, old: Claim) -> Bond | None:
    """Judge two values that do not answer one question, whatever the words say of a change."""
    reason = unlike(new, old)
    if not reason:
        return None
    return Bond(BondKind.EXTENDS if new.many else BondKind.UNCERTAIN, reason)


def _several(new: Claim, old: Claim) -> Bond | None:
    """Judge two values of a slot that may take both."""
    if _next_version(new.words, old.words):
        return Bond(BondKind.SUPERSEDES, "other_version")
    if _graded_otherwise(new, old):
        return Bond(BondKind.SUPERSEDES, "other_grade")
    if new.many or old.many:
        changed = _instead(new, old)
        return (
            Bond(BondKind.SUPERSEDES, "changed") if changed else Bond(BondKind.EXTENDS, "one_more")
        )
    if Mark.ADDED in new.marks:
        return Bond(BondKind.EXTENDS, "said_to_be_added")
    kinds = {new.value.kind, old.value.kind}
    if len(kinds) > 1 and kinds & _MEASURED and not new.marks:
        return Bond(BondKind.BESIDE if len(kinds & _MEASURED) > 1 else BondKind.UNCERTAIN, "kinds")
    reason = "several_may_hold" if open_to_several(new, old) else ""
    reason = reason or ("value_more_exact" if _more_exact(new, old) else "")
    return Bond(BondKind.UNCERTAIN, reason) if reason else None


def _more_exact(new: Claim, old: Claim) -> bool:
    """Say whether one value is the other with what kind of thing it is: Birch, room Birch."""
    if new.value.kind is not ValueKind.TEXT or Mark.CHANGED in new.marks:
        return False
    mine, its = set(new.words), set(old.words)
    more = mine ^ its
    return bool(mine & its) and bool(more) and more <= NUMBERED | HEADS


def _graded_otherwise(new: Claim, old: Claim) -> bool:
    """Say whether one thing is wanted in two ways: 喝拿铁加糖, 喝拿铁不加糖."""
    mine, its = set(new.words), set(old.words)
    graded = new.sort == old.sort and new.sort in GRADES | {"taste"}
    return graded and len(mine - its) == len(its - mine) == 1 and bool(mine & its)


def _instead(new: Claim, old: Claim) -> bool:
    """Say whether a value of several is in place of an earlier one: another thing of its name."""
    if new.many and old.many:
        named = new.words[-1:] == old.words[-1:] or set(new.about) & THINGS - MANY
        return bool(named and _TURNED & set(new.marks) and Mark.ADDED not in new.marks)
    return Mark.CHANGED in new.marks


def _next_version(mine: Sequence[str], its: Sequence[str]) -> bool:
    """Say whether two values name one thing in two versions: Python 3.9, Python 3.12."""
    if len(mine) != len(its) or len(mine) < 2 or mine[0] != its[0]:  # noqa: PLR2004
        return False
    return all(a == b or (_version(a) and _version(b)) for a, b in zip(mine, its, strict=True))


def _version(word: str) -> bool:
    return "." in word and word.replace(".", "").isdigit()


def _equal(new: Claim, old: Claim) -> bool:
    if new.value == old.value or new.words == old.words:
        return True
    if new.value.kind is old.value.kind is ValueKind.DATE:
        return _one_day(new.value.text, old.value.text)
    if {new.value.kind, old.value.kind} == {ValueKind.NUMBER, ValueKind.QUANTITY}:
        return new.value.text.partition(" ")[0] == old.value.text.partition(" ")[0]
    mine, its = "".join(new.words), "".join(old.words)
    if new.value.kind is old.value.kind is ValueKind.TEXT:
        mine, its = mine.replace("-", ""), its.replace("-", "")
    return mine == its or (_one_case(mine) and _one_case(its) and mine.casefold() == its.casefold())


_SHORT_CODE: Final = 6


def _one_case(text: str) -> bool:
    """Say whether a short code is written in one case, so that H7 and h7 are one thing."""
    return len(text) <= _SHORT_CODE and (text.isupper() or text.islower())


def _one_day(new: str, old: str) -> bool:
    """Say whether two dates can be one: the year may be left out."""
    return new[-6:] == old[-6:] and ("-" in (new[0], old[0]))
