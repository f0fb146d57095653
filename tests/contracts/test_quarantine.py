"""The quarantine's contract, on memory, on a real SQLite file and on a real PostgreSQL."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from guard.errors import InvalidError
from guard.ports import Filter
from memory.origin import OriginClass
from memory.types import ClientId, MemoryId, State
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    ELSEWHERE,
    GLOBEX,
    OWNER,
    START,
    Books,
    get,
    ids,
    open_books,
    put,
    relabelled,
    sealed,
)
from tests.postgres import Place


@pytest.fixture
async def books(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Books]:
    """Fresh books of each adapter."""
    adapter, place = ledger_at
    async with open_books(adapter, tmp_path, place) as opened:
        yield opened


@pytest.mark.requirement("Q1")
async def test_held_rows_of_all_subjects_of_one_tenant_newest_first(books: Books) -> None:
    """Another tenant's held rows, and rows in any other state, are not among them."""
    boris, _ = ELSEWHERE
    held = [
        sealed(state=State.HELD, recorded_at=START),
        sealed(boris, state=State.HELD, recorded_at=START + timedelta(hours=1)),
    ]
    others = [sealed(state=state) for state in State if state is not State.HELD]
    await put(books, *held, *others)
    page = await books.quarantine.held(ACME, None, 9)
    assert ids(page.rows) == [held[1].label.id, held[0].label.id]
    assert page.rows[0].sealed == held[1]
    assert page.cursor is None
    assert await books.quarantine.count(ACME) == 2
    assert (await books.quarantine.held(GLOBEX, None, 9)).rows == ()
    assert await books.quarantine.count(GLOBEX) == 0


@pytest.mark.requirement("Q1")
async def test_a_case_is_one_held_row_of_the_tenant(books: Books) -> None:
    """Another tenant's id, a missing id and a row that is not held look the same."""
    held, active = sealed(state=State.HELD), sealed()
    await put(books, held, active)
    assert await books.quarantine.case(ACME, held.label.id) == await get(books, held)
    assert await books.quarantine.case(GLOBEX, held.label.id) is None
    assert await books.quarantine.case(ACME, active.label.id) is None
    assert await books.quarantine.case(ACME, MemoryId("nothing")) is None


@pytest.mark.requirement("Q1")
async def test_a_released_row_leaves_the_queue(books: Books) -> None:
    """Decisions are changes of the ledger; the queue only looks."""
    held = sealed(state=State.HELD)
    await put(books, held)
    assert await books.quarantine.count(ACME) == 1
    await put(books, relabelled(held, state=State.ACTIVE))
    assert await books.quarantine.count(ACME) == 0
    assert await books.quarantine.case(ACME, held.label.id) is None


@pytest.mark.requirement("Q1")
async def test_the_queue_is_paged_and_its_cursor_bound_to_the_tenant(books: Books) -> None:
    """All pages together are the queue; the cursor serves no other tenant and no other listing."""
    boris, elsewhere = ELSEWHERE
    rows = [sealed(boris if n % 2 else OWNER, state=State.HELD) for n in range(3)]
    await put(books, *rows, sealed(elsewhere, state=State.HELD))
    first = await books.quarantine.held(ACME, None, 2)
    assert first.cursor is not None
    second = await books.quarantine.held(ACME, first.cursor, 2)
    assert ids(first.rows) + ids(second.rows) == [row.label.id for row in reversed(rows)]
    assert second.cursor is None
    with pytest.raises(InvalidError):
        await books.quarantine.held(GLOBEX, first.cursor, 2)
    with pytest.raises(InvalidError):
        await books.ledger.page(ACME, ANNA, Filter(states=(State.HELD,)), first.cursor, 2)


@pytest.mark.requirement("Q12")
async def test_held_rows_are_counted_by_subject_class_and_client(books: Books) -> None:
    """Rows of another subject, class, client or tenant, and those not held, do not count."""
    boris, elsewhere = ELSEWHERE
    one = sealed(state=State.HELD)
    await put(books, one, sealed(state=State.HELD), sealed())
    await put(books, sealed(boris, state=State.HELD), sealed(elsewhere, state=State.HELD))
    count, label = books.quarantine.count_of, one.label
    assert await count(OWNER, label.origin, label.client) == 2
    assert await count(boris, label.origin, label.client) == 1
    assert await count(OWNER, label.origin, ClientId("another")) == 0
    other = next(class_ for class_ in OriginClass if class_ is not label.origin)
    assert await count(OWNER, other, label.client) == 0


@pytest.mark.requirement("Q12")
async def test_what_was_held_too_long_has_lapsed(books: Books) -> None:
    """Held rows of all subjects of the tenant that are old or have expired, in the order of ids."""
    boris, elsewhere = ELSEWHERE
    day = timedelta(days=1)
    old = sealed(state=State.HELD, changed_at=START - day)
    others = sealed(boris, state=State.HELD, changed_at=START - day)
    expired = sealed(state=State.HELD, changed_at=START + day, expires_at=START)
    fresh = sealed(state=State.HELD, changed_at=START + day, expires_at=START + 9 * day)
    active = sealed(changed_at=START - day)
    foreign = sealed(elsewhere, state=State.HELD, changed_at=START - day)
    await put(books, old, others, expired, fresh, active, foreign)
    wanted = sorted(one.label.id for one in (old, others, expired))
    found = await books.quarantine.lapsed(ACME, START, START, None, 9)
    assert ids(found) == wanted
    assert ids(await books.quarantine.lapsed(ACME, START, START, wanted[0], 1)) == wanted[1:2]
    assert await books.quarantine.lapsed(ACME, START - 2 * day, START - 2 * day, None, 9) == []
