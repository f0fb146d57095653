"""What is in a text, in words and in shape: grams for the weights, signs for the rest.

Signs are numbers between 0 and 1 that mean the same in English and in Chinese: how often it
addresses a reader, commands, hides, names a payee, looks like code. One pass over the words serves
both, in well under a millisecond for a text that a model reads whole.
"""

import math
import re
import zlib
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from guard.models.lexicon import COMMANDS, ENDINGS, LEXICON, MOST_WORDS, STARTS, VERBS
from guard.models.lexicon import NAMES as _COUNTED

BUCKETS: Final = 1 << 16
_TOKEN: Final = re.compile(
    r"[a-z]+(?:['’-][a-z]+)*|[\u3400-\u9fff\uf900-\ufaff]+|\d+|[.!?;:。！？；：，\n]+|[^\W\d_]+"
)
_HAN_FIRST: Final = "\u3400"
_HAN_LAST: Final = "\ufaff"
_DIGITS: Final = "0"
_MOST: Final = 4
"""More of one sign than this says nothing more."""
_WORDS: Final = 2
"""Longest grams in words; in Chinese characters it is three."""
_IMPERATIVE: Final = len(_COUNTED)
_OPENS: Final = len(_COUNTED) + 1

_SHAPES: Final = {
    "code": re.compile(
        r"```|\bimport |\bdef |=>|\{\s*\"|;\s*$|\$\(|&&|\|\||os\.system|subprocess|eval\(|exec\("
        r"|curl ",
        re.MULTILINE,
    ),
    "url": re.compile(
        r"https?://|www\.|\b[\w-]{1,40}\.(?:com|net|org|io|cn|test|example|app|dev|co)\b"
    ),
    "mail": re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\."),
    "money": re.compile(r"[$€£¥￥]\s?\d|\d\s?(?:usd|eur|gbp|dollars?|euros?|元|美元|万|块)\b"),
    "account": re.compile(
        r"\b(?:[a-z]{2}\d{2}[a-z0-9 ]{8,30}|0x[0-9a-f]{8,40}|\d[\d -]{8,22}\d|bc1\w{8,60})\b"
    ),
    "fence": re.compile(
        r"</?(?:system|user|assistant|data|memory|context|instruction|untrusted|tool|document)"
        r"|\[/?(?:inst|sys|end|begin|admin|important)|<\||^\s{0,4}#{2,6}\s?(?:system|instruction|new|end|系统|指令)"
        r"|^\s{0,4}(?:system|assistant|developer|human|user|系统|助手|用户)\s?[:：]"
        r"|-{3,9}\s?(?:end|begin|结束|以上)|<!--|end of (?:document|data|context|input)",
        re.MULTILINE,
    ),
    "encoded": re.compile(
        r"[a-z0-9+/]{24,}|(?:%[0-9a-f]{2}){4,}|(?:\\[ux][0-9a-f]{2,4}){3,}|(?:&#x?[0-9a-f]{1,6};){3,}"
        r"|(?:[0-9a-f]{2} ){11,}"
    ),
    "unseen": re.compile(
        r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f\ufe00-\ufe0f]"
    ),
    "quoted": re.compile(r"[\"“”「」『』《》‘’]"),
}
_DIGIT: Final = re.compile(r"\d")
_PLACE: Final = re.compile(r"https?://|www\.|\.(?:com|net|org|io|cn|test|example|app|dev|co)\b")
_PAIRS: Final = re.compile(r"(?:[0-9a-f]{2} ){3}")
_CODE_WORDS: Final = (
    *("`", "=>", "{", ";", "$(", "&&", "||", "import ", "def ", "os.system"),
    *("subprocess", "eval(", "exec(", "curl "),
)
_FENCE_SIGNS: Final = ("<", "[", "##", ":", "：", "---", "end of")
_RUN: Final = 24


def _may_be_encoded(text: str) -> bool:
    signs = "%" in text or "\\" in text or "&#" in text
    return signs or max(map(len, text.split()), default=0) >= _RUN or bool(_PAIRS.search(text))


_MAY_HAVE: Final[dict[str, Callable[[str], object]]] = {
    "code": lambda text: any(word in text for word in _CODE_WORDS),
    "url": _PLACE.search,
    "mail": lambda text: "@" in text,
    "money": _DIGIT.search,
    "account": _DIGIT.search,
    "fence": lambda text: any(sign in text for sign in _FENCE_SIGNS),
    "encoded": _may_be_encoded,
    "unseen": lambda text: not text.isascii(),
    "quoted": lambda text: '"' in text or not text.isascii(),
}
"""What says quickly that a text does not have a shape at all."""
_LOOKED_AT: Final = tuple((_MAY_HAVE[name], pattern) for name, pattern in _SHAPES.items())
_LONG: Final = math.log(2048)
_CLASSES: Final = ("han", "upper", "digits", "marks", "spaces", "other")

