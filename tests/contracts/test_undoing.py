"""What a decision replaced is kept with its commit, for a while, and goes with its memory."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from guard.nouns import Sealed, Undoable
from memory.types import MemoryId, Owner, State, SubjectId, TenantId
from tests.contracts.ledger_builders import (
    ACME,
    GLOBEX,
    OWNER,
    START,
    Books,
    change,
    open_books,
    put,
    relabelled,
    sealed,
)
from tests.postgres import Place

MINUTE = timedelta(minutes=1)


@pytest.fixture
async def books(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Books]:
    """Lend fresh books of each adapter in turn."""
    adapter, place = ledger_at
    async with open_books(adapter, tmp_path, place) as opened:
        yield opened


def undoable(row: Sealed, minutes: int = 10) -> Undoable:
    """Return what a decision that made this row kept."""
    owner = Owner(TenantId(row.label.tenant), SubjectId(row.label.subject))
    until = START + minutes * MINUTE
    return Undoable(owner, row.label.id, row.label.leaf, until, b"\x00\xffsealed")


async def decide(books: Books, row: Sealed, **more: object) -> Undoable:
    """Commit a decision; return what it kept."""
    kept = undoable(row)
    made = change(await books.ledger.epoch(ACME, OWNER.subject), row, owner=OWNER)
    await books.ledger.commit(msgspec.structs.replace(made, undoable=(kept,), **more))
    return kept


@pytest.mark.requirement("Q2")
async def test_the_last_decision_on_a_memory_is_kept_until_its_time_is_over(books: Books) -> None:
    """One of each, of one tenant; the chore removes what is over, and nothing else."""
    row = sealed(state=State.HELD)
    await put(books, row)
    last = books.undoing.last
    assert await last(ACME, row.label.id, START) is None
    first = await decide(books, row := relabelled(row, state=State.HELD))
    assert await last(ACME, row.label.id, START) == first
    second = await decide(books, row := relabelled(row, state=State.REJECTED))
    assert await last(ACME, row.label.id, START) == second != first
    assert await last(GLOBEX, row.label.id, START) is None
    assert await last(ACME, MemoryId("nul\0"), START) is None
    assert await last(ACME, row.label.id, START + 9 * MINUTE) == second
    assert await last(ACME, row.label.id, START + 10 * MINUTE) is None
    assert await books.undoing.expire(START + 9 * MINUTE) == 0
    assert await books.undoing.expire(START + 10 * MINUTE) == 1
    assert await last(ACME, row.label.id, START) is None


@pytest.mark.requirement("Q2", "S5")
@pytest.mark.parametrize("how", ["forgotten", "undone"])
async def test_what_is_undone_or_forgotten_can_be_undone_no_more(books: Books, how: str) -> None:
    """With the same commit; the decision on another memory stays."""
    row, other = sealed(state=State.HELD), sealed(state=State.HELD)
    await put(books, row, other)
    await decide(books, row := relabelled(row, state=State.REJECTED))
    stays = await decide(books, other := relabelled(other))
    gone = relabelled(row, state=State.FORGOTTEN)
    made = change(await books.ledger.epoch(ACME, OWNER.subject), gone, owner=OWNER)
    if how == "undone":
        back = relabelled(row, state=State.REJECTED)
        made = change(await books.ledger.epoch(ACME, OWNER.subject), back, owner=OWNER)
        made = msgspec.structs.replace(made, undone=(row.label.id,))
    await books.ledger.commit(made)
    assert await books.undoing.last(ACME, row.label.id, START) is None
    assert await books.undoing.last(ACME, other.label.id, START) == stays
