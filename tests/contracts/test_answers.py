"""The contract of first answers, and of accepted writes to be looked at: every adapter."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from guard.errors import ConflictError
from guard.nouns import Accepted, Answer, Cancelled, Change, Ended, Progress, Write
from memory.types import Epoch, MemoryId, State
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    BORIS,
    ELSEWHERE,
    GLOBEX,
    OWNER,
    START,
    Books,
    new_id,
    noted,
    open_books,
    put,
    put_beside,
    relabelled,
    sealed,
)
from tests.postgres import Place

EXPIRES = START + timedelta(hours=24)
MARK = b"\x00\xffmark" + bytes(26)


@pytest.fixture
async def books(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Books]:
    """Fresh books of each adapter."""
    adapter, place = ledger_at
    async with open_books(adapter, tmp_path, place) as opened:
        yield opened


def answer(memory: MemoryId | None = None, mark: bytes = MARK, token: bytes = b"first") -> Answer:
    """Return an answer, by default one that names no memory."""
    return Answer(mark, b"request" * 4, memory, EXPIRES, token)


def accepted(id: str | None = None) -> Accepted:
    """Return a write to be decided later."""
    return Accepted(MemoryId(id or new_id()), START, b"sealed draft")


def ended(id: MemoryId, memory: MemoryId | None) -> Ended:
    """Return the end of a write that waits."""
    return Ended(id, memory, EXPIRES, b"sealed outcome")


@pytest.mark.requirement("E10")
async def test_an_answer_comes_back_as_it_was_given(books: Books) -> None:
    """Every field survives, and so does the memory that was stored in the same transaction."""
    row = sealed()
    given = answer(row.label.id)
    await put_beside(books, row, answer=given)
    assert await books.answers.answer(ACME, ANNA, MARK, START) == given
    assert await books.ledger.rows(ACME, ANNA, [row.label.id])


@pytest.mark.requirement("E10", "E5")
async def test_an_answer_is_its_subjects_alone(books: Books) -> None:
    """Another subject and another tenant see none, and may have one of the same mark."""
    await put_beside(books, answer=answer())
    assert await books.answers.answer(ACME, BORIS, MARK, START) is None
    assert await books.answers.answer(GLOBEX, ANNA, MARK, START) is None
    await put_beside(books, owner=ELSEWHERE[1], answer=answer(token=b"theirs"))
    theirs = await books.answers.answer(GLOBEX, ANNA, MARK, START)
    mine = await books.answers.answer(ACME, ANNA, MARK, START)
    assert (theirs and theirs.token, mine and mine.token) == (b"theirs", b"first")


@pytest.mark.requirement("E10")
async def test_a_second_answer_of_a_mark_is_a_conflict(books: Books) -> None:
    """Nothing of its change is applied: not the memory, not the epoch."""
    await put_beside(books, answer=answer())
    epoch = await books.ledger.epoch(ACME, ANNA)
    row = sealed()
    with pytest.raises(ConflictError):
        await put_beside(books, row, answer=answer(row.label.id, token=b"second"))
    assert await books.ledger.rows(ACME, ANNA, [row.label.id]) == []
    assert await books.ledger.epoch(ACME, ANNA) == epoch
    found = await books.answers.answer(ACME, ANNA, MARK, START)
    assert found is not None
    assert found.token == b"first"


@pytest.mark.requirement("E10")
async def test_of_two_changes_at_once_with_one_mark_one_stands(books: Books) -> None:
    """The other one is a conflict, whichever comes first."""
    await put(books, sealed())
    rows = [sealed(), sealed()]
    done = await asyncio.gather(
        *(put_beside(books, row, answer=answer(row.label.id)) for row in rows),
        return_exceptions=True,
    )
    assert sorted(type(one).__name__ for one in done) == ["ConflictError", "NoneType"]
    stored = await books.ledger.rows(ACME, ANNA, [row.label.id for row in rows])
    found = await books.answers.answer(ACME, ANNA, MARK, START)
    assert found is not None
    assert [row.sealed.label.id for row in stored] == [found.memory]


@pytest.mark.requirement("E10")
async def test_an_expired_answer_is_none_and_makes_room(books: Books) -> None:
    """From its expiry on the mark is free; just before, it is not."""
    await put_beside(books, answer=answer())
    just_before = EXPIRES - timedelta(microseconds=1)
    assert await books.answers.answer(ACME, ANNA, MARK, just_before) is not None
    assert await books.answers.answer(ACME, ANNA, MARK, EXPIRES) is None
    with pytest.raises(ConflictError):
        await put_beside(books, answer=answer(token=b"second"), at=just_before)
    later = Answer(MARK, b"other", None, EXPIRES + timedelta(hours=24), b"second")
    await put_beside(books, answer=later, at=EXPIRES)
    assert await books.answers.answer(ACME, ANNA, MARK, EXPIRES) == later


@pytest.mark.requirement("E10")
async def test_expired_answers_and_outcomes_are_removed(books: Books) -> None:
    """Of every tenant; what has not expired stays, and so does what waits, however long."""
    done, waiting = accepted(), accepted()
    await put_beside(books, answer=answer(), later=done)
    await put_beside(books, later=ended(done.id, None))
    await put_beside(books, later=waiting)
    await put_beside(books, owner=ELSEWHERE[1], answer=answer())
    assert await books.answers.expire(EXPIRES - timedelta(microseconds=1)) == 0
    assert await books.answers.write(ACME, ANNA, done.id) is not None
    assert await books.answers.expire(EXPIRES) == 3
    assert await books.answers.expire(EXPIRES) == 0
    assert await books.answers.answer(GLOBEX, ANNA, MARK, START) is None
    assert await books.answers.write(ACME, ANNA, done.id) is None
    assert await books.answers.write(ACME, ANNA, waiting.id) is not None


@pytest.mark.requirement("E10", "S5")
async def test_forgetting_a_memory_removes_what_names_it(books: Books) -> None:
    """Its answers and outcomes go in the same transaction; those of other memories stay."""
    row, other = sealed(), sealed()
    done, kept = accepted(), accepted()
    await put_beside(books, row, answer=answer(row.label.id), later=done)
    await put_beside(books, later=ended(done.id, row.label.id))
    await put_beside(books, other, answer=answer(other.label.id, mark=b"other"), later=kept)
    await put_beside(books, later=ended(kept.id, other.label.id))
    await put_beside(books, relabelled(row, state=State.FORGOTTEN))
    assert await books.answers.answer(ACME, ANNA, MARK, START) is None
    assert await books.answers.write(ACME, ANNA, done.id) is None
    assert await books.answers.answer(ACME, ANNA, b"other", START) is not None
    assert await books.answers.write(ACME, ANNA, kept.id) is not None


@pytest.mark.requirement("E10")
async def test_a_rejected_memory_keeps_its_answer(books: Books) -> None:
    """A reviewer's decision does not make a repeated request a new one."""
    row = sealed(state=State.HELD)
    await put_beside(books, row, answer=answer(row.label.id))
    await put_beside(books, relabelled(row, state=State.REJECTED))
    assert await books.answers.answer(ACME, ANNA, MARK, START) is not None


