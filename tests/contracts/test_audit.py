"""The audit's contract, on memory, SQLite and PostgreSQL; and what tampering it shows."""

import asyncio
import hashlib
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from guard.errors import UnreadableError
from guard.nouns import Leaf
from guard.ports import AuditHead, Integrated
from memory.origin import Channel
from memory.types import ClientId, LeafId, MemoryId, Owner, State, TenantId
from storage.chain import EMPTY, Flaw, Problem, decode_leaf, follow, leaf_hash, verify_chain
from storage.database import Database
from storage.rows import columns_of
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    ELSEWHERE,
    GLOBEX,
    Books,
    books_on,
    leaf_for,
    noted,
    open_books,
    put,
    relabelled,
    sealed,
    url_of,
)
from tests.postgres import Place


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


@pytest.mark.requirement("R14")
async def test_the_leaves_of_a_memory_come_in_the_order_of_its_versions(books: Books) -> None:
    """Those that made a version, whether they have their place yet or not; no recall is there."""
    row, other = sealed(), sealed()
    gone = relabelled(row, state=State.FORGOTTEN)
    await put(books, row, other)
    await books.audit.integrate()
    await put(books, gone)
    await books.audit.note([noted(object=row.label.id)])
    unknown = MemoryId("01958f00-0000-7000-8000-ffffffffffff")
    made = await books.audit.made(ACME, [row.label.id, unknown])
    assert made == {row.label.id: (leaf_for(row), leaf_for(gone)), unknown: ()}
    assert await books.audit.made(GLOBEX, [row.label.id]) == {row.label.id: ()}


def edit(books: Books, *statements: str) -> None:
    """Change the file behind the audit's back, in one transaction."""
    assert books.file is not None
    with sqlite3.connect(books.file) as raw:
        for statement in statements:
            assert raw.execute(statement).rowcount != 0
    raw.close()


def flaws(problems: tuple[Problem, ...]) -> set[Flaw]:
    """Return the kinds of problems."""
    return {problem.flaw for problem in problems}


@pytest.mark.requirement("Q6")
async def test_leaves_of_changes_and_notes_get_places_in_order_of_id(books: Books) -> None:
    """Per tenant, without gaps, going on where the chain ended."""
    row = sealed()
    recall = noted()
    await put(books, row)
    await books.audit.note([recall])
    assert await books.audit.leaves(ACME, 0, 9) == []
    assert await books.audit.integrate() == 2
    late = noted()
    await books.audit.note([late])
    assert await books.audit.integrate() == 1
    assert await books.audit.integrate() == 0
    found = await books.audit.leaves(ACME, 0, 9)
    assert [(one.sequence, one.leaf) for one in found] == [
        (1, leaf_for(row)),
        (2, recall),
        (3, late),
    ]


@pytest.mark.requirement("Q6")
async def test_the_chain_is_computed_as_documented(books: Books) -> None:
    """Recomputed here from the documented layout alone."""
    leaves = [noted(), noted()]
    await books.audit.note(leaves)
    await books.audit.integrate()
    value = hashlib.sha256(b"").digest()
    expected = []
    for leaf in leaves:
        hashed = hashlib.sha256(b"\x00" + msgspec.msgpack.encode(leaf)).digest()
        value = hashlib.sha256(b"\x01" + value + hashed).digest()
        expected.append(value)
    assert [one.hash for one in await books.audit.leaves(ACME, 0, 9)] == expected
    assert await books.audit.head(ACME) == AuditHead(2, expected[-1])


