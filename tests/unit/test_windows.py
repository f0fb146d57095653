"""How long texts are cut into parts that a model reads whole."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.models.windows import MOST, SIZE, weight, windows

_TEXTS = st.text(alphabet=st.sampled_from("ab .!?\n中文。，x"), max_size=6000)


@pytest.mark.requirement("W7")
@given(_TEXTS)
def test_the_parts_of_a_text_leave_nothing_out(text: str) -> None:
    """Parts follow each other without gaps from the first character to the last."""
    spans = windows(text)
    assert spans[0].start == 0
    assert spans[-1].end == len(text)
    assert all(one.end == other.start for one, other in pairwise(spans))
    assert len(spans) <= MOST


def test_a_short_text_stays_whole() -> None:
    """A sentence or two are read as they are."""
    assert len(windows("I like tea. Not coffee, though.")) == 1


@pytest.mark.requirement("W7")
def test_a_sentence_in_a_page_gets_a_part_of_its_own_size() -> None:
    """A page is cut at sentence ends into parts of about equal weight, in both scripts."""
    for sentence in ("The harbour was quiet that morning. ", "那天早晨港口很安静。"):
        page = sentence * 40
        spans = windows(page)
        assert len(spans) > 2
        assert all(weight(page[s.start : s.end]) <= SIZE for s in spans)
        assert all(page[: s.end].rstrip().endswith((".", "。")) for s in spans)


def test_a_very_long_text_has_more_parts_and_not_longer_ones() -> None:
    """Beyond the longest memory the number of parts grows, so that models still read all of it."""
    assert len(windows("word " * 10_000)) > MOST
