"""A hunt is a rescan that changes nothing: newer models look, a few a call, and nothing is told."""

import pytest

from guard.errors import UnavailableError
from guard.hunt import Bag, Scent, hunt
from memory.types import MemoryId, SubjectId, TenantId
from tests.house import REVIEWER
from tests.unit.test_rescreen import PLAIN, Failing, Model, Upgraded

ACME, ALICE = TenantId("acme"), SubjectId("alice")


async def hunted(house: Upgraded, scent: Scent, after: MemoryId | None = None) -> Bag:
    """Return what a stretch has."""
    rooms = house.with_rooms(stock=house.ledger.stock)
    return await hunt(REVIEWER, scent, after, 10, rooms)


@pytest.mark.requirement("Q4", "R5")
async def test_newer_models_look_at_a_few_a_call_and_nothing_is_changed() -> None:
    """The stretch ends before more, and the next one goes on there; what would be held is listed,
    and is held by nothing but a rescan or a recall.
    """
    house = Upgraded()
    ids = [await house.stored(f"Part {number} is done. {PLAIN}") for number in range(3)]
    assert (await hunted(house, Scent())).items == ()
    model = house.model(Model("2", finds="Lisbon"), rescreen_items=2)
    before = [row.sealed for row in await house.ledger.rows(ACME, ALICE, ids)]
    first = await hunted(house, Scent())
    assert [one.row.sealed.label.id for one in first.items] == ids[:2]
    assert (first.seen, first.cursor, model.asked) == (2, ids[1], 2)
    rest = await hunted(house, Scent(), first.cursor)
    assert [one.row.sealed.label.id for one in rest.items] == ids[2:]
    assert (rest.cursor, all(one.would_be_held for one in rest.items)) == (None, True)
    assert [row.sealed for row in await house.ledger.rows(ACME, ALICE, ids)] == before
    assert await house.why("rescreen") == []


@pytest.mark.requirement("Q4")
async def test_what_a_model_does_not_answer_on_is_told_as_unfinished() -> None:
    """It is neither taken for harmless nor for found."""
    house = Upgraded()
    await house.stored()
    house.model(Failing("2"))
    bag = await hunted(house, Scent())
    assert (bag.items, bag.seen, bag.unfinished, bag.cursor) == ((), 1, 1, None)


@pytest.mark.requirement("Q4")
async def test_rooms_without_shelves_hunt_nothing() -> None:
    """And say so."""
    house = Upgraded()
    with pytest.raises(UnavailableError):
        await hunt(REVIEWER, Scent(), None, 10, house.rooms)
