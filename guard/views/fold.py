"""Readings that take off disguises of writing: invisible and look-alike characters, spacing."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

import regex

from guard.nouns import View
from guard.views.cut import CUT_WORDS, WORDS
from guard.views.glyphs import FOLD, LEET
from guard.views.hanzi import CUT, SOUND, SOUNDS
from guard.views.rewrite import cut, renamed, rewritten, translated

MARKS_KEPT: Final = 8
"""Combining marks read per character. Real writing needs fewer; NFKC sorts marks quadratically."""
GROWTH_KEPT: Final = 4
"""A character whose NFKC form is longer than this stays as it is, so that views stay bounded."""

SHORTEST_WORD: Final = 3
LONGEST_WORD: Final = 24

_INVISIBLE = regex.compile(
    r"[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Co}--[\t\n\r\x85]]+", regex.V1
)
_SEGMENT = regex.compile(r"\P{M}?\p{M}+|[^\x00-\x7f\u3400-\u4dbf\u4e00-\u9fff]")
_MARK = regex.compile(r"\p{M}")
_MARKS = regex.compile(rf"(\p{{M}}{{{MARKS_KEPT}}})\p{{M}}+")
_UNUSUAL = re.compile(r"[^\t\n\r\x20-\x7e\u2010-\u2027\u3000-\u3029\u3400-\u9fff\uff01-\uff5e]")
"""A text without any has neither what `_INVISIBLE` finds nor marks, and is most texts."""
_NOT_PLAIN = re.compile(r"[^\x00-\x7f\u3001\u3002\u3008-\u3011\u4e00-\u9fff]")
"""What may have another compatibility form."""
_SPACE = re.compile(r"[\s\u2800]{2,}|[^\S \n]|\u2800")
"""White space that is not one blank or one line break already."""
_MAY_BE_ACCENTED = re.compile(r"[^\x00-\x7f\u3000-\u3029\u3400-\u9fff]")
_ACCENTED = regex.compile(r"[^\x00-\x7f\u2e80-\U0001ffff]\p{M}*|[a-z]\p{M}+")
_NONASCII = regex.compile(r"[^\x00-\x7f]")
_LEET_WORD = re.compile(r"(?<![a-z0-9@$!|])[a-z]*+[0-9@$!|][a-z0-9@$!|]*")
_LEET = re.compile(r"[0-9@$!|]")
_LEET_SIGN = regex.compile(r"[!|](?=[a-z0-9@$])")
_APART = re.compile(r"(?<![a-z0-9@$])[a-z0-9@$!][ \n.\-_*|/~·•,]{1,3}[a-z0-9@$!](?![a-z0-9@$])")
_LETTERS_APART = regex.compile(
    r"(?<![a-z0-9@$])[a-z0-9@$!](?:[ \n.\-_*|/~·•,]{1,3}[a-z0-9@$!](?![a-z0-9@$])){3,}"
)
_NOT_LETTER = regex.compile(r"[^a-z0-9@$!]+")
_HAN_SPACES = re.compile(r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")
_ONE_BY_ONE = (
    r"(?<![\u3400-\u9fff])[\u3400-\u9fff]"
    r"(?:[^\w]{1,3}[\u3400-\u9fff](?![\u3400-\u9fff])){2,}"
)
_HAN_APART = regex.compile(_ONE_BY_ONE)
_MAY_BE_HAN_APART = re.compile(_ONE_BY_ONE)
"""Faster; to it a mark is no part of a word, so it finds what the other does and more."""
_NOT_HAN = regex.compile(r"[^\u3400-\u9fff]+")


def bare(view: View) -> View:
    """Return the reading without invisible characters, in compatibility form, case kept."""
    usual = _UNUSUAL.search(view.text) is None
    seen = view if usual else rewritten(view, _INVISIBLE, _nothing)
    if seen.text.isascii():
        return seen
    compatible = _compatible(seen)
    if compatible is seen or _UNUSUAL.search(compatible.text) is None:
        return compatible
    return rewritten(compatible, _INVISIBLE, _nothing)


def plain(view: View) -> View:
    """Return `bare` with case and white space folded too: what rules are written against."""
    seen = bare(view)
    # Folding case can undo a normal form and the other way round; both are still after two rounds.
    for _ in range(3):
        folded = _casefolded(seen)
        if folded.text == seen.text:
            break
        seen = bare(folded)
    seen = rewritten(seen, _SPACE, lambda m: "\n" if "\n" in m.group() else " ")
    return _stripped(seen)


def skeleton(view: View) -> View:
    """Return a plain view with look-alike characters and leetspeak read as what they look like,
    and Chinese sound-alikes as the word that they sound like.
    """
    return _sounded(_glyphs(view))


def joined(view: View) -> View:
    """Return a plain view with letters, characters and pieces that stand apart joined to words."""
    return _pieced(_glyphs(view))


def forms(view: View, prefix: str) -> tuple[View, ...]:
    """Return the folded readings of one text, each named `prefix` plus its kind."""
    base = plain(view)
    looks = _glyphs(base)
    return (
        renamed(base, f"{prefix}nfkc"),
        renamed(_sounded(looks), f"{prefix}skeleton"),
        renamed(_pieced(looks), f"{prefix}joined"),
    )


def _sounded(view: View) -> View:
    seen = _unleet(view)
    if seen.text.isascii():
        return seen
    return rewritten(seen, SOUND, lambda m: SOUNDS[m.group()])


def _pieced(view: View) -> View:
    seen = view
    if _APART.search(seen.text) is not None:
        seen = rewritten(seen, _LETTERS_APART, lambda m: _NOT_LETTER.sub("", m.group()))
    if not seen.text.isascii():
        seen = rewritten(seen, _HAN_SPACES, _nothing)
        if _MAY_BE_HAN_APART.search(seen.text) is not None:
            seen = rewritten(seen, _HAN_APART, lambda m: _NOT_HAN.sub("", m.group()))
        seen = rewritten(seen, CUT, lambda m: _NOT_HAN.sub("", m.group()))
    return rewritten(_unleet(seen), CUT_WORDS, lambda found: found.word)


def _nothing(_: object) -> str:
    return ""


def _compatible(view: View) -> View:
    """Return the NFKC reading, character by character with its marks: Hangul is not composed."""
    if _UNUSUAL.search(view.text) is None or _MARK.search(view.text) is None:
        signs = set(_NOT_PLAIN.findall(view.text))
        changes = {c: form for c in signs if (form := _form_of_one(c)) != c}
        if not changes:
            return view
        if all(len(form) == 1 for form in changes.values()):
            return translated(view, view.text.translate({ord(c): f for c, f in changes.items()}))
    return rewritten(view, _SEGMENT, lambda m: _form(m.group()))


@lru_cache(maxsize=4096)
def _form_of_one(character: str) -> str:
    return _form(character)


def _form(segment: str) -> str:
    # A long run of marks is cut before NFKC, which sorts it, and after, which may have added some.
    form = unicodedata.normalize("NFKC", segment[: 1 + MARKS_KEPT])
    if len(segment) == 1 and len(form) > GROWTH_KEPT:
        return segment
    return _MARKS.sub(r"\1", form)


def _casefolded(view: View) -> View:
    folded = view.text.casefold()
    if folded == view.text:
        return view
    # Folding never makes a character vanish, so an equal length means one to one.
    if len(folded) == len(view.text):
        return translated(view, folded)
    return _lowered(rewritten(view, _NONASCII, lambda m: m.group().casefold()))


def _lowered(view: View) -> View:
    ascii_only = "".join(c.lower() if c.isascii() else c for c in view.text)
    return translated(view, ascii_only)


def _stripped(view: View) -> View:
    low = len(view.text) - len(view.text.lstrip())
    high = len(view.text.rstrip())
    if low == 0 and high == len(view.text):
        return view
    return cut(view, low, high)


def _glyphs(view: View) -> View:
    if view.text.isascii():
        return view
    seen = translated(view, view.text.translate(FOLD))
    if _MAY_BE_ACCENTED.search(seen.text) is None:
        return seen
    return rewritten(seen, _ACCENTED, lambda m: _unaccented(m.group()))


def _unaccented(char: str) -> str | None:
    stripped = "".join(
        c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c)
    )
    folded = stripped.translate(FOLD)
    return folded if folded.isascii() and folded else None


def _unleet(view: View) -> View:
    if _LEET.search(view.text) is None:
        return view
    return rewritten(view, _LEET_WORD, lambda m: _word(m.group()))


def _word(token: str) -> str | None:
    if not SHORTEST_WORD <= len(token) <= LONGEST_WORD:
        return None
    letters = sum(map(str.isalpha, token))
    word = _LEET_SIGN.sub("i", token.replace("11", "ll").translate(LEET))
    # Leet stands for a few letters of a word; where it is the most, the token is a code, unless it
    # reads as a word that is looked for.
    return word if 2 * letters >= len(token) or word in WORDS else None
