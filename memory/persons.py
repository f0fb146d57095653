"""Who a text speaks of: people by what they are to somebody, and people and things by name. Pure.

By form alone: a name is what is written with a capital inside a sentence, or begins with a Chinese
surname, 阿, 小 or 老 and stands in both texts that are compared. So a word that begins like a name
may be taken for one; nothing hangs on a name alone (`memory.unsaid`).
"""

import re
from collections.abc import Iterable
from typing import Final

from memory.claims.lexicon import CHINESE
from memory.claims.small_rules import words
from memory.kin_rules import ELDER, FAMILIAR, FITS, KIN, NO_NAME, SURNAMES, YOUNGER
from memory.understanding_rules import FUNCTION

_WORD: Final = re.compile(r"[a-zé]+(?:-in-law|-wife|-husband)?")
_KINDS: Final[dict[str, frozenset[str]]] = {}
for _line in KIN.strip().splitlines():
    _kind, _, _words = _line.partition(":")
    for _one in _words.split():
        _KINDS[_one] = _KINDS.get(_one, frozenset()) | {_kind}
_HAN_KIN: Final = re.compile(
    "|".join(sorted((one for one in _KINDS if one[0] >= "\u3400"), key=len, reverse=True))
)
_CAPITAL: Final = re.compile(r"(?<![\w'’])([A-Z][^\W\d_]+)(?![\w-]*\d)")
_LIKE_A_NAME: Final = re.compile(
    rf"[{''.join(sorted(FAMILIAR))}][\u4e00-\u9fff]|[{''.join(sorted(SURNAMES))}][\u4e00-\u9fff]{{1,2}}"
    r"|([\u4e00-\u9fff])\1"
)
_NO_NAMES: Final = FUNCTION | words(
    "january february march april may june july august september october november december monday "
    "tuesday wednesday thursday friday saturday sunday mum dad mom mr mrs ms dr prof professor"
)
"""What has a capital and names nobody."""
_ENDS: Final = '.!?:;"“'


def kin_of(plain: str) -> frozenset[str]:
    """Return what the people that a folded text speaks of are to somebody."""
    found: set[str] = set()
    for one in (*_WORD.findall(plain), *_HAN_KIN.findall(plain)):
        found |= _KINDS.get(one, frozenset())
    return frozenset(found)


def of_others(asked: frozenset[str], question: str, held: frozenset[str], text: str) -> bool:
    """Say whether a text speaks of other people than the question: of a brother, and not a sister.

    One that names nobody so may mean the same person by name: it does not.
    """
    if not asked or not held:
        return False
    fits = asked.union(*(FITS.get(one, ()) for one in asked))
    if not fits & held:
        return True
    one, other = _age(question), _age(text)
    return bool({"sister", "brother"} & asked & held) and 0 not in (one, other) and one != other


def capitals_of(text: str) -> list[tuple[int, str]]:
    """Return the words with a capital and where they begin, without titles and the calendar."""
    found = ((one.start(1), one.group(1)) for one in _CAPITAL.finditer(text))
    return [(place, word) for place, word in found if word.casefold() not in _NO_NAMES]


def inside(text: str, capitals: Iterable[tuple[int, str]]) -> frozenset[str]:
    """Return those that no sentence begins with, folded: names, by all that can be seen."""
    return frozenset(word.casefold() for place, word in capitals if not begins(text, place))


def begins(text: str, place: int) -> bool:
    """Say whether a sentence begins there."""
    before = text[:place].rstrip()
    return not before or before[-1] in _ENDS


def like_names(question: str) -> tuple[tuple[str, ...], ...]:
    """Return what is like a Chinese name in a question, and what else it may be if it ends sooner.

    Where a name ends is told by the text that is compared: 魏琴是 is none that 魏琴第一天 has.
    """
    if question.isascii():
        return ()
    found = []
    for match in _LIKE_A_NAME.finditer(question):
        said = match.group()
        names = (said[:length] for length in range(len(said), 1, -1))
        if some := tuple(name for name in names if _may_be(name)):
            found.append(some)
    return tuple(found)


def shared_names(like: Iterable[tuple[str, ...]], text: str) -> list[str]:
    """Return the names among those of `like_names` that stand in a text, the longest first."""
    found = (next((name for name in some if name in text), None) for some in like)
    return sorted((name for name in found if name is not None), key=len, reverse=True)


def names_nobody(word: str) -> bool:
    """Say whether a folded word is none of a name, whatever it begins with."""
    return word in _NO_NAMES


def _may_be(name: str) -> bool:
    return not any(one in NO_NAME or one in CHINESE or one in _KINDS for one in (name, name[:2]))


def _age(text: str) -> int:
    """Return 1 if a text speaks of elder brothers and sisters alone, -1 of younger, 0 else."""
    elder, younger = not ELDER.isdisjoint(text), not YOUNGER.isdisjoint(text)
    return int(elder) - int(younger)
