"""Whether two values answer one question, so that one can be in place of the other."""

import re
from typing import Final

from memory.claims.lexicon import DOING, THINGS
from memory.claims.nouns import Claim, Form, Mark, ValueKind
from memory.claims.shapes import LOOSE, NAME
from memory.claims.small_rules import ACTS, AKIN, COMMON, PERSONS

_COUNTED: Final = frozenset(
    {ValueKind.NUMBER, ValueKind.QUANTITY, ValueKind.DATE, ValueKind.TIME, ValueKind.EMOJI}
)
"""Values that are no words, and so are not in place of words."""
_HAN: Final = re.compile("[\u3400-\u9fff]")
_BEING: Final = ("be",)
"""The slot of "I am …", which says nothing of what that is a value of."""


def unlike(new: Claim, old: Claim) -> str:
    """Return why two values of a slot do not answer one question, or nothing if they may."""
    if _of_two_kinds(new, old):
        return "kinds"
    loose = LOOSE in (new.shape, old.shape) and not (new.marks and new.form is Form.STATED)
    asked = (loose or AKIN.issuperset(new.about)) and not akin(new, old)
    if asked or (Mark.CHANGED not in new.marks and _of_two_sorts(new, old)):
        return "another_kind_of_thing"
    if _of_a_person(new, old) or _put_otherwise(new, old):
        return "put_otherwise"
    if _of_two_scripts(new, old) and Mark.CHANGED not in new.marks:
        return "another_script"
    if new.limit is not old.limit and Mark.CHANGED not in new.marks:
        return "limit_or_value"
    return ""


def open_to_several(new: Claim, old: Claim) -> bool:
    """Say whether nothing shows that a slot takes one value only."""
    if new.about == _BEING:
        moved = Mark.CHANGED in new.marks and new.shape == old.shape == "place"
        return not (moved and len((set(new.words) & set(old.words)) - COMMON) > 1)
    if not new.marks and Form.STATED in (new.form, old.form):
        return True
    if ACTS.issuperset(new.about):
        changed = Mark.CHANGED in new.marks and akin(new, old)
        return not changed and not (new.sort and new.sort == old.sort)
    return False


def akin(new: Claim, old: Claim) -> bool:
    """Say whether two values are things of one kind: by the lexicon, or by a word of both."""
    if new.sort or old.sort:
        return new.sort == old.sort
    return bool((set(new.words) & set(old.words)) - COMMON)


def _of_two_sorts(new: Claim, old: Claim) -> bool:
    """Say whether two values are of two sorts by their own words, whatever they are said of."""
    return _coloured(new, old) or _of_two_makers(new, old)


def _coloured(new: Claim, old: Claim) -> bool:
    """Say whether one value is a colour and the other is none that is known: 白色的, 混动的."""
    return {new.sort, old.sort} == {"color", ""} and "color" not in new.about


def _of_two_makers(new: Claim, old: Claim) -> bool:
    """Say whether two values are two things in their versions: TypeScript 5.4, React 18.3."""
    mine, its = new.words, old.words
    versions = [word[-1:].isdigit() for word in (*mine[1:], *its[1:])]
    named = len(mine) == len(its) == len(versions) and mine[:1] != its[:1]
    return named and all(versions) and mine[0][0].isalpha() and its[0][0].isalpha()


def _of_two_kinds(new: Claim, old: Claim) -> bool:
    """Say whether one value is counted and the other is words, or a number that is dialled."""
    kinds = {new.value.kind, old.value.kind}
    if len(kinds) > 1 and kinds & _COUNTED and kinds - _COUNTED:
        return True
    if len(kinds) == 1 or ValueKind.CODE not in kinds:
        return False
    dialled = {"".join(claim.words).lstrip("+").isdigit() for claim in (new, old)}
    return len(dialled) > 1 or bool(new.sort or old.sort)


def _of_two_scripts(new: Claim, old: Claim) -> bool:
    """Say whether two values are unknown words of two languages: one may be the other's name."""
    known = (THINGS | DOING) & {*new.words, *old.words}
    if known or new.sort or old.sort or {new.value.kind, old.value.kind} != {ValueKind.TEXT}:
        return False
    return bool(_HAN.search(new.value.text)) is not bool(_HAN.search(old.value.text))


def _of_a_person(new: Claim, old: Claim) -> bool:
    """Say whether two things that are said of a person, and are no two names, can both be so."""
    if not PERSONS.issuperset(new.about) or {new.value.kind, old.value.kind} != {ValueKind.TEXT}:
        return False
    return bool({new.shape, old.shape} - {NAME}) and not akin(new, old)


def _put_otherwise(new: Claim, old: Claim) -> bool:
    """Say whether one value is a place and the other a thing, a name or a property."""
    shapes = {new.shape, old.shape}
    if "" in shapes or len(shapes) == 1 or "favorite" in new.about:
        return False
    return not (shapes == {NAME, "plain"} and PERSONS.isdisjoint(new.about))
