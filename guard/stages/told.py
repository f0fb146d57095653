"""Tells what a text says of an attack from what it says to its reader (W16: a report is one).

Told is a passage in quotation marks in a text about attacks, and one whose sentence names an
attacker before it as the one who acts. Asked is what a question asks and nobody answers; that tells
nothing of a command. None excuses anything once the text asks to act on what it quotes, and no
disguise is ever a report.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from guard.stages.rules import Sighting, is_disguised
from guard.stages.told_rules import (
    ABOUT,
    ACTED_ON,
    ANSWERED,
    ASKED,
    ATTACKER,
    QUOTED,
    REQUEST,
    UNSURE,
)
from policies.model import Severity, Span

_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")
_REACH: Final = 160
_ASKED_WITHIN: Final = 60
"""How far behind a match its question may end."""
_KNOWN: Final = 64
"""Open matches that later readings are compared with."""


class Telling:
    """What one text tells of, read once, and only when something is found in it."""

    def __init__(self, original: str) -> None:
        self._original = original

    @cached_property
    def _reports(self) -> bool:
        return ACTED_ON.search(self._original) is None

    @cached_property
    def _quotes(self) -> list[tuple[int, int]]:
        about = self._reports and ABOUT.search(self._original) is not None
        return [m.span() for m in QUOTED.finditer(self._original)] if about else []

    def weighed(self, severity: Severity, span: Span) -> Severity:
        """Return the severity of an open match, less where the text only tells of it: what is
        grave or likely becomes a weak sign, and a weak sign a remark.
        """
        if not self._is_told(span):
            return severity
        return Severity.LOW if severity > Severity.LOW else Severity.INFO

    def _is_told(self, span: Span) -> bool:
        if not self._reports:
            return False
        if any(low <= span.start and span.end <= high for low, high in self._quotes):
            return True
        before = self._original[max(0, span.start - _REACH) : span.start]
        opening = _SENTENCE_END.split(before)[-1]
        return ATTACKER.search(opening) is not None

    def is_asked(self, span: Span) -> bool:
        """Return whether the sentence with `span` asks if it is so, and no answer follows."""
        if not self._reports:
            return False
        opening = _SENTENCE_END.split(self._original[max(0, span.start - _REACH) : span.start])[-1]
        end = re.search(r"[.!?](?=\s|$)|[。！？\n]|$", self._original[span.start :])
        close = span.start + (end.end() if end is not None else 0)
        if close > span.end + _ASKED_WITHIN:
            return False
        sentence = (opening + self._original[span.start : close]).strip()
        behind = self._original[close : close + _ASKED_WITHIN]
        if UNSURE.match(behind) is not None:
            return True
        if ASKED.search(sentence) is None or REQUEST.search(sentence) is not None:
            return False
        return ANSWERED.search(behind) is None


def graded(seen: Iterable[Sighting], original: str) -> Iterator[tuple[Sighting, Severity]]:
    """Yield each match with what it weighs. A reading that repeats an open match adds nothing."""
    telling = Telling(original)
    known: list[Span] = []
    for sighting in seen:
        severity, span = sighting.rule.severity, sighting.span
        if not is_disguised(sighting, original):
            known.append(span)
            severity = telling.weighed(severity, span)
            if severity > Severity.LOW and telling.is_asked(span):
                severity = Severity.LOW
        elif any(one.start <= span.start and span.end <= one.end for one in known[:_KNOWN]):
            continue
        yield sighting, severity