@pytest.mark.requirement("Q6")
def test_the_bytes_of_a_leaf_and_its_chain_value_stand() -> None:
    """Golden vector: a change here breaks every audit ever written."""
    leaf = Leaf(
        id=LeafId("01958f00-0000-7000-8000-000000000001"),
        tenant="acme",
        subject="anna",
        actor="anna",
        client=ClientId("app"),
        channel=Channel.REST,
        action="remember",
        object="01958f00-0000-7000-8000-000000000002",
        version=1,
        outcome="stored",
        policy="strict@1",
        digest=bytes(range(32)),
        reasons=("rule.one", "规则"),
        at=datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC),
    )
    body = msgspec.msgpack.encode(leaf)
    assert body == bytes.fromhex(
        "9ed92430313935386630302d303030302d373030302d383030302d303030303030303030303031"
        "a461636d65a4616e6e61a4616e6e61a3617070a472657374a872656d656d626572"
        "d92430313935386630302d303030302d373030302d383030302d303030303030303030303032"
        "01a673746f726564a87374726963744031"
        "c420000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        "92a872756c652e6f6e65a6e8a784e58899d7ff1d6f280069a42a40"
    )
    assert leaf_hash(body) == bytes.fromhex(
        "32291c7a6e133ed4418cef4ff27d3ea1a7827b06e1f5479daf57aaa687a1af23"
    )
    assert follow(EMPTY.hash, leaf_hash(body)) == bytes.fromhex(
        "b083ec520e61dacb9464e9dc4fa9993e05ccced1cf0023920f5a8e0412d31421"
    )
    assert decode_leaf(body) == leaf


@pytest.mark.requirement("Q6")
async def test_a_tenant_has_its_own_chain(books: Books) -> None:
    """Its numbers start at 1, and no other tenant's leaf is among its leaves."""
    mine, theirs = noted(), noted(Owner(GLOBEX, ANNA))
    await books.audit.note([mine, theirs])
    assert await books.audit.integrate() == 2
    for tenant, leaf in ((ACME, mine), (GLOBEX, theirs)):
        (found,) = await books.audit.leaves(tenant, 0, 9)
        assert (found.sequence, found.leaf) == (1, leaf)
        assert (await books.audit.head(tenant)).size == 1
    assert await books.audit.tenants() == [ACME, GLOBEX]


@pytest.mark.requirement("Q6")
async def test_one_leaf_id_in_two_tenants_is_two_leaves(books: Books) -> None:
    """Neither takes the other's place."""
    first, mine = noted(), noted()
    theirs = msgspec.structs.replace(noted(Owner(GLOBEX, ANNA)), id=mine.id)
    await books.audit.note([first, mine, theirs])
    assert await books.audit.integrate() == 3
    assert [one.leaf for one in await books.audit.leaves(GLOBEX, 0, 9)] == [theirs]
    assert (await books.audit.leaves(ACME, 1, 9))[0].leaf == mine
    assert (await books.audit.verify(ACME)).ok
    assert (await books.audit.verify(GLOBEX)).ok


@pytest.mark.requirement("Q6")
async def test_an_unknown_tenant_has_the_empty_chain(books: Books) -> None:
    """Its head says so, and it verifies."""
    assert await books.audit.head(TenantId("nobody")) == EMPTY
    assert AuditHead(0, hashlib.sha256(b"").digest()) == EMPTY
    assert (await books.audit.verify(TenantId("nobody"))).ok


@pytest.mark.requirement("Q6")
async def test_leaves_are_read_in_pages(books: Books) -> None:
    """After a number, at most so many."""
    await books.audit.note([noted() for _ in range(5)])
    await books.audit.integrate()
    pages = [await books.audit.leaves(ACME, after, 2) for after in (0, 2, 4, 5)]
    assert [[one.sequence for one in page] for page in pages] == [[1, 2], [3, 4], [5], []]


@pytest.mark.requirement("Q6")
async def test_noting_a_batch_again_adds_nothing(books: Books) -> None:
    """A batch whose answer was lost may be sent again."""
    first, second = noted(), noted()
    await books.audit.note([first])
    await books.audit.note([first, second, second])
    await books.audit.note([])
    assert await books.audit.integrate() == 2


@pytest.mark.requirement("Q6")
async def test_a_note_cannot_claim_to_have_changed_a_memory(books: Books) -> None:
    """Or it could hide a rollback by being a memory's newest leaf."""
    with pytest.raises(ValueError, match="version 0"):
        await books.audit.note([noted(), leaf_for(sealed())])
    assert await books.audit.integrate() == 0


