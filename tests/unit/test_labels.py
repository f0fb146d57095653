"""Which of several a text speaks of, where they are told apart by a label."""

import pytest

from memory.labels import is_of_another, told_by


def speaks_of_another(question: str, text: str) -> bool:
    """Say whether a text is of another one than the question."""
    told = told_by(question)
    return told is not None and is_of_another(told, text)


@pytest.mark.parametrize(
    ("question", "own", "other"),
    [
        ("What is the serial of rack A?", "Rack A is DR-88K13.", "Rack B is DR-88K31."),
        ("who lives at number 12", "The couple at number 12 rang.", "I saw number 14."),
        ("which pin has scanner two", "Scanner two pairs with 0653.", "Scanner one has 0635."),
        ("Where is the key of the front door?", "The front door key broke.", "The back door jams."),
        ("三号楼的门禁", "三号楼门禁坏了。", "二号楼门禁坏了。"),
        ("前门密码", "前门换了锁。", "后门换了锁。"),
    ],
)
def test_one_of_several_is_told_by_its_label(question: str, own: str, other: str) -> None:
    """The same label is the same one, and what has none may be it."""
    assert speaks_of_another(question, other)
    assert not speaks_of_another(question, own)
    assert not speaks_of_another(question, f"{own} {other}")
    assert not speaks_of_another(question, "It rained all day.")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What did I pay in May 3 years ago?", "I paid 12 for it."),
        ("Did we meet at 5?", "We met at 6."),
        ("Who came on March 3?", "Ann came on March 5."),
        ("三月三号谁来了", "三月五号安娜来了。"),
    ],
)
def test_a_number_after_a_verb_or_a_month_is_no_label(question: str, text: str) -> None:
    """It is an amount, an hour or a day."""
    assert not speaks_of_another(question, text)
