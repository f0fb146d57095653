"""What an agent may store in the subject's name, and what waits for the subject (W16)."""

import re

import pytest

from policies.model import Effect
from tests.unit.relayed_lines import HELD, KEPT
from tests.unit.screening import effect_of, reasons_of

HAN = re.compile("[\u3400-\u9fff]")


@pytest.mark.requirement("W16")
@pytest.mark.parametrize(("text", "reason"), HELD)
def test_a_privileged_claim_of_an_agents_is_held(text: str, reason: str) -> None:
    """Whom to pay, where to send, what to use, hide, skip or praise: for its own reason."""
    assert reason in reasons_of(text)
    assert effect_of(text, 2) is Effect.QUARANTINE


@pytest.mark.requirement("W16")
@pytest.mark.parametrize(("text", "_"), HELD)
def test_the_subject_himself_may_say_it(text: str, _: str) -> None:
    """At his own trust it is held for no claim: the control of what is held from an agent."""
    blatant = any(reason.startswith("injection.") for reason in reasons_of(text))
    assert blatant or effect_of(text, 3) is not Effect.QUARANTINE


@pytest.mark.requirement("W16")
@pytest.mark.parametrize("text", KEPT)
def test_an_honest_preference_flows(text: str) -> None:
    """With a plain token, an agent's relayed preferences and facts are stored."""
    assert effect_of(text, 2) in {Effect.ALLOW, Effect.LOWER}


def test_both_tables_speak_both_languages() -> None:
    """At least a third of each is Chinese."""
    for lines in ([text for text, _ in HELD], list(KEPT)):
        assert 3 * sum(HAN.search(text) is not None for text in lines) >= len(lines) >= 50