@pytest.mark.requirement("Q6")
async def test_two_processes_that_integrate_at_once_make_one_chain(on_file: Books) -> None:
    """Each leaf gets one place, each place one leaf, and the chain verifies."""
    assert on_file.file is not None
    other = await Database.open(url_of(on_file.file))
    theirs = books_on(other, on_file.file)
    await on_file.audit.note([noted() for _ in range(700)])
    placed = await asyncio.gather(*(b.audit.integrate() for b in (on_file, theirs) * 2))
    await other.close()
    assert sum(placed) == 700
    sequences = [one.sequence for one in await on_file.audit.leaves(ACME, 0, 1000)]
    assert sequences == list(range(1, 701))
    assert (await on_file.audit.verify(ACME)).ok


async def _filled(books: Books) -> list[LeafId]:
    """Fill the books with every kind of change and return the leaf ids of ACME in order."""
    rows = [sealed(state=state) for state in (State.ACTIVE, State.HELD)]
    elsewhere = sealed(ELSEWHERE[1])
    await put(books, *rows, elsewhere)
    await books.audit.note([noted(object=rows[0].label.id), noted()])
    await put(books, relabelled(rows[0], state=State.SUPERSEDED, superseded_by=rows[1].label.id))
    await put(books, relabelled(rows[1], state=State.REJECTED))
    await put(books, sealed())
    await books.audit.integrate()
    return [one.leaf.id for one in await books.audit.leaves(ACME, 0, 99)]


@pytest.mark.requirement("Q6")
async def test_an_honest_ledger_verifies(books: Books) -> None:
    """Positive control of every tampering test; waiting leaves are no problem either."""
    filled = await _filled(books)
    await put(books, sealed())
    report = await books.audit.verify(ACME)
    assert (report.tenant, report.leaves, report.ok, report.problems) == (
        ACME,
        len(filled),
        True,
        (),
    )
    assert (await books.audit.verify(GLOBEX)).ok


@pytest.mark.requirement("Q6")
async def test_verification_goes_on_over_many_batches(on_file: Books) -> None:
    """A long chain verifies, and an edit deep inside is found at its place, once."""
    await on_file.audit.note([noted() for _ in range(1203)])
    await on_file.audit.integrate()
    assert (await on_file.audit.verify(ACME)).ok
    edit(on_file, "UPDATE leaves SET chain = X'00' WHERE sequence = 1000")
    report = await on_file.audit.verify(ACME)
    assert report.leaves == 1203
    assert report.problems == (
        Problem(Flaw.LEAF_CHANGED, 1000),
        Problem(Flaw.LEAF_CHANGED, 1001),
    )


_SWAP = (
    "UPDATE leaves SET sequence = -1 WHERE tenant = 'acme' AND sequence = 2",
    "UPDATE leaves SET sequence = 2 WHERE tenant = 'acme' AND sequence = 3",
    "UPDATE leaves SET sequence = 3 WHERE tenant = 'acme' AND sequence = -1",
)
_SECOND = "tenant = 'acme' AND sequence = 2"
_ROW = "tenant = 'acme' AND state = 'active'"


