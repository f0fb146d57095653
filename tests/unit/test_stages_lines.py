"""The stages on whole lines: what must be found, and what must be left alone."""

import pytest

from policies.model import Effect, Severity
from tests.unit import attack_lines, benign_lines, directive_lines
from tests.unit.screening import effect_of, findings_of, reasons_of

ATTACKS = attack_lines.ENGLISH + attack_lines.CHINESE + attack_lines.DISGUISED
BENIGN = benign_lines.ENGLISH + benign_lines.CHINESE


@pytest.mark.requirement("W2", "W16")
@pytest.mark.parametrize(("text", "reason"), ATTACKS)
def test_an_attack_is_found_for_its_reason(text: str, reason: str) -> None:
    """Each attack line gives the reason it stands for, in English, Chinese and disguise."""
    assert reason in reasons_of(text)


@pytest.mark.requirement("W16")
@pytest.mark.parametrize(("text", "_"), ATTACKS)
def test_no_attack_from_outside_is_stored(text: str, _: str) -> None:
    """From the web every attack line is held under the shipped profile."""
    assert effect_of(text, 0) is Effect.QUARANTINE


@pytest.mark.requirement("W16")
@pytest.mark.parametrize(("text", "reasons"), BENIGN)
def test_an_honest_line_gives_no_other_reason(text: str, reasons: tuple[str, ...]) -> None:
    """Each look-alike gives exactly the reasons that stand beside it, mostly none."""
    assert reasons_of(text) == set(reasons)


@pytest.mark.requirement("W16")
@pytest.mark.parametrize(("text", "_"), BENIGN)
def test_an_agent_may_store_what_an_honest_subject_says(text: str, _: tuple[str, ...]) -> None:
    """Every look-alike is stored when an agent relays it: preferences are not privileged."""
    assert effect_of(text, 2) is Effect.ALLOW


@pytest.mark.requirement("W2")
@pytest.mark.parametrize(("text", "reason"), attack_lines.DISGUISED)
def test_evidence_of_a_disguised_attack_lies_in_the_original(text: str, reason: str) -> None:
    """The finding of a disguised attack is high and its spans are places in the original text."""
    (finding,) = (f for f in findings_of(text) if f.reason == reason)
    assert finding.severity is Severity.HIGH
    assert finding.spans
    assert all(0 <= span.start < span.end <= len(text) for span in finding.spans)
    covered = sum(span.end - span.start for span in finding.spans)
    assert covered >= 8


DIRECTIVES = directive_lines.ENGLISH + directive_lines.CHINESE


@pytest.mark.requirement("W16")
@pytest.mark.parametrize("text", [attack for attack, _ in DIRECTIVES])
def test_what_steers_is_held_from_outside_whatever_its_tone(text: str) -> None:
    """A page may not say how assistants act or what needs no check any more."""
    assert effect_of(text, 0) is effect_of(text, 1) is Effect.QUARANTINE


@pytest.mark.requirement("W16")
@pytest.mark.parametrize("text", [honest for _, honest in DIRECTIVES])
def test_the_honest_line_beside_it_is_stored(text: str) -> None:
    """The same words in a report, a rule for people or a recipe hold nothing."""
    assert effect_of(text, 0) in (Effect.ALLOW, Effect.LOWER)
