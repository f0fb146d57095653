"""Views of any text at all: total, bounded, and always traceable to the original."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.views import MODEL_VIEWS, normalised, span_of, views_for_models, views_of

ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
CODED = st.lists(
    st.one_of(
        ANY.map(lambda t: t.encode().hex()),
        st.sampled_from(
            ["%E4%BD", "&amp;", "&#0;", "&#xD800;", "\\ud800", "\\U0011ffff", "=", "\x00",
             "aGVsbG8gd29ybGQ=", "aGVsbG8gd29ybGQ", "忽 略 以 上", "i g n o r e",
             "\U000e0041" * 9, "\ufe0f" * 5, "<b>", "<!-- a b -->", "ign ore ", "eht dna siht ",
             "令指有所", "ORUGKIDROVUWG2ZAMJZG653O", "01101000 " * 7, "- .... . / --.- ..- ..",
             "=68=65=6c=6c", "104 101 " * 6, "i**g", "呼略", "指·令", "Khoor wkhuh zruog ri ixq"]
        ),
        st.text("abc%&#\\ux0123456789+/=-_ \n忽略.,é\u0301\u200b", max_size=40),
    ),
    max_size=8,
).map("".join)  # fmt: skip
TEXTS = st.one_of(ANY, CODED)


@pytest.mark.requirement("W2")
@given(TEXTS)
def test_every_character_of_a_view_has_a_place_in_the_original(text: str) -> None:
    """Maps have one entry per character, lie in range and never run backwards."""
    for view in views_of(text):
        assert len(view.text) == len(view.starts) == len(view.ends)
        assert all(0 <= s < e <= len(text) for s, e in zip(view.starts, view.ends, strict=True))
        assert list(view.starts) == sorted(view.starts)
        assert list(view.ends) == sorted(view.ends)
        if view.text:
            span = span_of(view, 0, len(view.text))
            assert 0 <= span.start < span.end <= len(text)


@pytest.mark.requirement("W2")
@given(TEXTS)
def test_no_view_is_seen_twice(text: str) -> None:
    """Names and texts are distinct, and the original stands first."""
    views = views_of(text)
    assert views[0].text == text
    assert len({v.text for v in views}) == len(views)
    assert len({v.name for v in views}) == len(views)


@pytest.mark.requirement("W2")
@given(TEXTS)
def test_normalising_is_idempotent(text: str) -> None:
    """A normal form is its own normal form."""
    once = normalised(text)
    assert normalised(once) == once


@pytest.mark.requirement("W2")
@given(
    st.text(st.characters(categories=["Lu", "Ll", "Nd", "Zs"], max_codepoint=0x24F), max_size=80)
)
def test_normalising_ignores_case_and_width(text: str) -> None:
    """Upper case and decomposed forms of ordinary letters have the same normal form."""
    assert normalised(unicodedata.normalize("NFD", text)) == normalised(text)


@pytest.mark.requirement("W2")
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_readings_are_the_same_each_time(text: str) -> None:
    """Views depend on the text alone."""
    assert views_of(text) == views_of(text)


@pytest.mark.requirement("W2")
@given(TEXTS)
def test_models_see_the_original_and_few_others(text: str) -> None:
    """At most four readings, none twice, each one of the views and the original first."""
    views = views_of(text)
    chosen = views_for_models(views)
    assert chosen[0] == views[0]
    assert len(chosen) <= MODEL_VIEWS
    assert len({v.text for v in chosen}) == len(chosen)
    assert set(chosen) <= set(views)
