"""The nearest own memories of a draft: proved, scored exactly, and missed by no write."""

import msgspec
import numpy as np
import pytest

from guard.forget import forget
from guard.judging import judge
from guard.nouns import Draft, Facts
from guard.outcomes import Stored
from guard.ports import Found, Hit, Probe
from guard.principal import Principal
from guard.rooms import Bounds
from memory.types import MemoryId, SubjectMark, TenantId
from storage.fakes.index import MemoryIndex
from tests.house import ALICE, BOB, MALLORY, House

PORT = "The staging database listens on port 5433."
CLOSE = "The staging database now listens on port 5434."
BESIDE = "The staging database runs in Frankfurt."
FAR = "Her sister plays the cello in an orchestra."


async def facts(house: House, text: str, principal: Principal = ALICE) -> Facts:
    """Return the facts of a draft."""
    _, found = await judge(principal, Draft(text), house.rooms)
    return found


async def stored(house: House, text: str, principal: Principal = ALICE) -> MemoryId:
    """Store a text and return its id."""
    outcome = await house.remember(principal, text)
    assert isinstance(outcome, Stored)
    return outcome.id


def ids(found: Facts) -> list[MemoryId]:
    """Return the ids of the nearest memories."""
    return [near.row.sealed.label.id for near in found.near]


@pytest.mark.requirement("W8", "R13")
@pytest.mark.parametrize("rounds", [1, 0])
async def test_the_nearest_memories_come_first_with_exact_cosines(rounds: int) -> None:
    """Whether the index has a row already or not, it is found and scored alike."""
    house = House()
    near, far = await stored(house, PORT), await stored(house, FAR)
    for _ in range(rounds):
        await house.follower.drain()
    found = await facts(house, CLOSE)
    assert ids(found) == [near, far]
    vectors = [v for (v,) in [await house.embedder.embed([text]) for text in (PORT, CLOSE)]]
    for name, cosine in found.near[0].likeness.items():
        assert cosine == pytest.approx(float(np.dot(vectors[0][name], vectors[1][name])), abs=0.01)
    assert not found.unseen


@pytest.mark.requirement("W8", "E3")
async def test_nobody_elses_memories_are_near() -> None:
    """The same text of another subject or tenant is no neighbour; one's own is."""
    house = House()
    await stored(house, PORT, BOB)
    await stored(house, PORT, MALLORY)
    await house.follower.drain()
    assert ids(await facts(house, PORT)) == []
    mine = await stored(house, PORT)
    assert ids(await facts(house, PORT)) == [mine]


@pytest.mark.requirement("W8")
async def test_a_write_succeeds_without_the_index_and_says_that_nobody_looked() -> None:
    """An index that is down costs the neighbours that are older than the ledger's newest, and no
    write.
    """
    house = House()
    house.rooms = house.with_rooms(bounds=Bounds(degraded_rows=2, near_fresh=1))
    await stored(house, BESIDE)
    house.later(minutes=1)
    indexed = await stored(house, PORT)
    await house.follower.drain()
    house.later(minutes=1)
    fresh = await stored(house, FAR)
    house.index.down = True
    found = await facts(house, CLOSE)
    assert (ids(found), found.unseen) == ([indexed, fresh], True)
    await stored(house, "He keeps bees on the roof.")
    house.index.down = False
    assert indexed in ids(await facts(house, CLOSE))


@pytest.mark.requirement("W8")
async def test_what_is_forgotten_or_expired_is_no_neighbour() -> None:
    """A memory that may not be shown tells nothing of itself here either."""
    house = House()
    gone, old = await stored(house, PORT), await stored(house, BESIDE)
    await house.follower.drain()
    assert set(ids(await facts(house, PORT))) == {gone, old}
    await forget(ALICE, gone, house.rooms)
    assert ids(await facts(house, PORT)) == [old]
    house.later(days=31)
    assert ids(await facts(house, PORT)) == []


class _Liar(MemoryIndex):
    """Names the ids it was told to, at the highest score, whatever is asked."""

    def __init__(self, house: House, named: list[MemoryId]) -> None:
        super().__init__(house.embedder.id.dimensions)
        self._named = named

    async def search(self, tenant: TenantId, subject: SubjectMark, probe: Probe) -> Found:
        """Lie."""
        await super().search(tenant, subject, probe)
        hits = tuple(Hit(id, 1.0) for id in self._named)
        return Found({"dense.en": hits}, dict.fromkeys(self._named, b""))


@pytest.mark.requirement("W8", "S5")
async def test_a_forged_index_invents_no_neighbour() -> None:
    """Another's memory that it names is none, and one's own counts as far as it is near."""
    house = House()
    other, far = await stored(house, PORT, BOB), await stored(house, FAR)
    await house.follower.drain()
    house.rooms = house.with_rooms(index=_Liar(house, [other, far, MemoryId("nothing")]))
    found = await facts(house, PORT)
    assert ids(found) == [far]
    assert max(found.near[0].likeness.values()) < 0.5


@pytest.mark.requirement("W8")
async def test_neighbours_are_few_however_many_there_are() -> None:
    """The number of memories that a write opens is bounded."""
    house = House()
    bounds = msgspec.structs.replace(house.rooms.bounds, near_rows=3, near_fresh=4)
    house.rooms = house.with_rooms(bounds=bounds)
    for number in range(12):
        await stored(house, f"Locker {number} at the north hall holds spare cables.")
        if number == 6:
            await house.follower.drain()
    assert len(ids(await facts(house, "Locker 3 at the north hall holds spare cables."))) == 3
