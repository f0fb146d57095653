"""Whether a text may tell what is asked for: by form, and generously (R9). Pure."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from memory.codes import without_labels
from memory.persons import begins, capitals_of, kin_of
from memory.terms import among
from memory.unsaid_rules import (
    AT_A_NAME,
    BRANDED,
    BRANDED_HAN,
    FULL,
    NAMES,
    NAMES_HAN,
    PLACED,
    PROPERTIES,
    REASONED,
    SOMEBODY,
    TITLED,
    TWO_NAMES,
)
from memory.wanted import Wanted, latin_of

_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_DID: Final = re.compile(
    r"[a-z]*(?:ed|ing)|ate|began|bought|broke|brought|built|came|caught|chose|cut|did|drank|drew|drove"
    r"|fell|felt|flew|found|forgot|gave|got|had|heard|held|hit|kept|knew|left|lent|lost|made|met|paid"
    r"|put|ran|rang|read|rode|said|sang|sat|saw|sent|set|slept|sold|spent|spoke|stood|stuck|swam|taught"
    r"|thought|threw|told|took|tried|went|woke|won|wore|wrote"
)
"""What a sentence may begin with that tells what somebody did: with a capital, and no name."""
_RESTATES: Final = 0.3
"""Share of the question's words above which a text says the same thing again."""


def told(name: str, asked: Wanted, text: str, plain: str) -> bool:
    """Say whether a text may tell a property."""
    if name in _COUNTED:
        plain = without_labels(plain, asked.plain)
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


def _tells_title(asked: Wanted, text: str, plain: str) -> bool:
    if _HAN.search(text) or AT_A_NAME.search(text) or TITLED.search(plain):
        return True
    return _names_more(asked, text)


def _tells_why(asked: Wanted, _: str, plain: str) -> bool:
    restates = _restates(asked, plain)
    if _HAN.search(plain):
        plain = plain.translate(dict.fromkeys(map(ord, asked.plain)))
    return bool(REASONED.search(plain)) or not restates


def _tells_which_school(asked: Wanted, text: str, _: str) -> bool:
    return bool(_HAN.search(text) or AT_A_NAME.search(text)) or _names_more(asked, text)


_MORE: Final[Mapping[str, Callable[[Wanted, str, str], bool]]] = {
    "full": _tells_full,
    "called": _tells_called,
    "brand": _tells_brand,
    "who": _tells_who,
    "reason": _tells_why,
    "title": _tells_title,
    "school": _tells_which_school,
}
"""What else a text needs that tells it."""
_COUNTED: Final = frozenset(["age", "size", "body", "duration"])
"""What is told by a number: by none of a code, nor by one that the question has itself."""
_EITHER: Final = frozenset(["bank"])
"""What a name that the question does not have tells as well."""


def _restates(asked: Wanted, plain: str) -> bool:
    """Say whether a text says most of what is asked about: what says it otherwise may be why."""
    return len(among(asked.words, plain)) > _RESTATES * len(asked.words)


def names_another(asked: Wanted, text: str) -> bool:
    """Say whether a text has a name that the question does not, and shows it by a capital."""
    return text != text.lower() and _names_more(asked, text)


def _names_more(asked: Wanted, text: str) -> bool:
    """Say whether a text has a name that the question does not: of nobody's place or belongings.

    Where nothing has a capital, none can be seen: it may. In Chinese none is looked for.
    """
    if _HAN.search(text):
        return False
    if text == text.lower():
        return True
    known = latin_of(asked.text.casefold())
    for place, word in capitals_of(text):
        said, after = word.casefold(), text[place + len(word) :]
        if said in known or after.startswith(("'s", "’s")):
            continue
        if begins(text, place) and _DID.fullmatch(said):
            continue
        if not PLACED.search(text[:place].rstrip().casefold()):
            return True
    return False
