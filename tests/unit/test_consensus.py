"""Memories that contradict each other: days of the subject's own word count, repetitions do not."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

import pytest

from guard.claimed import ByClaims
from guard.confirm import confirm
from guard.consensus import DISPUTED, OUTWEIGHED, verified_days
from guard.nouns import Label, Leaf
from guard.outcomes import Merged, Quarantined, Query, Recollection, Stored
from guard.ports import Audit
from guard.principal import Principal
from guard.recall import recall
from guard.relating import Said, Tie
from guard.rooms import Rooms
from memory.origin import Channel
from memory.types import MemoryId, TenantId
from tests.house import House, caller

ALICE, AGENT = caller("alice"), caller("alice", channel=Channel.MCP)
TRUE = "The staging database listens on port 5433."
FALSE = "The staging database listens on port 6000."
BESIDE = "The production database listens on port 7000."
QUESTION = "On which port does the staging database listen?"


class Overlooking(ByClaims):
    """Reads as ever and sees no contradiction: a write that was never compared with what stands."""

    @property
    def once(self) -> "Overlooking":
        """Return itself: there is nothing to hold."""
        return self

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        """Return that anything may hold beside anything, and that the same text is the same."""
        return [Tie.SAME if one.text == new.text else Tie.BESIDE for one in old]


class Books(House):
    """A house in which contradictions were overlooked when they were written."""

    def __init__(self) -> None:
        super().__init__()
        self.overlooking = self.with_rooms(relating=Overlooking())

    async def say(
        self, who: Principal, text: str, times: int = 1, *, hours: float = 24.0
    ) -> MemoryId:
        """Say it so many times, so many hours apart; return the memory that stands for it."""
        ids = set()
        for _ in range(times):
            outcome = await self.remember(who, text, self.overlooking)
            assert isinstance(outcome, Stored | Merged), outcome
            ids.add(outcome.id)
            self.later(hours=hours)
        (id,) = ids
        return id

    async def ask(self, rooms: Rooms | None = None) -> Recollection:
        """Ask for the port; what the index lacks is looked at as well."""
        return await self.recall(ALICE, QUESTION, rooms)

    async def withheld(self) -> list[tuple[str, ...]]:
        """Return for what reasons something was withheld."""
        return [reasons for _, outcome, reasons in await self.audited() if outcome == "withheld"]


def told(answer: Recollection) -> dict[str, tuple[str, ...]]:
    """Return the texts of an answer in order, with what speaks against each."""
    return {one.memory.text: one.reasons for one in answer.items}


@pytest.mark.requirement("R6", "W4")
@pytest.mark.parametrize("hours", [0.2, 10.0], ids=["in one day", "on many days"])
async def test_fifty_repetitions_of_an_agent_never_win_over_two_days_of_the_user(
    hours: float,
) -> None:
    """Newer, more often, and on more days: withheld, and the audit says why."""
    books = Books()
    await books.say(ALICE, TRUE, 2)
    await books.say(AGENT, FALSE, 50, hours=hours)
    await books.say(AGENT, BESIDE)
    answer = told(await books.ask())
    assert answer[TRUE] == ()
    assert FALSE not in answer
    assert ("check.consensus",) in await books.withheld()
    # The control: what is said of another thing by the same agent is shown, nothing against it.
    assert answer[BESIDE] == ()


@pytest.mark.requirement("R6")
async def test_without_the_users_word_the_agents_is_shown() -> None:
    """The control of the above: nothing is wrong with it but what it contradicts."""
    books = Books()
    await books.say(AGENT, FALSE, 50, hours=0.2)
    assert told(await books.ask()) == {FALSE: ()}
    assert await books.withheld() == []


@pytest.mark.requirement("R6", "W4")
async def test_the_users_own_repetitions_in_a_day_come_after_two_days_and_are_flagged() -> None:
    """Shown, for he may have changed his mind; never above what he said on more days."""
    books = Books()
    sure = await books.say(ALICE, TRUE, 2)
    await books.say(ALICE, FALSE, 50, hours=0.01)
    answer = told(await books.ask())
    assert list(answer)[:2] == [TRUE, FALSE]
    assert answer == {TRUE: (), FALSE: (OUTWEIGHED, f"against.{sure}")}


@pytest.mark.requirement("R6")
async def test_of_equal_support_both_are_shown_as_disputed() -> None:
    """Nobody is believed more than another without a reason."""
    books = Books()
    one = await books.say(ALICE, TRUE)
    other = await books.say(ALICE, FALSE)
    answer = told(await books.ask())
    assert answer == {
        TRUE: (DISPUTED, f"against.{other}"),
        FALSE: (DISPUTED, f"against.{one}"),
    }


@pytest.mark.requirement("R6", "W10")
async def test_a_contradiction_that_is_held_counts_for_nothing() -> None:
    """Compared when it was written, it is held: neither shown, nor against what stands."""
    books = Books()
    await books.say(ALICE, TRUE)
    outcome = await books.remember(AGENT, FALSE)
    assert isinstance(outcome, Quarantined), outcome
    assert told(await books.ask()) == {TRUE: ()}


@pytest.mark.requirement("R6", "W4")
async def test_what_the_user_confirmed_is_supported_from_then_on() -> None:
    """An agent's twenty days before it count for nothing, the confirmation for one."""
    books = Books()
    relayed = await books.say(AGENT, FALSE, 20)
    outcome = await confirm(ALICE, relayed, books.overlooking)
    assert isinstance(outcome, Stored), outcome
    books.later(hours=24)
    await books.say(ALICE, TRUE, 2)
    answer = told(await books.ask())
    assert answer[TRUE] == ()
    assert answer[FALSE][0] == OUTWEIGHED


