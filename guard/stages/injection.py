"""Finds text that tries to command its reader: the deterministic floor under any classifier.

Rules in English and Chinese over every view. They see wording, not intent: a paraphrase that
avoids all of it passes (docs/adr/0005-deterministic-floor.md), which is why trust, and not this
stage, decides what outside text may do.
"""

import re
from collections.abc import Iterator
from typing import Final

from guard.nouns import Facts, Tagged
from guard.stages.injection_rules import RULES
from guard.stages.rules import Sighting, gathered, is_disguised, sightings
from guard.views import OVERFLOW
from policies.model import Finding, Severity

NAME: Final = "injection"

_QUOTES: Final = "\"'`“”‘’「」『』«»"
_REACH: Final = 120
_ABOUT = re.compile(
    r"prompt[\W_]injection|injection (?:attack|attempt)|jailbreak(?:s|ing)\b|attackers?\b|"
    r"(?:phrase|string|sentence|text|message|payload|input)s? (?:like|such as)|for example|"
    r"\be\.g\.|\bsuch as\b|an example of|"
    r"提示词?注入|注入攻击|越狱攻击|攻击者|例如|比如|诸如|之类的"
)


def inspect(_tagged: Tagged, facts: Facts) -> tuple[Finding, ...]:
    """Return one finding per kind of command, graver when it had been disguised."""
    original = facts.views[0].text
    about = any(_ABOUT.search(view.text) for view in facts.views[:2])
    findings = gathered(NAME, _graded(facts, original, about=about))
    if facts.views[-1].name == OVERFLOW:
        overflow = Finding(NAME, "overflow", Severity.HIGH, OVERFLOW)
        return (*findings, overflow)
    return findings


def _graded(facts: Facts, original: str, *, about: bool) -> Iterator[tuple[Sighting, Severity]]:
    plain: set[str] = set()
    for sighting in sightings(RULES, facts.views):
        severity = sighting.rule.severity
        if not is_disguised(sighting, original):
            plain.add(sighting.rule.code)
            if about and severity is Severity.HIGH and _quoted(sighting, original):
                severity = Severity.MEDIUM
        elif sighting.rule.code in plain:
            # Seen openly too, so that this view only repeats it.
            continue
        else:
            # Nobody disguises an honest sentence.
            severity = Severity.HIGH if severity > Severity.LOW else Severity.MEDIUM
        yield sighting, severity


def _quoted(sighting: Sighting, original: str) -> bool:
    """Whether the match stands between quotation marks, as a text about commands has it."""
    span = sighting.span
    before = original[max(0, span.start - _REACH) : span.start]
    after = original[span.end : span.end + _REACH]
    return any(q in before for q in _QUOTES) and any(q in after for q in _QUOTES)
