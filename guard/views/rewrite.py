"""Rewrite a text and keep, for every character, where in the original it came from."""

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from guard.nouns import View
from policies.model import Span

M = TypeVar("M", bound="Match")
M_co = TypeVar("M_co", bound="Match", covariant=True)


class Match(Protocol):
    """What `re.Match` and `regex.Match` have in common, as far as it is needed here."""

    def span(self) -> tuple[int, int]:
        """Return where the match lies."""
        ...


class Pattern(Protocol[M_co]):
    """What `re.Pattern` and `regex.Pattern` have in common, as far as it is needed here."""

    def finditer(self, text: str, /) -> Iterable[M_co]:
        """Yield the matches from left to right."""
        ...


def original(text: str) -> View:
    """Return `text` as the view that stands for itself."""
    return View("original", text, range(len(text)), range(1, len(text) + 1))


def renamed(view: View, name: str) -> View:
    """Return the same reading under another name."""
    return View(name, view.text, view.starts, view.ends)


def cut(view: View, low: int, high: int) -> View:
    """Return the part [low, high) of a reading, under the same name."""
    return View(view.name, view.text[low:high], view.starts[low:high], view.ends[low:high])


def translated(view: View, text: str) -> View:
    """Return `view` with a text of the same length, character for character."""
    if len(text) != len(view.text):
        raise ValueError("a translation keeps the length")
    return View(view.name, text, view.starts, view.ends)


def rewritten(view: View, pattern: Pattern[M], replace: Callable[[M], str | None]) -> View:
    """Return `view` with each match replaced; `None` leaves a match as it is.

    Each character of a replacement maps to the whole run that it replaces. One pass: linear in
    the text if the pattern is. The same object comes back when nothing changed.
    """
    text = view.text
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for match in pattern.finditer(text):
        low, high = match.span()
        new = replace(match)
        if new is None or low == high or new == text[low:high]:
            continue
        pieces += (text[at:low], new)
        starts += view.starts[at:low]
        ends += view.ends[at:low]
        starts += [view.starts[low]] * len(new)
        ends += [view.ends[high - 1]] * len(new)
        at = high
    if not pieces:
        return view
    pieces.append(text[at:])
    starts += view.starts[at:]
    ends += view.ends[at:]
    return View(view.name, "".join(pieces), tuple(starts), tuple(ends))


def span_of(view: View, start: int, end: int) -> Span:
    """Return the evidence in the original for characters [start, end) of a view."""
    if start >= end:
        raise ValueError("evidence is never empty")
    return Span(view.starts[start], view.ends[end - 1])
