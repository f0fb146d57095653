"""Going through all of a tenant's rows, on memory, SQLite and PostgreSQL."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from guard.nouns import Row
from guard.ports import Sweep
from memory.types import MemoryId, State, TenantId
from tests.contracts.ledger_builders import (
    ACME,
    ELSEWHERE,
    GLOBEX,
    START,
    Books,
    open_books,
    put,
    relabelled,
    sealed,
)
from tests.postgres import Place

LIVE = (State.ACTIVE, State.HELD, State.SUPERSEDED)


@pytest.fixture
async def books(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Books]:
    """Fresh books of each adapter."""
    adapter, place = ledger_at
    async with open_books(adapter, tmp_path, place) as opened:
        yield opened


async def _all(books: Books, tenant: TenantId, sweep: Sweep, step: int = 2) -> list[Row]:
    rows: list[Row] = []
    after: MemoryId | None = None
    while True:
        stretch = await books.stock.rows(tenant, sweep, after, step)
        assert len(stretch.rows) <= step
        rows += stretch.rows
        if stretch.last is None:
            return rows
        after = stretch.last


@pytest.mark.requirement("Q4", "E5")
async def test_a_sweep_meets_every_row_of_one_tenant_once_in_order(books: Books) -> None:
    """All subjects of the tenant, none of another's, whatever the step."""
    mine = [sealed() for _ in range(4)] + [sealed(ELSEWHERE[0])]
    await put(books, *reversed(mine), sealed(ELSEWHERE[1]))
    for step in (1, 2, 5, 9):
        rows = await _all(books, ACME, Sweep((State.ACTIVE,)), step)
        assert [row.sealed for row in rows] == sorted(mine, key=lambda s: s.label.id)
    assert await books.stock.count(ACME, Sweep((State.ACTIVE,))) == 5
    assert await books.stock.count(GLOBEX, Sweep((State.ACTIVE,))) == 1
    assert await books.stock.count(TenantId("nobody"), Sweep(LIVE)) == 0
    assert all(row.newest_leaf == row.sealed.label.leaf for row in rows)


@pytest.mark.requirement("Q4")
async def test_a_sweep_keeps_to_its_bounds(books: Books) -> None:
    """States, time of recording, version of the decision and expiry each leave rows out."""
    old = sealed(policy="old@1", recorded_at=START)
    new = sealed(policy="new@1", recorded_at=START + timedelta(days=2))
    held = sealed(policy="old@1", state=State.HELD, recorded_at=START + timedelta(days=2))
    brief = sealed(policy="old@1", recorded_at=START, expires_at=START + timedelta(days=1))
    lasting = sealed(policy="old@1", recorded_at=START, expires_at=None)
    await put(books, old, new, held, brief, lasting)

    async def met(sweep: Sweep) -> set[MemoryId]:
        rows = await _all(books, ACME, sweep)
        assert await books.stock.count(ACME, sweep) == len(rows)
        return {row.sealed.label.id for row in rows}

    active = (State.ACTIVE,)
    every = {one.label.id for one in (old, new, held, brief, lasting)}
    assert await met(Sweep(LIVE)) == every
    assert await met(Sweep(active)) == every - {held.label.id}
    assert await met(Sweep((State.HELD,))) == {held.label.id}
    assert await met(Sweep(LIVE, since=START + timedelta(days=1))) == {
        new.label.id,
        held.label.id,
    }
    assert await met(Sweep(active, unless="new@1")) == every - {held.label.id, new.label.id}
    after = START + timedelta(days=1)
    assert brief.label.id not in await met(Sweep(active, alive_at=after))
    assert brief.label.id in await met(Sweep(active, alive_at=after - timedelta(seconds=1)))
    assert lasting.label.id in await met(Sweep(active, alive_at=after))
    with pytest.raises(ValueError, match="at least one state"):
        await books.stock.count(ACME, Sweep(()))


@pytest.mark.requirement("Q4")
async def test_what_changes_meanwhile_is_met_as_it_is(books: Books) -> None:
    """A row that leaves the sweep is not met any more, and none that stays is left out."""
    rows = sorted((sealed() for _ in range(3)), key=lambda s: s.label.id)
    await put(books, *rows)
    sweep = Sweep((State.ACTIVE,))
    first = await books.stock.rows(ACME, sweep, None, 1)
    assert [row.sealed for row in first.rows] == rows[:1]
    await put(books, relabelled(rows[1], state=State.HELD))
    rest = await books.stock.rows(ACME, sweep, first.last, 9)
    assert [row.sealed for row in rest.rows] == rows[2:]
