"""The screening stages, in order, and the record that each of them ran.

A stage is a pure function. One that raises, hangs or answers nonsense is recorded as such, and the
policy holds the write for it (W11): a broken detector can hold a write and never let one through.
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from guard.aside import apart
from guard.nouns import Facts, Screened, Tagged
from policies.decide import decide
from policies.model import Completion, Finding, Policy, Status

Stage = Callable[[Tagged, Facts], tuple[Finding, ...]]

BRIEF: Final = 640
"""Characters of all readings together up to which the worst text takes some twenty milliseconds,
and nearly every one well under one. A thread would help nobody then: a regular expression lets no
other thread run before it has ended."""


class Bounded:
    """A stage that ends: it waits for nothing, and the length of the text bounds its work."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def __call__(self, tagged: Tagged, facts: Facts) -> tuple[Finding, ...]:
        """Return what the stage finds."""
        return self._stage(tagged, facts)


class Run:
    """One passage through the stages: what came of those that ended, and the one under way."""

    def __init__(self, tagged: Tagged, facts: Facts, stages: Mapping[str, Stage]) -> None:
        self._tagged = tagged
        self._facts = facts
        self._stages = stages
        self._under_way: str | None = None
        self._ended: list[tuple[Completion, Sequence[Finding]]] = []

    def stages(self) -> None:
        """Run every stage, even after a finding, so that the audit shows all of them."""
        for name, stage in self._stages.items():
            self._under_way = name
            self._ended.append(_run(name, stage, self._tagged, self._facts))
        self._under_way = None

    def screened(self, policy: Policy) -> Screened:
        """Decide by what is known now; a stage that is still under way is late."""
        ended, late = list(self._ended), self._under_way
        heard = [(d.completion, d.findings) for d in self._facts.detected]
        completions = [completion for completion, _ in (*ended, *heard)]
        if late is not None and all(late != completion.stage for completion in completions):
            completions.append(Completion(late, Status.LATE))
        findings = [finding for _, found in (*ended, *heard) for finding in found]
        decision = decide(policy, self._tagged.origin.trust, completions, findings)
        return Screened(self._tagged, tuple(findings), tuple(completions), decision)


def screen(tagged: Tagged, facts: Facts, stages: Mapping[str, Stage], policy: Policy) -> Screened:
    """Run every stage, add what the detectors said, and decide."""
    run = Run(tagged, facts, stages)
    run.stages()
    return run.screened(policy)


async def screen_within(
    seconds: float, tagged: Tagged, facts: Facts, stages: Mapping[str, Stage], policy: Policy
) -> Screened:
    """Screen in a thread; what has not ended after `seconds` is late and holds the write.

    The thread is this draft's own: one that hangs for ever takes no place from anybody else. A
    brief text before stages that are all bounded is screened at once: giving it to a thread and
    taking the answer back costs more than screening it.
    """
    run = Run(tagged, facts, stages)
    if _is_brief(facts) and all(isinstance(stage, Bounded) for stage in stages.values()):
        run.stages()
        return run.screened(policy)
    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def work() -> None:
        run.stages()
        # The loop is gone when the gateway stopped meanwhile; then nobody waits.
        if not loop.is_closed():
            loop.call_soon_threadsafe(ended.set)

    apart(work)
    try:
        async with asyncio.timeout(seconds):
            await ended.wait()
    except TimeoutError:
        pass
    return run.screened(policy)


def _is_brief(facts: Facts) -> bool:
    return sum(len(view.text) for view in facts.views) <= BRIEF


def sound(stage: str, findings: Sequence[Finding]) -> bool:
    """Say whether these are findings of this stage, with scores that are probabilities."""
    return all(finding.stage == stage and _sane(finding.score) for finding in findings)


def _run(
    name: str, stage: Stage, tagged: Tagged, facts: Facts
) -> tuple[Completion, Sequence[Finding]]:
    try:
        found = stage(tagged, facts)
        fine = sound(name, found)
    # A detector may fail in any way at all; whatever it was, the write is held for it, and the
    # exception itself may quote the text, so it is not kept.
    except Exception:  # noqa: BLE001
        return Completion(name, Status.FAILED), ()
    return (Completion(name, Status.DONE), found) if fine else (Completion(name, Status.FAILED), ())


def _sane(score: float | None) -> bool:
    return score is None or (math.isfinite(score) and 0.0 <= score <= 1.0)
