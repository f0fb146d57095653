"""Claims of a text and the relation of two: tables of both languages, laws for any text."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.claims import BondKind, claims_of, relate_all, relate_claims
from memory.claims.folding import folded
from tests.unit.claims_apart_lines import APART, REPLACED
from tests.unit.claims_later_lines import LATER, LATER_APART
from tests.unit.claims_lines import BOTH_STAY, PAIRS, READ
from tests.unit.claims_more_lines import MISSED, MORE
from tests.unit.claims_ruled_lines import RULED, UNREAD

AT = datetime(2026, 3, 10, 9, tzinfo=UTC)
HIDING = {BondKind.SUPERSEDES, BondKind.RETRACTS}
HAN = re.compile("[\u3400-\u9fff]")
TEXTS = sorted({text for pair in PAIRS for text in pair[1:]} | {t for p in BOTH_STAY for t in p})
PIECES = st.lists(
    st.sampled_from(
        [
            *TEXTS,
            *(t[::2] for t in TEXTS),
            *(t[:9] for t in TEXTS),
            "，",
            "and",
            "不",
            "no longer",
            "`x",
            "三百",
            "1,000",
            "🙂",
            "时",
            ":",
        ]
    ),
    max_size=6,
).map(" ".join)
ANY = st.one_of(PIECES, st.text(max_size=120))


def bond(old: str, new: str) -> BondKind:
    """Return what the later text is to the earlier one."""
    return relate_claims(claims_of(new, at=AT), claims_of(old, at=AT)).kind


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(("text", "whose", "attribute", "value"), READ)
def test_a_text_is_read_into_slot_and_value(
    text: str, whose: str, attribute: str, value: str
) -> None:
    """The same slot and value come of both languages."""
    (claim,) = claims_of(text, at=AT)
    assert (claim.slot.whose, claim.slot.attribute, claim.value.text) == (whose, attribute, value)


@pytest.mark.requirement("W9", "W10")
@pytest.mark.parametrize(("kind", "old", "new"), PAIRS)
def test_two_texts_are_what_a_reader_takes_them_for(kind: BondKind, old: str, new: str) -> None:
    """Each pair has one answer."""
    assert bond(old, new) is kind


WORDS = {BondKind.UNRELATED: "new", BondKind.UNCERTAIN: "beside"}


@pytest.mark.requirement("W9", "W10")
@pytest.mark.parametrize(("kind", "old", "new"), [*MORE, *RULED, *LATER])
def test_everyday_pairs_are_what_they_are(kind: str, old: str, new: str) -> None:
    """Emoji, lists, negation, times, corrections, preferences, values, dates, units, codes."""
    found = bond(old, new)
    assert WORDS.get(found, found.value) == kind


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(("kind", "old", "new"), [*MISSED, *UNREAD])
def test_what_is_not_understood_loses_nothing(kind: str, old: str, new: str) -> None:
    """A pair that is read wrongly keeps both texts; once it is read rightly it moves above."""
    found = bond(old, new)
    assert WORDS.get(found, found.value) != kind
    assert found not in {*HIDING, BondKind.SAME}


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(("one", "other"), BOTH_STAY)
def test_what_speaks_of_something_else_hides_nothing(one: str, other: str) -> None:
    """In neither order is one merged into, replaced or taken back by the other."""
    assert bond(one, other) not in {*HIDING, BondKind.SAME}
    assert bond(other, one) not in HIDING


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(("one", "other"), [*APART, *LATER_APART])
def test_honest_memories_of_one_person_stand_beside_each_other(one: str, other: str) -> None:
    """In neither order does one hide the other, nor is it merged away."""
    assert {bond(one, other), bond(other, one)}.isdisjoint({*HIDING, BondKind.SAME})


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(("one", "other"), REPLACED)
def test_what_is_taken_for_another_value_is_known(one: str, other: str) -> None:
    """Two properties put alike are read as two values; once they are not, the pair moves above."""
    assert bond(one, other) in HIDING


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Turin and work at Fermi.", "I live in Genoa."),
        ("我住在成都，在华星上班。", "我住在杭州。"),
    ],
)
def test_what_replaces_only_a_part_hides_nothing(old: str, new: str) -> None:
    """The earlier memory is the only record of its other claim: both stay, in doubt."""
    assert bond(old, new) is BondKind.UNCERTAIN
    assert bond(new, old) is BondKind.SUPERSEDES


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(
    ("new", "meant", "other"),
    [
        ("老二现在穿24码的鞋了。", "老二穿23码的鞋。", "老大穿26码的鞋。"),
        ("主库的端口换成23306了。", "主库的端口是13306。", "从库的端口是13307。"),
    ],
)
def test_a_change_of_one_of_two_things_hides_the_one_that_it_names(
    new: str, meant: str, other: str
) -> None:
    """The other, which is named almost alike, stays, in either order."""
    for olds in ([meant, other], [other, meant]):
        bonds = relate_all(claims_of(new, at=AT), [claims_of(old, at=AT) for old in olds])
        assert [bond.kind in HIDING for bond in bonds] == [old == meant for old in olds]


@pytest.mark.requirement("W10")
def test_what_may_be_meant_of_two_memories_hides_neither() -> None:
    """Of one it is; of two, both stay in doubt."""
    new = claims_of("聚会改到周五晚上八点。", at=AT)
    olds = [claims_of(f"{whose}聚会定在周六晚上七点。", at=AT) for whose in ("部门", "家庭")]
    assert [bond.kind for bond in relate_all(new, olds[:1])] == [BondKind.SUPERSEDES]
    assert [bond.kind for bond in relate_all(new, olds)] == [BondKind.UNCERTAIN] * 2


@pytest.mark.requirement("W9")
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_said_twice_is_the_same(text: str) -> None:
    """Also when its width, its case of letters outside of codes, or its last sign differs."""
    assert bond(text, text) is BondKind.SAME
    assert bond(text, f"  {text.rstrip('.。!！')}  ") is BondKind.SAME


@pytest.mark.requirement("W9")
@given(ANY)
@example("Add eggs to the shopping我喜欢蓝色。")
@example("I no longer take the bus to worko点e user likes sailing.")
@settings(max_examples=400)
def test_any_text_is_read_and_is_what_it_is(text: str) -> None:
    """Nothing raises; what was read is the same when it is read again, and is related to itself."""
    claims = claims_of(text, at=AT)
    assert claims == claims_of(text, at=AT)
    assert relate_claims(claims, claims).kind is (BondKind.SAME if claims else BondKind.UNRELATED)


@pytest.mark.requirement("W10")
@given(ANY, ANY)
def test_narrowing_and_taking_back_have_a_direction(one: str, other: str) -> None:
    """What narrows or retracts is not itself narrowed or retracted by the same memory."""
    first, second = claims_of(one, at=AT), claims_of(other, at=AT)
    forth, back = relate_claims(first, second).kind, relate_claims(second, first).kind
    for kind in (BondKind.NARROWS, BondKind.RETRACTS):
        assert not (len(first) == len(second) == 1 and forth is kind and back is kind)


@given(st.text(max_size=400))
def test_folding_a_folded_text_changes_nothing(text: str) -> None:
    """Width, script and invisible signs go once and for all."""
    assert folded(folded(text)) == folded(text)


@pytest.mark.requirement("W9")
@pytest.mark.parametrize("text", ["My port is 5432. " * 200, "我的端口是5432。" * 300])
def test_what_is_too_long_to_be_read_whole_is_never_merged_away(text: str) -> None:
    """Two long texts with one beginning are two memories, and neither hides the other."""
    longer = f"{text} My editor is Helix."
    assert bond(text, longer) not in {*HIDING, BondKind.SAME}
    assert bond(longer, text) not in HIDING


def test_the_tables_are_large_and_speak_both_languages() -> None:
    """At least 120 lines, at least 40 of them in Chinese."""
    lines = [str(line) for table in (READ, PAIRS, BOTH_STAY) for line in table]
    assert len(lines) >= 120
    assert sum(HAN.search(line) is not None for line in lines) >= 40