@pytest.mark.requirement("Q6")
@pytest.mark.parametrize(
    ("tampering", "expected"),
    [
        pytest.param(
            [f"UPDATE leaves SET body = zeroblob(length(body)) WHERE {_SECOND}"],  # noqa: S608
            {Flaw.LEAF_CHANGED, Flaw.LEAF_UNREADABLE},
            id="leaf overwritten",
        ),
        pytest.param(
            [f"UPDATE leaves SET body = CAST(body || X'C0' AS BLOB) WHERE {_SECOND}"],  # noqa: S608
            {Flaw.LEAF_CHANGED, Flaw.LEAF_UNREADABLE},
            id="leaf with a tail",
        ),
        pytest.param(
            [f"UPDATE leaves SET chain = zeroblob(32) WHERE {_SECOND}"],  # noqa: S608
            {Flaw.LEAF_CHANGED},
            id="chain value",
        ),
        pytest.param(
            [f"DELETE FROM leaves WHERE {_SECOND}"],  # noqa: S608
            {Flaw.LEAF_MISSING},
            id="leaf dropped",
        ),
        pytest.param(
            [f"UPDATE leaves SET sequence = NULL, chain = NULL WHERE {_SECOND}"],  # noqa: S608
            {Flaw.LEAF_MISSING},
            id="leaf taken out of the chain",
        ),
        pytest.param(_SWAP, {Flaw.LEAF_CHANGED}, id="leaves reordered"),
        pytest.param(
            [f"UPDATE leaves SET sequence = 'two' WHERE {_SECOND}"],  # noqa: S608
            {Flaw.LEAF_MISSING, Flaw.LEAF_MISPLACED},
            id="number that is none",
        ),
        pytest.param(
            [f"UPDATE leaves SET object = 'other' WHERE {_SECOND}"],  # noqa: S608
            {Flaw.LEAF_MISPLACED, Flaw.ROW_MISSING},
            id="leaf filed under another object",
        ),
        pytest.param(
            ["UPDATE leaves SET row_version = NULL WHERE row_version = 2 AND sequence = 5"],
            {Flaw.LEAF_MISPLACED, Flaw.ROW_ROLLED_BACK},
            id="newest version's leaf disguised as a recall's",
        ),
        pytest.param(
            [f"UPDATE memories SET leaf = 'none' WHERE {_ROW}"],  # noqa: S608
            {Flaw.ROW_WITHOUT_LEAF},
            id="row names no leaf",
        ),
        pytest.param(
            [f"UPDATE memories SET version = 9 WHERE {_ROW}"],  # noqa: S608
            {Flaw.ROW_CHANGED},
            id="row version",
        ),
        pytest.param(
            [f"UPDATE memories SET state = 'held' WHERE {_ROW}"],  # noqa: S608
            {Flaw.ROW_CHANGED},
            id="row state",
        ),
        pytest.param(
            ["UPDATE memories SET state = 'active' WHERE state = 'rejected'"],
            {Flaw.ROW_CHANGED},
            id="rejected row revived",
        ),
        pytest.param(
            [f"UPDATE memories SET digest = zeroblob(32) WHERE {_ROW}"],  # noqa: S608
            {Flaw.ROW_CHANGED},
            id="row digest",
        ),
        pytest.param(
            [f"UPDATE memories SET token = zeroblob(length(token)) WHERE {_ROW}"],  # noqa: S608
            {Flaw.ROW_CHANGED},
            id="row content",
        ),
        pytest.param(
            [f"UPDATE memories SET subject = 'mallory' WHERE {_ROW}"],  # noqa: S608
            {Flaw.ROW_CHANGED},
            id="row of another subject",
        ),
        pytest.param(
            [f"UPDATE memories SET kind = 'bogus' WHERE {_ROW}"],  # noqa: S608
            {Flaw.ROW_UNREADABLE},
            id="row spoilt",
        ),
        pytest.param(
            [f"DELETE FROM memories WHERE {_ROW}"],  # noqa: S608
            {Flaw.ROW_MISSING},
            id="row deleted",
        ),
        pytest.param(
            [f"UPDATE memories SET tenant = 'globex' WHERE {_ROW}"],  # noqa: S608
            {Flaw.ROW_MISSING},
            id="row moved to another tenant",
        ),
    ],
)
async def test_tampering_with_the_file_is_found(
    on_file: Books, tampering: list[str], expected: set[Flaw]
) -> None:
    """Each edit shows as what it is, and the untouched tenant still verifies."""
    await _filled(on_file)
    edit(on_file, *tampering)
    report = await on_file.audit.verify(ACME)
    assert not report.ok
    assert flaws(report.problems) == expected
    if any("globex" in statement for statement in tampering):
        moved = await on_file.audit.verify(GLOBEX)
        assert Flaw.ROW_WITHOUT_LEAF in flaws(moved.problems)
    else:
        assert (await on_file.audit.verify(GLOBEX)).ok