@pytest.mark.requirement("W14")
async def test_a_write_is_queued_then_done(books: Books) -> None:
    """Done, it has its outcome and no draft any more; in between nobody else sees it."""
    one = accepted()
    await put_beside(books, later=one)
    assert await books.answers.write(ACME, ANNA, one.id) == Write(
        one.id, Progress.QUEUED, START, b"sealed draft", b""
    )
    assert await books.answers.write(ACME, BORIS, one.id) is None
    assert await books.answers.write(GLOBEX, ANNA, one.id) is None
    assert await books.answers.write(ACME, ANNA, MemoryId("nul\0")) is None
    await put_beside(books, sealed(id=one.id), later=ended(one.id, one.id))
    assert await books.answers.write(ACME, ANNA, one.id) == Write(
        one.id, Progress.DONE, START, b"", b"sealed outcome"
    )


@pytest.mark.requirement("W14")
@pytest.mark.parametrize("owner", [OWNER, *ELSEWHERE])
async def test_only_a_write_that_waits_can_end(books: Books, owner: object) -> None:
    """Twice, after it was forgotten, or by another owner, it is a conflict and nothing else."""
    one, gone = accepted(), accepted()
    await put_beside(books, later=one)
    await put_beside(books, later=gone)
    await put_beside(books, later=Cancelled(gone.id))
    if owner == OWNER:
        await put_beside(books, later=ended(one.id, None))
    of = OWNER if owner == OWNER else next(o for o in ELSEWHERE if o == owner)
    for id in (one.id, gone.id):
        row = sealed(of)
        with pytest.raises(ConflictError):
            await put_beside(books, row, owner=of, later=ended(id, row.label.id))
        with pytest.raises(ConflictError):
            await put_beside(books, owner=of, later=Cancelled(id))
        assert await books.ledger.rows(of.tenant, of.subject, [row.label.id]) == []


@pytest.mark.requirement("W14", "S5")
async def test_a_cancelled_write_is_gone_with_its_answer(books: Books) -> None:
    """Neither draft nor answer is left, and the queue does not hand it out."""
    one = accepted()
    await put_beside(books, later=one, answer=answer(one.id))
    await put_beside(books, later=Cancelled(one.id))
    assert await books.answers.write(ACME, ANNA, one.id) is None
    assert await books.answers.answer(ACME, ANNA, MARK, START) is None
    assert await books.queue.claim(9, START, 1.0) == []


@pytest.mark.requirement("W14")
async def test_an_id_is_accepted_once(books: Books) -> None:
    """A second write of the same id is a conflict."""
    one = accepted()
    await put_beside(books, later=one)
    with pytest.raises(ConflictError):
        await put_beside(books, later=one)


@pytest.mark.requirement("W14")
async def test_what_waits_is_counted_by_tenant(books: Books) -> None:
    """Up to the limit that is asked for."""
    for _ in range(3):
        await put_beside(books, later=accepted())
    await put_beside(books, owner=ELSEWHERE[1], later=accepted())
    assert await books.answers.waiting(ACME, 10) == 3
    assert await books.answers.waiting(ACME, 2) == 2
    assert await books.answers.waiting(GLOBEX, 10) == 1


@pytest.mark.requirement("Q6")
async def test_a_change_without_a_leaf_is_refused(books: Books) -> None:
    """Nothing is kept that the audit does not know of; with a leaf it is."""
    with pytest.raises(ValueError, match="leaf"):
        await books.ledger.commit(Change(OWNER, Epoch(0), (), (), answer()))
    await books.ledger.commit(Change(OWNER, Epoch(0), (), (noted(),), answer()))
