"""Which codes a question names, and whether a text has them, however either is typed."""

import pytest

from memory.codes import codes_in, has_codes, named_in


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("which door is 4279# for", {"4279"}),
        ("is dr-88k31 rack b", {"dr88k31"}),
        ("what breaks with v4.13.1 or 4.12.1", {"4131", "4121"}),
        ("who is at 5550 3764", {"5550", "3764"}),
        ("who has room 7", set()),
        ("who is it", set()),
    ],
)
def test_what_has_a_digit_and_three_characters_may_be_a_code(
    question: str, codes: set[str]
) -> None:
    """By letters and digits alone; a shorter one is a count."""
    assert codes_in(question) == codes


@pytest.mark.parametrize(
    "question",
    [
        "in 2026",
        "on the 15th",
        "at 10:30",
        "at 10am",
        "on 2026-03-05",
        "on 5/3",
        "for 250ml or 5kg",
    ],
)
def test_years_days_hours_and_measures_name_nothing(question: str) -> None:
    """They say when and how much, and many memories have the same."""
    assert named_in(question) == set()
    assert named_in(f"{question}, gs-7110") == {"gs7110"}


def test_a_text_has_a_code_only_whole() -> None:
    """Two codes that differ in one character, or in the order of two, are none of each other."""
    assert has_codes("order gs-7110 came", frozenset({"gs7110"}))
    assert not has_codes("order gs-7101 came", frozenset({"gs7110"}))
    assert not has_codes("order gs-7110 came", frozenset({"gs7110", "4279"}))
    assert has_codes("nothing is named", frozenset())
