"""Whether a text speaks of another one of several that are told apart by a label. Pure.

Rack A is not rack B, 三号诊室 is not 二号诊室, and the front door is not the back door: their texts
are alike but for that, so that meaning and words bring both.
"""

import re
import unicodedata
from collections import defaultdict
from typing import Final

import msgspec

from memory.claims.small_rules import words
from memory.terms import plain_of
from memory.understanding_rules import FUNCTION
from memory.wanted import is_opposed, with_opposites

_SMALL: Final = "one|two|three|four|five|six|seven|eight|nine|ten"
_LABELLED: Final = re.compile(
    r"\b([A-Za-z]{3,}) #?"
    rf"([A-HJ-Z]|\d{{1,3}}[A-Za-z]?|{_SMALL})\b(?![-:./,]\d)"
)
"""What has a letter, a small number or its word after it. `I` is somebody."""
_LABELLED_HAN: Final = re.compile(
    r"(?<!月)([0-9一二三四五六七八九十]{1,3})(号[门楼库厅桌房机线]?|[楼栋幢班室组]|单元|年级)"
)
_NO_NOUN: Final = FUNCTION | words(
    "about after before between buy bought cost earn gave give got has have january february march "
    "april june july august september october november december last made need next order over pay "
    "paid past plus sell sold since than took until used within"
)
"""What a number follows that labels nothing."""


class Told(msgspec.Struct, frozen=True):
    """By what a question tells one of several: labels of each noun, and words with an opposite."""

    labels: dict[str, set[str]]
    opposed: tuple[tuple[frozenset[str], frozenset[str]], ...]


def told_by(question: str) -> Told | None:
    """Return by what a question tells one of several, nothing if it does not; read once."""
    told = Told(_labels(question), with_opposites(plain_of(question)))
    return told if told.labels or told.opposed else None


def is_of_another(asked: Told, text: str) -> bool:
    """Say whether a text names one of several by its label, and not the one of the question."""
    if asked.labels:
        held = _labels(text)
        if any(held.get(noun) and not own & held[noun] for noun, own in asked.labels.items()):
            return True
    return bool(asked.opposed) and is_opposed(asked.opposed, plain_of(text))


def _labels(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    seen = unicodedata.normalize("NFKC", text)
    for match in _LABELLED.finditer(seen):
        noun = match.group(1).casefold()
        if noun not in _NO_NOUN:
            found[noun].add(match.group(2).casefold())
    if not seen.isascii():
        for match in _LABELLED_HAN.finditer(seen):
            found[match.group(2)].add(match.group(1))
    return found
