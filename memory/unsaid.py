"""What speaks against a memory that is near: that it does not say what is asked for (R9). Pure.

Somebody who is well known is near to every question about him. So what passes by nearness is looked
at once more: does it hold the property that is asked for (an age, a home, a name), does it speak of
that person and not of a brother, does it share anything with the question beside who it speaks of?
Each is a sign with a weight (`memory.bearing`). A memory that asks something itself is found for
being asked alike, and has no such signs but those of another person or thing.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from memory.bearing_rules import EMPTY, EMPTY_HAN
from memory.claims.lexicon import ALONE, CHINESE, RUNS, Role
from memory.persons import (
    begins,
    capitals_of,
    inside,
    kin_of,
    like_names,
    names_nobody,
    of_others,
    shared_names,
)
from memory.terms import among, terms_of
from memory.understanding_rules import FUNCTION
from memory.unsaid_rules import (
    ASKS_ITSELF,
    AT_A_NAME,
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
    REASON,
    REASONED,
    SOMEBODY,
    SPEAKS,
    TWO_NAMES,
    WHEN,
    WHO,
    YES_NO,
)

_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_LATIN: Final = re.compile(r"[a-z']+")
_IN_WORDS: Final = frozenset("abcdefghijklmnopqrstuvwxyz'")
_WORDS: Final = re.compile(r"[a-z0-9'-]+")
_CODES: Final = re.compile(r"[a-z-]*\d[a-z0-9-]*")
_DID: Final = re.compile(r"[a-z]*(?:ed|ing)")
_MEANS: Final = frozenset([Role.NOUN, Role.VERB, Role.WORD])
_OPPOSED_LATIN: Final = frozenset(word for one in OPPOSED for word in one if word.isascii())
_OPPOSED_HAN: Final = tuple(word for one in OPPOSED for word in one if not word.isascii())
_MOST_MISSING: Final = 0.3
"""Share of the words of a yes-or-no question that may be missing."""


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
    names |= {"full": FULL, "called": CALLED, "brand": BRAND, "reason": REASON, "who": WHO}
    properties = tuple(name for name, asks in names.items() if asks.search(plain))
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
        names=tuple(word for word in _latin(_CODES.sub(" ", plain)) if not names_nobody(word)),
        like=like_names(plain),
        opposed=_with_opposites(plain),
        decides=decides,
        when=bool(WHEN.search(plain)),
    )


def signs(asked: Wanted, text: str, plain: str) -> Signs:
    """Return what speaks against a memory; `plain` is its text folded."""
    others = bool(asked.kin) and of_others(asked.kin, asked.plain, kin_of(plain), plain)
    opposed = bool(asked.opposed) and _opposed(asked, plain)
    if ("?" in plain or not plain.isascii()) and ASKS_ITSELF.search(plain):
        return Signs(others=float(others), opposed=float(opposed))
    told = {name: _told(name, asked, text, plain) for name in asked.properties}
    # Every memory has a time, and one that tells what is asked for may say it in other words: but
    # for what nearly all may tell.
    tells = all(told.values()) and bool(told.keys() - _LOOSE)
    only_named = not (asked.when or tells) and _only_named(asked, text, plain)
    return Signs(
        untold=float(not all(told.values())),
        others=float(others),
        opposed=float(opposed),
        only_named=float(only_named),
        undecided=_undecided(asked, plain) if asked.decides else 0.0,
    )


def _told(name: str, asked: Wanted, text: str, plain: str) -> bool:
    """Say whether a text may tell a property."""
    by_form = name not in PROPERTIES or bool(PROPERTIES[name][1].search(plain))
    more = _MORE.get(name)
    if name in _EITHER:
        return by_form or _names_more(asked, text)
    return by_form and (more is None or more(asked, text, plain))


def _tells_full(_: Wanted, text: str, plain: str) -> bool:
    return bool(FULL.search(plain) or TWO_NAMES.search(text) or text == text.lower())


def _tells_called(asked: Wanted, text: str, plain: str) -> bool:
    by_form = NAMES_HAN.search(text) if _HAN.search(text) else NAMES.search(plain)
    return bool(by_form) or _names_more(asked, text)


def _tells_brand(asked: Wanted, text: str, plain: str) -> bool:
    by_form = BRANDED.search(plain) or (_HAN.search(text) and BRANDED_HAN.search(text))
    return bool(by_form) or _names_more(asked, text)


def _tells_who(asked: Wanted, text: str, plain: str) -> bool:
    # Chinese leaves out who is meant.
    by_form = _HAN.search(text) or SOMEBODY.search(plain) or kin_of(plain)
    return bool(by_form) or _names_more(asked, text)


def _tells_why(asked: Wanted, _: str, plain: str) -> bool:
    return bool(REASONED.search(plain)) or not _restates(asked, plain)


def _tells_which_school(asked: Wanted, text: str, _: str) -> bool:
    return bool(_HAN.search(text) or AT_A_NAME.search(text)) or _names_more(asked, text)


_MORE: Final[Mapping[str, Callable[[Wanted, str, str], bool]]] = {
    "full": _tells_full,
    "called": _tells_called,
    "brand": _tells_brand,
    "who": _tells_who,
    "reason": _tells_why,
    "school": _tells_which_school,
}
"""What else a text needs that tells it."""
_EITHER: Final = frozenset(["bank"])
"""What a name that the question does not have tells as well."""
_LOOSE: Final = frozenset(["who", "work", "opinion", "hobby", "reason"])
"""What so many texts may tell that having it excuses nothing else."""


def _restates(asked: Wanted, plain: str) -> bool:
    """Say whether a text says most of what is asked about: what says it otherwise may be why."""
    return len(among(asked.words, plain)) > _MOST_MISSING * len(asked.words)


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
    if ":" in plain:
        plain = SPEAKS.sub("", plain, count=1)
    shared, han = _shared(asked, text, plain), shared_names(asked.like, plain)
    if not (shared or han):
        return False
    beside = _beside(asked, (*han, *shared))
    said = plain
    for name in han:
        said = said.replace(name, " ")
    if not beside.words or among(beside.words, said):
        return False
    return not beside.concepts or beside.concepts.isdisjoint(_concepts(said))


def _shared(asked: Wanted, text: str, plain: str) -> list[str]:
    """Return the words of the question that a text has too and that are a name in either."""
    found = [word for word in asked.names if word in plain and _is_word(word, plain)]
    if asked.capitals.issuperset(found):
        return found
    said = SPEAKS.sub("", text, count=1)
    names = asked.capitals | inside(said, capitals_of(said))
    return [word for word in found if word in names]


def _is_word(word: str, plain: str) -> bool:
    """Say whether a folded text has a word, or what is its; none that only begins or ends so."""
    place = plain.find(word)
    while place >= 0:
        end = place + len(word)
        if plain.startswith("'s", end) and plain[end + 2 : end + 3] not in _IN_WORDS:
            end += 2
        if plain[end : end + 1] not in _IN_WORDS and plain[place - 1 : place] not in _IN_WORDS:
            return True
        place = plain.find(word, place + 1)
    return False


def _beside(asked: Wanted, names: tuple[str, ...]) -> Beside:
    known = asked.beside.get(names)
    if known is None:
        question = asked.plain
        for name in names:
            if name.isascii():
                question = re.sub(rf"\b{re.escape(name)}\b(?:'s)?", " ", question)
            else:
                question = question.replace(name, " ")
        known = Beside(_content(question), frozenset(_concepts(question)))
        asked.beside[names] = known
    return known


def _latin(plain: str) -> set[str]:
    return {word.removesuffix("'s") for word in _LATIN.findall(plain)}


def _undecided(asked: Wanted, plain: str) -> float:
    count = len(asked.decides)
    share = (count - len(among(asked.decides, plain))) / count
    return share if share > _MOST_MISSING else 0.0


def _content(plain: str) -> frozenset[str]:
    return frozenset(
        term
        for term in terms_of(EMPTY_HAN.sub(" ", plain))
        if term not in FUNCTION and term not in EMPTY
    )


def _concepts(plain: str) -> set[str]:
    """Return what the known words of a folded text mean, the same for both languages."""
    entries = [ALONE[one] for one in _LATIN.findall(plain) if one in ALONE]
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


def _with_opposites(question: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Return each set of opposites of which a question has some, and those that it has."""
    words = _opposites_in(question)
    held = ((some, some & words) for some in OPPOSED) if words else ()
    return tuple((some, own) for some, own in held if own)


def _opposed(asked: Wanted, plain: str) -> bool:
    words = _opposites_in(plain)
    return any(some & words and not own & words for some, own in asked.opposed)


def _opposites_in(plain: str) -> set[str]:
    found = _OPPOSED_LATIN.intersection(_WORDS.findall(plain))
    if not plain.isascii():
        found |= {word for word in _OPPOSED_HAN if word in plain}
    return set(found)
