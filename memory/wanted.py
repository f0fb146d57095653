"""What a question wants to be told, read once for all memories that may tell it (R9). Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from memory.bearing_rules import EMPTY, EMPTY_HAN
from memory.claims.lexicon import ALONE, CHINESE, RUNS, Role
from memory.persons import capitals_of, inside, kin_of, like_names, names_nobody
from memory.terms import terms_of
from memory.understanding_rules import FUNCTION
from memory.unsaid_rules import (
    BRAND,
    CALLED,
    FULL,
    NEEDS,
    OPPOSED,
    PROPERTIES,
    REASON,
    TITLE,
    WHEN,
    WHO,
    YES_NO,
)

LATIN: Final = re.compile(r"[a-zß-öø-ÿ']+")
_WORDS: Final = re.compile(r"[a-z0-9'-]+")
_CODES: Final = re.compile(r"[a-z-]*\d[a-z0-9-]*")
_ASKS: Final = {name: asks for name, (asks, _) in PROPERTIES.items()} | {
    "full": FULL,
    "called": CALLED,
    "brand": BRAND,
    "reason": REASON,
    "who": WHO,
    "title": TITLE,
}
_MEANS: Final = frozenset([Role.NOUN, Role.VERB, Role.WORD])
_OPPOSED_LATIN: Final = frozenset(word for one in OPPOSED for word in one if word.isascii())
_OPPOSED_HAN: Final = tuple(word for one in OPPOSED for word in one if not word.isascii())


class Beside(msgspec.Struct, frozen=True):
    """What a question says beside names: its words, and what those mean in either language."""

    words: frozenset[str]
    concepts: frozenset[str]


class Wanted(msgspec.Struct, frozen=True):
    """What a question wants to be told, read once for all memories. `plain` has no times.

    `words` say what it is about; `capitals` are names by their form, `names` words that may be
    names in a text, `like` what is like a name in Chinese; `opposed` are words with an opposite,
    and which of them are asked for; `decides` says what yes or no is asked about, if it is.
    `beside` is filled as texts are read: what is said beside the names that a text has as well.
    """

    text: str
    plain: str
    words: frozenset[str] = frozenset()
    properties: tuple[str, ...] = ()
    kin: frozenset[str] = frozenset()
    capitals: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    like: tuple[tuple[str, ...], ...] = ()
    opposed: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    decides: frozenset[str] = frozenset()
    when: bool = False
    beside: dict[tuple[str, ...], Beside] = msgspec.field(default_factory=dict)


NOTHING_WANTED: Final = Wanted("", "")


def asked_for(
    asks: Mapping[str, re.Pattern[str]], needs: Mapping[str, Sequence[str]], plain: str
) -> tuple[str, ...]:
    """Return what a folded question asks for, by name; tried where one of its needs is."""
    return tuple(
        name
        for name, pattern in asks.items()
        if any(one in plain for one in needs[name]) and pattern.search(plain)
    )


def wanted(text: str, plain: str) -> Wanted:
    """Return what a question wants to be told; `plain` is it folded, without its times."""
    properties = asked_for(_ASKS, NEEDS, plain)
    capitals = inside(text, capitals_of(text))
    words, decides = _content(plain), frozenset[str]()
    if YES_NO.search(plain):
        decides = words.difference(*(terms_of(one) for one in capitals))
    return Wanted(
        text,
        plain,
        words,
        properties,
        kin=kin_of(plain),
        capitals=capitals,
        names=tuple(word for word in latin_of(_CODES.sub(" ", plain)) if not names_nobody(word)),
        like=like_names(plain),
        opposed=with_opposites(plain),
        decides=decides,
        when=bool(WHEN.search(plain)),
    )


def beside(asked: Wanted, names: tuple[str, ...]) -> Beside:
    """Return what a question says beside these names."""
    known = asked.beside.get(names)
    if known is None:
        question = asked.plain
        for name in names:
            if name.isascii():
                question = re.sub(rf"\b{re.escape(name)}\b(?:'s)?", " ", question)
            else:
                question = question.replace(name, " ")
        known = Beside(_content(question), frozenset(concepts_of(question)))
        asked.beside[names] = known
    return known


def latin_of(plain: str) -> set[str]:
    """Return the words of a folded text in Latin letters, without what makes them somebody's."""
    return {word.removesuffix("'s") for word in LATIN.findall(plain)}


def concepts_of(plain: str) -> set[str]:
    """Return what the known words of a folded text mean, the same for both languages."""
    entries = [ALONE[one] for one in LATIN.findall(plain) if one in ALONE]
    found = {one.text for one in entries if one.role in _MEANS}
    if plain.isascii():
        return found
    place = 0
    while place < len(plain):
        step = 1
        for length in RUNS.get(plain[place], ()):
            token = CHINESE.get(plain[place : place + length])
            if token is not None and length > 1:
                if token.role in _MEANS:
                    found.add(token.text)
                step = length
                break
        place += step
    return found


def opposites_in(plain: str) -> set[str]:
    """Return the words of a folded text that have an opposite."""
    found = _OPPOSED_LATIN.intersection(_WORDS.findall(plain))
    if not plain.isascii():
        found |= {word for word in _OPPOSED_HAN if word in plain}
    return set(found)


def _content(plain: str) -> frozenset[str]:
    return frozenset(
        term
        for term in terms_of(EMPTY_HAN.sub(" ", plain))
        if term not in FUNCTION and term not in EMPTY
    )


def is_opposed(opposed: Sequence[tuple[frozenset[str], frozenset[str]]], plain: str) -> bool:
    """Say whether a folded text has the opposite of a word of a question, and not the word."""
    words = opposites_in(plain) if opposed else set[str]()
    return any(some & words and not own & words for some, own in opposed)


def with_opposites(question: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Return each set of opposites of which a question has some, and those that it has."""
    words = opposites_in(question)
    held = ((some, some & words) for some in OPPOSED) if words else ()
    return tuple((some, own) for some, own in held if own)
