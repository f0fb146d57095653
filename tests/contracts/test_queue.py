"""The contract of the queue of writes, on every adapter. Time is an argument throughout."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from guard.nouns import Accepted, Cancelled, Ended, Progress
from guard.ports import Dead, Due
from memory.types import MemoryId, Owner
from storage.database import Database
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    ELSEWHERE,
    GLOBEX,
    OWNER,
    START,
    Books,
    books_on,
    new_id,
    open_books,
    put_beside,
)
from tests.postgres import Place

LEASE = 30.0
LATER = START + timedelta(seconds=LEASE)
FOREIGN = ELSEWHERE[1]


@pytest.fixture
async def books(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Books]:
    """Fresh books of each adapter."""
    adapter, place = ledger_at
    async with open_books(adapter, tmp_path, place) as opened:
        yield opened


async def accept(books: Books, owner: Owner = OWNER, writes: int = 1) -> list[Due]:
    """Accept writes; return them as they are handed out for the first time."""
    dues = [Due(owner, MemoryId(new_id()), 0) for _ in range(writes)]
    for due in dues:
        await put_beside(books, owner=owner, later=Accepted(due.id, START, b"sealed draft"))
    return dues


@pytest.mark.requirement("W14")
async def test_an_accepted_write_is_handed_out_oldest_first(books: Books) -> None:
    """Each is due at once."""
    dues = await accept(books, writes=3)
    assert await books.queue.claim(2, START, LEASE) == dues[:2]
    assert await books.queue.claim(2, START, LEASE) == dues[2:]


@pytest.mark.requirement("W14")
async def test_a_claimed_write_is_hidden_until_its_lease_ends(books: Books) -> None:
    """A claimant that died is no loss: at the end of the lease the write is due again."""
    dues = await accept(books)
    assert await books.queue.claim(9, START, LEASE) == dues
    assert await books.queue.claim(9, LATER - timedelta(microseconds=1), LEASE) == []
    assert await books.queue.claim(9, LATER, LEASE) == dues


@pytest.mark.requirement("W14")
async def test_a_gateway_that_is_alone_takes_over_what_was_claimed(books: Books) -> None:
    """Not what is dead: that waits for somebody to replay it."""
    first, second = await accept(books, writes=2)
    await books.queue.claim(9, START, LEASE)
    await books.queue.bury(second, "queue.unavailable", START)
    await books.queue.release(START)
    assert await books.queue.claim(9, START, LEASE) == [first]


@pytest.mark.requirement("W14")
async def test_a_tenant_with_many_writes_keeps_no_other_waiting(books: Books) -> None:
    """One of each tenant comes before the second of any."""
    many = await accept(books, writes=4)
    (one,) = await accept(books, owner=FOREIGN)
    assert await books.queue.claim(2, START, LEASE) == [many[0], one]
    assert await books.queue.claim(9, START, LEASE) == many[1:]


@pytest.mark.requirement("W14")
async def test_a_write_that_is_put_off_comes_back_with_its_attempts(books: Books) -> None:
    """Not before its time; a write that is not there is no matter."""
    (due,) = await accept(books)
    await books.queue.claim(1, START, LEASE)
    await books.queue.retry(due, LATER + timedelta(seconds=9), 3)
    await books.queue.retry(Due(OWNER, MemoryId("nothing"), 0), START, 1)
    assert await books.queue.claim(1, LATER, LEASE) == []
    assert await books.queue.claim(1, LATER + timedelta(seconds=9), LEASE) == [
        msgspec.structs.replace(due, attempts=3)
    ]


@pytest.mark.requirement("W14")
async def test_a_dead_write_waits_for_its_replay(books: Books) -> None:
    """It is listed and not handed out; replayed, it is due as if never tried. Once."""
    (due,) = await accept(books)
    tried = msgspec.structs.replace(due, attempts=7)
    await books.queue.bury(tried, "queue.unavailable", START)
    assert await books.queue.claim(9, LATER, LEASE) == []
    assert await books.queue.dead(9) == [Dead(OWNER, due.id, 7, "queue.unavailable", START)]
    found = await books.answers.write(ACME, ANNA, due.id)
    assert found is not None
    assert (found.progress, found.token) == (Progress.DEAD, b"sealed draft")
    assert await books.answers.waiting(ACME, 9) == 1
    assert await books.queue.replay(ACME, due.id, LATER)
    assert not await books.queue.replay(ACME, due.id, LATER)
    assert await books.queue.dead(9) == []
    assert await books.queue.claim(9, LATER, LEASE) == [due]


@pytest.mark.requirement("W14", "E5")
async def test_a_replay_is_of_one_tenant(books: Books) -> None:
    """The same id in another tenant is none."""
    (due,) = await accept(books)
    await books.queue.bury(due, "queue.failed", START)
    assert not await books.queue.replay(GLOBEX, due.id, LATER)
    assert len(await books.queue.dead(9)) == 1
    assert not await books.queue.replay(ACME, MemoryId("nothing"), LATER)


@pytest.mark.requirement("W14")
async def test_the_dead_of_every_tenant_are_listed_longest_dead_first(books: Books) -> None:
    """At most as many as are asked for."""
    (mine,), (theirs,) = await accept(books), await accept(books, owner=FOREIGN)
    await books.queue.bury(mine, "queue.failed", LATER)
    await books.queue.bury(theirs, "queue.failed", START)
    assert [one.id for one in await books.queue.dead(9)] == [theirs.id, mine.id]
    assert [one.id for one in await books.queue.dead(1)] == [theirs.id]
    assert [one.id for one in await books.queue.dead(9, OWNER.tenant)] == [mine.id]


@pytest.mark.requirement("W14")
@pytest.mark.parametrize("dead", [False, True])
async def test_a_write_that_ended_is_never_handed_out_again(
    books: Books,
    dead: bool,  # noqa: FBT001
) -> None:
    """Neither decided nor forgotten, dead or not; putting off or burying it brings nothing back."""
    done, gone = await accept(books, writes=2)
    if dead:
        for due in (done, gone):
            await books.queue.bury(due, "queue.failed", START)
    await put_beside(books, later=Ended(done.id, None, LATER, b"outcome"))
    await put_beside(books, later=Cancelled(gone.id))
    for due in (done, gone):
        await books.queue.retry(due, START, 1)
        await books.queue.bury(due, "queue.failed", START)
    assert await books.queue.claim(9, LATER, LEASE) == []
    assert await books.queue.dead(9) == []
    found = await books.answers.write(ACME, ANNA, done.id)
    assert found is not None
    assert found.progress is Progress.DONE


@pytest.mark.requirement("W14")
async def test_two_processes_share_the_queue(
    ledger_at: tuple[str, Place | None], tmp_path: Path
) -> None:
    """Claiming at the same time, they get each write once between them."""
    adapter, place = ledger_at
    async with open_books(adapter, tmp_path, place) as books:
        dues = await accept(books, writes=6) + await accept(books, owner=FOREIGN, writes=6)
        if adapter == "memory":
            sides = [books, books]
        else:
            url = place.gateway if place else f"sqlite+aiosqlite:///{books.file}"
            others = [await Database.open(url) for _ in range(2)]
            sides = [books_on(one) for one in others]
        claimed: list[Due] = []
        for _ in range(len(dues)):
            rounds = await asyncio.gather(*(one.queue.claim(2, START, LEASE) for one in sides))
            claimed += [due for some in rounds for due in some]
        if adapter != "memory":
            for one in others:
                await one.close()
        assert sorted(due.id for due in claimed) == sorted(due.id for due in dues)
