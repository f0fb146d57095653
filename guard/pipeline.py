"""The screening stages, in order, and the record that each of them ran.

A stage is a pure function. One that raises is recorded as failed, which the policy turns into
quarantine (W11): a broken detector can hold a write and never let one through.
"""

import math
from collections.abc import Callable, Mapping, Sequence

from guard.nouns import Facts, Screened, Tagged
from policies.decide import decide
from policies.model import Completion, Finding, Policy, Status

Stage = Callable[[Tagged, Facts], tuple[Finding, ...]]


def screen(tagged: Tagged, facts: Facts, stages: Mapping[str, Stage], policy: Policy) -> Screened:
    """Run every stage, even after a finding so that the audit shows all of them, and decide."""
    findings: list[Finding] = []
    completions: list[Completion] = []
    for name, stage in stages.items():
        found, completion = _run(name, stage, tagged, facts)
        findings.extend(found)
        completions.append(completion)
    decision = decide(policy, tagged.origin.trust, completions, findings)
    return Screened(tagged, tuple(findings), tuple(completions), decision)


def _run(
    name: str, stage: Stage, tagged: Tagged, facts: Facts
) -> tuple[Sequence[Finding], Completion]:
    try:
        found = stage(tagged, facts)
    # A detector may fail in any way at all; whatever it was, the write is held for it, and the
    # exception itself may quote the text, so it is not kept.
    except Exception:  # noqa: BLE001
        return (), Completion(name, Status.FAILED)
    if any(f.stage != name or not _sane(f.score) for f in found):
        return (), Completion(name, Status.FAILED)
    return found, Completion(name, Status.DONE)


def _sane(score: float | None) -> bool:
    return score is None or (math.isfinite(score) and 0.0 <= score <= 1.0)
