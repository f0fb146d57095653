"""A summary is made of sentences that stand in the texts, the common matter first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.summary import Sentence, sentences_of, summarize

ENGLISH = [
    "The release is planned for Friday. The weather was fine.",
    "Friday's release needs the payment fix. Somebody brought cake.",
    "The payment fix is reviewed.",
]
CHINESE = [
    "发布定在周五。天气不错。",
    "周五的发布需要支付修复！有人带了蛋糕。",
    "支付修复已经评审。",
]


@pytest.mark.parametrize("texts", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_what_several_texts_speak_of_comes_before_what_one_mentions(texts: list[str]) -> None:
    """The release and the fix are told, not the weather or the cake."""
    told = " ".join(one.text for one in summarize(texts, 2))
    assert "Friday" in told or "周五" in told
    assert "payment" in told or "支付" in told
    for aside in ("weather", "cake", "天气", "蛋糕"):
        assert aside not in told


def test_the_same_thing_is_not_told_twice() -> None:
    """Two texts with one statement give one sentence, though there is room for more."""
    told = summarize(["Alice likes tea.", "Alice likes tea!", "Bob drives a red car."], 3)
    assert [one.source for one in told] == [0, 2]


def test_a_number_with_a_point_and_an_address_stay_whole() -> None:
    """A point inside a word ends no sentence; a line's end does, and so do Chinese marks."""
    assert sentences_of("Version 2.3 runs at db.example.org:5432. Next\nline") == [
        "Version 2.3 runs at db.example.org:5432.",
        "Next",
        "line",
    ]
    told = sentences_of("他说：“好。”然后走了；没有回来")
    assert told == ["他说：“好。”", "然后走了；", "没有回来"]


def test_texts_without_words_give_nothing() -> None:
    """Nothing is made up where nothing is said."""
    assert summarize([], 3) == ()
    assert summarize(["", "…", "!!!"], 3) == ()
    with pytest.raises(ValueError, match="most"):
        summarize(["a"], 0)


@given(
    texts=st.lists(st.text(alphabet="ab 茶水。.!\n2", max_size=60), max_size=6),
    most=st.integers(1, 5),
)
def test_every_sentence_stands_word_for_word_in_its_text(texts: list[str], most: int) -> None:
    """Whatever the texts are: no more than asked, in order, each from where it says."""
    told = summarize(texts, most)
    assert len(told) <= most
    assert [one.source for one in told] == sorted(one.source for one in told)
    for one in told:
        assert one.text in texts[one.source]
    assert summarize(texts, most) == told
    assert all(isinstance(one, Sentence) for one in told)
