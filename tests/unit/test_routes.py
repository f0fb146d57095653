"""The routes through the doors: which run, how far each reaches, and how they become one order."""

from datetime import timedelta

import msgspec
import pytest

from guard.explain import traced
from guard.nouns import Draft
from guard.outcomes import Query, Recollection, Stored
from guard.recall import recall
from guard.rooms import Rooms
from guard.trace import Trace
from memory.fusion import Fusion
from memory.types import MemoryId, TraceId
from tests.house import ALICE, START, House

ASK = "Which parcel is order SF123456, and which shelf is it on?"
PARCEL = "Order SF123456 is the parcel on shelf {}."


async def stored(house: House, *drafts: Draft) -> list[MemoryId]:
    """Store, let the index follow, and return the ids."""
    found = [await house.remember(ALICE, draft) for draft in drafts]
    await house.follower.drain()
    return [one.id for one in found if isinstance(one, Stored)]


async def asked(
    house: House, query: Query, rooms: Rooms | None = None
) -> tuple[Recollection, Trace]:
    """Ask; return the answer, and what it looked at."""
    rooms = rooms or house.rooms
    answer = await recall(ALICE, query, rooms)
    return answer, await traced(ALICE, TraceId(answer.trace_id), rooms)


def named(trace: Trace) -> dict[str, int]:
    """Return how many memories each route of the index named."""
    routes = [name.partition(".")[2] for one in trace.considered for name in one.index]
    return {name: routes.count(name) for name in routes}


@pytest.mark.requirement("R1")
async def test_four_routes_name_twenty_memories_each_and_no_more() -> None:
    """By meaning, by words, by codes, and by time where one is given; as many as are set."""
    house = House()
    woods = ["oak", "pine", "elm", "ash", "fir", "yew", "box", "bay", "fig", "nut", "teak", "lime"]
    texts = [f"{PARCEL.format(one)} Note {n} of {one}." for n, one in enumerate(woods * 2)]
    await stored(house, *(Draft(text) for text in texts))
    query = Query(ASK, 5, since=START - timedelta(days=1))
    _, trace = await asked(house, query)
    meaning = [f"dense.{name}" for name in house.embedder.id.dimensions]
    assert named(trace) == dict.fromkeys((*meaning, "keyword", "entity", "time"), 20)
    few = msgspec.structs.replace(house.rooms.bounds, route_hits=7)
    _, trace = await asked(house, query, house.with_rooms(bounds=few))
    assert set(named(trace).values()) == {7}
    # Without a time and without a code those two do not run.
    _, trace = await asked(house, Query("Which shelf is the parcel on?", 5))
    assert set(named(trace)) == {*meaning, "keyword"}


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("fusion", list(Fusion))
async def test_a_code_and_a_meaning_are_found_by_either_fusion(fusion: Fusion) -> None:
    """Weighted or by reciprocal rank, the right one of codes that differ by a digit comes first."""
    house = House()
    others = [Draft(f"Order SF12345{n} is the parcel with the {n} lamps.") for n in (3, 4, 5)]
    (right, *_) = await stored(house, Draft(PARCEL.format("oak")), *others)
    bounds = msgspec.structs.replace(house.rooms.bounds, fusion=fusion)
    answer, _ = await asked(house, Query(ASK, 3), house.with_rooms(bounds=bounds))
    assert answer.items[0].memory.id == right
