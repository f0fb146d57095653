"""What speaks against a memory that is near: that it does not say what is asked for (R9). Pure.

Somebody who is well known is near to every question about him. So what passes by nearness is looked
at once more: does it hold the property that is asked for (an age, a home, a name), does it speak of
that person and not of a brother, does it share anything with the question beside who it speaks of?
Each is a sign with a weight (`memory.bearing`). A memory that asks something itself is found for
being asked alike, and has no such signs but those of another person or thing.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from memory.persons import capitals_of, inside, kin_of, of_others, shared_names
from memory.telling import names_another, told
from memory.terms import among
from memory.types import MemoryId
from memory.unsaid_rules import ASKS_ITSELF, SPEAKS
from memory.wanted import Wanted, beside, concepts_of, is_opposed

_IN_WORDS: Final = frozenset("abcdefghijklmnopqrstuvwxyz'ßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ")
_MOST_MISSING: Final = 0.3
"""Share of the words of a yes-or-no question that may be missing."""
_LOOSE: Final = frozenset(["who", "work", "opinion", "hobby", "reason"])
"""What so many texts may tell that having it excuses nothing else."""


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


def signs(asked: Wanted, text: str, plain: str) -> Signs:
    """Return what speaks against a memory; `plain` is its text folded."""
    others = bool(asked.kin) and of_others(asked.kin, asked.plain, kin_of(plain), plain)
    opposed = is_opposed(asked.opposed, plain)
    if asks_itself(plain):
        return Signs(others=float(others), opposed=float(opposed))
    tells = {name: told(name, asked, text, plain) for name in asked.properties}
    # Every memory has a time, and one that tells what is asked for may say it in other words: but
    # for what nearly all may tell.
    excused = all(tells.values()) and bool(tells.keys() - _LOOSE)
    excused = excused or ("who" in tells and names_another(asked, text))
    only_named = not (asked.when or excused) and _only_named(asked, text, plain)
    return Signs(
        untold=float(not all(tells.values())),
        others=float(others),
        opposed=float(opposed),
        only_named=float(only_named),
        undecided=_undecided(asked, plain) if asked.decides else 0.0,
    )


def asks_itself(plain: str) -> bool:
    """Say whether a folded text asks something: it is found for being asked alike."""
    return ("?" in plain or not plain.isascii()) and ASKS_ITSELF.search(plain) is not None


def strangers_in(asked: Wanted, texts: Mapping[MemoryId, str]) -> set[MemoryId]:
    """Return the folded texts without any name of the question, where others have one.

    A name that none has may be none, and may be known by another; so nobody is a stranger to it.
    """
    if not (asked.capitals or asked.like):
        return set()
    known = {id for id, plain in texts.items() if _names_any(asked, plain)}
    return set(texts) - known if known else set()


def _names_any(asked: Wanted, plain: str) -> bool:
    if any(name in plain for name in asked.capitals):
        return True
    return any(name in plain for some in asked.like for name in some)


def _only_named(asked: Wanted, text: str, plain: str) -> bool:
    """Say whether a text has the names of the question, and nothing else of it."""
    if ":" in plain:
        plain = SPEAKS.sub("", plain, count=1)
    shared, han = _shared(asked, text, plain), shared_names(asked.like, plain)
    if not (shared or han):
        return False
    rest = beside(asked, (*han, *shared))
    said = plain
    for name in han:
        said = said.replace(name, " ")
    if not rest.words or among(rest.words, said):
        return False
    return not rest.concepts or rest.concepts.isdisjoint(concepts_of(said))


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


def _undecided(asked: Wanted, plain: str) -> float:
    count = len(asked.decides)
    share = (count - len(among(asked.decides, plain))) / count
    return share if share > _MOST_MISSING else 0.0
