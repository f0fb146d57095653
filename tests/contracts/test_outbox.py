"""The outbox's contract, on memory, SQLite and PostgreSQL. Time is an argument throughout."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.types import MemoryId, State
from storage.database import Database
from storage.ports import Task
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    BORIS,
    ELSEWHERE,
    GLOBEX,
    START,
    Books,
    books_on,
    change,
    get,
    ids,
    open_books,
    put,
    relabelled,
    sealed,
    url_of,
)
from tests.postgres import Place

LEASE = 30.0
LATER = START + timedelta(seconds=LEASE)


@pytest.fixture
async def books(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Books]:
    """Fresh books of each adapter."""
    adapter, place = ledger_at
    async with open_books(adapter, tmp_path, place) as opened:
        yield opened


@pytest.mark.requirement("S9")
async def test_each_committed_version_is_one_task_oldest_first(books: Books) -> None:
    """New rows and changes of every owner alike, in the order of their commits."""
    mine, theirs = sealed(), sealed(ELSEWHERE[1])
    await put(books, mine, theirs, relabelled(mine))
    assert await books.outbox.claim(9, START, LEASE) == [
        Task(ACME, ANNA, mine.label.id, 1),
        Task(GLOBEX, ANNA, theirs.label.id, 1),
        Task(ACME, ANNA, mine.label.id, 2),
    ]


@pytest.mark.requirement("S9")
async def test_a_claimed_task_is_hidden_until_its_lease_ends(books: Books) -> None:
    """A claimant that died is no loss: at the end of the lease the task is due again."""
    rows = [sealed() for _ in range(3)]
    await put(books, *rows)
    first = await books.outbox.claim(2, START, LEASE)
    rest = await books.outbox.claim(9, START, LEASE)
    assert [task.id for task in first + rest] == [row.label.id for row in rows]
    assert await books.outbox.claim(9, LATER - timedelta(microseconds=1), LEASE) == []
    assert await books.outbox.waiting() == 3
    assert await books.outbox.claim(9, LATER, LEASE) == first + rest


@pytest.mark.requirement("S9")
async def test_a_gateway_that_is_alone_takes_over_what_was_claimed(books: Books) -> None:
    """Whoever had claimed it is dead; waiting for the end of a lease would help nobody."""
    await put(books, *(sealed() for _ in range(3)))
    claimed = await books.outbox.claim(2, START, LEASE)
    await books.outbox.release(START)
    assert (await books.outbox.claim(9, START, LEASE))[:2] == claimed


@pytest.mark.requirement("S9")
async def test_done_forgets_the_task_and_marks_the_row(books: Books) -> None:
    """Twice does no harm, and a task that is not there marks nothing else."""
    row, other = sealed(), sealed()
    await put(books, row, other)
    tasks = await books.outbox.claim(1, START, LEASE)
    assert not (await get(books, row)).indexed
    for _ in range(2):
        await books.outbox.done([*tasks, Task(ACME, ANNA, MemoryId("nothing"), 1)])
    assert (await get(books, row)).indexed
    assert not (await get(books, other)).indexed
    assert await books.outbox.waiting() == 1


@pytest.mark.requirement("S9")
async def test_an_older_version_that_is_done_late_takes_nothing_back(books: Books) -> None:
    """The mark only moves forward; a newer change keeps its own task."""
    row = sealed()
    await put(books, row, relabelled(row))
    old, new = await books.outbox.claim(9, START, LEASE)
    await books.outbox.done([old])
    assert not (await get(books, row)).indexed
    assert await books.outbox.claim(9, LATER, LEASE) == [new]
    await books.outbox.done([new])
    await books.outbox.done([old])
    assert (await get(books, row)).indexed


@pytest.mark.requirement("S9")
async def test_a_retried_task_is_due_at_its_new_time(books: Books) -> None:
    """Not before, whatever its lease was; the rest of the queue is not held up."""
    row, other = sealed(), sealed()
    await put(books, row)
    tasks = await books.outbox.claim(1, START, LEASE)
    await put(books, other)
    again = START + timedelta(seconds=5)
    await books.outbox.retry(tasks, again)
    assert [t.id for t in await books.outbox.claim(9, START, LEASE)] == [other.label.id]
    assert await books.outbox.claim(9, again - timedelta(microseconds=1), LEASE) == []
    assert await books.outbox.claim(9, again, LEASE) == tasks


@pytest.mark.requirement("S9")
async def test_nothing_to_do_is_nothing_done(books: Books) -> None:
    """Empty batches are fine."""
    await books.outbox.done([])
    await books.outbox.retry([], START)
    assert await books.outbox.claim(9, START, LEASE) == []
    assert await books.outbox.waiting() == 0


@pytest.mark.requirement("S9")
async def test_a_failed_commit_puts_nothing_into_the_outbox(books: Books) -> None:
    """Task and row are one transaction; a commit that worked puts one in."""
    row = sealed()
    await put(books, row)
    outcomes = await asyncio.gather(
        books.ledger.commit(change(1, relabelled(row))),
        books.ledger.commit(change(1, relabelled(row))),
        return_exceptions=True,
    )
    assert outcomes.count(None) == 1
    assert await books.outbox.waiting() == 2


@pytest.mark.requirement("S8")
async def test_active_rows_of_a_tenant_come_in_order_of_id(books: Books) -> None:
    """Of all its subjects, page by page, and of no other tenant."""
    boris, elsewhere = ELSEWHERE
    rows = sorted([sealed(), sealed(boris), sealed()], key=lambda row: row.label.id)
    held = [sealed(state=state) for state in State if state is not State.ACTIVE]
    foreign = sealed(elsewhere)
    await put(books, *reversed(rows), *held, foreign)
    expected = [row.label.id for row in rows]
    first = await books.outbox.active(ACME, None, 2)
    rest = await books.outbox.active(ACME, expected[1], 2)
    assert ids(first) + ids(rest) == expected
    assert {row.sealed.label.subject for row in first + rest} == {ANNA, BORIS}
    assert ids(await books.outbox.active(GLOBEX, None, 9)) == [foreign.label.id]


@pytest.mark.requirement("S8")
async def test_tenants_are_those_that_own_a_row(books: Books) -> None:
    """Each once, whatever the state of its rows."""
    assert await books.outbox.tenants() == []
    boris, elsewhere = ELSEWHERE
    await put(books, sealed(elsewhere, state=State.HELD), sealed(), sealed(boris))
    assert await books.outbox.tenants() == [ACME, GLOBEX]


@pytest.mark.requirement("S9")
async def test_two_processes_never_hold_one_task_at_once(tmp_path: Path) -> None:
    """Each of several claimants on one file gets tasks of its own, and together they get all."""
    async with open_books("sqlite", tmp_path) as books:
        rows = [sealed() for _ in range(12)]
        await put(books, *rows)
        other = await Database.open(url_of(tmp_path / "ledger.db"))
        theirs = books_on(other, tmp_path)
        claims = await asyncio.gather(
            *(which.outbox.claim(3, START, LEASE) for which in (books, theirs) * 3)
        )
        await other.close()
        claimed = [task.id for claim in claims for task in claim]
        assert sorted(claimed) == sorted(row.label.id for row in rows)
