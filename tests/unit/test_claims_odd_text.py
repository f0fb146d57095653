"""Reading claims never raises, however odd the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.claims import claims_of
from memory.claims.folding import folded

_SIGNS = "`'\"-./:@#%&=$°,;!? \n\t8〇第a"
_WORDS = "` ` `a` :// http:// v1.2.3 12:30 no. is not my page 4 2026-11-30 +49 是 不 我 一 换了 👍"
_PIECES = st.sampled_from([*_SIGNS, "` `", *_WORDS.split()])


@pytest.mark.parametrize("text", ["I use ` ` as a mark.", "My code is ` `.", "``  ` `"])
def test_a_quoted_blank_is_read_as_nothing(text: str) -> None:
    """Nothing of it is a value."""
    assert all(claim.value.text.strip() for claim in claims_of(text))


@given(st.lists(_PIECES, max_size=14).map("".join))
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    """Whatever stands beside whatever, there are claims or there are none."""
    assert isinstance(claims_of(text), tuple)


@given(st.text(st.characters(max_codepoint=0x7F), max_size=60))
def test_plain_text_is_folded_as_any_text_is(text: str) -> None:
    """The short way for ASCII leads where the long one does: a typographic quote is taken out."""
    assert folded(text) == folded(f"{text}”")
