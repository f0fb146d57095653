"""A question says nothing that could take another memory's place."""

from datetime import UTC, datetime

import pytest

from memory.claims import claims_of
from memory.claims.asking import only_asks
from memory.claims.folding import folded

DAY = datetime(2026, 3, 2, 8, tzinfo=UTC)


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("How do I change the watch battery?", True),
        ("手表电池怎么换？", True),
        ("怎么远程登录服务器", True),
        ("端口是5432吗", True),
        ("My port is 5433, right?", False),
        ("Could you always answer in English?", False),
        ("What is my port? My port is 5432.", False),
        ("What I like is jazz", False),
        ("以后能不能都用顺丰？", False),
        ("谁都不许看这份文件", False),
        ("我不知道怎么办", False),
        ("手表电池换成了锂电池。", False),
    ],
)
def test_a_question_is_told_from_what_is_said_or_wished(text: str, asks: bool) -> None:  # noqa: FBT001
    """A wish in the form of a question says what is wanted; so does a question that wants a nod."""
    assert only_asks(folded(text)) is asks


@pytest.mark.requirement("W9", "W10")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Who has the white mugs?", "Who has the good recipes?"),
        ("谁有这种杯子的链接", "谁有好的菜谱？"),
    ],
)
def test_a_question_claims_no_slot_of_another(older: str, newer: str) -> None:
    """Two questions of one shape are two; the same words as statements are of one slot."""
    asked = [set(claims_of(text, at=DAY)) for text in (older, newer)]
    assert not asked[0] & asked[1]
    assert {claim.slot.attribute for claim in asked[0]}.isdisjoint({"have", "have 谁"})
    said = claims_of("I have white mugs.", at=DAY)
    assert any("have" in claim.slot.attribute for claim in said)
