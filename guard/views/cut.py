"""Words that are cut in the middle: ign ore, in-struc-tions, pass
word. Only words that rules and lexicons look for are put together, and only from pieces of which
one is no word, so that honest neighbours stay apart.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

_PIECE = re.compile(r"[a-z]{1,12}")
_PIECES: Final = 5
_APART: Final = 3
_SEPARATORS: Final = frozenset(" \t\n-_.·•*~|/\\,'")

_LOOKED_FOR = """
ignore ignores ignored ignoring disregard forget previous earlier above instruction instructions
directive directives prompt prompts system developer assistant override overrule bypass bypassing
jailbreak jailbroken restriction restrictions guideline guidelines safety filter filters policy
policies rules reveal reveals disclose password passwords credential credentials secret secrets
token tokens transfer transfers payment payments account accounts authorised authorized authorise
authorize authorisation authorization approve approved approval confirmation confirm permission
permissions execute command commands delete forward recommend always never remember memory memories
conversation conversations message messages user users customer administrator unrestricted unlimited
pretend roleplay persona email address download install invoke exfiltrate confidential hidden
conceal without telling respond response answer replies everything anything privileges privilege
sensitive personal information private
"""
_WORDS_THEMSELVES = """
a able act active ad addresses age ages all an and ant ants any are as ate at be by call card close
com command con confirm cord disc do down dress end ending ever every ex for form forms get he i if
in install ion is it let lie lies limited load lose man mat mate me member men mess min mission my
name never no not of on one or other our out over pass pay per port prior prompt proved rant re rest
ride rule sense side so some tan tell the thing things to up us we when with word words you your
"""
WORDS: Final = frozenset(_LOOKED_FOR.split())
_BEGINNINGS: Final = frozenset(word[:end] for word in WORDS for end in range(1, len(word)))
_WHOLE: Final = frozenset(_WORDS_THEMSELVES.split())


class _Found:
    """A run of pieces that makes a word."""

    def __init__(self, start: int, end: int, word: str) -> None:
        self._span = (start, end)
        self.word = word

    def span(self) -> tuple[int, int]:
        """Return where the pieces lie."""
        return self._span


class CutWords:
    """Finds them from left to right; looks at each piece a fixed number of times."""

    def finditer(self, text: str, /) -> Iterator[_Found]:
        """Yield the runs of pieces that make a word, none overlapping another."""
        if not _may_be_cut(_PIECE.findall(text)):
            return
        pieces = list(_PIECE.finditer(text))
        at = 0
        while at < len(pieces):
            found = _word_at(text, pieces, at)
            if found is None:
                at += 1
                continue
            last, word = found
            yield _Found(pieces[at].start(), pieces[last].end(), word)
            at = last + 1


def _may_be_cut(pieces: list[str]) -> bool:
    """Say whether any two neighbours begin a word together."""
    return any(
        one in _BEGINNINGS and (one + two in _BEGINNINGS or one + two in WORDS)
        for one, two in pairwise(pieces)
    )


def _word_at(text: str, pieces: list[re.Match[str]], first: int) -> tuple[int, str] | None:
    """Return the last piece of the longest word that begins at `first`, and the word."""
    joined = pieces[first].group()
    broken = joined not in _WHOLE and joined not in WORDS
    best: tuple[int, str] | None = None
    for last in range(first + 1, min(first + _PIECES, len(pieces))):
        gap = text[pieces[last - 1].end() : pieces[last].start()]
        if len(gap) > _APART or not _SEPARATORS.issuperset(gap):
            break
        piece = pieces[last].group()
        joined += piece
        if joined not in _BEGINNINGS and joined not in WORDS:
            break
        broken = broken or (piece not in _WHOLE and piece not in WORDS)
        if broken and joined in WORDS:
            best = (last, joined)
    return best


CUT_WORDS: Final = CutWords()
