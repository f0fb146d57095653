"""The ledger's contract, on memory, on a real SQLite file and on a real PostgreSQL."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from guard.errors import ConflictError, InvalidError, UnavailableError
from guard.nouns import Change, Label, Sealed
from guard.ports import Beside, Filter
from memory.origin import OriginClass
from memory.types import Epoch, Kind, Layer, LeafId, MemoryId, Owner, State, SubjectId, TenantId
from storage.database import Database
from storage.ledger import SqlLedger
from storage.ports import Task
from storage.rows import columns_of, sealed_of
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    BORIS,
    ELSEWHERE,
    GLOBEX,
    OWNER,
    START,
    Books,
    books_on,
    change,
    get,
    ids,
    leaf_for,
    new_file,
    noted,
    open_books,
    put,
    relabelled,
    sealed,
    url_of,
)
from tests.postgres import Place

ANY_STATE = Filter(states=tuple(State))


@pytest.fixture
async def books(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Books]:
    """Fresh books of each adapter."""
    adapter, place = ledger_at
    async with open_books(adapter, tmp_path, place) as opened:
        yield opened


@pytest.fixture
async def on_file(tmp_path: Path) -> AsyncIterator[Books]:
    """Fresh books on a real file, for what only a file can suffer."""
    async with open_books("sqlite", tmp_path) as opened:
        yield opened


def edit(books: Books, statement: str, *values: object) -> None:
    """Change the file behind the ledger's back."""
    assert books.file is not None
    with sqlite3.connect(books.file) as raw:
        raw.execute(statement, values)
    raw.close()


@pytest.mark.requirement("S1")
async def test_a_committed_memory_comes_back_bit_by_bit(books: Books) -> None:
    """Label, tag and tokens return unchanged, so a tag over the label's bytes still holds."""
    row = sealed(expires_at=None, superseded_by=MemoryId("x"), session="s" * 32)
    await put(books, row)
    found = (await get(books, row)).sealed
    assert found == row
    assert msgspec.msgpack.encode(found) == msgspec.msgpack.encode(row)


@pytest.mark.requirement("R13")
async def test_the_epoch_counts_the_commits_of_one_subject(books: Books) -> None:
    """It starts at 0, moves by one with each commit, and by nobody else's."""
    assert await books.ledger.epoch(ACME, ANNA) == 0
    await put(books, sealed(), sealed())
    assert await books.ledger.epoch(ACME, ANNA) == 2
    assert [await books.ledger.epoch(o.tenant, o.subject) for o in ELSEWHERE] == [0, 0]


