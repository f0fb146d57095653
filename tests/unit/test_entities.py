"""Entities named exactly, English and Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import entities
from memory.entities import MOST, entities_of

_WORDS = ("order ", "port ", "version ", "www.", "usd ", "A-", "订单", "端口")
_PIECES = [*"abv #$€.-_:,;?!%+ \n号元版", *_WORDS]


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("The order SF123456 is late.", "order:sf123456"),
        ("Order number: 998-1234567", "order:998-1234567"),
        ("订单号：SF123456 已发货", "order:sf123456"),
        ("运单SF1234567890", "order:sf1234567890"),
        ("ticket ABC-1234 is open", "code:abc-1234"),
        ("see #42 in the tracker", "issue:42"),
        ("it listens on port 5432", "port:5432"),
        ("端口改为8080", "port:8080"),
        ("connect to db.example:6379 now", "port:6379"),
        ("write to Ann.Lee@Mail.example.", "email:ann.lee@mail.example"),
        ("see https://docs.example/a?b=1.", "url:https://docs.example/a?b=1"),
        ("见https://docs.example/zh。", "url:https://docs.example/zh"),
        ("call +44 20 7946 0958", "phone:+442079460958"),
        ("手机13800138000", "phone:+8613800138000"),
        ("it cost $1,200.50", "amount:usd:1200.5"),
        ("paid 20 euros", "amount:eur:20"),
        ("花了1.5万元", "amount:cny:15000"),
        ("付了300块", "amount:cny:300"),
        ("¥88", "amount:cny:88"),
        ("runs v2.3.1 here", "version:2.3.1"),
        ("版本2.0", "version:2.0"),
        ("on 2024-5-1 we met", "date:2024-05-01"),
        ("2024年5月1日见面", "date:2024-05-01"),
        ("host 10.0.0.7 is down", "ip:10.0.0.7"),
        ("ＯＲＤＥＲ ＳＦ１２３４５６", "order:sf123456"),
    ],
)
def test_an_entity_is_found_in_its_normal_form(text: str, entity: str) -> None:
    """Each kind is recognised in both languages and written one way."""
    assert entity in entities_of(text)


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    "text",
    ["", "an ordinary sentence about tea", "今天天气很好", "in order to win", "port wine is sweet",
     "port 99999", "2024-13-45", "2019 2020", "3pm", "100kg", "1,200,300",
     "room 12 34", "on the 5th", "the case is closed", "10:30", "call me at noon", "300.1.2.3"],
)  # fmt: skip
def test_ordinary_words_are_no_entities(text: str) -> None:
    """What only looks like a label or number gives nothing."""
    assert entities_of(text) == ()


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the parcel GS-7110", "where is gs7110?"),
        ("包裹GS-7110到了", "gs7110在哪"),
        ("tracking SF1234567", "ＳＦ１２３４５６７ 到了吗"),
        ("booking QK7-3PD", "qk73pd"),
        ("booking QK7-3PD", "ＱＫ７－３ｐｄ"),
        ("member 7742 0093 18", "who is 7742009318"),
        ("会员号 7742-0093-18", "7742 0093 18 是谁"),
        ("flight LH 400", "lh400"),
        ("ticket ABC—123", "abc 123 or abc-123?"),
        ("手机13800138000", "138 0013 8000 是谁的"),
        ("see https://www.docs.example/a", "what did docs.example/a say"),
        ("端口5433", "谁用5433端口"),
        ("v2.3.1", "2.3.1版"),
    ],
)
def test_a_code_is_one_however_it_is_typed(one: str, other: str) -> None:
    """Case, width, dashes and spaces within a code make no difference."""
    assert set(entities_of(one)) & set(entities_of(other))


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    ("one", "other"),
    [("GS-7110", "GS-7101"), ("7742 0093 18", "7742 0039 18"), ("QK7-3PD", "QK7-3DP")],
)
def test_a_code_is_not_its_neighbour(one: str, other: str) -> None:
    """One character more, less or elsewhere is another code."""
    assert not set(entities_of(one)) & set(entities_of(other))


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    ("text", "entity"),
    [("order SF123456", "order:sf123456"), ("GS-7110", "code:gs-7110"), ("gs7110", "code:gs-7110")],
)
def test_what_was_stored_before_is_still_found(text: str, entity: str) -> None:
    """Older memories have the older forms: a question still has them beside the new one."""
    assert entity in entities_of(text)


@pytest.mark.requirement("R2")
def test_both_languages_give_the_same_entity() -> None:
    """A question in one language meets a memory in the other."""
    english = entities_of("order SF123456 on port 8080 cost $20")
    chinese = entities_of("订单SF123456，端口8080，20美元")
    assert set(english) == set(chinese)


@pytest.mark.requirement("R2")
def test_entities_are_distinct_ordered_and_bounded() -> None:
    """The same text gives the same tuple, each entity once, and a flood is cut."""
    text = " ".join(f"#{i}" for i in range(200)) + " #1 #1"
    found = entities_of(text)
    assert found == entities_of(text)
    assert len(found) == len(set(found)) == MOST


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
def test_what_has_no_sign_of_an_entity_has_none(text: str) -> None:
    """Neither a digit nor what an address is made with: no pattern finds anything either."""
    assert not [*entities._entities(text.casefold()), *entities._references(text)]
    assert entities_of(text) == ()


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("who drives nbv 5582", "Car 3 carries the plate NBV-5582."),
        ("PK 77 2061 came back", "The mixer has serial PK-77-2061."),
        ("hq31wzt", "The van is HQ31 WZT."),
        ("浙C6N4T1是谁的车", "师傅的车是浙C·6N4T1。"),
        ("zt88204417309那件呢", "快递 ZT8820 4417 309 寄错了。"),
        ("QL 20260518 3 怎么了", "订单 QL20260518-3 少了一块。"),
        ("ＰＫ７７２０６１", "PK-77-2061"),
        ("why not 18.4.2", "升到 18.4.2 以后坏了。"),
    ],
)
def test_a_code_is_one_however_its_parts_are_set_apart(typed: str, stored: str) -> None:
    """In small letters, with spaces, dashes, a dot in the middle or none."""
    assert set(entities_of(typed)) & set(entities_of(stored))


@pytest.mark.parametrize(
    "text",
    ["he is 320 and in 2026", "at 10 30 AM", "120 KG", "on May 120", "I 320"],
)
def test_words_beside_a_number_make_no_code(text: str) -> None:
    """Nor do times and measures; written in one they do."""
    assert not [one for one in entities_of(text) if one.startswith("ref:")]
    assert "ref:nbv320" in entities_of("nbv 320")


def test_a_swapped_digit_is_another_code() -> None:
    """However it is written apart."""
    one, other = entities_of("ZT8820 4417 309"), entities_of("ZT8820 4471 309")
    assert "ref:zt88204417309" in one
    assert "ref:zt88204417309" not in other


def test_the_beginning_of_a_code_is_not_that_code() -> None:
    """Two that differ in their last letter share nothing."""
    assert "code:pl-0731" in entities_of("PL-0731")
    assert not set(entities_of("pl0731r")) & set(entities_of("PL-0731K"))
