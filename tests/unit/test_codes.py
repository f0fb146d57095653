"""Which codes a question names, and whether a text has them, however either is typed."""

import pytest

from memory.codes import codes_in, has_codes, named_in, without_labels


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


@pytest.mark.parametrize(
    ("text", "question", "left"),
    [
        ("room 12 has 3 beds", "how many beds are in room 12", "has 3 beds"),
        ("三号桌坐了五个人", "三号桌坐了几个人", "桌坐了五个人"),
        ("order gs-7110: 12kg, 1,450", "how much was it", "order : 12kg, 1,450"),
        ("call 5550123", "how many", "call"),
    ],
)
def test_codes_and_what_tells_one_of_several_count_nothing(
    text: str, question: str, left: str
) -> None:
    """What is counted, measured or paid stays."""
    assert " ".join(without_labels(text, question).split()) == left
