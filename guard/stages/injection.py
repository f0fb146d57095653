"""Finds text that tries to command its reader: the deterministic floor under any classifier.

Rules in English and Chinese over every view. They see wording, not intent: a paraphrase that
avoids all of it passes (docs/adr/0005-deterministic-floor.md), which is why trust, and not this
stage, decides what outside text may do.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from guard.nouns import Draft, View
from guard.stages.injection_rules import RULES
from guard.stages.rules import RuleBook, Sighting, gathered, is_disguised, sightings
from guard.stages.told import Telling
from guard.views import OVERFLOW
from policies.model import Finding, Severity

NAME: Final = "injection"
BOOK: Final = RuleBook(RULES)


def inspect(_draft: Draft, views: Sequence[View]) -> tuple[Finding, ...]:
    """Return one finding per kind of command, graver when it had been disguised."""
    findings = gathered(NAME, _graded(views, views[0].text))
    if views[-1].name == OVERFLOW:
        overflow = Finding(NAME, "overflow", Severity.HIGH, OVERFLOW)
        return (*findings, overflow)
    return findings


def _graded(views: Sequence[View], original: str) -> Iterator[tuple[Sighting, Severity]]:
    plain: set[str] = set()
    telling = Telling(original)
    for sighting in sightings(BOOK, views):
        severity = sighting.rule.severity
        if not is_disguised(sighting, original):
            plain.add(sighting.rule.code)
            severity = telling.weighed(severity, sighting.span)
        elif sighting.rule.code in plain:
            # Seen openly too, so that this view only repeats it.
            continue
        else:
            # Nobody disguises an honest sentence.
            severity = Severity.HIGH if severity > Severity.LOW else Severity.MEDIUM
        yield sighting, severity
