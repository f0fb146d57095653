"""Cut a long text into parts that a model reads whole, at sentence ends where it can.

One sentence of instruction in a page of honest text barely moves what a model makes of the page,
so each part is read by itself, beside the whole.
"""

from collections.abc import Iterator
from typing import Final

import regex

from policies.model import Span

MOST: Final = 8
"""Parts of one text of up to `_LONG`; a longer text has longer parts first, then more of them."""
SIZE: Final = 320
"""What a part holds at least, in characters of Latin script; a Chinese one counts `_HAN` times."""
_LONG: Final = 8192
_WHOLE: Final = 480
"""A text up to this size is not cut."""
_HAN: Final = 3
_END: Final = regex.compile(r"[。！？；…\n]+|[.!?;][\"'”’)\]]*(?=\s)")
_WIDE: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


def windows(text: str) -> tuple[Span, ...]:
    """Return where the parts of `text` lie, in order and without gaps; one for a short text."""
    if len(text) * _HAN <= _WHOLE or (size := weight(text)) <= _WHOLE:
        return (Span(0, len(text)),)
    most = max(MOST, -(-MOST * len(text) // _LONG))
    room = max(SIZE, -(-size // most))
    ends = list(_packed(text, room))
    # Parts end at sentence ends, so they may be more than planned; neighbours then join, the
    # shortest first.
    spans = [Span(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    while len(spans) > most:
        at = min(range(len(spans) - 1), key=lambda i: spans[i + 1].end - spans[i].start)
        spans[at : at + 2] = [Span(spans[at].start, spans[at + 1].end)]
    return tuple(spans)


def weight(text: str) -> int:
    """Return how much a model has to read, in characters of Latin script."""
    if text.isascii():
        return len(text)
    return len(text) + (_HAN - 1) * len(_WIDE.findall(text))


def _packed(text: str, room: int) -> Iterator[int]:
    """Yield where parts of at most `room` end; a sentence that is longer is cut."""
    filled = start = 0
    for end in _pieces(text, room):
        heavy = weight(text[start:end])
        if filled and filled + heavy > room:
            yield start
            filled = 0
        filled += heavy
        start = end
    yield len(text)


def _pieces(text: str, room: int) -> Iterator[int]:
    """Yield where sentences end, and where one that is longer than `room` is cut."""
    start = 0
    for end in (*(match.end() for match in _END.finditer(text)), len(text)):
        while weight(text[start:end]) > room:
            start += max(1, room // _HAN if _WIDE.search(text, start, end) else room)
            yield min(start, end)
        if end > start:
            yield end
            start = end
