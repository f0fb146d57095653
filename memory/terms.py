"""Weighted terms of a text for the keyword route, English and Chinese alike. Pure.

English words are lower case and lightly stemmed; numbers and codes stay whole (`sf123456`, `v2.3`);
Chinese gives single characters and pairs, since it does not mark words. The weight is the saturated
term frequency of BM25; the index multiplies by the inverse document frequency within the subject.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Final

K1: Final = 1.2
B: Final = 0.75
AVERAGE_LENGTH: Final = 32.0
"""Terms of an ordinary memory. Fixed, so that a weight never changes when others are written."""
LONGEST: Final = 64
"""A longer token is cut: beyond this nobody types it again, and it must not fill the index."""
SHORTEST_PART: Final = 3
"""A piece of a code counts from this length on: the `2` of `v2.3` says nothing."""

_TOKEN = re.compile(
    r"(?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)"
    r"|(?P<word>[^\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
    r"(?:[.\-_'’@:/][^\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)*)"
)
_HAN_TERM = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{1,2}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PART = re.compile(r"[^\W_]+")
_STOP_WORDS: Final = (
    "a an and are as at be been but by did do does for from had has have he her his i if in "
    "into is it its me my of on or our she so than that the their them then there these they "
    "this to was we were what when where which who will with would you your"
)
_STOP: Final = frozenset(_STOP_WORDS.split())
_STOP_HAN: Final = frozenset("的了是在和与就都而及着或一个也很到说要去你会没有这那他她它们吗呢吧啊")
_VOWELS: Final = frozenset("aeiouy")


def plain_of(text: str) -> str:
    """Return a text as it is compared: full-width signs as plain ones, and no capitals."""
    return unicodedata.normalize("NFKC", text).casefold()


def terms_of(text: str) -> Mapping[str, float]:
    """Return each term of `text` with its weight (> 0); nothing for a text without words."""
    counts = Counter(_terms(_THOUSANDS.sub("", plain_of(text))))
    total = sum(counts.values())
    norm = K1 * (1.0 - B + B * total / AVERAGE_LENGTH)
    return {term: count * (K1 + 1.0) / (count + norm) for term, count in counts.items()}


def among(terms: Collection[str], text: str) -> set[str]:
    """Return which of some terms a text has: those that `terms_of` has, too, for a fifth of it.

    What a term stems from begins like it, but for a last `y`; only words that do are stemmed.
    """
    plain = plain_of(text)
    if "," in plain:
        plain = _THOUSANDS.sub("", plain)
    plain = plain.replace("’", "'")
    found: set[str] = set()
    roots: dict[str, str] = {}
    for term in terms:
        root = term.removesuffix("y")
        if root in plain:
            if not _HAN_TERM.fullmatch(term):
                roots[term] = root
            elif term not in _STOP_HAN:
                found.add(term)
    if roots:
        for part in plain.split():
            if any(root in part for root in roots.values()):
                found.update(roots.keys() & set(_terms(part)))
    return found


def _terms(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "han":
            yield from _han(match.group())
        else:
            yield from _word(match.group())


def _han(run: str) -> Iterator[str]:
    yield from (char for char in run if char not in _STOP_HAN)
    yield from (run[i : i + 2] for i in range(len(run) - 1))


def _word(token: str) -> Iterator[str]:
    token = token.replace("’", "'").removesuffix("'s")
    parts = _PART.findall(token)
    if len(parts) > 1:
        # A code is found whole and by its parts: somebody remembers only the 5432 of host:5432.
        yield token[:LONGEST]
    for part in parts:
        if part not in _STOP and (len(parts) == 1 or len(part) >= SHORTEST_PART):
            yield _stem(part)[:LONGEST]


def _stem(word: str) -> str:
    """Return `word` without the plain English endings; what has a digit is a code and stays."""
    if not (word.isascii() and word.isalpha()) or len(word) < 4:  # noqa: PLR2004
        return word
    if word.endswith("ies") and len(word) > 4:  # noqa: PLR2004
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return _stem(word[:-1])
    for ending in ("ingly", "edly", "ing", "ed", "ly"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and _VOWELS & set(root):  # noqa: PLR2004
            return _rooted(root)
    return _rooted(word) if word.endswith("e") else word


def _rooted(root: str) -> str:
    """Return one form for `stopp`, `stop`, `bak`, `bake`: no doubled end, no silent e."""
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "aeiouls":  # noqa: PLR2004
        return root[:-1]
    return root[:-1] if root.endswith("e") and len(root) > 3 else root  # noqa: PLR2004
