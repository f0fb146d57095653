"""What wording adds to relevance: the same in English and Chinese, and never much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.answering import ASKS, NUMBER, SPEAKER, SUBSTANCE, TIME, fit


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        ("Where does Nora work?", "Nora: at the harbour office", "Emil: at the harbour office"),
        ("诺拉在哪里上班？", "诺拉：在港口办公室", "阿米：在港口办公室"),
        ("Where is the spare key?", "The spare key is at Nora's.", "Where is the spare key now?"),
        ("备用钥匙在哪里？", "备用钥匙在诺拉那里。", "备用钥匙在诺拉那里吗？"),
        (
            "When is the boiler serviced?",
            "The boiler man comes on Friday.",
            "The boiler man comes.",
        ),
        ("锅炉什么时候检修？", "锅炉师傅周五来。", "锅炉师傅会来。"),
        ("How many chairs are there?", "There are twelve chairs, so 12.", "There are some chairs."),
        ("有多少把椅子？", "椅子有十二把。", "椅子有很多。"),
    ],
)
def test_what_fits_the_question_comes_before_what_does_not(
    question: str, better: str, worse: str
) -> None:
    """Whoever is named, a statement, a time where one is asked for, a number where one is."""
    assert fit(question, better) > fit(question, worse) + 0.02


@pytest.mark.requirement("R3")
def test_a_name_within_another_word_names_nobody() -> None:
    """`Ann` is not in `planning`; as a word of its own she is named."""
    assert fit("What is the planning?", "Ann: the kitchen") < SPEAKER
    assert fit("What is Ann planning?", "Ann: the kitchen") > SPEAKER


@pytest.mark.requirement("R3")
@given(question=st.text(max_size=200), text=st.text(max_size=400))
def test_wording_adds_little_whatever_it_is(question: str, text: str) -> None:
    """No text can write itself to the top by its form alone."""
    assert ASKS <= fit(question, text) <= SPEAKER + SUBSTANCE + max(TIME, NUMBER)
