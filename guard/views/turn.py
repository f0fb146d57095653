"""Readings of what was written backwards or with an alphabet that was shifted or mirrored.

Nothing marks such text, so it is told by what it says when it is read so: letters that are as
frequent as in English, or common words that stand there backwards.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase
from typing import Final

import numpy as np

from guard.nouns import View
from guard.views.rewrite import rewritten, translated
from guard.views.rot13 import FREQUENCY

_SEGMENT = re.compile(r"[A-Za-z][A-Za-z ,'’\-]{18,600}")
_LETTERS_AT_LEAST: Final = 18
_GAIN: Final = 0.5
"""By how much a letter must be likelier, as a log ratio: other languages are not that far off."""
_ENGLISH: Final = -3.15
"""Mean log frequency of a letter from which on a text may be English; it has -2.9 in the mean."""
_LOG: Final = {letter: math.log(percent / 100) for letter, percent in FREQUENCY.items()}

_LINE = re.compile(r"[^\n]{8,}")
_WORD = re.compile(r"[A-Za-z]{2,}")
_FORWARDS = """
the and you all this that with your are previous instructions instruction ignore system prompt user
password must send from have will when tell never always please reveal every what they which would
there about after before other their them because into only over should secret forget rules data
email account transfer money payment
"""
_BACKWARDS: Final = frozenset(word[::-1] for word in _FORWARDS.split()) - {"era"}
_BACKWARDS_CN = re.compile(
    "略忽|令指|示提|统系|户用|码密|手助|则规|前之|上以|有所|住记|行执|送发|账转|款付|权授|准批|除删|露泄|们我|们你|须必|要不|后以|诉告"
)
_TWO: Final = 2


def turned(view: View) -> Iterator[tuple[str, View]]:
    """Yield the readings that say something when they are turned, each with its name."""
    shifted = _shifted(view)
    if shifted is not view:
        yield "shift", shifted
    # A line has no more of them than the whole text.
    if not _is_backwards(view.text):
        return
    for name, again in (("reversed", _reversed), ("mirrored", _mirrored)):
        back = rewritten(view, _LINE, again)
        if back is not view:
            yield name, back


def _shifted(view: View) -> View:
    text = _SEGMENT.sub(lambda match: _unshifted(match.group()), view.text)
    return view if text == view.text else translated(view, text)


def _unshifted(segment: str) -> str:
    """Return a segment with the alphabet under which it is likeliest English, if one stands out."""
    if not _may_be_shifted(segment):
        return segment
    counts = Counter(c for c in segment.lower() if c in _LOG)
    letters = sum(counts.values())
    plain = _mean(counts, ascii_lowercase, letters)
    mean, alphabet = max((_mean(counts, other, letters), other) for other in _ALPHABETS)
    if mean < _ENGLISH or mean - plain < _GAIN:
        return segment
    table = str.maketrans(ascii_lowercase + ascii_uppercase, alphabet + alphabet.upper())
    return segment.translate(table)


def _may_be_shifted(segment: str) -> bool:
    """Say whether `_unshifted` must look at a segment: all alphabets at once, nearly exactly."""
    codes = np.frombuffer(segment.lower().encode("ascii", "ignore"), dtype=np.uint8)
    counts = np.bincount(codes, minlength=_LAST + 1)[_FIRST : _LAST + 1]
    letters = int(counts.sum())
    if letters < _LETTERS_AT_LEAST:
        return False
    means = counts @ _LOGS / letters
    best = float(means[1:].max()) + _ROUNDING
    return best >= _ENGLISH and best - float(means[0]) >= _GAIN


def _mean(counts: Counter[str], alphabet: str, letters: int) -> float:
    read = dict(zip(ascii_lowercase, alphabet, strict=True))
    return sum(count * _LOG[read[letter]] for letter, count in counts.items()) / letters


def _is_backwards(line: str) -> bool:
    words = set(" ".join(_WORD.findall(line)).lower().split())
    if len(words & _BACKWARDS) >= _TWO:
        return True
    return not line.isascii() and len(set(_BACKWARDS_CN.findall(line))) >= _TWO


def _reversed(match: re.Match[str]) -> str | None:
    return match.group()[::-1] if _is_backwards(match.group()) else None


def _mirrored(match: re.Match[str]) -> str | None:
    line = match.group()
    if not _is_backwards(line) or not line.isascii():
        return None
    return _WORD.sub(lambda word: word.group()[::-1], line)


_ALPHABETS: Final = (
    *(ascii_lowercase[n:] + ascii_lowercase[:n] for n in range(1, 26) if n != 13),  # noqa: PLR2004  # has a view of its own
    ascii_lowercase[::-1],
)
_FIRST: Final = ord("a")
_LAST: Final = ord("z")
_ROUNDING: Final = 1e-9
_LOGS: Final = np.array(
    [[_LOG[c] for c in alphabet] for alphabet in (ascii_lowercase, *_ALPHABETS)]
).T
"""What each letter adds under each alphabet, the plain one first."""