@pytest.mark.requirement("R13")
@pytest.mark.parametrize("before", [0, 1])
async def test_of_two_writers_at_one_epoch_exactly_one_wins(books: Books, before: int) -> None:
    """The other gets ConflictError and leaves no trace, at a subject's first write as later."""
    await put(books, *(sealed() for _ in range(before)))
    rows = [sealed(), sealed()]
    outcomes = await asyncio.gather(
        *(books.ledger.commit(change(before, row)) for row in rows), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [ConflictError]
    stored = await books.ledger.rows(ACME, ANNA, [row.label.id for row in rows])
    assert len(stored) == 1
    assert await books.ledger.epoch(ACME, ANNA) == before + 1


@pytest.mark.requirement("R13")
async def test_of_two_processes_at_one_epoch_exactly_one_wins(
    on_file: Books, tmp_path: Path
) -> None:
    """Two databases on one file share no lock but the file's."""
    other = await Database.open(url_of(tmp_path / "ledger.db"))
    rows = [sealed(), sealed()]
    outcomes = await asyncio.gather(
        on_file.ledger.commit(change(0, rows[0])),
        books_on(other, tmp_path).ledger.commit(change(0, rows[1])),
        return_exceptions=True,
    )
    await other.close()
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [ConflictError]
    assert len(await on_file.ledger.rows(ACME, ANNA, [row.label.id for row in rows])) == 1


@pytest.mark.requirement("R13")
async def test_a_stale_or_future_epoch_is_a_conflict(books: Books) -> None:
    """Only the epoch that stands is accepted."""
    await put(books, sealed())
    for epoch in (0, 2):
        with pytest.raises(ConflictError):
            await books.ledger.commit(change(epoch, sealed()))
    await books.ledger.commit(change(1, sealed()))


@pytest.mark.requirement("S1")
@pytest.mark.parametrize("version", [1, 2, 4])
async def test_a_row_replaces_exactly_the_version_before_it(books: Books, version: int) -> None:
    """Any other version is a conflict, and the stored row stays."""
    first = sealed()
    second = relabelled(first, state=State.SUPERSEDED, superseded_by=MemoryId("y"))
    await put(books, first, second)
    with pytest.raises(ConflictError):
        await books.ledger.commit(change(2, relabelled(second, version=version)))
    assert (await get(books, first)).sealed == second
    third = relabelled(second)
    await books.ledger.commit(change(2, third))
    assert (await get(books, first)).sealed == third


@pytest.mark.requirement("S1")
async def test_a_change_that_fails_in_the_middle_leaves_nothing(books: Books) -> None:
    """The second row can't be replaced: of the first one, its leaf and task nothing is there."""
    kept = sealed()
    await put(books, kept)
    await books.audit.integrate()
    fresh, ghost = sealed(), relabelled(sealed())
    with pytest.raises(ConflictError):
        await books.ledger.commit(change(1, fresh, ghost))
    assert await books.ledger.epoch(ACME, ANNA) == 1
    assert ids((await books.ledger.page(ACME, ANNA, ANY_STATE, None, 9)).rows) == [kept.label.id]
    assert await books.audit.integrate() == 0
    assert await books.outbox.waiting() == 1


@pytest.mark.requirement("S1")
async def test_a_leaf_id_that_is_taken_refuses_the_whole_change(books: Books) -> None:
    """Leaves are never replaced."""
    first = sealed()
    await put(books, first)
    with pytest.raises(ConflictError):
        await books.ledger.commit(change(1, sealed(leaf=first.label.leaf)))
    assert await books.ledger.epoch(ACME, ANNA) == 1


@pytest.mark.requirement("S1")
async def test_a_failure_of_the_last_statement_leaves_nothing(on_file: Books) -> None:
    """A trigger refuses the outbox entry: memory, leaf and epoch are not there either."""
    edit(
        on_file,
        "CREATE TRIGGER refuse BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    row = sealed()
    with pytest.raises(ConflictError):
        await on_file.ledger.commit(change(0, row))
    assert await on_file.ledger.epoch(ACME, ANNA) == 0
    assert await on_file.ledger.rows(ACME, ANNA, [row.label.id]) == []
    assert await on_file.audit.integrate() == 0
    edit(on_file, "DROP TRIGGER refuse")
    await on_file.ledger.commit(change(0, row))
    assert (await get(on_file, row)).sealed == row


@pytest.mark.requirement("S1")
async def test_a_full_disk_is_unavailable_and_leaves_nothing(tmp_path: Path) -> None:
    """SQLite's own limit on pages plays the full disk."""
    file = await new_file(tmp_path)
    database = await Database.open(url_of(file))

    def fill(connection: object, _record: object) -> None:
        cursor = connection.cursor()  # type: ignore[attr-defined]
        cursor.execute("PRAGMA page_count")
        (pages,) = cursor.fetchone()
        cursor.execute(f"PRAGMA max_page_count = {pages + 4}")
        cursor.close()

    await database.engine.dispose()
    event.listen(database.engine.sync_engine, "connect", fill)
    books = books_on(database, file)
    small = sealed()
    large = msgspec.structs.replace(sealed(), token=bytes(200_000))
    with pytest.raises(UnavailableError) as refusal:
        await books.ledger.commit(change(0, large))
    assert (refusal.value.what, refusal.value.retry_after) == ("ledger", 1.0)
    assert await books.ledger.epoch(ACME, ANNA) == 0
    await books.ledger.commit(change(0, small))
    assert (await get(books, small)).sealed == small
    await database.close()


@pytest.mark.requirement("S1")
async def test_a_locked_ledger_is_unavailable_for_writes_alone(tmp_path: Path) -> None:
    """Another process holds the write lock: reads go on, writes give up after the busy time."""
    file = await new_file(tmp_path)
    database = await Database.open(url_of(file, timeout="0.05"))
    books = books_on(database, file)
    row = sealed()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(UnavailableError):
        await books.ledger.commit(change(0, row))
    assert await books.ledger.epoch(ACME, ANNA) == 0
    other.execute("ROLLBACK")
    other.close()
    await books.ledger.commit(change(0, row))
    assert (await get(books, row)).sealed == row
    await database.close()


@pytest.mark.requirement("S1")
async def test_a_cancelled_commit_leaves_the_ledger_usable(on_file: Books) -> None:
    """At whatever step: all of it is there or nothing, and the next writer is not locked out."""
    for steps in range(0, 40, 2):
        row, after = sealed(), sealed()
        before = await on_file.ledger.epoch(ACME, ANNA)
        doomed = asyncio.create_task(on_file.ledger.commit(change(before, row)))
        for _ in range(steps):
            await asyncio.sleep(0)
        doomed.cancel()
        await asyncio.gather(doomed, return_exceptions=True)
        epoch = await on_file.ledger.epoch(ACME, ANNA)
        assert len(await on_file.ledger.rows(ACME, ANNA, [row.label.id])) == epoch - before
        await on_file.ledger.commit(change(epoch, after))
        assert (await get(on_file, after)).sealed == after


def _malformed() -> dict[str, Change]:
    row = sealed()
    leaf = leaf_for(row)
    replace = msgspec.structs.replace
    elsewhere = sealed(Owner(GLOBEX, ANNA))
    return {
        "no leaf": Change(OWNER, Epoch(0), (row,), ()),
        "leaf of another memory": Change(OWNER, Epoch(0), (row,), (replace(leaf, object="z"),)),
        "leaf of another version": Change(OWNER, Epoch(0), (row,), (replace(leaf, version=2),)),
        "leaf of other content": Change(OWNER, Epoch(0), (row,), (replace(leaf, digest=b"z"),)),
        "leaf of another tenant": Change(OWNER, Epoch(0), (row,), (replace(leaf, tenant="z"),)),
        "leaf twice": Change(OWNER, Epoch(0), (row,), (leaf, leaf)),
        "row of another tenant": Change(OWNER, Epoch(0), (elsewhere,), (leaf_for(elsewhere),)),
        "row of another subject": change(0, sealed(Owner(ACME, BORIS))),
        "row twice": Change(OWNER, Epoch(0), (row, row), (leaf,)),
        "version 0": change(0, sealed(version=0)),
        "a version without a row": Change(OWNER, Epoch(0), (), (leaf,)),
        "a naive time": change(0, sealed(recorded_at=START.replace(tzinfo=None))),
        "a label that would change": change(0, sealed(importance=1)),
        "a number that is none": change(0, sealed(confidence=float("nan"))),
    }


@pytest.mark.requirement("W1")
@pytest.mark.parametrize("name", _malformed())
async def test_a_malformed_change_is_a_programming_error(books: Books, name: str) -> None:
    """It is refused before anything is written; the same row in a proper change is taken."""
    with pytest.raises(ValueError, match=r"."):
        await books.ledger.commit(_malformed()[name])
    assert await books.ledger.epoch(ACME, ANNA) == 0
    await books.ledger.commit(change(0, sealed()))


@pytest.mark.requirement("S1")
async def test_a_change_of_leaves_alone_moves_the_epoch(books: Books) -> None:
    """Something happened to the subject, so facts gathered before are old."""
    await books.ledger.commit(Change(OWNER, Epoch(0), (), (noted(),)))
    assert await books.ledger.epoch(ACME, ANNA) == 1
    assert await books.audit.integrate() == 1


@pytest.mark.requirement("S1")
async def test_rows_come_in_the_order_asked_for(books: Books) -> None:
    """In any state, once each, leaving out what is not there."""
    rows = [sealed(state=state) for state in (State.ACTIVE, State.HELD, State.SUPERSEDED)]
    await put(books, *rows)
    asked = [rows[2].label.id, MemoryId("nothing"), *(row.label.id for row in rows)]
    found = await books.ledger.rows(ACME, ANNA, asked)
    assert ids(found) == [rows[2].label.id, rows[0].label.id, rows[1].label.id]
    assert await books.ledger.rows(ACME, ANNA, []) == []


@pytest.mark.requirement("S1")
async def test_more_ids_than_one_statement_may_have_are_all_found(on_file: Books) -> None:
    """The question is split; order stays."""
    rows = [sealed() for _ in range(1100)]
    await on_file.ledger.commit(change(0, *rows))
    asked = [row.label.id for row in reversed(rows)]
    assert ids(await on_file.ledger.rows(ACME, ANNA, asked)) == asked


@pytest.mark.requirement("E5")
async def test_no_method_shows_another_subjects_or_tenants_rows(books: Books) -> None:
    """Every read is asked in three scopes; each sees its own memory and no other."""
    shared = b"f" * 32
    mine = {
        owner: msgspec.structs.replace(sealed(owner), fingerprint=shared)
        for owner in (OWNER, *ELSEWHERE)
    }
    await put(books, *mine.values())
    everyone = [row.label.id for row in mine.values()]
    for owner, row in mine.items():
        tenant, subject = owner.tenant, owner.subject
        page = await books.ledger.page(tenant, subject, ANY_STATE, None, 9)
        assert ids(await books.ledger.rows(tenant, subject, everyone)) == [row.label.id]
        assert ids(await books.ledger.unindexed(tenant, subject, 9)) == [row.label.id]
        assert ids(await books.ledger.twins(tenant, subject, shared)) == [row.label.id]
        assert ids(page.rows) == [row.label.id]


@pytest.mark.requirement("E5")
async def test_one_id_in_two_tenants_is_two_memories(books: Books) -> None:
    """An id that another tenant has already is neither refused nor overwritten."""
    mine = sealed()
    theirs = sealed(Owner(GLOBEX, ANNA), id=mine.label.id, kind=Kind.NOTE)
    await put(books, mine, theirs)
    assert (await get(books, mine)).sealed == mine
    assert (await get(books, theirs)).sealed == theirs


@pytest.mark.requirement("E5")
async def test_a_subject_cannot_replace_another_subjects_row(books: Books) -> None:
    """Neither as new nor as the next version."""
    mine = sealed()
    await put(books, mine)
    boris = Owner(ACME, BORIS)
    for version in (1, 2):
        theirs = sealed(boris, id=mine.label.id, version=version)
        with pytest.raises(ConflictError):
            await books.ledger.commit(change(0, theirs, owner=boris))
    assert (await get(books, mine)).sealed == mine


@pytest.mark.requirement("S1")
async def test_pages_run_from_newest_to_oldest_and_end(books: Books) -> None:
    """Equal times are told apart by id; every row comes once; the last page has no cursor."""
    times = [START, START, START - timedelta(days=1), START + timedelta(microseconds=1), START]
    rows = [sealed(recorded_at=at) for at in times]
    await put(books, *rows)
    expected = sorted(rows, key=lambda r: (r.label.recorded_at, r.label.id), reverse=True)
    seen: list[MemoryId] = []
    cursor, pages = None, 0
    while pages == 0 or cursor is not None:
        page = await books.ledger.page(ACME, ANNA, ANY_STATE, cursor, 2)
        seen += ids(page.rows)
        cursor, pages = page.cursor, pages + 1
    assert seen == [row.label.id for row in expected]
    assert pages == 3


@pytest.mark.requirement("S1")
async def test_paging_is_stable_while_rows_come_in(books: Books) -> None:
    """A newer row shows on no later page, and none is shown twice or missed."""
    rows = [sealed(recorded_at=START - timedelta(hours=n)) for n in range(4)]
    await put(books, *rows)
    first = await books.ledger.page(ACME, ANNA, ANY_STATE, None, 2)
    await put(books, sealed(recorded_at=START + timedelta(hours=1)))
    second = await books.ledger.page(ACME, ANNA, ANY_STATE, first.cursor, 9)
    assert ids(first.rows) + ids(second.rows) == [row.label.id for row in rows]


@pytest.mark.requirement("E5")
async def test_a_cursor_serves_only_the_listing_it_came_from(books: Books) -> None:
    """Another tenant, subject or filter, a made-up or cut text: an error that quotes nothing."""
    for owner in (OWNER, *ELSEWHERE):
        await put(books, sealed(owner), sealed(owner))
    cursor = (await books.ledger.page(ACME, ANNA, ANY_STATE, None, 1)).cursor
    assert cursor is not None
    assert len((await books.ledger.page(ACME, ANNA, ANY_STATE, cursor, 1)).rows) == 1
    calls: list[tuple[TenantId, SubjectId, Filter, str]] = [
        (GLOBEX, ANNA, ANY_STATE, cursor),
        (ACME, BORIS, ANY_STATE, cursor),
        (ACME, ANNA, Filter(), cursor),
        *((ACME, ANNA, ANY_STATE, bad) for bad in ("", "x", cursor[:-3], "é", "A" * 4000, "wA")),
    ]
    for tenant, subject, filter, bad in calls:
        with pytest.raises(InvalidError) as refusal:
            await books.ledger.page(tenant, subject, filter, bad, 1)
        assert str(refusal.value) == "cursor"


@pytest.mark.requirement("S1")
async def test_each_filter_restricts_and_an_empty_one_does_not(books: Books) -> None:
    """By state, layer, kind, origin and half-open time range."""
    odd = sealed(
        state=State.HELD,
        layer=Layer.SEMANTIC,
        kind=Kind.PREFERENCE,
        origin=OriginClass.WEB,
        recorded_at=START + timedelta(days=1),
    )
    even = sealed()
    await put(books, odd, even)
    both = tuple(State)

    async def listed(filter: Filter) -> list[MemoryId]:
        return ids((await books.ledger.page(ACME, ANNA, filter, None, 9)).rows)

    only_odd = [
        Filter(states=(State.HELD,)),
        Filter(states=both, layers=(Layer.SEMANTIC,)),
        Filter(states=both, kinds=(Kind.PREFERENCE, Kind.NOTE)),
        Filter(states=both, origins=(OriginClass.WEB,)),
        Filter(states=both, since=START + timedelta(microseconds=1)),
    ]
    assert [await listed(filter) for filter in only_odd] == [[odd.label.id]] * len(only_odd)
    assert await listed(Filter(states=both, until=odd.label.recorded_at)) == [even.label.id]
    assert await listed(Filter()) == [even.label.id]
    assert await listed(Filter(states=both)) == [odd.label.id, even.label.id]


@pytest.mark.requirement("S1")
async def test_a_page_without_size_or_states_is_a_programming_error(books: Books) -> None:
    """Both would look like an empty answer."""
    with pytest.raises(ValueError, match="page"):
        await books.ledger.page(ACME, ANNA, ANY_STATE, None, 0)
    with pytest.raises(ValueError, match="filter"):
        await books.ledger.page(ACME, ANNA, Filter(states=()), None, 1)


@pytest.mark.requirement("R13")
async def test_a_row_is_unindexed_until_the_outbox_marks_its_newest_version(books: Books) -> None:
    """Marked at version 1, changed to version 2: unindexed again until that is marked too."""
    row = sealed()
    await put(books, row)
    task = Task(ACME, ANNA, row.label.id, 1)
    assert [(ids([r]), r.indexed) for r in await books.ledger.unindexed(ACME, ANNA, 9)] == [
        ([row.label.id], False)
    ]
    await books.outbox.done([task])
    assert await books.ledger.unindexed(ACME, ANNA, 9) == []
    assert (await get(books, row)).indexed
    changed = relabelled(row)
    await put(books, changed)
    assert ids(await books.ledger.unindexed(ACME, ANNA, 9)) == [row.label.id]
    await books.outbox.done([msgspec.structs.replace(task, version=2)])
    await books.outbox.done([task])
    assert await books.ledger.unindexed(ACME, ANNA, 9) == []


@pytest.mark.requirement("R13")
async def test_only_active_rows_count_as_unindexed_newest_first_and_bounded(books: Books) -> None:
    """Held, superseded, forgotten and rejected rows are nothing the index should have."""
    rows = [sealed(recorded_at=START + timedelta(hours=n)) for n in range(3)]
    others = [sealed(state=state) for state in State if state is not State.ACTIVE]
    await put(books, *rows, *others)
    assert ids(await books.ledger.unindexed(ACME, ANNA, 2)) == [r.label.id for r in rows[:0:-1]]
    assert len(await books.ledger.unindexed(ACME, ANNA, 9)) == 3


@pytest.mark.requirement("R1")
async def test_what_stands_beside_a_memory_in_its_session(books: Books) -> None:
    """The active one recorded right before and right after; of one instant, in order of ids."""
    first, second, third = (sealed(session="a" * 32) for _ in range(3))
    held = sealed(session="a" * 32, state=State.HELD)
    late = sealed(session="a" * 32, recorded_at=START + timedelta(microseconds=1))
    other, alone = sealed(session="b" * 32), sealed()
    foreign = [sealed(owner, session="a" * 32) for owner in ELSEWHERE]
    await put(books, first, second, third, held, late, other, alone)
    for owner, row in zip(ELSEWHERE, foreign, strict=True):
        await books.ledger.commit(change(0, row, owner=owner))
    asked = [row.label.id for row in (late, held, first, second, other, alone, *foreign)]
    found = await books.ledger.beside(ACME, ANNA, [*asked, MemoryId("unknown"), MemoryId("a\0")])
    assert found == {
        late.label.id: Beside(third.label.id, None),
        held.label.id: Beside(third.label.id, late.label.id),
        second.label.id: Beside(first.label.id, third.label.id),
        first.label.id: Beside(None, second.label.id),
        other.label.id: Beside(None, None),
    }


@pytest.mark.requirement("W15")
async def test_twins_are_found_in_any_state_newest_first(books: Books) -> None:
    """A forgotten memory's fingerprint is what keeps it from being learned again."""
    shared = b"s" * 32
    rows = [
        msgspec.structs.replace(
            sealed(state=state, recorded_at=START + timedelta(hours=n)), fingerprint=shared
        )
        for n, state in enumerate(State)
    ]
    await put(books, *rows, sealed())
    assert ids(await books.ledger.twins(ACME, ANNA, shared)) == [r.label.id for r in rows[::-1]]


@pytest.mark.requirement("W15")
async def test_what_claims_the_same_is_found_with_what_reads_the_same(books: Books) -> None:
    """In any state, newest first; an empty claim is nobody's, and no other subject's is found."""
    claim, shared = b"c" * 32, b"s" * 32
    read = msgspec.structs.replace(sealed(), fingerprint=shared)
    said = msgspec.structs.replace(
        sealed(state=State.FORGOTTEN, recorded_at=START + timedelta(hours=1)), claim=claim
    )
    theirs = msgspec.structs.replace(sealed(ELSEWHERE[0]), claim=claim)
    await put(books, read, said, theirs, sealed())
    both = await books.ledger.twins(ACME, ANNA, shared, claim)
    assert [row.sealed for row in both] == [said, read]
    assert ids(await books.ledger.twins(ACME, ANNA, shared)) == [read.label.id]
    assert ids(await books.ledger.twins(ACME, ANNA, b"n" * 32, b"")) == []


@pytest.mark.requirement("W10")
async def test_what_a_memory_replaced_is_found_by_its_id(books: Books) -> None:
    """In any of the states asked for, newest first; of this subject alone."""
    new = sealed()
    old = [
        sealed(
            state=State.SUPERSEDED,
            superseded_by=new.label.id,
            recorded_at=START - timedelta(hours=hours),
        )
        for hours in (1, 2)
    ]
    theirs = sealed(ELSEWHERE[0], state=State.SUPERSEDED, superseded_by=new.label.id)
    await put(books, new, *old, theirs, sealed(state=State.SUPERSEDED))
    asked = Filter(states=(State.SUPERSEDED, State.FORGOTTEN), superseded_by=(new.label.id,))
    page = await books.ledger.page(ACME, ANNA, asked, None, 9)
    assert ids(page.rows) == [row.label.id for row in old]


@pytest.mark.requirement("R5")
async def test_the_newest_leaf_is_that_of_the_newest_version(books: Books) -> None:
    """Leaves of recalls that name the memory don't count, nor does a clock that stepped back."""
    row = sealed()
    await put(books, row)
    assert (await get(books, row)).newest_leaf == row.label.leaf
    await books.audit.note([noted(object=row.label.id)])
    assert (await get(books, row)).newest_leaf == row.label.leaf
    changed = relabelled(row, leaf=LeafId("00000000-0000-7000-8000-000000000000"))
    await put(books, changed)
    assert (await get(books, row)).newest_leaf == changed.label.leaf


@pytest.mark.requirement("R5")
async def test_a_row_rolled_back_in_the_file_no_longer_names_its_newest_leaf(
    on_file: Books,
) -> None:
    """The whole older row is put back byte by byte; the leaf of the newer version tells."""
    row = sealed()
    changed = relabelled(row, state=State.FORGOTTEN)
    await put(on_file, row, changed)
    columns = columns_of(row)
    places = ", ".join(f"{name} = ?" for name in columns)
    edit(
        on_file,
        f"UPDATE memories SET {places} WHERE id = ?",  # noqa: S608  # column names of ours
        *columns.values(),
        row.label.id,
    )
    found = await get(on_file, row)
    assert found.sealed == row
    assert found.newest_leaf == changed.label.leaf != found.sealed.label.leaf


@pytest.mark.requirement("R5")
@pytest.mark.parametrize(
    "spoilt",
    [
        "state = 'bogus'",
        "trust = 'high'",
        "token = 'text'",
        "recorded_at = 'yesterday'",
        "expires_at = 9e18",
        "layer = CAST(X'FF' AS TEXT)",
    ],
)
async def test_a_spoilt_row_is_left_out_and_the_rest_returned(on_file: Books, spoilt: str) -> None:
    """An edited column can hide its own row and no other."""
    bad, good = sealed(recorded_at=START + timedelta(days=1)), sealed()
    await put(on_file, bad, good)
    edit(on_file, f"UPDATE memories SET {spoilt} WHERE id = ?", bad.label.id)  # noqa: S608
    found = await on_file.ledger.rows(ACME, ANNA, [bad.label.id, good.label.id])
    page = await on_file.ledger.page(ACME, ANNA, ANY_STATE, None, 9)
    assert ids(found) == [good.label.id]
    assert good.label.id in ids(page.rows)
    assert bad.label.id not in ids(page.rows)


@pytest.mark.requirement("R5")
@pytest.mark.parametrize(
    "spoilt",
    [
        "state = 'active', kind = 'bogus'",
        "recorded_at = 'yesterday'",
        "recorded_at = recorded_at + 0.5",
        "recorded_at = -1",
        "id = CAST(id || X'FF' AS BLOB)",
    ],
)
async def test_a_page_of_spoilt_rows_ends_no_listing(on_file: Books, spoilt: str) -> None:
    """Whoever spoils a whole page hides what was on it, and nothing of what comes after."""
    rows = [sealed(recorded_at=START - timedelta(hours=n)) for n in range(7)]
    await put(on_file, *rows)
    edit(on_file, "DELETE FROM outbox")
    for row in rows[1:5]:
        edit(on_file, f"UPDATE memories SET {spoilt} WHERE id = ?", row.label.id)  # noqa: S608
    seen: list[MemoryId] = []
    cursor, pages = None, 0
    while pages == 0 or cursor is not None:
        page = await on_file.ledger.page(ACME, ANNA, ANY_STATE, cursor, 2)
        seen += ids(page.rows)
        cursor, pages = page.cursor, pages + 1
        assert pages < 9
    assert seen == [row.label.id for row in (rows[0], rows[5], rows[6])]


@pytest.mark.requirement("S9")
async def test_only_a_commit_that_stands_wakes_those_who_follow(on_file: Books) -> None:
    """They are told after it, so that what they then read is there; a conflict tells nobody."""
    told: list[str] = []
    file = on_file.file
    assert file is not None
    database = await Database.open(url_of(file))
    ledger = SqlLedger(database, committed=lambda: told.append("committed"))
    await ledger.commit(change(0, sealed()))
    assert told == ["committed"]
    with pytest.raises(ConflictError):
        await ledger.commit(change(0, sealed()))
    assert told == ["committed"]
    await database.close()


@pytest.mark.requirement("S1")
async def test_a_commit_survives_the_process(on_file: Books) -> None:
    """What was acknowledged is in the file for the next process."""
    row = sealed()
    await put(on_file, row)
    assert on_file.file is not None
    later = await Database.open(url_of(on_file.file))
    assert (await get(books_on(later, on_file.file), row)).sealed == row
    await later.close()


_instants = st.datetimes(
    min_value=datetime(1970, 1, 1),  # noqa: DTZ001  # the strategy adds the zone
    max_value=datetime(9990, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=8))]),
)
_floats = st.floats(min_value=0, max_value=1).filter(lambda x: str(x) != "-0.0")
_labels = st.builds(
    Label,
    recorded_at=_instants,
    changed_at=_instants,
    expires_at=st.none() | _instants,
    importance=_floats,
    confidence=_floats,
    revision=st.integers(1, 2**31 - 1),
    version=st.integers(1, 2**31 - 1),
    trust=st.integers(0, 4),
)


@pytest.mark.requirement("S1")
@given(label=_labels, tokens=st.lists(st.binary(), min_size=5, max_size=5))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_label_survives_the_mapping(label: Label, tokens: list[bytes]) -> None:
    """Whatever text, time and number it holds, it comes back with the same encoding."""
    row = Sealed(label, *tokens)
    back = sealed_of(columns_of(row))
    assert msgspec.msgpack.encode(back) == msgspec.msgpack.encode(row)
