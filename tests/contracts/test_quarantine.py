"""The quarantine's contract, on memory, on a real SQLite file and on a real PostgreSQL."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from guard.errors import ConflictError, InvalidError
from guard.nouns import Leaf, Sealed, SealedRemark
from guard.ports import Docket, Filter, Order
from memory.origin import OriginClass
from memory.types import ClientId, Layer, LeafId, MemoryId, Owner, State, SubjectId, TenantId
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    ELSEWHERE,
    GLOBEX,
    OWNER,
    START,
    Books,
    change,
    get,
    ids,
    leaf_for,
    new_id,
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


@pytest.mark.requirement("Q1")
@pytest.mark.parametrize(
    ("docket", "wanted"),
    [
        (Docket(), (0, 1, 2, 3)),
        (Docket(order=Order.OLDEST), (3, 2, 1, 0)),
        (Docket(order=Order.SCORE), (2, 0, 3, 1)),
        (Docket(order=Order.SCORE, clients=(ClientId("crawler"),)), (3, 1)),
        (Docket(origins=(OriginClass.WEB,)), (1,)),
        (Docket(origins=(OriginClass.WEB, OriginClass.DOCUMENT)), (1, 2)),
        (Docket(order=Order.OLDEST, origins=(OriginClass.WEB, OriginClass.DOCUMENT)), (2, 1)),
        (Docket(layers=(Layer.SEMANTIC,)), (2,)),
        (Docket(clients=(ClientId("crawler"),)), (1, 3)),
        (Docket(clients=(ClientId("crawler"),), sources=("a" * 32,)), (3,)),
        (Docket(sessions=("b" * 32,)), (0,)),
        (Docket(subjects=(ELSEWHERE[0].subject,)), (0,)),
        (Docket(since=START - timedelta(hours=1)), (0, 1)),
        (Docket(until=START - timedelta(hours=1)), (2, 3)),
        (Docket(clients=(ClientId("nobody"),)), ()),
        (Docket(subjects=(SubjectId("nu\0l"),)), ()),
    ],
)
async def test_the_queue_is_filtered_sorted_and_counted(
    books: Books, docket: Docket, wanted: tuple[int, ...]
) -> None:
    """In pages of one as in one page; rows that are not held, and another tenant's, never."""
    boris, elsewhere = ELSEWHERE
    crawler, hour = ClientId("crawler"), timedelta(hours=1)
    labels: list[tuple[Owner, dict[str, object]]] = [
        (boris, {"session": "b" * 32, "gravity": 3}),
        (OWNER, {"origin": OriginClass.WEB, "client": crawler}),
        (OWNER, {"origin": OriginClass.DOCUMENT, "layer": Layer.SEMANTIC, "gravity": 9}),
        (OWNER, {"source": "a" * 32, "client": crawler, "gravity": 3}),
    ]
    rows = [
        sealed(owner, state=State.HELD, recorded_at=START - n * hour, **label)
        for n, (owner, label) in enumerate(labels)
    ]
    others = [sealed(owner, **label) for owner, label in labels]
    await put(books, *rows, *others, *(sealed(elsewhere, state=State.HELD) for _ in range(2)))
    ids_wanted = [rows[n].label.id for n in wanted]
    found, cursor = [], None
    for _ in range(len(rows) + 1):
        page = await books.quarantine.held(ACME, cursor, 1, docket)
        found += ids(page.rows)
        cursor = page.cursor
        if cursor is None:
            break
    assert found == ids_wanted == ids((await books.quarantine.held(ACME, None, 9, docket)).rows)
    assert await books.quarantine.count(ACME, docket) == len(wanted)
    assert await books.quarantine.count(ACME, docket, 1) == min(1, len(wanted))


