"""Texts of one origin that keep replacing each other, beside those that change now and then."""

import pytest

from guard.nouns import Draft
from guard.outcomes import Merged, Quarantined, Stored, Superseded, WriteOutcome
from guard.principal import Principal
from memory.origin import Channel, Hint, OriginClass
from memory.types import State
from tests.house import AGENT, ALICE, House, caller

FROM_TOOL = Hint(class_=OriginClass.TOOL_OUTPUT)
FROM_PAGE = Hint(class_=OriginClass.WEB)
REASON = "anomaly.flood"


async def outcomes(
    hint: Hint, *, minutes: int = 1, principal: Principal = ALICE
) -> list[WriteOutcome]:
    """Return what becomes of ten values of one slot, told in three wordings in turn."""
    house, told = House(), []
    for n in range(10):
        form = ("My port is {}.", "我的端口改成{}了。", "The port of mine is now {}.")[n % 3]
        draft = Draft(form.format(5430 + n), hint=hint)
        told.append(await house.remember(principal, draft))
        house.later(minutes=minutes)
    return told


@pytest.mark.requirement("W8", "W10")
@pytest.mark.parametrize("hint", [FROM_TOOL, FROM_PAGE])
async def test_texts_of_one_page_that_keep_replacing_each_other_are_held(hint: Hint) -> None:
    """From the eighth within the hour on, in whatever words; the seventh stands."""
    told = await outcomes(hint)
    assert [type(one) for one in told] == [Stored] + [Superseded] * 6 + [Quarantined] * 3
    assert [REASON in one.reasons for one in told] == [False] * 7 + [True] * 3


@pytest.mark.requirement("W8")
async def test_what_is_replaced_slowly_is_no_flood() -> None:
    """A value that is measured anew four times an hour goes on."""
    told = await outcomes(FROM_TOOL, minutes=15)
    assert [type(one) for one in told] == [Stored] + [Superseded] * 9
    assert all(REASON not in one.reasons for one in told)


@pytest.mark.requirement("W8")
async def test_the_subject_may_change_his_mind_as_often_as_he_likes() -> None:
    """Nothing is found, whatever he replaces."""
    told = await outcomes(Hint())
    assert [type(one) for one in told] == [Stored] + [Superseded] * 9
    assert all(REASON not in one.reasons for one in told)


@pytest.mark.requirement("W8")
async def test_an_agent_that_replaces_again_and_again_counts_less() -> None:
    """What it says is stored: a long session corrects much. An import is only noted."""
    told = await outcomes(Hint(), principal=AGENT)
    assert [type(one) for one in told] == [Stored] + [Superseded] * 9
    assert [REASON in one.reasons for one in told] == [False] * 7 + [True] * 3
    imported = await outcomes(FROM_TOOL, principal=caller(channel=Channel.IMPORT))
    assert Quarantined not in {type(one) for one in imported}


@pytest.mark.requirement("W8")
async def test_other_values_of_the_same_page_are_no_part_of_it() -> None:
    """Ten slots, each replaced once within the hour."""
    house = House()
    for n in range(20):
        text = f"The port of server S-{n // 2:03} is {5430 + n}."
        told = await house.remember(ALICE, Draft(text, hint=FROM_TOOL))
        assert isinstance(told, Stored | Superseded), told
    assert isinstance(told, Superseded)


@pytest.mark.requirement("W8", "W9")
async def test_a_held_text_of_a_flood_is_one_case_and_ends_with_the_hour() -> None:
    """Said again it is the same case; an hour later the page may tell a new value."""
    house = House()
    for n in range(8):
        last = await house.remember(ALICE, Draft(f"My port is {5430 + n}.", hint=FROM_TOOL))
    assert isinstance(last, Quarantined)
    again = await house.remember(ALICE, Draft("My port is 5437.", hint=FROM_TOOL))
    assert isinstance(again, Quarantined)
    assert again.id == last.id
    assert isinstance(
        await house.remember(ALICE, Draft("My port is 5436.", hint=FROM_TOOL)), Merged
    )
    house.later(minutes=61)
    later = await house.remember(ALICE, Draft("My port is 5440.", hint=FROM_TOOL))
    assert isinstance(later, Superseded)
    owner = ALICE.owner
    (row,) = await house.ledger.rows(owner.tenant, owner.subject, [later.id])
    assert row.sealed.label.state is State.ACTIVE
