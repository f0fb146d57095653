"""Rules are tried where one of their literals is, and nowhere else."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard.nouns import View
from guard.stages import anomaly, authority, injection
from guard.stages.literals import Literals
from guard.stages.rules import RuleBook, rule, sightings
from guard.views.rewrite import original
from policies.model import Severity
from tests.unit.pattern_needs import hidden, parsed

_WORDS = st.text(alphabet="abe n你好", max_size=4)


def _view(text: str) -> View:
    return original(text)


@settings(suppress_health_check=[HealthCheck.too_slow])
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


_BOOKS = (authority.BOOK, injection.BOOK, anomaly.BOOK)


@pytest.mark.requirement("W2")
def test_all_that_a_pattern_finds_holds_one_of_its_literals() -> None:
    """Leaving a rule out where none of its literals is loses nothing, whatever the text."""
    lost = [
        (each.code, each.needs, text)
        for book in _BOOKS
        for each in book.rules
        for pattern in (each.spaced, each.squeezed)
        if (text := hidden(parsed(pattern.pattern), each.needs)) is not None
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("needs", "pattern", "read"),
    [
        ("no need", r"\bno need\b", "no_need"),
        ("rights", r"\b(?:has|gets) <2>(?:root|full) rights?\b", "has_root_right"),
        ("now", r"\b(?:now|later)\b", "later"),
        ("one two", "one two", "one_two"),
    ],
)
def test_a_literal_too_narrow_is_found_with_a_text_that_it_hides(
    needs: str, pattern: str, read: str
) -> None:
    """What is told as lost is a text that the pattern finds indeed."""
    one = rule("any", Severity.LOW, needs, pattern)
    lost = hidden(parsed(one.spaced.pattern), one.needs)
    assert lost == read
    assert one.spaced.search(lost) is not None
    assert not list(sightings(RuleBook([one]), [_view(lost)]))


@pytest.mark.parametrize(
    ("needs", "pattern"),
    [
        ("need", r"\bno needs?\b"),
        ("a|b", r"(?:xa|yb){1,3}"),
        ("host", r"\bcall(?= <3>host\b)"),
        ("pay|wire", r"(?:pay|wir(?:e|ed)) to"),
    ],
)
def test_literals_wide_enough_are_passed(needs: str, pattern: str) -> None:
    """A literal in what must stand beside the match is in the text as well."""
    one = rule("any", Severity.LOW, needs, pattern)
    for each in (one.spaced, one.squeezed):
        assert hidden(parsed(each.pattern), one.needs) is None


def test_half_a_character_hides_no_literal() -> None:
    """A text that is no UTF-8 is looked through as well."""
    assert Literals([["ab"], ["c"]]).held("\ud800ab") == [0]
