"""Whatever is written in whatever order, one value of each slot stands, and the right one."""

import asyncio
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.browse import browse
from guard.nouns import Draft
from guard.outcomes import Memory, Merged, Quarantined
from guard.ports import Filter
from guard.principal import Principal
from memory.origin import Hint, OriginClass
from memory.types import State
from tests.house import AGENT, ALICE, House, caller

SOURCES: tuple[tuple[Principal, OriginClass | None], ...] = (
    (ALICE, OriginClass.WEB),
    (ALICE, OriginClass.DOCUMENT),
    (AGENT, None),
    (ALICE, None),
    (caller(client_ceiling=OriginClass.OPERATOR), OriginClass.OPERATOR),
)
"""Who writes, by the trust that his word has."""
TEXTS = {
    ("port", 1): ("My port is 5432.", "The port is now 5432."),
    ("port", 2): ("My port is 5433.",),
    ("port", 3): ("My port is 5434.",),
    ("city", 1): ("我住在杭州。",),
    ("city", 2): ("我住在苏州。", "我现在住在苏州。"),
}
SLOT_OF = {text: key for key, texts in TEXTS.items() for text in texts}

Write = tuple[int, str, int]
writes = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(sorted(SLOT_OF)), st.integers(0, 2)), max_size=9
)


async def _written(house: House, some: list[Write]) -> dict[str, tuple[int, int]]:
    """Write them; return the value of each slot that has to stand, with its trust."""
    standing: dict[str, tuple[int, int]] = {}
    for number, text, pause in some:
        house.later(seconds=pause)
        if pause == 2:
            await house.follower.drain()
        who, hint = SOURCES[number]
        outcome = await house.remember(who, Draft(text, hint=Hint(hint)))
        slot, value = SLOT_OF[text]
        stands = standing.get(slot)
        if isinstance(outcome, Quarantined):
            if stands is not None and stands[0] != value and stands[1] > outcome.trust:
                assert "relate.conflict" in outcome.reasons
            continue
        # An agent that repeats a page has the page's trust.
        trust = outcome.trust
        assert trust == number or "origin.echo" in outcome.reasons
        if stands is None or stands[0] != value:
            standing[slot] = value, trust
        else:
            standing[slot] = value, max(trust, stands[1])
    return standing


async def _listed(house: House, *states: State) -> tuple[Memory, ...]:
    return (await browse(ALICE, Filter(states=states), None, 100, house.rooms)).items


@pytest.mark.requirement("W9", "W10", "W4")
@given(some=writes)
@settings(max_examples=60, deadline=None)
def test_the_last_word_of_the_highest_trust_stands_alone(some: list[Write]) -> None:
    """Per slot one value is active, no matter how it was worded, and how often; nothing of less
    trust has replaced or raised it; chains lead to what stands, without a ring.
    """

    async def run() -> None:
        house = House()
        standing = await _written(house, some)
        values: defaultdict[str, set[int]] = defaultdict(set)
        origins: defaultdict[str, list[tuple[int, OriginClass]]] = defaultdict(list)
        for memory in await _listed(house, State.ACTIVE):
            slot, value = SLOT_OF[memory.text]
            values[slot].add(value)
            origins[slot].append((memory.trust, memory.origin))
        assert dict(values) == {slot: {value} for slot, (value, _) in standing.items()}
        for slot, (_, trust) in standing.items():
            assert max(origins[slot])[0] == trust
            own = [one for one in origins[slot] if one[0] >= OriginClass.AGENT_RELAYED.trust]
            assert len(set(own)) == len(own)
        after = {
            m.id: m.superseded_by for m in await _listed(house, State.ACTIVE, State.SUPERSEDED)
        }
        for start in after:
            seen, at = {start}, start
            while (following := after[at]) is not None:
                assert following not in seen
                seen.add(following)
                at = following
        for slot, question in (("port", "What is my port?"), ("city", "我住在哪里？")):
            answer = await house.recall(ALICE, question, k=9)
            shown = {SLOT_OF[item.memory.text] for item in answer.items}
            assert len({value for of, value in shown if of == slot}) <= 1

    asyncio.run(run())


@pytest.mark.requirement("W9")
@given(text=st.sampled_from(sorted(SLOT_OF)), trust=st.integers(2, 4), copies=st.integers(1, 6))
@settings(max_examples=20, deadline=None)
def test_copies_are_one_memory(text: str, trust: int, copies: int) -> None:
    """However often it is said, in whatever words, the first stays and the rest merge into it."""

    async def run() -> None:
        house = House()
        who, hint = SOURCES[trust]
        worded = TEXTS[SLOT_OF[text]]
        first = await house.remember(who, Draft(text, hint=Hint(hint)))
        for number in range(copies):
            again = await house.remember(who, Draft(worded[number % len(worded)], hint=Hint(hint)))
            assert isinstance(again, Merged)
            assert (again.id, again.trust) == (getattr(first, "id", None), trust)
        assert len(await _listed(house, State.ACTIVE)) == 1

    asyncio.run(run())
