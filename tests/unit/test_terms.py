"""Terms of the keyword route, English and Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.terms import AVERAGE_LENGTH, K1, LONGEST, among, terms_of

_SPELLED = (
    "cities city citys Stopped stop baked Bake classes don’t d'on it's 1,200.50 1200 12,34 "
    "SF-123456 sf ＳＦ１２ İz straße v2.3 朵朵 的 上海 我的上海 𠀀 海 , - ing the s y e ΐ ß _"
)
_PIECES = st.sampled_from([*_SPELLED.split(), " ", "\n", "x" * 70])
_SIGNS = st.text("absy ,.'’-_的上海1Éİ", max_size=30)
_WRITTEN = st.one_of(st.lists(_PIECES, max_size=12).map("".join), _SIGNS)


@pytest.mark.requirement("R1")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("shipping", "shipped"),
        ("stopped", "stops"),
        ("baking", "bakes"),
        ("companies", "company"),
        ("classes", "class"),
        ("Invoices", "invoice"),
        ("the user's order", "order users"),
        ("ＳＦ１２３４５６", "sf123456"),
        ("1,200.50", "1200.50"),
    ],
)
def test_forms_of_a_word_share_a_term(one: str, other: str) -> None:
    """What a person takes for the same word is found by the same term."""
    assert set(terms_of(one)) & set(terms_of(other))


@pytest.mark.requirement("R1")
@pytest.mark.parametrize(
    ("one", "other"), [("port 5432", "port 5433"), ("SF123456", "SF123457"), ("今天", "明日")]
)
def test_different_codes_and_words_differ(one: str, other: str) -> None:
    """A code is itself and nothing near it."""
    assert set(terms_of(one)) != set(terms_of(other))


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("code", ["sf123456", "8080", "v2.3", "db-1.example.com", "2024-05-01"])
def test_a_code_stays_whole(code: str) -> None:
    """Numbers, versions, hosts and dates are terms as they stand."""
    assert code in terms_of(f"we use {code}, see")


@pytest.mark.requirement("R1")
def test_chinese_gives_characters_and_pairs() -> None:
    """A Chinese run is found by its characters and by each pair, without function words."""
    terms = terms_of("我的订单")
    assert {"订单", "订", "单", "我"} <= set(terms)
    assert "的" not in terms


@pytest.mark.requirement("R1")
def test_mixed_text_gives_both() -> None:
    """English inside Chinese is its own term."""
    assert {"端口", "5432", "postgr"} & set(terms_of("端口5432跑postgres"))
    assert "5432" in terms_of("端口5432跑postgres")


@pytest.mark.requirement("R1")
def test_repetition_saturates() -> None:
    """A word said a thousand times weighs less than the bound, and more than once."""
    once = terms_of("coffee")["coffe"]
    often = terms_of("coffee " * 1000)["coffe"]
    assert 0 < often < K1 + 1
    assert once < K1 + 1
    assert terms_of("coffee coffee tea")["coffe"] > terms_of("coffee coffee tea")["tea"]


@pytest.mark.requirement("R1")
def test_a_longer_text_gives_each_term_less() -> None:
    """Length counts against an average that never moves."""
    filler = " ".join(f"word{i}" for i in range(int(AVERAGE_LENGTH) * 4))
    assert terms_of(f"coffee {filler}")["coffe"] < terms_of("coffee")["coffe"]


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("text", ["", "   ", "!!! ...", "the of and", "\x00"])
def test_a_text_without_words_has_no_terms(text: str) -> None:
    """Nothing to find is nothing, not an error."""
    assert terms_of(text) == {}


@pytest.mark.requirement("R1")
def test_an_endless_token_is_cut() -> None:
    """One long run is one short term, so that it can't fill the index."""
    assert {len(term) for term in terms_of("x" * 8000)} == {LONGEST}


@pytest.mark.requirement("R1")
@given(_WRITTEN, _WRITTEN)
def test_terms_are_found_without_reading_all_of_a_text(wanted: str, text: str) -> None:
    """Those that it has, and no other."""
    terms = terms_of(wanted).keys() | {"city", "的"}
    assert among(terms, text) == terms & terms_of(text).keys()


def test_some_terms_are_found_and_some_are_not() -> None:
    """The comparison above has both."""
    assert among(terms_of("stopped cities 上海").keys(), "Stops in 上海, a city's") >= {
        "city",
        "上海",
    }
    assert among({"port"}, "imported") == set()
