"""One number says how bad what was found is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.gravity import WORST, gravity
from policies.model import Completion, Finding, Severity, Status

DONE = (Completion("injection", Status.DONE),)
findings = st.builds(
    Finding,
    stage=st.just("injection"),
    code=st.just("override"),
    severity=st.sampled_from(Severity),
    score=st.none() | st.floats(0, 1),
)


@pytest.mark.requirement("Q1")
@given(st.lists(findings, max_size=4), findings)
def test_more_findings_never_make_it_less(some: list[Finding], one: Finding) -> None:
    """And it stays between nothing and the worst; a graver finding outweighs a surer one."""
    before, after = gravity(DONE, some), gravity(DONE, [*some, one])
    assert 0 <= before <= after <= WORST
    if one.severity < Severity.HIGH:
        graver = Finding(one.stage, one.code, Severity(one.severity + 1), score=0.0)
        assert gravity(DONE, [graver]) > gravity(DONE, [one])


@pytest.mark.requirement("Q1")
@pytest.mark.parametrize(
    ("score", "wanted"), [(None, 9), (1.0, 9), (0.7, 9), (0.5, 8), (0.1, 7), (0.0, 7)]
)
def test_a_score_tells_within_its_severity(score: float | None, wanted: int) -> None:
    """What no detector measured is taken for certain."""
    assert gravity(DONE, [Finding("classifier", "poison", Severity.HIGH, score=score)]) == wanted


@pytest.mark.requirement("Q1", "W11")
@pytest.mark.parametrize("status", [Status.FAILED, Status.LATE])
def test_a_stage_that_did_not_end_weighs_as_if_it_had_found_something(status: Status) -> None:
    """Whoever makes a detector fail does not put his write at the end of the queue."""
    assert gravity(DONE, []) == 0
    assert gravity([Completion("classifier", status)], []) == 6
    high = Finding("injection", "override", Severity.HIGH)
    assert gravity([Completion("classifier", status)], [high]) == WORST
