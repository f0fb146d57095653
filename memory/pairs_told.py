"""What the rules of claims read in each of two texts, in numbers. Pure.

Claims have their words by the name of all that mean the same, in either language, units converted
and dates resolved: so two texts may have more in common here than in what they are written in.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from memory.claims import Bond, BondKind, Claim, Form
from memory.claims.aligning import core
from memory.claims.lexicon import CATEGORY, DOING
from memory.claims.nouns import Limit, Mark, Polarity, Value, ValueKind
from memory.claims.small_rules import COMMON, FAINT
from memory.pairs_rules import MARKERS, NAMES, REASONS

_KINDS: Final = tuple(BondKind)
_NOTHING: Final = COMMON | {"be"}
_LIGHT: Final = DOING | FAINT
_MOST: Final = 8
_MOST_CLAIMS: Final = 4


class Told(msgspec.Struct, frozen=True):
    """What the claims of one text have in them."""

    claims: int
    core: frozenset[str]
    about: frozenset[str]
    words: frozenset[str]
    values: frozenset[Value]
    kinds: frozenset[ValueKind]
    sorts: frozenset[str]
    scopes: frozenset[tuple[str, ...]]
    whose: frozenset[str]
    how: tuple[float, ...]
    named: frozenset[str]
    """What is neither done nor said of how it is: the words that name something."""
    typed: frozenset[Value]
    known: frozenset[tuple[str, str]]
    """Words whose kind the lexicon knows, each behind its kind."""


def told_of(claims: Sequence[Claim]) -> Told:
    """Return what these claims have in them."""
    read = [claim for claim in claims if claim.form is not Form.OPAQUE]
    core_words = carrying(claims)
    return Told(
        len(claims),
        core_words,
        frozenset(word for claim in claims for word in claim.about) - _NOTHING,
        frozenset(word for claim in claims for word in claim.words) - COMMON,
        frozenset(claim.value for claim in read),
        frozenset(claim.value.kind for claim in claims),
        frozenset(claim.sort for claim in claims if claim.sort),
        frozenset(claim.scope for claim in claims),
        frozenset(claim.slot.whose for claim in claims),
        tuple(map(float, _how(claims))),
        core_words - DOING,
        frozenset(claim.value for claim in read if claim.value.kind is not ValueKind.TEXT),
        frozenset((CATEGORY[word], word) for word in core_words if word in CATEGORY),
    )


def shared(mine: frozenset[str], its: frozenset[str]) -> float:
    """Return the share of words that carry something which the claims of both texts have."""
    return len(mine & its) / max(1, len(mine | its))


def carrying(claims: Sequence[Claim]) -> frozenset[str]:
    """Return the words of some claims that carry something, by the name of all that mean one."""
    return frozenset().union(*map(core, claims)) - COMMON


_CORRECTED: Final = re.compile(MARKERS[NAMES.index("correction")])
_CODE: Final = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9-]{0,24}\d)(?=[A-Za-z0-9-]{0,24}[A-Za-z])"
    r"(?!\d{1,9}[A-Za-z%]{1,5}(?![A-Za-z0-9-]))[A-Za-z0-9][A-Za-z0-9-]{3,24}"
)
"""A code of letters and digits; a number with its unit is none."""
_ORDINAL: Final = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth)\b|第[一二三四五六七八九十\d]{1,3}", re.IGNORECASE
)


def apart(new: str, mine: Sequence[Claim], old: str, its: Sequence[Claim]) -> bool:
    """Say whether two texts give codes to two things, of which the later names more than the
    earlier, or count two things of a sort, or only the earlier has a code, which nobody would find
    again. Who tells a change or puts something right may mean one thing by both, but where a code
    would be lost, only who says that it ended.
    """
    codes, others = _found(_CODE, new), _found(_CODE, old)
    if others and not codes:
        return all(claim.polarity is not Polarity.ENDED for claim in mine)
    if any(Mark.CHANGED in claim.marks for claim in mine) or _CORRECTED.search(new.lower()):
        return False
    if _disjoint(_found(_ORDINAL, new), _found(_ORDINAL, old)):
        return True
    if not (codes - others and others - codes):
        return False
    named, its_named = (
        {word for word in carrying(claims) - DOING if not any(map(str.isdigit, word))}
        for claims in (mine, its)
    )
    return bool(named - its_named)


def _found(form: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(one.casefold() for one in form.findall(text))


def _disjoint(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and bool(other) and one.isdisjoint(other)


def _how(claims: Sequence[Claim]) -> Iterator[bool]:
    """Yield how something is said: denied, ended, added, limited, ..."""
    yield any(claim.polarity is Polarity.DENIED for claim in claims)
    yield any(claim.polarity is Polarity.ENDED for claim in claims)
    for mark in (Mark.ADDED, Mark.CHANGED, Mark.AGAIN):
        yield any(mark in claim.marks for claim in claims)
    yield any(claim.form is Form.OPAQUE for claim in claims)
    yield any(claim.form is Form.STATED for claim in claims)
    yield any(claim.many for claim in claims)
    yield any(claim.scope for claim in claims)
    yield any(claim.limit is not Limit.EXACT for claim in claims)


def bond_signs(bond: Bond) -> list[float]:
    """Return what the rules say of a pair."""
    kinds = [float(bond.kind is kind) for kind in _KINDS]
    return kinds + [float(bond.reason == reason) for reason in REASONS]


def told_signs(new: Told, old: Told) -> list[float]:
    """Return how what one text says lies to what the other one says."""
    one = new.claims == old.claims == 1
    typed = new.kinds == old.kinds and len(new.kinds) == 1 and ValueKind.TEXT not in new.kinds
    return [
        *_lying(new.core, old.core),
        float(min(len(new.core - old.core), _MOST)),
        float(min(len(old.core - new.core), _MOST)),
        *_lying(new.about, old.about),
        *_lying(new.words, old.words),
        float(not new.about.isdisjoint(old.words)),
        float(not old.about.isdisjoint(new.words)),
        float(min(new.claims, _MOST_CLAIMS)),
        float(min(old.claims, _MOST_CLAIMS)),
        float(one),
        *new.how,
        *old.how,
        float(not new.values.isdisjoint(old.values)),
        float(bool(new.values) and new.values == old.values),
        float(not new.kinds.isdisjoint(old.kinds)),
        float(typed),
        float(not new.sorts.isdisjoint(old.sorts)),
        float(bool(new.sorts and old.sorts) and new.sorts.isdisjoint(old.sorts)),
        float(new.scopes == old.scopes),
        float(new.whose == old.whose),
        float(not new.whose.isdisjoint(old.whose)),
        *_lying(new.named, old.named),
        float(min(len(new.named - old.named), _MOST)),
        float(min(len(old.named - new.named), _MOST)),
        float(bool(new.about or old.about) and new.about ^ old.about <= _LIGHT),
        float(min(len(new.about - old.about), _MOST)),
        float(min(len(old.about - new.about), _MOST)),
        float(bool(new.typed and old.typed) and new.typed.isdisjoint(old.typed)),
        float(bool(new.typed) and new.typed == old.typed),
        float(not _kinds_of(new.known - old.known).isdisjoint(_kinds_of(old.known - new.known))),
        float(new.how[0] != old.how[0]),
        float(new.how[1] != old.how[1]),
    ]


def _kinds_of(known: frozenset[tuple[str, str]]) -> frozenset[str]:
    return frozenset(kind for kind, _ in known)


def _lying(new: frozenset[str], old: frozenset[str]) -> list[float]:
    """Return how two sets of words lie to each other."""
    common = len(new & old)
    return [
        common / max(1, len(new | old)),
        common / max(1, len(new)),
        common / max(1, len(old)),
        float(bool(new) and new == old),
        float(bool(new) and new <= old),
        float(bool(old) and old <= new),
    ]
