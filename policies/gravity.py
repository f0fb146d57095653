"""How bad what was found in a write is, as one number that a queue can be sorted by. Pure."""

from collections.abc import Sequence
from typing import Final

from policies.model import Completion, Finding, Severity, Status

WORST: Final = 9
_PER_SEVERITY: Final = 3
_UNFINISHED: Final = _PER_SEVERITY * Severity.MEDIUM


def gravity(completions: Sequence[Completion], findings: Sequence[Finding]) -> int:
    """Return how bad the worst finding is, from 0 to 9; more findings never make it less.

    Its severity tells the third, and within that its score: what is not measured is taken for
    certain. A stage that did not end may have missed something and counts as a medium finding.
    """
    worst = max((_weight(finding) for finding in findings), default=0)
    ended = all(one.status is Status.DONE for one in completions)
    return worst if ended else max(worst, _UNFINISHED)


def _weight(finding: Finding) -> int:
    top = _PER_SEVERITY * finding.severity
    if finding.score is None or not top:
        return top
    return top - (_PER_SEVERITY - 1) + min(int(finding.score * _PER_SEVERITY), _PER_SEVERITY - 1)
