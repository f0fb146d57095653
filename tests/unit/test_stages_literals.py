"""Rules are tried where one of their literals is, and nowhere else."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard.nouns import View
from guard.stages import authority, injection
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
    """Looking for all at once finds what looking for each literal finds, in order."""
    held = Literals(groups).held(text)
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


_DERIVED = ("统一答案", ".com", "拉取")
"""A literal of each rule whose literals were read off its pattern."""


@pytest.mark.requirement("W2")
@pytest.mark.parametrize("known", _DERIVED)
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_all_that_such_a_pattern_finds_holds_one_of_its_literals(
    known: str, data: st.DataObject
) -> None:
    """Leaving such a rule out where none of its literals is loses nothing."""
    books = (authority.BOOK, injection.BOOK)
    one = next(each for book in books for each in book.rules if known in each.needs)
    text = data.draw(st.from_regex(one.spaced))
    assert any(need in text for need in one.needs)


def test_half_a_character_hides_no_literal() -> None:
    """A text that is no UTF-8 is looked through as well."""
    assert Literals([["ab"], ["c"]]).held("\ud800ab") == [0]
