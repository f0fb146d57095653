"""The screening stages, in order, and the record that each of them ran.

A stage is a pure function. One that raises, hangs or answers nonsense is recorded as such, and the
policy holds the write for it (W11): a broken detector can hold a write and never let one through.
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from guard.aside import apart
from guard.errors import UnavailableError
from guard.nouns import Draft, Facts, Screened, Tagged, View
from policies.decide import decide
from policies.model import Completion, Finding, Policy, Status

Stage = Callable[[Tagged, Facts], tuple[Finding, ...]]
OfText = Callable[[Draft, Sequence[View]], tuple[Finding, ...]]
"""What a stage finds in a draft with these readings, the text itself first."""

BRIEF: Final = 640
"""Characters of all readings together up to which the worst text takes some twenty milliseconds,
and nearly every one well under one. A thread would help nobody then: a regular expression lets no
other thread run before it has ended."""


class Bounded:
    """A stage that ends: it waits for nothing, and the length of the text bounds its work.

    It has two halves. What it finds in `text` (a draft and its readings) can be found before other
    facts are known; what those show as well is found by `facts`, and stands first.
    """

    def __init__(self, facts: Stage | None = None, *, text: OfText | None = None) -> None:
        self._facts, self._text = facts, text

    def __call__(self, tagged: Tagged, facts: Facts) -> tuple[Finding, ...]:
        """Return what the stage finds."""
        return (*self.in_facts(tagged, facts), *self.in_text(tagged.draft, facts.views))

    def in_facts(self, tagged: Tagged, facts: Facts) -> tuple[Finding, ...]:
        """Return what it finds beside that."""
        return () if self._facts is None else self._facts(tagged, facts)

    def in_text(self, draft: Draft, views: Sequence[View]) -> tuple[Finding, ...]:
        """Return what it finds in a draft with these readings, whatever else is known."""
        return () if self._text is None else self._text(draft, views)


class Run:
    """One passage through the stages: what came of those that ended, and the one under way."""

    def __init__(self, stages: Mapping[str, Stage]) -> None:
        self._stages = stages
        self._in_text: dict[str, tuple[Finding, ...] | None] = {}
        self._under_way: str | None = None
        self._ended: list[tuple[Completion, Sequence[Finding]]] = []

    def read(self, draft: Draft, views: Sequence[View]) -> None:
        """Find what is in a draft with these readings, before anything else about it is known.

        Only of a brief text before stages that are all bounded: else `stages` does it.
        """
        if not self.is_brief(views):
            return
        for name, stage in self._stages.items():
            if isinstance(stage, Bounded):
                try:
                    self._in_text[name] = stage.in_text(draft, views)
                # Whatever it was: the stage has failed, and its exception may quote the text.
                except Exception:  # noqa: BLE001
                    self._in_text[name] = None

    def stages(self, tagged: Tagged, facts: Facts) -> None:
        """Run every stage, even after a finding, so that the audit shows all of them."""
        for name, stage in self._stages.items():
            self._under_way = name
            self._ended.append(_run(name, self._rest_of(name, stage), tagged, facts))
        self._under_way = None

    def screened(self, tagged: Tagged, facts: Facts, policy: Policy) -> Screened:
        """Decide by what is known now; a stage that is still under way is late."""
        ended, late = list(self._ended), self._under_way
        heard = [(d.completion, d.findings) for d in facts.detected]
        completions = [completion for completion, _ in (*ended, *heard)]
        if late is not None and all(late != completion.stage for completion in completions):
            completions.append(Completion(late, Status.LATE))
        findings = [finding for _, found in (*ended, *heard) for finding in found]
        decision = decide(policy, tagged.origin.trust, completions, findings)
        return Screened(tagged, tuple(findings), tuple(completions), decision)

    def is_brief(self, views: Sequence[View]) -> bool:
        """Say whether a draft with these readings is screened sooner than given to a thread."""
        brief = sum(len(view.text) for view in views) <= BRIEF
        return brief and all(isinstance(stage, Bounded) for stage in self._stages.values())

    def _rest_of(self, name: str, stage: Stage) -> Stage:
        """Return what is left to do of a stage."""
        if name not in self._in_text or not isinstance(stage, Bounded):
            return stage
        return partial(_joined, stage, self._in_text[name])


def screen(tagged: Tagged, facts: Facts, stages: Mapping[str, Stage], policy: Policy) -> Screened:
    """Run every stage, add what the detectors said, and decide."""
    run = Run(stages)
    run.stages(tagged, facts)
    return run.screened(tagged, facts, policy)


async def screen_within(
    seconds: float, tagged: Tagged, facts: Facts, run: Run, policy: Policy
) -> Screened:
    """Screen in a thread; what has not ended after `seconds` is late and holds the write.

    The thread is this draft's own: one that hangs for ever takes no place from anybody else. A
    brief text before stages that are all bounded is screened at once: giving it to a thread and
    taking the answer back costs more than screening it.
    """
    if run.is_brief(facts.views):
        run.stages(tagged, facts)
        return run.screened(tagged, facts, policy)
    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def work() -> None:
        run.stages(tagged, facts)
        # The loop is gone when the gateway stopped meanwhile; then nobody waits.
        if not loop.is_closed():
            loop.call_soon_threadsafe(ended.set)

    apart(work)
    try:
        async with asyncio.timeout(seconds):
            await ended.wait()
    except TimeoutError:
        pass
    return run.screened(tagged, facts, policy)


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


def _joined(
    stage: Bounded, in_text: tuple[Finding, ...] | None, tagged: Tagged, facts: Facts
) -> tuple[Finding, ...]:
    """Return what a stage finds, given what it found in the text. Raises when that has failed."""
    if in_text is None:
        raise UnavailableError("stage")
    return (*stage.in_facts(tagged, facts), *in_text)


def _sane(score: float | None) -> bool:
    return score is None or (math.isfinite(score) and 0.0 <= score <= 1.0)
