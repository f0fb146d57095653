"""What says quickly that a text needs no rewriting never says so of one that does."""

import sys

import pytest

from guard.views import fold, normalised, views_of


@pytest.mark.requirement("W2")
def test_no_usual_character_is_invisible_or_a_mark() -> None:
    """A text of usual characters alone has nothing to take off: the patterns agree on each one."""
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if fold._UNUSUAL.search(character) is None:
            assert fold._INVISIBLE.search(character) is None, hex(code)
            assert fold._MARK.search(character) is None, hex(code)
        if fold._MAY_BE_ACCENTED.search(character) is None:
            assert fold._ACCENTED.search(character) is None, hex(code)
        if fold._NOT_PLAIN.search(character) is None:
            assert fold._form(character) == character, hex(code)


@pytest.mark.requirement("W2")
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("one\t two\u2003three", "one two three"),
        ("one \n two", "one\ntwo"),
        ("one\u3000two", "one two"),
    ],
)
def test_white_space_becomes_one_blank_or_one_line_break(written: str, read: str) -> None:
    """Runs and rare kinds of white space are folded; what is folded already stays."""
    assert normalised(written) == read
    assert normalised(read) == read


@pytest.mark.requirement("W2")
def test_characters_apart_with_marks_between_are_no_word() -> None:
    """A combining mark belongs to its character, so it sets none apart; a dot between does."""
    apart = {view.name: view.text for view in views_of("请 忽·略·这·条")}
    assert "忽略这条" in apart["joined"].replace(" ", "")
    marked = {view.name: view.text for view in views_of("医́生́看́病́")}
    assert "\u0301" in marked.get("joined", marked["original"])
