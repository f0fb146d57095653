"""What any keeper of doubts promises: open until dismissed with a leaf, gone with either side."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest

from guard.doubts import Doubts, Undoubted
from guard.errors import ConflictError, UnavailableError
from guard.nouns import Leaf, Sealed, SealedRemark
from memory.types import LeafId, State
from storage.doubts import SqlDoubts
from storage.fakes.ledger import MemoryLedger
from storage.ledger import SqlLedger
from tests.contracts.ledger_builders import (
    ACME,
    ELSEWHERE,
    GLOBEX,
    OWNER,
    Books,
    change,
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


def doubts_in(books: Books) -> Doubts:
    """Return the doubts of these books."""
    ledger = books.ledger
    if isinstance(ledger, MemoryLedger):
        return ledger.doubts
    assert isinstance(ledger, SqlLedger)
    return SqlDoubts(ledger._database)  # books have no field for every port


def leaf_on(row: Sealed) -> Leaf:
    """Return the leaf of a dismissal, which changes no memory."""
    leaf = leaf_for(row)
    return msgspec.structs.replace(
        leaf, id=LeafId(new_id()), version=0, digest=b"", action="dismiss", outcome="dismissed"
    )


async def doubting(books: Books, row: Sealed, *others: Sealed) -> None:
    """Commit a version of a row that stands in doubt beside others."""
    epoch = await books.ledger.epoch(OWNER.tenant, OWNER.subject)
    pairs = tuple((row.label.id, other.label.id) for other in others)
    await books.ledger.commit(msgspec.structs.replace(change(epoch, row), doubts=pairs))


@pytest.mark.requirement("W10")
async def test_a_dismissed_doubt_is_open_no_more(books: Books) -> None:
    """Of one memory, beside those that are named; with its leaf and its remark."""
    doubts = doubts_in(books)
    one, two, three, other = (sealed() for _ in range(4))
    await put(books, one, two, three)
    await doubting(books, other, one, two, three)
    everybody = tuple(sorted(row.label.id for row in (one, two, three)))
    assert await doubts.beside(ACME, other.label.id) == everybody
    assert await doubts.beside(ACME, one.label.id) == ()
    assert await doubts.beside(GLOBEX, other.label.id) == ()

    leaf = leaf_on(other)
    remark = SealedRemark(leaf.id, OWNER, other.label.id, b"\x00\xffsealed")
    await doubts.dismiss(leaf, [one.label.id, two.label.id], remark)
    assert await doubts.beside(ACME, other.label.id) == (three.label.id,)
    assert ids((await books.quarantine.doubted(ACME, None, 9)).rows) == [other.label.id]
    assert await books.remarks.on(ACME, other.label.id, 9) == [remark]
    await doubts.dismiss(leaf_on(other), [three.label.id], None)
    assert (await books.quarantine.doubted(ACME, None, 9)).rows == ()
    await books.audit.integrate()
    actions = [one.leaf.action for one in await books.audit.leaves(ACME, 0, 99)]
    assert actions.count("dismiss") == 2


@pytest.mark.requirement("W10")
async def test_what_is_not_open_is_a_conflict_and_leaves_nothing(books: Books) -> None:
    """Neither what was dismissed, nor what never was, nor half of both; another subject's stays."""
    doubts = doubts_in(books)
    boris, _ = ELSEWHERE
    old, third, new, his = sealed(), sealed(), sealed(), sealed(boris)
    await put(books, old, third, his)
    await doubting(books, new, old)
    for others in ([third.label.id], [old.label.id, third.label.id], [his.label.id]):
        with pytest.raises(ConflictError):
            await doubts.dismiss(leaf_on(new), others, None)
    with pytest.raises(ConflictError):
        await doubts.dismiss(leaf_on(old), [new.label.id], None)
    assert await doubts.beside(ACME, new.label.id) == (old.label.id,)
    await doubts.dismiss(leaf_on(new), [old.label.id], None)
    with pytest.raises(ConflictError):
        await doubts.dismiss(leaf_on(new), [old.label.id], None)
    await books.audit.integrate()
    actions = [one.leaf.action for one in await books.audit.leaves(ACME, 0, 99)]
    assert actions.count("dismiss") == 1


@pytest.mark.requirement("W10")
async def test_what_was_dismissed_is_raised_again_only_after_a_side_changed(books: Books) -> None:
    """A later change that names the pair changes nothing; once one side was history, it does."""
    doubts = doubts_in(books)
    old, new = sealed(), sealed()
    await put(books, old)
    await doubting(books, new, old)
    await doubts.dismiss(leaf_on(new), [old.label.id], None)
    touched = relabelled(new)
    await doubting(books, touched, old)
    assert await doubts.beside(ACME, new.label.id) == ()
    gone = relabelled(touched, state=State.SUPERSEDED)
    await put(books, gone)
    back = relabelled(gone, state=State.ACTIVE)
    await doubting(books, back, old)
    assert await doubts.beside(ACME, new.label.id) == (old.label.id,)


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(
    "spoilt",
    [
        lambda leaf, remark: (msgspec.structs.replace(leaf, version=1), remark),
        lambda leaf, remark: (leaf, msgspec.structs.replace(remark, id=LeafId(new_id()))),
    ],
)
async def test_a_leaf_that_says_otherwise_is_an_error(
    books: Books, spoilt: Callable[[Leaf, SealedRemark], tuple[Leaf, SealedRemark]]
) -> None:
    """A programming error, and nothing is kept."""
    doubts = doubts_in(books)
    old, new = sealed(), sealed()
    await put(books, old)
    await doubting(books, new, old)
    leaf = leaf_on(new)
    wrong, remark = spoilt(leaf, SealedRemark(leaf.id, OWNER, new.label.id, b"sealed"))
    with pytest.raises(ValueError, match=r"."):
        await doubts.dismiss(wrong, [old.label.id], remark)
    assert await doubts.beside(ACME, new.label.id) == (old.label.id,)


@pytest.mark.requirement("W10")
async def test_where_nobody_reviews_nothing_is_dismissed() -> None:
    """Whoever asks is told, instead of being believed without a leaf."""
    row = sealed()
    assert await Undoubted().beside(ACME, row.label.id) == ()
    with pytest.raises(UnavailableError):
        await Undoubted().dismiss(leaf_on(row), [row.label.id], None)
