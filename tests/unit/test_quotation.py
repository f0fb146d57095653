"""An agent's text is the user's word when he said it: form may differ, meaning may not (W3)."""

import re

import pytest

from memory.quotation import LONGEST, MOST_READ, vouching
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


TURNS = sorted({turn for turn, _ in SAME + OTHER if vouching([user(turn)], turn) == 0})
FORM = {"the", "a", "an", "please", "that", "remember", *"的请我吧好 。，！“”"}
"""Words and signs that may be missing, each somewhere in these turns."""


@pytest.mark.requirement("W3")
@pytest.mark.parametrize("turn", TURNS)
def test_no_word_can_be_left_out(turn: str) -> None:
    """Any other word of English, or character of Chinese, is missed when it is gone."""
    chinese = HAN.search(turn) is not None
    words, gap = (list(turn), "") if chinese else (turn.split(" "), " ")
    assert len(words) > 1
    for place, word in enumerate(words):
        if word.casefold() not in FORM:
            shorter = gap.join(words[:place] + words[place + 1 :])
            assert vouching([user(turn)], shorter) is None, shorter


@pytest.mark.requirement("W3")
@pytest.mark.parametrize("turn", TURNS)
def test_no_digit_can_change(turn: str) -> None:
    """Nor can a "not" be put in."""
    for place, char in enumerate(turn):
        if char.isdigit():
            other = turn[:place] + str((int(char) + 1) % 10) + turn[place + 1 :]
            assert vouching([user(turn)], other) is None, other
    for denied in (f"not {turn}", f"不{turn}"):
        assert vouching([user(turn)], denied) is None


@pytest.mark.requirement("W3", "E8")
def test_what_is_too_long_to_be_typed_says_nothing() -> None:
    """Neither as a turn nor as a text; and nobody's session keeps the gateway reading for long."""
    said = "I prefer aisle seats. " * (LONGEST // len("I prefer aisle seats. "))
    assert vouching([user(said)], said) == 0
    longer = said + "I prefer aisle seats. I prefer aisle seats."
    assert vouching([user(longer)], "I prefer aisle seats.") is None
    assert vouching([user(longer)], longer) is None
    beside = [user("I prefer aisle seats or so.")] * MOST_READ
    assert vouching([user("I prefer aisle seats."), *beside[1:]], "I prefer aisle seats.") == 0
    assert vouching([user("I prefer aisle seats."), *beside], "I prefer aisle seats.") is None


def test_the_tables_are_large_and_speak_both_languages() -> None:
    """At least 80 pairs, of each kind at least a third in Chinese."""
    for lines in (SAME, OTHER):
        chinese = sum(HAN.search(turn + text) is not None for turn, text in lines)
        assert chinese * 3 >= len(lines) >= 40
    assert len({*SAME, *OTHER}) == len(SAME) + len(OTHER)
