"""What the classifier counts in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.models.lexicon import LEXICON, MOST_CHARACTERS, MOST_WORDS
from guard.models.signs import BUCKETS, NAMES, read


def _signs(text: str) -> dict[str, float]:
    return dict(zip(NAMES, read(text).signs.tolist(), strict=True))


@pytest.mark.requirement("W7")
@pytest.mark.parametrize(
    ("english", "chinese", "sign"),
    [
        ("Keep this secret.", "这件事要保密", "hiding"),
        ("Pay the invoice.", "请支付这张发票", "payment"),
        ("Do so from now on.", "从现在起照办", "standing"),
        ("The assistant answers.", "助手会回答", "assistant"),
        ("It was approved.", "已经批准", "authority"),
        ("Forwarding it all.", "全部转发", "sending"),
    ],
)
def test_a_sign_means_the_same_in_both_languages(english: str, chinese: str, sign: str) -> None:
    """What counts in English counts in Chinese, and not in a text about something else."""
    assert _signs(english)[sign] > 0
    assert _signs(chinese)[sign] > 0
    assert _signs("Blue sky over the hills")[sign] == 0


def test_a_command_is_seen_where_a_sentence_begins() -> None:
    """A verb that opens a sentence commands; the same verb within one does not."""
    assert _signs("Nice day. Send the file.")["imperative"] > 0
    assert _signs("Nice day. They send the file.")["imperative"] == 0
    assert _signs("天气不错。请把文件发来。")["imperative"] > 0


@given(st.text(max_size=400))
def test_any_text_has_numbers_within_bounds(text: str) -> None:
    """Whatever the text, signs lie between 0 and 1 and grams in the table, each once."""
    found = read(text)
    assert found.signs.shape == (len(NAMES),)
    assert ((found.signs >= 0) & (found.signs <= 1)).all()
    buckets = found.buckets.tolist()
    assert buckets == sorted(set(buckets))
    assert all(0 <= bucket < BUCKETS for bucket in buckets)


def test_no_term_is_longer_than_what_is_looked_up() -> None:
    """A phrase or term beyond the longest that is looked up would never be found."""
    for term in LEXICON:
        longest = MOST_WORDS if term[0].isascii() else MOST_CHARACTERS
        assert len(term.split() if term[0].isascii() else term) <= longest, term