@pytest.mark.requirement("Q1")
async def test_a_cursor_serves_the_filter_and_the_order_that_it_came_from(books: Books) -> None:
    """With another one it is refused: a listing that changes under way would skip cases."""
    await put(books, *(sealed(state=State.HELD) for _ in range(3)))
    docket = Docket(clients=(sealed().label.client,))
    cursor = (await books.quarantine.held(ACME, None, 1, docket)).cursor
    assert (await books.quarantine.held(ACME, cursor, 9, docket)).cursor is None
    for other in (Docket(), Docket(order=Order.OLDEST, clients=docket.clients)):
        with pytest.raises(InvalidError):
            await books.quarantine.held(ACME, cursor, 1, other)


def remarked(row: Sealed) -> tuple[Leaf, SealedRemark]:
    """Return a leaf that changes nothing of a row, and a remark on it."""
    owner = Owner(TenantId(row.label.tenant), SubjectId(row.label.subject))
    leaf = msgspec.structs.replace(
        leaf_for(row), id=LeafId(new_id()), version=0, digest=b"", action="reveal"
    )
    return leaf, SealedRemark(leaf.id, owner, row.label.id, b"\x00\xffsealed")


@pytest.mark.requirement("Q3")
async def test_a_remark_stands_with_its_leaf_until_the_memory_is_forgotten(books: Books) -> None:
    """Newest first, of one memory of one tenant; a rejected memory keeps what was said of it."""
    _, elsewhere = ELSEWHERE
    row, other, foreign = sealed(state=State.HELD), sealed(), sealed(elsewhere)
    await put(books, row, other, foreign)
    made = [remarked(one) for one in (row, row, other, foreign)]
    for leaf, remark in made:
        await books.remarks.keep(leaf, remark)
    kept = [remark for _, remark in made]
    assert await books.remarks.on(ACME, row.label.id, 9) == [kept[1], kept[0]]
    assert await books.remarks.on(ACME, row.label.id, 1) == [kept[1]]
    assert await books.remarks.on(GLOBEX, row.label.id, 9) == []
    await books.audit.integrate()
    leaves = [one.leaf for one in await books.audit.leaves(ACME, 0, 99)]
    assert [leaf for leaf in leaves if leaf.action == "reveal"] == [leaf for leaf, _ in made[:3]]
    rejected = relabelled(row, state=State.REJECTED)
    await put(books, rejected)
    assert len(await books.remarks.on(ACME, row.label.id, 9)) == 2
    await put(books, relabelled(rejected, state=State.FORGOTTEN))
    assert await books.remarks.on(ACME, row.label.id, 9) == []
    assert await books.remarks.on(ACME, other.label.id, 9) == [kept[2]]


@pytest.mark.requirement("Q3")
async def test_a_remark_without_its_leaf_or_a_leaf_without_its_remark_is_not_kept(
    books: Books,
) -> None:
    """What was there already is a conflict, whole; what belongs to another memory is an error."""
    row, other = sealed(state=State.HELD), sealed(state=State.HELD)
    await put(books, row, other)
    leaf, remark = remarked(row)
    await books.remarks.keep(leaf, remark)
    with pytest.raises(ConflictError):
        await books.remarks.keep(leaf, remark)
    assert await books.remarks.on(ACME, row.label.id, 9) == [remark]
    with pytest.raises(ValueError, match="otherwise"):
        await books.remarks.keep(leaf, msgspec.structs.replace(remark, memory=other.label.id))


@pytest.mark.requirement("Q1", "Q2")
async def test_what_is_escalated_is_listed_until_it_is_held_no_more(books: Books) -> None:
    """Of one tenant, beside what else is held; marked twice it is marked."""
    _, elsewhere = ELSEWHERE
    row, other, foreign = sealed(state=State.HELD), sealed(state=State.HELD), sealed(elsewhere)
    await put(books, row, other, foreign)
    marked = Docket(escalated=True)
    assert ids((await books.quarantine.held(ACME, None, 9, marked)).rows) == []
    for _ in range(2):
        row = relabelled(row, state=State.HELD)
        epoch = await books.ledger.epoch(OWNER.tenant, OWNER.subject)
        made = change(epoch, row, owner=OWNER)
        await books.ledger.commit(msgspec.structs.replace(made, escalated=(row.label.id,)))
        assert ids((await books.quarantine.held(ACME, None, 9, marked)).rows) == [row.label.id]
        assert await books.quarantine.count(ACME, marked) == 1
        assert await books.quarantine.count(ACME) == 2
        assert await books.quarantine.count(GLOBEX, marked) == 0
    await put(books, relabelled(row, state=State.ACTIVE))
    assert await books.quarantine.count(ACME, marked) == 0


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