@pytest.mark.requirement("R6", "W4")
async def test_support_is_counted_in_days_of_the_subjects_own_word() -> None:
    """From the audit: each day once, and none for a memory of less trust."""
    books = Books()
    own = await books.say(ALICE, TRUE, 3, hours=24)
    await books.say(ALICE, TRUE, 5, hours=0.01)
    others = await books.say(AGENT, FALSE, 3, hours=24)
    made = await books.ledger.audit.made(ALICE.owner.tenant, [own, others])
    labels: dict[MemoryId, Label] = {
        row.sealed.label.id: row.sealed.label
        for row in await books.ledger.rows(ALICE.owner.tenant, ALICE.owner.subject, [own, others])
    }
    first = date(2026, 11, 1)
    assert verified_days(labels[own], made[own]) == {
        first.replace(day=first.day + offset) for offset in range(4)
    }
    assert verified_days(labels[others], made[others]) == frozenset()
    assert len(made[others]) == 3
    assert datetime(2026, 11, 1, tzinfo=UTC).date() == first


class Torn:
    """The audit, but for the leaves of one memory, which somebody has made unreadable."""

    def __init__(self, whole: Audit, torn: MemoryId) -> None:
        self._whole, self._torn = whole, torn

    def __getattr__(self, name: str) -> object:
        """Do all else as the audit does."""
        return getattr(self._whole, name)

    async def made(
        self, tenant: TenantId, ids: Sequence[MemoryId]
    ) -> Mapping[MemoryId, tuple[Leaf, ...]]:
        """Leave out the memory, as the audit does with leaves that are none any more."""
        made = await self._whole.made(tenant, ids)
        return {id: leaves for id, leaves in made.items() if id != self._torn}


@pytest.mark.requirement("R6", "Q6")
async def test_a_memory_whose_leaves_are_spoilt_has_no_support_and_recall_goes_on() -> None:
    """Nothing speaks for it any more; nobody loses his answers for it."""
    books = Books()
    await books.say(ALICE, TRUE)
    spoilt = await books.say(ALICE, FALSE, 3)
    # The control: with its leaves it is the better supported one.
    whole = told(await books.ask())
    assert whole[FALSE] == ()
    assert whole[TRUE] == (OUTWEIGHED, f"against.{spoilt}")
    audit = Torn(books.rooms.audit, spoilt)
    answer = told(await books.ask(books.with_rooms(audit=audit)))
    assert answer[TRUE] == ()
    assert answer[FALSE][0] == OUTWEIGHED


class Counting(ByClaims):
    """Reads as ever, and counts the pairs that it is asked about."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs = 0

    @property
    def certain(self) -> "Counting":
        """Return itself: it goes by rules and counts."""
        return self

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        """Count, and say what they are."""
        self.pairs += len(old)
        return super().ties(new, old)


@pytest.mark.requirement("R6")
async def test_only_what_an_answer_shows_is_held_against_the_others() -> None:
    """Of ten that speak of one thing the first is compared with nine, and not each with each."""
    books = Books()
    for number in range(10):
        await books.say(
            ALICE, f"The staging database of site {number} listens on port 54{number}0."
        )
    counted: dict[int, int] = {}
    for k in (1, 10):
        relating = Counting()
        answer = await recall(ALICE, Query(QUESTION, k), books.with_rooms(relating=relating))
        assert len(answer.items) == k
        counted[k] = relating.pairs
    assert counted == {1: 9, 10: 45}


@pytest.mark.requirement("R6")
async def test_what_comes_into_the_place_of_one_that_is_outvoted_is_judged_as_well() -> None:
    """However few are asked for: of three lies none is shown in the place of another."""
    books = Books()
    await books.say(ALICE, TRUE, 2)
    for port in (6000, 6001, 6002):
        await books.say(AGENT, FALSE.replace("6000", str(port)))
    for k in (1, 2, 5):
        answer = await recall(ALICE, Query(QUESTION, k), books.rooms)
        assert [one.memory.text for one in answer.items] == [TRUE], k
    # The control: without the user's word they are shown.
    others = Books()
    for port in (6000, 6001, 6002):
        await others.say(AGENT, FALSE.replace("6000", str(port)))
    answer = await recall(ALICE, Query(QUESTION, 2), others.rooms)
    assert len(answer.items) == 2