NAMES: Final = (
    *_COUNTED,
    "imperative",
    "opens_with_command",
    *_SHAPES,
    *_CLASSES,
    *("log_length", "lines", "questions", "exclaims", "rare_marks"),
)


def _kind_of(character: str) -> int:
    if _HAN_FIRST <= character <= _HAN_LAST and character.isalpha():
        return 1
    if character.isupper():
        return 2
    if character.isdigit():
        return 3
    if character.isspace():
        return 5
    if not character.isalnum():
        return 4
    return 0 if character < "\u0250" else 6


_KINDS: Final = np.array([_kind_of(chr(i)) for i in range(0x10000)], dtype=np.uint8)


class Reading(msgspec.Struct, frozen=True):
    """A text as the lexical models see it: buckets of its grams, each once, and its signs."""

    buckets: NDArray[np.int32]
    signs: NDArray[np.float32]


def read(text: str) -> Reading:
    """Return what is in `text`."""
    folded = text.lower()
    tally = _Tally()
    tally.take(_TOKEN.findall(folded))
    buckets = sorted({zlib.crc32(gram) % BUCKETS for gram in _encoded(tally.grams)})
    signs = [_OFTEN[n] if n < _MOST else 1.0 for n in tally.counts]
    signs += [_often(pattern, folded) if may(folded) else 0.0 for may, pattern in _LOOKED_AT]
    signs += _outline(text)
    return Reading(np.array(buckets, dtype=np.int32), np.array(signs, dtype=np.float32))


_OFTEN: Final = tuple(math.log1p(n) / math.log1p(_MOST) for n in range(_MOST + 1))


def _encoded(grams: set[str]) -> list[bytes]:
    try:
        return [gram.encode() for gram in grams]
    except UnicodeEncodeError:  # a lone surrogate
        return [gram.encode("utf-8", "replace") for gram in grams]


class _Tally:
    """Goes through the tokens of a text once: collects grams, counts terms and commands."""

    def __init__(self) -> None:
        self.grams: set[str] = set()
        self.counts = [0] * (len(_COUNTED) + 2)
        self._last: list[str] = []

    def take(self, tokens: Sequence[str]) -> None:
        """Count all tokens of a text."""
        opening, sentences = True, 0
        for token in tokens:
            first = token[0]
            if _HAN_FIRST <= first <= _HAN_LAST:
                commands = self._han(token)
            elif first.isalpha():
                commands = self._word(token.replace("’", "'"))
            elif first.isdigit():
                commands = self._word(_DIGITS)
            else:
                opening, self._last = True, []
                sentences += 1
                continue
            if opening and commands:
                self.counts[_IMPERATIVE] += 1
                self.counts[_OPENS] += sentences == 0
            opening = False

    def _han(self, run: str) -> bool:
        self._last = []
        grams = self.grams
        grams.update(run)
        grams.update(map(str.__add__, run, run[1:]))
        grams.update([run[start : start + 3] for start in range(len(run) - 2)])
        for start, first in enumerate(run):
            if first not in STARTS:
                continue
            for size in STARTS[first]:
                # At the end of a run shorter terms may fit, and longer ones do not count twice.
                if start + size <= len(run):
                    self._count(run[start : start + size])
        return run.startswith(COMMANDS)

    def _word(self, word: str) -> bool:
        last = self._last
        self.grams.add(word)
        if word in LEXICON:
            self._count(word)
        if last:
            phrase = f"{last[-1]} {word}"
            self.grams.add(phrase)
            if phrase in LEXICON:
                self._count(phrase)
        last.append(word)
        if word in ENDINGS:
            for size in range(_WORDS + 1, min(len(last), MOST_WORDS) + 1):
                self._count(" ".join(last[-size:]))
        return word in VERBS

    def _count(self, term: str) -> None:
        for sign in LEXICON.get(term, ()):
            self.counts[sign] += 1


def _often(pattern: re.Pattern[str], text: str) -> float:
    count = 0
    for _ in pattern.finditer(text):
        count += 1
        if count == _MOST:
            break
    return _OFTEN[count]


def _outline(text: str) -> list[float]:
    size = max(1, len(text))
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    kinds = np.bincount(_KINDS[np.minimum(points, 0xFFFF)], minlength=7)
    return [
        *(float(kinds[i]) / size for i in range(1, 7)),
        min(1.0, math.log(size) / _LONG),
        min(1.0, text.count("\n") / 8),
        min(1.0, (text.count("?") + text.count("？")) / 2),
        min(1.0, (text.count("!") + text.count("！")) / 3),
        min(1.0, sum(map(text.count, "{}[]<>|~^*=_#")) / 10),
    ]
