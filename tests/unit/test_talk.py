"""An answer is found by the question before it, under the rule of trust, while that stands."""

from datetime import timedelta

import msgspec
import pytest

from guard.forget import forget
from guard.nouns import Draft
from guard.outcomes import Query, Stored
from guard.principal import Principal
from guard.recall import recall
from memory.origin import Hint, OriginClass
from memory.types import Layer, MemoryId, SessionId
from tests.house import ALICE, House

QUESTION = "What is the name of the dog that you adopted in spring?"
ANSWER = "Biscuit, after my grandmother's favourite snack."
ASK = "What is the name of the adopted dog?"
FILLER = "The quarterly review takes place in Lisbon on 12 March."
SESSION = SessionId("a walk")


async def _said(
    house: House,
    text: str,
    *,
    session: SessionId | None = SESSION,
    origin: OriginClass | None = None,
    who: Principal = ALICE,
    layer: Layer = Layer.EPISODIC,
) -> MemoryId:
    hint = Hint() if origin is None else Hint(origin, "https://page.example")
    outcome = await house.remember(who, Draft(text, session=session, hint=hint, layer=layer))
    assert isinstance(outcome, Stored)
    house.later(seconds=1)
    return outcome.id


async def _found(house: House, ask: str = ASK, **query: object) -> list[MemoryId]:
    answer = await recall(ALICE, Query(ask, 5, **query), house.rooms)  # type: ignore[arg-type]
    return [item.memory.id for item in answer.items]


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("indexed", [True, False])
async def test_an_answer_is_found_by_the_question_before_it(*, indexed: bool) -> None:
    """Indexed or not; the same words in another session are no company."""
    house = House()
    question, answer = await _said(house, QUESTION), await _said(house, ANSWER)
    stranger = await _said(house, "Waffles, zum Gl\u00fcck.", session=None)
    if indexed:
        await house.follower.drain()
    assert await _found(house) == [question, answer]
    assert stranger not in await _found(house)


@pytest.mark.requirement("R1")
async def test_a_turn_lifts_nothing_of_higher_trust_than_its_own() -> None:
    """A page between the user's turns can't choose what they are found by; his own turn may."""
    for origin, lifts in ((OriginClass.WEB, False), (None, True)):
        house = House()
        await _said(house, QUESTION, origin=origin)
        answer = await _said(house, ANSWER)
        assert (answer in await _found(house)) is lifts


@pytest.mark.requirement("R1")
async def test_a_forgotten_turn_lifts_nothing_from_that_moment_on() -> None:
    """Nothing of it was stored with its neighbour, so nothing is to be made anew."""
    house = House()
    question, answer = await _said(house, QUESTION), await _said(house, ANSWER)
    await house.follower.drain()
    assert answer in await _found(house)
    await forget(ALICE, question, house.rooms)
    assert await _found(house) == []


@pytest.mark.requirement("R1")
async def test_what_was_recorded_long_before_is_another_talk() -> None:
    """A session whose name never changes does not tie together what was said days apart."""
    house = House()
    await _said(house, QUESTION)
    house.now += timedelta(days=2)
    answer = await _said(house, ANSWER)
    assert answer not in await _found(house)


@pytest.mark.requirement("R1")
async def test_company_can_be_set_to_none() -> None:
    """With no neighbours looked at, a memory is found by its own words alone."""
    house = House()
    question, answer = await _said(house, QUESTION), await _said(house, ANSWER)
    assert await _found(house) == [question, answer]
    house.rooms = house.with_rooms(
        bounds=msgspec.structs.replace(house.rooms.bounds, session_neighbours=0)
    )
    assert await _found(house) == [question]


@pytest.mark.requirement("L2")
async def test_a_turn_of_a_layer_that_was_not_asked_for_brings_nothing_along() -> None:
    """Of layers apart, neither the turn nor its company is in the answer; asked for, both are."""
    house = House()
    question = await _said(house, QUESTION, layer=Layer.SEMANTIC)
    answer = await _said(house, ANSWER)
    assert await _found(house, layers=(Layer.EPISODIC,)) == []
    assert set(await _found(house)) == {question, answer}


@pytest.mark.requirement("R14")
async def test_an_answer_that_came_later_is_unknown_to_a_question_about_the_past() -> None:
    """The turn is known at that instant and the one after it is not; now both are."""
    house = House()
    question = await _said(house, QUESTION)
    then = house.now
    house.later(minutes=1)
    answer = await _said(house, ANSWER)
    assert await _found(house, as_of=then) == [question]
    assert await _found(house) == [question, answer]
