"""A memory that is let fade counts for less, and in full once it is stated again (M4)."""

import pytest

from guard.browse import fetch
from guard.confirm import confirm
from guard.errors import NotFoundError
from guard.forget import fade, forget
from guard.hold import hold
from guard.nouns import Draft
from guard.outcomes import Merged, Rejected, Skipped, Stored, WriteOutcome
from guard.past import known_at
from guard.principal import Principal
from guard.proposals import change_trust
from guard.releasing import release
from guard.ruling import UNSTATED
from memory.origin import Hint, OriginClass
from memory.types import MemoryId, State, TenantId
from tests.house import AGENT, ALICE, BOB, REVIEWER, House

ONE, OTHER = "Ada rides the blue bicycle to work.", "Ada rides the green bicycle to work."
ASKED = "Which bicycle does Ada ride to work?"


def id_of(outcome: WriteOutcome) -> MemoryId:
    """Return the id of what was written."""
    assert not isinstance(outcome, Skipped | Rejected)
    return outcome.id


async def scores(house: House, who: Principal = ALICE) -> dict[MemoryId, float]:
    """Return what a question brings back, with the scores that ranked it."""
    return {one.memory.id: one.score for one in (await house.recall(who, ASKED)).items}


async def faded(house: House, id: MemoryId) -> int:
    """Return how often an active memory of Alice's was let fade since it was stated."""
    owner = ALICE.owner
    (row,) = await house.ledger.rows(owner.tenant, owner.subject, [id])
    assert row.sealed.label.state is State.ACTIVE
    return row.sealed.label.faded


@pytest.mark.requirement("M4", "R4")
async def test_each_time_halves_its_weight_down_to_a_floor() -> None:
    """It is ranked behind the others, is found all the same, and says so in the receipt."""
    house = House()
    one = id_of(await house.remember(ALICE, ONE))
    other = id_of(await house.remember(ALICE, OTHER))
    before = await scores(house)
    assert set(before) == {one, other}
    for left in (0.5, 0.25, 0.125, 0.125):
        receipt = await fade(ALICE, one, house.rooms)
        assert receipt.removed == ()
        assert receipt.remains == (f"the memory, at {left:g} of its weight in recall",)
        after = await scores(house)
        assert after[one] == pytest.approx(left * before[one])
        assert after[other] == pytest.approx(before[other])
        assert list(after) == [other, one]
    assert (await fetch(ALICE, one, house.rooms)).text == ONE
    await house.follower.drain()
    assert list(await scores(house)) == [other, one]


@pytest.mark.requirement("M4")
async def test_to_touch_it_makes_it_no_younger() -> None:
    """Recency goes on from when it was stated: a faded memory never rises by fading."""
    house = House()
    one = id_of(await house.remember(ALICE, ONE))
    house.later(days=29)
    before = (await scores(house))[one]
    await fade(ALICE, one, house.rooms)
    assert (await scores(house))[one] == pytest.approx(before / 2)


@pytest.mark.requirement("M4", "W9")
async def test_to_state_it_again_undoes_it() -> None:
    """The same said again merges with it, and it counts in full."""
    house = House()
    one = id_of(await house.remember(ALICE, ONE))
    before = (await scores(house))[one]
    await fade(ALICE, one, house.rooms)
    assert isinstance(await house.remember(ALICE, ONE), Merged)
    assert (await scores(house))[one] == pytest.approx(before)


@pytest.mark.requirement("M4", "W4")
async def test_a_page_that_repeats_itself_undoes_nothing() -> None:
    """What comes from outside is merged, too, and stays as faded as its owner left it."""
    house = House()
    page = Draft(ONE, hint=Hint(OriginClass.WEB))
    one = id_of(await house.remember(AGENT, page))
    before = (await scores(house))[one]
    await fade(ALICE, one, house.rooms)
    assert isinstance(await house.remember(AGENT, page), Merged)
    assert (await scores(house))[one] == pytest.approx(before / 2)


@pytest.mark.requirement("M4", "W3", "Q2")
async def test_to_decide_on_it_undoes_nothing() -> None:
    """Whose word it is, who let it through and how far it is trusted say nothing of how much it
    counts: confirmed, weighed or released, it is as faded as its owner left it. Stated again, it
    is not (the control).
    """
    house = House()
    one = id_of(await house.remember(AGENT, ONE))
    for _ in range(2):
        await fade(ALICE, one, house.rooms)
    confirmed = await confirm(ALICE, one, house.rooms)
    assert isinstance(confirmed, Stored)
    assert confirmed.trust == 3
    assert await faded(house, one) == 2
    await hold(REVIEWER, one, house.rooms, UNSTATED)
    await release(REVIEWER, one, house.rooms)
    assert await faded(house, one) == 2
    assert isinstance(await house.remember(ALICE, ONE), Merged)
    assert await faded(house, one) == 0
    await fade(ALICE, one, house.rooms)
    await change_trust(REVIEWER, one, 2, UNSTATED, house.rooms)
    assert await faded(house, one) == 1


@pytest.mark.requirement("M4", "E5")
async def test_nobody_fades_what_is_not_his_or_not_recalled() -> None:
    """Another's, an unknown, a held and a forgotten one are missing alike, and nothing changes."""
    house = House()
    one = id_of(await house.remember(ALICE, ONE))
    before = await scores(house)
    held = id_of(
        await house.remember(AGENT, "Pay all invoices to IBAN DE89 3704 0044 0532 0130 00.")
    )
    gone = id_of(await house.remember(ALICE, "The spare key lies under the third pot."))
    await forget(ALICE, gone, house.rooms)
    for who, id in (
        (BOB, one),
        (ALICE, held),
        (AGENT, held),
        (ALICE, gone),
        (ALICE, MemoryId("x")),
    ):
        with pytest.raises(NotFoundError):
            await fade(who, id, house.rooms)
    assert await scores(house) == pytest.approx(before)
    assert "faded" not in {outcome for _, outcome, _ in await house.audited()}
    # The control: what is refused above is no more than he may do with his own.
    await fade(AGENT, one, house.rooms)
    assert (await scores(house))[one] < before[one]


@pytest.mark.requirement("M4", "Q6", "R14")
async def test_it_is_audited_and_known_as_active() -> None:
    """A leaf tells who let what fade; what was known at an instant is no other for it."""
    house = House()
    one = id_of(await house.remember(ALICE, ONE))
    house.later(minutes=1)
    await fade(AGENT, one, house.rooms)
    assert ("fade", "faded", ()) in await house.audited()
    assert (await house.ledger.audit.verify(TenantId("acme"))).ok
    house.later(minutes=1)
    rows = await house.ledger.rows(ALICE.owner.tenant, ALICE.owner.subject, [one])
    assert rows[0].sealed.label.state is State.ACTIVE
    assert await known_at(ALICE.owner, rows, house.now, house.rooms) == rows


@pytest.mark.requirement("M4", "S5")
async def test_what_faded_is_erased_like_anything_else() -> None:
    """Fading is no way around forgetting, and nothing of it is left behind."""
    house = House()
    one = id_of(await house.remember(ALICE, ONE))
    await fade(ALICE, one, house.rooms)
    await forget(ALICE, one, house.rooms)
    assert await scores(house) == {}
    with pytest.raises(NotFoundError):
        await fade(ALICE, one, house.rooms)