async def doubting(books: Books, row: Sealed, *others: Sealed) -> None:
    """Commit a row that stands in doubt beside others."""
    owner = Owner(TenantId(row.label.tenant), SubjectId(row.label.subject))
    epoch = await books.ledger.epoch(owner.tenant, owner.subject)
    doubts = tuple((row.label.id, other.label.id) for other in others)
    made = change(epoch, row, owner=owner)
    await books.ledger.commit(msgspec.structs.replace(made, doubts=doubts))


@pytest.mark.requirement("W10")
async def test_what_stands_in_doubt_is_listed_by_tenant(books: Books) -> None:
    """Active rows of all subjects, newest first and once each, in pages; nobody else's."""
    boris, elsewhere = ELSEWHERE
    old, third = sealed(), sealed()
    one = sealed(recorded_at=START + timedelta(hours=1))
    his, foreign = sealed(boris), sealed(elsewhere)
    two = sealed(boris, recorded_at=START + timedelta(hours=2))
    theirs = sealed(elsewhere)
    await put(books, old, third, his, foreign)
    for row, others in ((one, (old, third)), (two, (his,)), (theirs, (foreign,))):
        await doubting(books, row, *others)
    first = await books.quarantine.doubted(ACME, None, 1)
    assert ids(first.rows) == [two.label.id]
    rest = await books.quarantine.doubted(ACME, first.cursor, 1)
    assert (ids(rest.rows), rest.cursor) == ([one.label.id], None)
    assert ids((await books.quarantine.doubted(GLOBEX, None, 9)).rows) == [theirs.label.id]
    with pytest.raises(InvalidError):
        await books.quarantine.doubted(GLOBEX, first.cursor, 1)


@pytest.mark.requirement("W10")
@pytest.mark.parametrize("state", [state for state in State if state is not State.ACTIVE])
async def test_a_doubt_ends_when_one_side_is_active_no_more(books: Books, state: State) -> None:
    """Whichever side it is, and whatever becomes of it; a doubt beside a third one goes on."""
    old, third, one = sealed(), sealed(), sealed()
    await put(books, old, third)
    await doubting(books, one, old, third)
    await put(books, relabelled(old, state=state))
    assert ids((await books.quarantine.doubted(ACME, None, 9)).rows) == [one.label.id]
    touched = relabelled(one)
    await put(books, touched)
    assert ids((await books.quarantine.doubted(ACME, None, 9)).rows) == [one.label.id]
    await put(books, relabelled(third, state=state))
    assert (await books.quarantine.doubted(ACME, None, 9)).rows == ()

    other, two = sealed(), sealed()
    await put(books, other)
    await doubting(books, two, other)
    gone = relabelled(two, state=state)
    await put(books, gone)
    await put(books, relabelled(gone, state=State.ACTIVE))
    assert (await books.quarantine.doubted(ACME, None, 9)).rows == ()


@pytest.mark.requirement("R13")
async def test_a_doubt_is_committed_with_its_row_or_not_at_all(books: Books) -> None:
    """A change that is outrun leaves none."""
    old, one = sealed(), sealed()
    await put(books, old)
    stale = msgspec.structs.replace(change(0, one), doubts=((one.label.id, old.label.id),))
    with pytest.raises(ConflictError):
        await books.ledger.commit(stale)
    await put(books, one)
    assert (await books.quarantine.doubted(ACME, None, 9)).rows == ()
