"""What a question is found by is made while its vectors are: the same as one after the other."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from guard.errors import UnavailableError
from guard.gather import search_material
from guard.nouns import Draft
from guard.outcomes import Query
from guard.ports import Purpose
from guard.seeking import seek
from memory.bearing import sought
from memory.signals import Vectors
from tests.house import ALICE, House

QUESTIONS = [
    ("Why was order GS-7110 late?", False),
    ("When did Anna and Otto move to Bonn?", False),
    ("快递GS-7110到哪了", False),
    ("What did I do last Friday?", True),
    ("我昨天去了哪里？", True),
    ("?", False),
]


@pytest.mark.requirement("R1", "R9")
@pytest.mark.parametrize(("question", "timed"), QUESTIONS)
async def test_what_is_sought_is_what_the_steps_one_by_one_give(
    question: str, *, timed: bool
) -> None:
    """Ids, weights and vectors; what it asks for only where no time is spoken of."""
    house = House()
    sighted = await seek(ALICE.owner, Query(question, 5), house.now, house.rooms)
    meant = sighted.meant
    _, plain = await search_material(
        ALICE.owner, Draft(meant.query.text), house.rooms, Purpose.QUESTION
    )
    found = sighted.blinded
    assert (found.subject, found.sparse, found.entities) == (
        plain.subject,
        plain.sparse,
        plain.entities,
    )
    assert found.vectors.keys() == plain.vectors.keys()
    assert all(np.array_equal(found.vectors[name], plain.vectors[name]) for name in plain.vectors)
    assert bool(meant.times.spans) == timed == (sighted.wanted is None)
    if not timed:
        later = house.now.replace(year=2030)
        assert sighted.wanted == sought(question, meant.times, later, meant.zone, house.now)


class Waiting:
    """An embedder that answers once somebody else was keyed for, or not at all."""

    def __init__(self, house: House, *, broken: bool = False) -> None:
        self._embedder = house.embedder
        self.id = house.embedder.id
        self.keyed = asyncio.Event()
        self._broken = broken

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Wait, and embed."""
        await self.keyed.wait()
        if self._broken:
            raise UnavailableError("embedder")
        return await self._embedder.embed(texts, purpose)


@pytest.mark.requirement("R1", "R11")
@pytest.mark.parametrize("broken", [False, True])
async def test_words_are_keyed_while_the_vectors_are_made(*, broken: bool) -> None:
    """Were they keyed afterwards, nobody would answer; without vectors nothing is found by."""
    house = House()
    waiting = Waiting(house, broken=broken)

    class Keying:
        def __getattr__(self, name: str) -> object:
            waiting.keyed.set()
            return getattr(house.vault, name)

    rooms = house.with_rooms(embedder=waiting, vault=Keying())
    async with asyncio.timeout(30):
        if broken:
            with pytest.raises(UnavailableError):
                await seek(ALICE.owner, Query("Where is Otto?", 5), house.now, rooms)
        else:
            sighted = await seek(ALICE.owner, Query("Where is Otto?", 5), house.now, rooms)
            assert sighted.blinded.vectors
            assert sighted.blinded.sparse.ids


@pytest.mark.requirement("R2")
async def test_a_question_is_embedded_once_and_as_it_is_understood() -> None:
    """At once where it stands alone; with what the turn before it adds, where it leans on that."""
    house = House()
    asked: list[str] = []

    class Noting:
        id = house.embedder.id

        async def embed(
            self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY
        ) -> list[Vectors]:
            asked.extend(texts)
            return await house.embedder.embed(texts, purpose)

    rooms = house.with_rooms(embedder=Noting())
    leaning = "And who was there?"
    for query in (
        Query("Where is Otto?", 5),
        Query(leaning, 5),
        Query(leaning, 5, window=("The picnic in Bonn was lovely.",)),
    ):
        asked.clear()
        sighted = await seek(ALICE.owner, query, house.now, rooms)
        assert asked == [sighted.meant.query.text]
        assert (sighted.meant.query.text == query.text) == (not query.window)
