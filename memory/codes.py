"""The codes and numbers that a question names, and whether a text has them. Pure.

By their letters and digits alone, however they are typed: `GS-7110` and `gs7110` are one, and so
are `v4.13.1` and `4.13.1`. Read from folded text, in which nothing is full-width; what the index
knows a code by is another matter (`memory.entities`).
"""

import re
from typing import Final

_RUNS: Final = re.compile(r"[a-z0-9]+(?:[-_/.:@#][a-z0-9]+)*", re.ASCII)
"""What may be a code; only those with a digit are."""
_SIGNS: Final = re.compile(r"[^a-z0-9]+")
_A_DIGIT: Final = re.compile(r"[0-9]")
_VERSION: Final = re.compile(r"v(?=\d+(?:\.\d+)+$)")
_SHORTEST: Final = 3
"""Characters from which what has a digit is a code and not a count."""
_ORDINARY: Final = re.compile(
    r"(?:19|20)\d\d|\d{1,3}(?:st|nd|rd|th|am|pm|[a-z]{1,2})|\d{1,2}[:.]\d\d(?:am|pm)?"
    r"|\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?"
)
"""Years, days, hours and measures: what a question names without naming a thing by it."""
_MEASURED: Final = re.compile(r"\d{1,4}(?:[.:]\d{1,2})?-?[a-z]{1,8}(?:-[a-z]+)*")
_LABELS: Final = re.compile(
    r"(?<![a-z])[a-z]{2,} #?\d{1,4}[a-z]?\b|[0-9一二三四五六七八九十]{1,4}[号楼栋层单室班路线年级]"
)
"""Numbers that tell one thing of several from the others: room 12, 三号."""
_COUNTS: Final = 4
"""Digits from which a number by itself is more often a code than a count."""


def without_labels(plain: str, question: str) -> str:
    """Return a folded text without the numbers that count nothing: codes, and what both name."""
    if _A_DIGIT.search(plain):
        plain = _RUNS.sub(lambda run: " " if _is_code(run.group()) else run.group(), plain)
    labels = {match.group() for match in _LABELS.finditer(question)}
    for label in labels:
        plain = plain.replace(label, " ")
    return plain


def _is_code(run: str) -> bool:
    letters = sum(char.isalpha() for char in run)
    digits = sum(char.isdecimal() for char in run)
    if not letters:
        return digits > _COUNTS
    return digits > 0 and _ORDINARY.fullmatch(run) is None and _MEASURED.fullmatch(run) is None


def codes_in(plain: str) -> frozenset[str]:
    """Return what a folded text has that may be a code, as letters and digits alone."""
    return _codes(plain, ordinary=True)


def named_in(plain: str) -> frozenset[str]:
    """Return the codes by which a folded text names something: no year, day, hour or measure."""
    return _codes(plain, ordinary=False)


def has_codes(plain: str, codes: frozenset[str]) -> bool:
    """Say whether a folded text has each of some codes."""
    if not codes:
        return True
    held = _SIGNS.sub("", plain)
    return all(code in held for code in codes)


def _codes(plain: str, *, ordinary: bool) -> frozenset[str]:
    if _A_DIGIT.search(plain) is None:
        return frozenset()
    runs = (match.group() for match in _RUNS.finditer(plain))
    kept = (run for run in runs if ordinary or _ORDINARY.fullmatch(run) is None)
    codes = (_SIGNS.sub("", _VERSION.sub("", run)) for run in kept)
    return frozenset(code for code in codes if len(code) >= _SHORTEST and _A_DIGIT.search(code))
