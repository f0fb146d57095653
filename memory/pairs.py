"""What two texts of one subject have in common and what differs, in numbers. Pure.

The rules of `memory.claims` read what they have rules for. For the pairs that they can't tell, a
small model weighs these signs (`guard.models.pairs`): shared words, the length of what is the same
at either end, numbers, names and kin of the one and of the other, the words by which people say
that something changed, ended, is added, or holds for a time only, and what the rules read in both
(`memory.pairs_told`).
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from memory.claims import Bond, Claim
from memory.pairs_rules import EMPTY_CHARACTERS, EMPTY_WORDS, MARKERS, NAMES, WHOSE
from memory.pairs_told import Told, bond_signs, told_of, told_signs

_TOKEN: Final = re.compile(
    r"[a-z]+(?:'[a-z]+)?|\d+(?:[.:/-]\d+)*|[\u4e00-\u9fff]|[^\s\w.,;:!?，。；：！？、]"
)
_ENDING: Final = re.compile(r"(?:ing|ed|es|s|ly)$")
_LAST: Final = frozenset("gdsy")
"""What words end with that have one of these endings: most words are told by their last letter."""
_TWO_HAN: Final = re.compile("(?=([\u4e00-\u9fff]{2}))")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3})")
_NUMBER: Final = re.compile(r"\d+(?:[.:]\d+)*")
_NAME: Final = re.compile(
    r"(?<![.!?] )(?<!^)\b[A-Z][a-zA-Z]{0,40}\b|[A-Za-z]{0,20}\d[A-Za-z\d]{0,20}[A-Za-z][\w-]{0,20}"
)
_WHOSE: Final = re.compile(WHOSE, re.IGNORECASE)


def _halves(pattern: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return a pattern's alternatives of ASCII alone, and the others: each text is asked only for
    what it has the letters of, in small letters, of which a pattern is found sooner.
    """
    found, depth, start, at = [], 0, 0, 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] in "([":
            depth += 1
        elif pattern[at] in ")]":
            depth -= 1
        elif pattern[at] == "|" and not depth:
            found.append(pattern[start:at])
            start = at + 1
        at += 1
    found.append(pattern[start:])
    sides = ([one for one in found if one.isascii()], [one for one in found if not one.isascii()])
    latin, other = (re.compile("|".join(side) or "(?!)") for side in sides)
    return latin, other


_MARKERS: Final = tuple(map(_halves, MARKERS))
_LATIN: Final = re.compile(r"[a-z!?,]")
"""Without any of these no alternative of ASCII alone can match."""
_NEGATION: Final = NAMES.index("negation")
_BEGINNING: Final = 4
"""Letters by which a word begins like another."""
_EMPTY: Final = EMPTY_WORDS | EMPTY_CHARACTERS
MOST_CHARACTERS: Final = 240
"""Longer texts are not compared by these signs: they say too many things at once."""


class Words(msgspec.Struct, frozen=True):
    """A text's words: all in order, those with a meaning, and neighbours of these."""

    every: tuple[str, ...]
    content: frozenset[str]
    neighbours: frozenset[str]


class Side(msgspec.Struct, frozen=True):
    """All that is looked at in one text of a pair."""

    words: Words
    beginnings: frozenset[str]
    """How the words with a meaning begin: "expires" and "expiry" begin alike."""
    numbers: frozenset[str]
    names: frozenset[str]
    whose: frozenset[str]
    markers: tuple[float, ...]
    is_chinese: bool
    told: Told


def words_of(text: str) -> Words:
    """Return the words of a text."""
    low = _even(text).lower()
    every = tuple(_TOKEN.findall(low))
    # Lists are made sooner than generators are run, and this is done for each memory of a write.
    said = [word for word in every if word not in _EMPTY]
    content = frozenset(map(stem, said))
    if low.isascii():
        return Words(every, content, frozenset(_pairs(said)))
    named = [word for word in every if word[0].isascii() and word not in EMPTY_WORDS]
    return Words(every, content, frozenset(_TWO_HAN.findall(low) + _pairs(named)))


