"""What wording adds to relevance: the same in English and Chinese, and never much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.answering import ASKS, CHANGED, CODE, NUMBER, OTHER, SPEAKER, SUBSTANCE, TIME, worded
from memory.answering import fit as fit_of


def fit(question: str, text: str) -> float:
    """Return what the wording of a text adds for a question."""
    return fit_of(worded(question), text)


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
    most = SPEAKER + SUBSTANCE + max(TIME, NUMBER) + CODE + CHANGED
    assert ASKS + OTHER <= fit(question, text) <= most


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("question", "own", "others"),
    [
        ("What does 4792# open?", "The shop is 4792#.", "The side door opens with 4729#."),
        ("which rack is dr88k31", "The one that hums is DR-88K31.", "Rack A is DR-88K13."),
        ("What breaks with v4.13.1?", "4.13.1 breaks exports.", "4.12.1 breaks exports."),
        ("４７９２是哪扇门", "道具间 4792", "侧门 4729"),
    ],
)
def test_what_has_the_code_that_is_named_comes_first(question: str, own: str, others: str) -> None:
    """However it is typed; what has one that differs in a character has nothing of it."""
    assert fit(question, own) >= fit(question, others) + CODE - SUBSTANCE


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("question", "changed", "before"),
    [
        (
            "What is the gate code these days?",
            "The gate was changed, it takes 31960.",
            "Gate takes 609.",
        ),
        ("大门现在的号码", "大门换成了 86421。", "大门是 24681。"),
        (
            "What's the code of the gate?",
            "The gate was changed, it's 31960.",
            "The gate takes 609.",
        ),
        ("大门密码多少", "大门密码换成了 86421。", "大门密码是 24681。"),
    ],
)
def test_a_change_comes_first_where_it_is_asked_how_it_is_now(
    question: str, changed: str, before: str
) -> None:
    """Who asks how it was is told no differently: there, both are alike."""
    assert fit(question, changed) > fit(question, before) + CHANGED - SUBSTANCE
    for once in ("What was the gate code in May?", "大门原来的密码"):
        assert fit(once, changed) < fit(once, before) + SUBSTANCE


@pytest.mark.requirement("R3")
def test_a_change_of_another_one_comes_last() -> None:
    """That the back gate was changed tells nothing of the front gate; nor does rack B of rack A."""
    asked, own = "What's the code of the front gate now?", "The front gate takes 609."
    assert fit(asked, "The back gate was changed, it takes 31960.") < fit(asked, own)
    asked, own = "Where is the gate's key now?", "The key of the gate is at Nora's."
    assert fit(asked, "The heating was changed, it is 88K31 now.") < fit(asked, own) + SUBSTANCE
    asked, own = "What's the number of rack A?", "Rack A is 88K13."
    assert fit(asked, "Rack B was changed, it is 88K31 now.") < fit(asked, own)
    asked, own = "三号诊室的编号", "三号诊室是 0952。"
    assert fit(asked, "二号诊室换成了 0925。") < fit(asked, own)
