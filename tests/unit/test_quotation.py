"""An agent's text is the user's word when he said it: form may differ, meaning may not (W3)."""

import re

import pytest

from memory.quotation import LONGEST, vouching
from memory.types import Role, Turn
from tests.unit.quotation_lines import OTHER, SAME

HAN = re.compile("[\u3400-\u9fff]")


def user(text: str) -> Turn:
    """Return a turn of the user's."""
    return Turn(Role.USER, text)


@pytest.mark.requirement("W3")
@pytest.mark.parametrize(("turn", "text"), SAME)
def test_a_paraphrase_of_form_is_what_the_user_said(turn: str, text: str) -> None:
    """Quotation marks, who is called what, politeness, case, width and reported speech go."""
    assert vouching([user(turn)], text) == 0


@pytest.mark.requirement("W3")
@pytest.mark.parametrize(("turn", "text"), OTHER)
def test_another_meaning_is_not_what_the_user_said(turn: str, text: str) -> None:
    """Nothing may be left out or added, and what the user does not state himself states nothing."""
    assert vouching([user(turn)], text) is None


def test_the_tables_are_large_and_speak_both_languages() -> None:
    """At least 80 pairs, of each kind at least a third in Chinese."""
    for lines in (SAME, OTHER):
        chinese = sum(HAN.search(turn + text) is not None for turn, text in lines)
        assert chinese * 3 >= len(lines) >= 40
    assert len({*SAME, *OTHER}) == len(SAME) + len(OTHER)
