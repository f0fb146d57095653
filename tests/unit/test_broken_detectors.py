"""A detector that breaks holds the write, says which one it was, and hinders nobody else (W11)."""

import asyncio
import math
import threading
from collections.abc import Callable, Sequence

import msgspec
import pytest

from gateway.metering import Recorder
from gateway.metrics import Metrics
from guard.detect import detect
from guard.nouns import Facts, Tagged
from guard.pipeline import BRIEF, Bounded, Run, Stage, screen, screen_within
from guard.stages import STAGES
from policies.decide import decide
from policies.model import Completion, Effect, Finding, Severity, Status
from tests.unit.screening import STRICT, facts_of, tagged_of

HONEST = "The museum opens at nine."
_LONG = 30.0


class Answering:
    """A detector that answers what it was made with."""

    version = "answering@1"

    def __init__(self, *findings: Finding) -> None:
        self._findings = findings
        self.before: Sequence[Finding] = ()

    async def detect(
        self, _tagged: Tagged, _facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Answer, and note what was found before."""
        self.before = before
        return self._findings


class Raising(Answering):
    """A detector that fails."""

    async def detect(
        self, _tagged: Tagged, _facts: Facts, _before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Fail with the text in the message, as libraries do."""
        raise ValueError(HONEST)


class Hanging(Answering):
    """A detector that never answers."""

    async def detect(
        self, _tagged: Tagged, _facts: Facts, _before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Wait for ever."""
        await asyncio.Event().wait()
        return ()


def _finding(score: float | None, stage: str = "model") -> Finding:
    return Finding(stage, "poison", Severity.LOW, score=score)


@pytest.mark.requirement("W11")
@pytest.mark.parametrize(
    ("detector", "status"),
    [
        (Raising(), Status.FAILED),
        (Hanging(), Status.LATE),
        (Answering(_finding(math.nan)), Status.FAILED),
        (Answering(_finding(1.5)), Status.FAILED),
        (Answering(_finding(0.5, stage="another")), Status.FAILED),
        (Answering(_finding(0.5)), Status.DONE),
    ],
)
async def test_a_broken_detector_is_recorded_and_its_findings_are_dropped(
    detector: Answering, status: Status
) -> None:
    """Only what a detector says properly and in time counts."""
    (heard,) = await detect(tagged_of(HONEST), facts_of(HONEST), {"model": detector}, 0.05)
    assert heard.completion == Completion("model", status)
    assert bool(heard.findings) is (status is Status.DONE)


@pytest.mark.requirement("W11")
async def test_a_detector_sees_what_those_before_it_found() -> None:
    """The second stage looks only at what the first is unsure of, so it must be told."""
    first, second = Answering(_finding(0.5)), Answering()
    await detect(tagged_of(HONEST), facts_of(HONEST), {"model": first, "second": second}, _LONG)
    assert second.before == (_finding(0.5),)


@pytest.mark.requirement("W11", "W12")
@pytest.mark.parametrize("detector", [Raising(), Hanging(), Answering(_finding(math.nan))])
async def test_the_reason_names_the_detector(detector: Answering) -> None:
    """A write held for a broken detector says which one; with a sound one it is stored."""
    tagged, facts = tagged_of(HONEST, trust=3), facts_of(HONEST)
    policy = msgspec.structs.replace(STRICT, stages=(*STRICT.stages, "model"))

    async def decided(one: Answering) -> tuple[Effect, tuple[str, ...]]:
        heard = (*facts.detected, *await detect(tagged, facts, {"model": one}, 0.05))
        screened = screen(tagged, msgspec.structs.replace(facts, detected=heard), STAGES, policy)
        return screened.decision.effect, screened.decision.reasons

    effect, reasons = await decided(detector)
    assert effect is Effect.QUARANTINE
    assert "stage_incomplete.model" in reasons
    assert (await decided(Answering()))[0] is Effect.ALLOW


@pytest.mark.requirement("W11")
async def test_a_stage_that_hangs_holds_its_write_alone() -> None:
    """It is late, the stages after it are missing, and other writes are screened meanwhile."""
    freed = threading.Event()

    def hang(_tagged: Tagged, _facts: Facts) -> tuple[Finding, ...]:
        freed.wait(_LONG)
        return ()

    stages = {"injection": STAGES["injection"], "authority": hang, "rate": STAGES["rate"]}
    tagged, facts = tagged_of(HONEST, trust=3), facts_of(HONEST)
    try:
        hung = await asyncio.gather(
            *(screen_within(0.05, tagged, facts, Run(stages), STRICT) for _ in range(40))
        )
        fine = await screen_within(_LONG, tagged, facts, Run(STAGES), STRICT)
    finally:
        freed.set()
    assert {one.decision.effect for one in hung} == {Effect.QUARANTINE}
    assert Completion("authority", Status.LATE) in hung[0].completions
    assert "stage_incomplete.rate" in hung[0].decision.reasons
    assert fine.decision.effect is not Effect.QUARANTINE


@pytest.mark.requirement("W11")
async def test_only_a_brief_text_before_bounded_stages_keeps_the_loop() -> None:
    """What may take long, and any stage that is not known to end, is run in a thread."""

    async def at_once(text: str, wrapped: Callable[[Stage], Stage]) -> bool:
        threads: list[threading.Thread] = []

        def seen(_tagged: Tagged, _facts: Facts) -> tuple[Finding, ...]:
            threads.append(threading.current_thread())
            return ()

        stages = {**STAGES, "rate": wrapped(seen)}
        await screen_within(_LONG, tagged_of(text, trust=3), facts_of(text), Run(stages), STRICT)
        return threads == [threading.current_thread()]

    assert await at_once(HONEST, Bounded)
    assert not await at_once(HONEST, lambda stage: stage)
    assert not await at_once(HONEST * BRIEF, Bounded)


@pytest.mark.requirement("W11")
def test_a_rule_with_a_score_leaves_lower_ones_alone_and_not_unmeasured_ones() -> None:
    """A rule's score is a floor; a finding without a score is above every floor."""
    rule = msgspec.structs.replace(STRICT.rules[0], at_least=Severity.INFO, at_score=0.5)
    policy = msgspec.structs.replace(STRICT, rules=(rule,), stages=("injection",))
    done = [Completion("injection", Status.DONE)]

    def effect(score: float | None) -> Effect:
        return decide(policy, 0, done, [_finding(score, "injection")]).effect

    assert [effect(0.49), effect(0.5), effect(None)] == [
        Effect.ALLOW,
        Effect.QUARANTINE,
        Effect.QUARANTINE,
    ]


@pytest.mark.requirement("E11", "W11")
async def test_who_watches_is_told_how_each_detector_ended_and_how_long_it_took() -> None:
    """Under its name; one that nobody knows is counted with the others of its kind."""
    metrics = Metrics()
    watch = Recorder(metrics, None)
    detectors = {"second": Hanging(), "judge": Answering(), "model": Raising()}
    for _ in range(2):
        await detect(tagged_of(HONEST), facts_of(HONEST), detectors, 0.05, watch)
    page = (await metrics.page()).decode()
    for named, result in (("second", "late"), ("judge", "done"), ("other", "failed")):
        assert f'detections_total{{detector="{named}",result="{result}"}} 2.0' in page
    assert page.count("memguard_detections_total{") == 3
    assert 'memguard_step_seconds_count{step="detect.second"} 2.0' in page
