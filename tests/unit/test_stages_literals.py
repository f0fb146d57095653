"""Rules are tried where one of their literals is, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.nouns import View
from guard.stages.literals import Literals
from guard.stages.rules import RuleBook, rule, sightings
from guard.views.rewrite import original
from policies.model import Severity

_WORDS = st.text(alphabet="abe n你好", max_size=4)


def _view(text: str) -> View:
    return original(text)


@given(
    st.lists(st.lists(_WORDS, max_size=3), max_size=80), st.text(alphabet="abe n你好", max_size=30)
)
def test_the_groups_found_are_those_of_which_a_literal_is_in_the_text(
    groups: list[list[str]], text: str
) -> None:
    """Looking by pairs of characters finds what looking for each literal finds, in order."""
    held = Literals(groups).held(_view(text))
    assert held == [at for at, group in enumerate(groups) if any(one in text for one in group)]


@pytest.mark.requirement("W2")
def test_a_rule_is_tried_only_where_one_of_its_literals_occurs() -> None:
    """The rules keep their order; one whose literal is missing is left out anyway."""
    rules = [
        rule("second", Severity.LOW, "pay", r"\bpay\b"),
        rule("never", Severity.LOW, "absent", r"\bpay\b"),
        rule("first", Severity.LOW, "now|later", r"\bnow\b"),
    ]
    seen = sightings(RuleBook(rules), [_view("pay now")])
    assert [sighting.rule.code for sighting in seen] == ["second", "first"]