def stem(word: str) -> str:
    """Return a word without its ending."""
    return _ENDING.sub("", word) if word[-1] in _LAST else word


def overlap(new: Words, old: Words) -> float:
    """Return the share of words with a meaning, and of neighbours, that both texts have."""
    # No word has two parts and each neighbourhood has, so that no set of both need be made.
    common = len(new.content & old.content) + len(new.neighbours & old.neighbours)
    mine = len(new.content) + len(new.neighbours)
    its = len(old.content) + len(old.neighbours)
    return common / max(1, mine + its - common)


def side_of(text: str, words: Words, claims: Sequence[Claim]) -> Side:
    """Return all that is looked at in a text that has these words and claims."""
    even = _even(text)
    return Side(
        words,
        frozenset([word[:_BEGINNING] for word in words.content]),
        frozenset(_NUMBER.findall(even)),
        frozenset(name.lower() for name in _NAME.findall(even)),
        frozenset(one.lower() for one in _WHOSE.findall(even)),
        tuple(_marked(even.lower())),
        any("\u4e00" <= character <= "\u9fff" for character in even),
        told_of(claims),
    )


def signs(new: Side, old: Side, bond: Bond) -> list[float]:
    """Return the signs of a pair between which the rules found this bond, in the order that the
    model's file was fitted to.
    """
    mine, its = new.words, old.words
    common = len(mine.content & its.content)
    found = [
        common / max(1, len(mine.content | its.content)),
        common / max(1, len(its.content)),
        common / max(1, len(mine.content)),
        float(min(common, 6)),
    ]
    near = len(mine.neighbours & its.neighbours)
    fewer = min(len(mine.neighbours), len(its.neighbours))
    found += [near / max(1, len(mine.neighbours | its.neighbours)), near / max(1, fewer)]
    alike = len(new.beginnings & old.beginnings)
    found += [
        alike / max(1, len(new.beginnings | old.beginnings)),
        alike / max(1, len(new.beginnings)),
        alike / max(1, len(old.beginnings)),
    ]
    found += _ends(its.every, mine.every)
    found += _sets(old.numbers, new.numbers)
    found += _sets(old.names, new.names)
    found += _sets(old.whose, new.whose)
    found += [*old.markers, *new.markers]
    found += [
        float(old.markers[_NEGATION] != new.markers[_NEGATION]),
        float(min(len(its.every), 30)),
        float(min(len(mine.every), 30)),
        float(new.is_chinese),
        float(bool(its.content) and its.content <= mine.content),
        float(bool(mine.content) and mine.content <= its.content),
    ]
    return [*found, *bond_signs(bond), *told_signs(new.told, old.told)]


def _marked(text: str) -> Iterator[float]:
    latin, other = _LATIN.search(text) is not None, not text.isascii()
    for ascii_alone, rest in _MARKERS:
        found = (latin and ascii_alone.search(text)) or (other and rest.search(text))
        yield 1.0 if found else 0.0


def _even(text: str) -> str:
    even = text.strip().replace("’", "'")
    return _THOUSANDS.sub("", even) if "," in even else even


def _pairs(words: Sequence[str]) -> list[str]:
    """Return each two words that follow one another."""
    return [f"{one} {other}" for one, other in pairwise(words)]


def _ends(old: Sequence[str], new: Sequence[str]) -> list[float]:
    """Return how much is the same at the beginning and at the end, and how much is between."""
    shorter, first, last = min(len(old), len(new)), 0, 0
    while first < shorter and old[first] == new[first]:
        first += 1
    while last < shorter - first and old[-1 - last] == new[-1 - last]:
        last += 1
    between = (len(old) - first - last, len(new) - first - last)
    whole = max(1, shorter)
    return [first / whole, last / whole, *(float(min(length, 15)) for length in between)]


def _sets(old: frozenset[str], new: frozenset[str]) -> list[float]:
    """Return how two sets lie to each other."""
    return [
        float(len(old & new)),
        float(len(old - new)),
        float(len(new - old)),
        float(bool(old and new) and not old & new),
        float(old == new and bool(old)),
    ]
