"""What waits for a second reviewer is kept, settled once, and goes with its time or its memory."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from guard.errors import ConflictError
from guard.nouns import Sealed, SealedProposal
from memory.types import Owner, State, SubjectId, TenantId
from tests.contracts.ledger_builders import (
    ACME,
    GLOBEX,
    OWNER,
    START,
    Books,
    change,
    new_id,
    open_books,
    put,
    relabelled,
    sealed,
)
from tests.postgres import Place

DAY = timedelta(days=1)


@pytest.fixture
async def books(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Books]:
    """Lend fresh books of each adapter in turn."""
    adapter, place = ledger_at
    async with open_books(adapter, tmp_path, place) as opened:
        yield opened


async def commit(books: Books, row: Sealed, **more: object) -> None:
    """Commit a row with what is kept beside it."""
    made = change(await books.ledger.epoch(ACME, OWNER.subject), row, owner=OWNER)
    await books.ledger.commit(msgspec.structs.replace(made, **more))


def proposal(row: Sealed, days: int = 7) -> SealedProposal:
    """Return a proposal for a memory."""
    owner = Owner(TenantId(row.label.tenant), SubjectId(row.label.subject))
    return SealedProposal(new_id(), owner, row.label.id, START + days * DAY, b"\x00\xffsealed")


@pytest.mark.requirement("Q2")
async def test_proposals_wait_in_order_and_are_settled_once(books: Books) -> None:
    """Of one tenant, in pages; who comes second finds a conflict and changes nothing."""
    row, other = sealed(), sealed()
    await put(books, row, other)
    made = sorted((proposal(row), proposal(row, 1), proposal(other)), key=lambda one: one.id)
    await commit(books, row := relabelled(row), proposed=tuple(made))
    open_, one = books.proposals.open, books.proposals.one
    assert await open_(ACME, None, 9, START) == made
    assert await open_(ACME, made[0].id, 1, START) == [made[1]]
    assert await open_(GLOBEX, None, 9, START) == []
    assert await one(ACME, made[0].id, START) == made[0]
    assert await one(GLOBEX, made[0].id, START) is None
    assert await one(ACME, "nul\0", START) is None
    await commit(books, row := relabelled(row), settled=(made[0].id,))
    assert await one(ACME, made[0].id, START) is None
    with pytest.raises(ConflictError):
        await commit(books, relabelled(row), settled=(made[0].id,))
    await commit(books, relabelled(row))
    assert await open_(ACME, None, 9, START) == made[1:]


@pytest.mark.requirement("Q2", "S5")
async def test_a_proposal_goes_with_its_time_and_with_its_memory(books: Books) -> None:
    """Expired it is not found, and then removed; forgotten, nothing is proposed any more."""
    row, other = sealed(), sealed()
    await put(books, row, other)
    short, long, another = proposal(row, 1), proposal(row, 7), proposal(other, 7)
    await commit(books, row := relabelled(row), proposed=(short, long, another))
    assert await books.proposals.one(ACME, short.id, START + DAY) is None
    assert short not in await books.proposals.open(ACME, None, 9, START + DAY)
    assert await books.proposals.expire(START + DAY) == 1
    assert await books.proposals.one(ACME, short.id, START) is None
    await commit(books, relabelled(row, state=State.FORGOTTEN))
    assert await books.proposals.open(ACME, None, 9, START) == [another]
