"""What a question is understood as: its times, and what it leaves out put back in. Pure.

A question that says too little alone ("and the other one?", 那个呢) is read together with the turns
before it: the content words of the last one that stands alone, and of what followed, are appended
(R2). By rule, so that the same question and turns always give the same text. Turns only add words
to search by; they answer nothing, and a question that says enough is left as it is.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from memory.entities import entities_of
from memory.times import NO_TIMES, Times, times_of, without_times
from memory.types import Role
from memory.understanding_rules import (
    ASKS,
    FUNCTION,
    LEADS_ON,
    LEAVES_OFF,
    LOOKS_BACK,
    NOISE,
    POINTS,
    WORD,
)

Said = tuple[Role | None, str]
"""A turn, and who spoke it, None if that is not known."""

_OTHERS: Final = frozenset(Role) - {Role.USER, Role.ASSISTANT}
_SHORT: Final = 160
"""Characters from which a question is taken to say enough."""
_FEW: Final = 4.0
"""Content words up to which a question that points elsewhere is completed."""
_ALONE: Final = 1.0
"""Content words up to which any question is."""
_BARE: Final = 2.5
_BARE_CHARACTERS: Final = 9
"""Content words and characters up to which a Chinese question is."""
_STANDS: Final = 1.5
"""Content words from which a turn says what it is about."""
_CHARACTERS_PER_WORD: Final = 2
_TURNS: Final = 4
"""Turns that are looked back at."""
_TURN_CHARACTERS: Final = 1_000
_WORDS: Final = 24
"""Words taken from one turn."""


class Understood(msgspec.Struct, frozen=True):
    """A question as it is searched for; `added` are the words that earlier turns gave it."""

    text: str
    times: Times = NO_TIMES
    added: tuple[str, ...] = ()


def leans(text: str) -> bool:
    """Say whether a question says too little to be understood alone."""
    seen = _seen(text).strip()
    if not seen or len(seen) > _SHORT:
        return False
    size = _size(_words(seen))
    points = (LEADS_ON.match(seen), LEAVES_OFF.search(seen), POINTS.search(seen))
    if size <= _FEW and any(points):
        return True
    asks = ASKS.search(seen) is not None
    if size <= _ALONE:
        return asks or not entities_of(seen)
    # A Chinese question may leave out whom it is about without a word in that place.
    return asks and size <= _BARE and len(seen) <= _BARE_CHARACTERS and not seen.isascii()


def understood(text: str, turns: Sequence[Said], reference: datetime, zone: ZoneInfo) -> Understood:
    """Return what is searched for when somebody asks `text` in `zone` at `reference`.

    `turns` are those before it, oldest first; what a tool said is never among those used.
    """
    times = times_of(text, reference, zone)
    behind = _behind(text, turns) if leans(text) else []
    if not behind:
        return Understood(text, times)
    if not times.spans:
        # "And who was there?" asks about the time that was spoken of.
        earlier = times_of(behind[0], reference, zone).spans
        times = Times(earlier, times.order)
    else:
        behind = [without_times(turn, reference, zone) for turn in behind]
    known = set(_words(_seen(text)))
    added = [word for turn in behind for word in _words(_seen(turn))[:_WORDS]]
    added = [word for word in dict.fromkeys(added) if word not in known]
    return Understood(" ".join((text, *added)), times, tuple(added))


def shown(turns: Sequence[Said]) -> list[str]:
    """Return the turns that whoever says a question again may look at, oldest first."""
    spoken = [text for role, text in turns if role not in _OTHERS and text.strip()]
    return [text[:_TURN_CHARACTERS] for text in spoken[-_TURNS:]]


def completed(
    text: str, meant: Understood, said: str, reference: datetime, zone: ZoneInfo
) -> Understood:
    """Return what is searched for when somebody else says what `text` means: with his words.

    They stand in place of those that were added by rule, unless he adds none. Times are read from
    them by rule, and only where question and turns name none.
    """
    times = meant.times
    if times.spans:
        said = without_times(said, reference, zone)
    else:
        times = Times(times_of(said, reference, zone).spans, times.order)
    known = set(_words(_seen(text)))
    added = tuple(word for word in _words(_seen(said))[:_WORDS] if word not in known)
    return Understood(" ".join((text, *added)), times, added) if added else meant


def _behind(question: str, turns: Sequence[Said]) -> list[str]:
    """Return the turns that a question leans on, oldest first.

    Back to the last question that stands alone, or to what was said before the last turn, since the
    last may be an answer. One that asks for the first or the other of several looks further back.
    """
    back = LOOKS_BACK.search(_seen(question)) is not None
    found: list[str] = []
    for role, text in reversed([one for one in turns if one[0] not in _OTHERS]):
        words = _words(_seen(text))
        if not words:
            continue
        found.insert(0, text[:_TURN_CHARACTERS])
        stands = _size(words) >= _STANDS and not leans(text)
        opens = len(found) > 1 + back or (not back and ASKS.search(_seen(text)) is not None)
        if (stands and opens and role is not Role.ASSISTANT) or len(found) == _TURNS:
            break
    return found


def _seen(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:_TURN_CHARACTERS]).casefold().replace("’", "'")


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(_content(text)))


def _content(text: str) -> Iterator[str]:
    for match in WORD.finditer(text):
        if match.lastgroup == "han":
            yield from NOISE.sub(" ", match.group()).split()
        elif match.group() not in FUNCTION:
            yield match.group()


def _size(words: Sequence[str]) -> float:
    return sum(map(_worth, words))


def _worth(word: str) -> float:
    return 1.0 if word.isascii() else max(0.5, len(word) / _CHARACTERS_PER_WORD)
