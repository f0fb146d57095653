"""What speaks against a memory that is near: that it does not say what is asked for (R9). Pure.

Somebody who is well known is near to every question about him. So what passes by nearness is looked
at once more: does it hold the property that is asked for (an age, a home, a name), does it speak of
that person and not of a brother, does it share anything with the question beside who it speaks of?
Each is a sign with a weight (`memory.bearing`). A memory that asks something itself is found for
being asked alike, and has no such signs but those of another person or thing.
"""

import re
from typing import Final

import msgspec

from memory.bearing_rules import EMPTY, EMPTY_HAN
from memory.claims.lexicon import ALONE, CHINESE, RUNS, Role
from memory.persons import (
    begins,
    capitals_of,
    chinese_names,
    inside,
    kin_of,
    of_others,
)
from memory.terms import terms_of
from memory.understanding_rules import FUNCTION
from memory.unsaid_rules import (
    ASKS_ITSELF,
    BRAND,
    BRANDED,
    BRANDED_HAN,
    CALLED,
    FULL,
    NAMES,
    NAMES_HAN,
    OPPOSED,
    PLACED,
    PROPERTIES,
    SPEAKS,
    TWO_NAMES,
    WHEN,
    YES_NO,
)

_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_LATIN: Final = re.compile(r"[a-z']+")
_WORDS: Final = re.compile(r"[a-z0-9'-]+")
_DID: Final = re.compile(r"[a-z]*(?:ed|ing)")
_MEANS: Final = frozenset([Role.NOUN, Role.VERB, Role.WORD])
_MOST_MISSING: Final = 0.3
"""Share of the words of a yes-or-no question that may be missing."""


class Wanted(msgspec.Struct, frozen=True):
    """What a question wants to be told, read once for all memories. `plain` has no times."""

    text: str
    plain: str
    properties: tuple[str, ...]
    kin: frozenset[str]
    capitals: frozenset[str]
    yes_no: bool
    when: bool


NOTHING_WANTED: Final = Wanted("", "", (), frozenset(), frozenset(), yes_no=False, when=False)


class Signs(msgspec.Struct, frozen=True):
    """What speaks against one memory, each 1 or 0, `undecided` a share."""

    untold: float = 0.0
    """A property is asked for, and it tells none such."""
    others: float = 0.0
    """It speaks of a brother where a sister is asked for."""
    opposed: float = 0.0
    """It speaks of the back door where the front door is asked for."""
    only_named: float = 0.0
    """It shares a name with the question, and nothing else of what is asked."""
    undecided: float = 0.0
    """Yes or no is asked, and it lacks so much of what is asked about."""


def wanted(text: str, plain: str) -> Wanted:
    """Return what a question wants to be told; `plain` is it folded, without its times."""
    names = {name: asks for name, (asks, _) in PROPERTIES.items()}
    names |= {"full": FULL, "called": CALLED, "brand": BRAND}
    properties = tuple(name for name, asks in names.items() if asks.search(plain))
    capitals = inside(text, capitals_of(text))
    yes_no, when = bool(YES_NO.search(plain)), bool(WHEN.search(plain))
    return Wanted(text, plain, properties, kin_of(plain), capitals, yes_no, when)


def signs(asked: Wanted, text: str, plain: str) -> Signs:
    """Return what speaks against a memory; `plain` is its text folded."""
    own = kin_of(plain) if asked.kin else frozenset()
    others, opposed = of_others(asked.kin, asked.plain, own, plain), _opposed(asked.plain, plain)
    if ASKS_ITSELF.search(plain):
        return Signs(others=float(others), opposed=float(opposed))
    told = [_told(name, asked, text, plain) for name in asked.properties]
    # Every memory has a time, and one that tells what is asked for may say it in other words.
    only_named = not (asked.when or (told and all(told))) and _only_named(asked, text, plain)
    return Signs(
        untold=float(not all(told)),
        others=float(others),
        opposed=float(opposed),
        only_named=float(only_named),
        undecided=_undecided(asked, plain) if asked.yes_no else 0.0,
    )


def _told(name: str, asked: Wanted, text: str, plain: str) -> bool:
    """Say whether a text may tell a property."""
    if name == "full":
        return bool(FULL.search(plain) or TWO_NAMES.search(text) or text == text.lower())
    if name == "called":
        by_form = NAMES_HAN.search(text) if _HAN.search(text) else NAMES.search(plain)
        return bool(by_form) or _names_more(asked, text)
    if name == "brand":
        by_form = BRANDED.search(plain) or (_HAN.search(text) and BRANDED_HAN.search(text))
        return bool(by_form) or _names_more(asked, text)
    _, holds = PROPERTIES[name]
    return bool(holds.search(plain)) or (name == "bank" and _names_more(asked, text))


def _names_more(asked: Wanted, text: str) -> bool:
    """Say whether a text has a name that the question does not: of nobody's place or belongings.

    Where nothing has a capital, none can be seen: it may. In Chinese none is looked for.
    """
    if _HAN.search(text):
        return False
    if text == text.lower():
        return True
    known = _latin(asked.text.casefold())
    for place, word in capitals_of(text):
        said, after = word.casefold(), text[place + len(word) :]
        if said in known or after.startswith(("'s", "’s")):
            continue
        if begins(text, place) and _DID.fullmatch(said):
            continue
        if not PLACED.search(text[:place].rstrip().casefold()):
            return True
    return False


def _only_named(asked: Wanted, text: str, plain: str) -> bool:
    """Say whether a text has the names of the question, and nothing else of it."""
    text, plain = SPEAKS.sub("", text, count=1), SPEAKS.sub("", plain, count=1)
    shared = asked.capitals | inside(text, capitals_of(text))
    shared &= _latin(plain) & _latin(asked.plain)
    han = chinese_names(asked.plain, plain)
    if not (shared or han):
        return False
    question, said = asked.plain, plain
    for name in han:
        question, said = question.replace(name, " "), said.replace(name, " ")
    for name in shared:
        question = re.sub(rf"\b{re.escape(name)}\b(?:'s)?", " ", question)
    rest = _content(question)
    if not rest or rest & terms_of(said).keys():
        return False
    return not _concepts(question) & _concepts(said)


def _latin(plain: str) -> set[str]:
    return {word.removesuffix("'s") for word in _LATIN.findall(plain)}


def _undecided(asked: Wanted, plain: str) -> float:
    rest = _content(asked.plain) - {term for one in asked.capitals for term in terms_of(one)}
    share = len(rest - terms_of(plain).keys()) / len(rest) if rest else 0.0
    return share if share > _MOST_MISSING else 0.0


def _content(plain: str) -> set[str]:
    return {
        term
        for term in terms_of(EMPTY_HAN.sub(" ", plain))
        if term not in FUNCTION and term not in EMPTY
    }


def _concepts(plain: str) -> set[str]:
    """Return what the known words of a folded text mean, the same for both languages."""
    entries = [ALONE[one] for one in _LATIN.findall(plain) if one in ALONE]
    found = {one.text for one in entries if one.role in _MEANS}
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


def _opposed(question: str, plain: str) -> bool:
    if not any(word in question for one in OPPOSED for word in one):
        return False
    asked, said = set(_WORDS.findall(question)), set(_WORDS.findall(plain))

    def among(one: frozenset[str], text: str, words: set[str]) -> set[str]:
        return {word for word in one if (word in words if word.isascii() else word in text)}

    for one in OPPOSED:
        wanted_of, had = among(one, question, asked), among(one, plain, said)
        if wanted_of and had and not wanted_of & had:
            return True
    return False