@pytest.mark.requirement("Q6")
async def test_a_row_rolled_back_whole_is_found(on_file: Books) -> None:
    """Every column is what it once was; only the newer leaf tells."""
    row = sealed()
    await put(on_file, row, relabelled(row, state=State.FORGOTTEN))
    await on_file.audit.integrate()
    columns = columns_of(row)
    assert on_file.file is not None
    with sqlite3.connect(on_file.file) as raw:
        places = ", ".join(f"{name} = ?" for name in columns)
        raw.execute(f"UPDATE memories SET {places}", [*columns.values()])  # noqa: S608
    raw.close()
    report = await on_file.audit.verify(ACME)
    assert report.problems == (Problem(Flaw.ROW_ROLLED_BACK, None, row.label.id),)


@pytest.mark.requirement("Q6")
async def test_a_waiting_leaf_that_was_edited_shows_by_its_row(on_file: Books) -> None:
    """Before it has its place, the row that names it is what it can be held against."""
    row = sealed()
    await put(on_file, row)
    other = msgspec.structs.replace(leaf_for(row), digest=b"other", actor="someone else")
    assert on_file.file is not None
    with sqlite3.connect(on_file.file) as raw:
        raw.execute("UPDATE leaves SET body = ?", [msgspec.msgpack.encode(other)])
    raw.close()
    report = await on_file.audit.verify(ACME)
    assert flaws(report.problems) == {Flaw.ROW_CHANGED}


@pytest.mark.requirement("Q6")
async def test_leaves_cut_off_at_the_end_show_only_through_their_rows(on_file: Books) -> None:
    """The documented limit: without a head kept outside, lost recalls leave no trace."""
    await put(on_file, sealed())
    await on_file.audit.note([noted()])
    await on_file.audit.integrate()
    kept = await on_file.audit.head(ACME)
    edit(on_file, "DELETE FROM leaves WHERE sequence = 2")
    assert (await on_file.audit.verify(ACME)).ok
    assert await on_file.audit.head(ACME) != kept
    edit(on_file, "DELETE FROM leaves WHERE sequence = 1")
    assert flaws((await on_file.audit.verify(ACME)).problems) == {Flaw.ROW_WITHOUT_LEAF}


@pytest.mark.requirement("Q6")
async def test_a_leaf_that_is_none_is_not_read_out(on_file: Books) -> None:
    """Readers of the audit get an error, never made-up lines; text in place of bytes as well."""
    await on_file.audit.note([noted(), noted()])
    edit(on_file, "UPDATE leaves SET body = 'text' WHERE id = (SELECT min(id) FROM leaves)")
    assert await on_file.audit.integrate() == 2
    with pytest.raises(UnreadableError):
        await on_file.audit.leaves(ACME, 0, 9)
    assert len(await on_file.audit.leaves(ACME, 1, 9)) == 1
    assert Flaw.LEAF_UNREADABLE in flaws((await on_file.audit.verify(ACME)).problems)


@pytest.mark.requirement("Q6")
async def test_an_export_verifies_offline_and_shows_what_was_done_to_it(books: Books) -> None:
    """Edit, drop, reorder and a foreign leaf, without a database; also from a later head on."""
    await _filled(books)
    export = await books.audit.leaves(ACME, 0, 99)
    assert verify_chain(ACME, export).ok
    start = AuditHead(export[2].sequence, export[2].hash)
    assert verify_chain(ACME, export[3:], start).ok

    edited = msgspec.structs.replace(
        export[1], leaf=msgspec.structs.replace(export[1].leaf, outcome="nothing")
    )
    attacks: dict[str, tuple[list[Integrated], set[Flaw]]] = {
        "edit": ([export[0], edited, *export[2:]], {Flaw.LEAF_CHANGED}),
        "drop": ([export[0], *export[2:]], {Flaw.LEAF_MISSING}),
        "drop the first": (export[1:], {Flaw.LEAF_MISSING}),
        "reorder": (
            [export[0], export[2], export[1], *export[3:]],
            {Flaw.LEAF_MISSING, Flaw.LEAF_MISPLACED},
        ),
        "repeat": ([export[0], export[0], *export[1:]], {Flaw.LEAF_MISPLACED}),
    }
    for leaves, expected in attacks.values():
        report = verify_chain(ACME, leaves)
        assert (report.ok, flaws(report.problems)) == (False, expected)
    assert flaws(verify_chain(GLOBEX, export).problems) == {Flaw.LEAF_MISPLACED}
