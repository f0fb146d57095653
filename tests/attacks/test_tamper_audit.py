"""What `audit verify` finds in an edited audit, what recall makes of it, and what neither sees.

The chain is unkeyed: whoever can rewrite the whole ledger can rewrite the chain with it. So the
last tests are about the head that an operator keeps outside.
"""

from collections.abc import Callable, Iterable

import msgspec
import pytest

from guard.nouns import Leaf
from guard.ports import AuditHead
from guard.principal import Principal
from memory.types import LeafId, MemoryId, TenantId
from storage.chain import EMPTY, Flaw, follow, leaf_hash
from tests.attacks.tamper import Site, sampled
from tests.house import caller

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Filed(msgspec.Struct, frozen=True):
    """A tenant with two memories, some recalls between, and the head of all that."""

    alice: Principal
    ids: tuple[MemoryId, ...]
    head: AuditHead


async def honest(site: Site, tenant: TenantId) -> Filed:
    """Return a tenant with writes and recalls, whose audit verifies."""
    alice = caller("alice", tenant)
    (one,) = await site.shelves(alice, 1)
    assert (await site.ask(alice)).shown == {one}
    (two,) = await site.shelves(alice, 2)
    for _ in range(2):
        assert (await site.ask(alice)).shown == {one, two}
    assert await site.flaws(tenant) == set()
    return Filed(alice, (one, two), await site.keep.audit.head(tenant))


def leaf_at(site: Site, tenant: TenantId, sequence: int) -> tuple[int, Leaf]:
    """Return the leaf in one place of the chain, and its place in the file."""
    ((rowid, body),) = site.select(
        "SELECT rowid, body FROM leaves WHERE tenant = ? AND sequence = ?", tenant, sequence
    )
    return rowid, msgspec.msgpack.decode(body, type=Leaf)


def forge(site: Site, leaf: Leaf, *, sequence: int | None, chain: bytes | None) -> None:
    """Add a leaf, with columns that fit it."""
    columns = {
        "tenant": leaf.tenant,
        "id": leaf.id,
        "object": leaf.object,
        "row_version": leaf.version or None,
        "body": msgspec.msgpack.encode(leaf),
        "sequence": sequence,
        "chain": chain,
    }
    site.insert("leaves", columns)


@pytest.mark.requirement("Q6")
async def test_an_edited_leaf_is_found_in_its_place(site: Site, tenant: TenantId) -> None:
    """Who did it, rewritten in canonical form with everything else left as it was."""
    await honest(site, tenant)
    for sequence in range(1, 4):
        rowid, leaf = leaf_at(site, tenant, sequence)
        body = msgspec.msgpack.encode(leaf)
        edited = msgspec.msgpack.encode(msgspec.structs.replace(leaf, actor="somebody"))
        site.put("leaves", rowid, {"body": edited})
        assert await site.flaws(tenant) == {Flaw.LEAF_CHANGED}
        site.put("leaves", rowid, {"body": body})
        assert await site.flaws(tenant) == set()


@pytest.mark.requirement("Q6")
@pytest.mark.parametrize("tried_at", [sampled, pytest.param(range, marks=pytest.mark.live)])
async def test_no_byte_of_a_leaf_can_change(
    site: Site, tenant: TenantId, tried_at: Callable[[int], Iterable[int]]
) -> None:
    """Each byte of a leaf and of its chain value, one by one."""
    await honest(site, tenant)
    rowid, leaf = leaf_at(site, tenant, 2)
    row = site.row("leaves", tenant, leaf.id)
    for column in ("body", "chain"):
        for at in tried_at(len(row[column])):
            edited = bytearray(row[column])
            edited[at] ^= 1 << at % 8
            site.put("leaves", rowid, {column: bytes(edited)})
            report = await site.keep.audit.verify(tenant)
            assert Flaw.LEAF_CHANGED in {one.flaw for one in report.problems}, (column, at)
        site.put("leaves", rowid, {column: row[column]})
    assert await site.flaws(tenant) == set()


@pytest.mark.requirement("Q6", "R5")
async def test_a_leaf_taken_out_of_the_middle_is_found(site: Site, tenant: TenantId) -> None:
    """Also by recall, when a memory names it: nothing then vouches for that version."""
    filed = await honest(site, tenant)
    _, noted = leaf_at(site, tenant, 2)
    assert noted.action == "recall"
    removed = site.row("leaves", tenant, noted.id)
    site.edit("DELETE FROM leaves WHERE rowid = ?", removed["rowid"])
    assert await site.flaws(tenant) == {Flaw.LEAF_MISSING}
    assert (await site.ask(filed.alice)).shown == {*filed.ids}
    site.insert("leaves", removed)
    assert await site.flaws(tenant) == set()

    victim, other = filed.ids
    site.edit(
        "DELETE FROM leaves WHERE tenant = ? AND id = ?",
        tenant,
        site.memory(tenant, victim)["leaf"],
    )
    answer = await site.ask(filed.alice)
    assert (answer.shown, answer.withheld) == ({other}, {victim: "check.current"})
    assert await site.flaws(tenant) == {Flaw.LEAF_MISSING, Flaw.ROW_WITHOUT_LEAF}


@pytest.mark.requirement("Q6")
async def test_leaves_in_another_order_are_found(site: Site, tenant: TenantId) -> None:
    """Two neighbours exchange their places, with or without their chain values."""
    await honest(site, tenant)
    rows = [site.row("leaves", tenant, leaf_at(site, tenant, n)[1].id) for n in (2, 3)]
    for columns in (("sequence",), ("sequence", "chain")):
        site.put("leaves", rows[0]["rowid"], {"sequence": -1})
        for row, other in ((rows[1], rows[0]), (rows[0], rows[1])):
            site.put("leaves", row["rowid"], {name: other[name] for name in columns})
        assert await site.flaws(tenant) == {Flaw.LEAF_CHANGED}
        site.put("leaves", rows[0]["rowid"], {"sequence": -1})
        for row in reversed(rows):
            site.put("leaves", row["rowid"], {name: row[name] for name in ("sequence", "chain")})
        assert await site.flaws(tenant) == set()


@pytest.mark.requirement("Q6")
@pytest.mark.parametrize("what", ["forged", "duplicate"])
async def test_a_leaf_put_into_the_middle_is_found(site: Site, tenant: TenantId, what: str) -> None:
    """With all later ones moved up, and its own chain value right."""
    filed = await honest(site, tenant)
    _, before = leaf_at(site, tenant, 2)
    leaf = msgspec.structs.replace(before, id=LeafId(site.new_id()))
    if what == "forged":
        leaf = msgspec.structs.replace(leaf, actor="somebody")
    for sequence in range(filed.head.size, 2, -1):
        rowid, _ = leaf_at(site, tenant, sequence)
        site.put("leaves", rowid, {"sequence": sequence + 1})
    chain = site.row("leaves", tenant, before.id)["chain"]
    value = follow(chain, leaf_hash(msgspec.msgpack.encode(leaf)))
    forge(site, leaf, sequence=3, chain=value)
    assert await site.flaws(tenant) == {Flaw.LEAF_CHANGED}


@pytest.mark.requirement("Q6", "R5")
async def test_a_forged_newer_version_hides_a_memory_and_is_found(
    site: Site, tenant: TenantId
) -> None:
    """A waiting leaf of a version that no row has: recall takes the row for an old one."""
    filed = await honest(site, tenant)
    victim, other = filed.ids
    leaf = msgspec.msgpack.decode(
        site.row("leaves", tenant, site.memory(tenant, victim)["leaf"])["body"], type=Leaf
    )
    newer = msgspec.structs.replace(leaf, id=LeafId(site.new_id()), version=2)
    forge(site, newer, sequence=None, chain=None)
    answer = await site.ask(filed.alice)
    assert (answer.shown, answer.withheld) == ({other}, {victim: "check.current"})
    assert await site.flaws(tenant) == {Flaw.ROW_ROLLED_BACK}


@pytest.mark.requirement("Q6")
async def test_recalls_cut_off_at_the_end_show_only_against_a_kept_head(
    site: Site, tenant: TenantId
) -> None:
    """No row names them: the ledger alone is consistent without them."""
    filed = await honest(site, tenant)
    _, last = leaf_at(site, tenant, filed.head.size)
    assert last.action == "recall"
    site.edit("DELETE FROM leaves WHERE tenant = ? AND sequence = ?", tenant, filed.head.size)
    assert await site.flaws(tenant) == set()
    assert await site.keep.audit.head(tenant) != filed.head


@pytest.mark.requirement("Q6")
async def test_changes_cut_off_at_the_end_show_by_their_rows_unless_those_go_too(
    site: Site, tenant: TenantId
) -> None:
    """With their rows gone, the ledger is that of an earlier moment, and only a kept head tells."""
    filed = await honest(site, tenant)
    one, two = filed.ids
    (at,) = site.select(
        "SELECT sequence FROM leaves WHERE tenant = ? AND object = ? AND row_version = 1",
        tenant,
        two,
    )[0]
    site.edit("DELETE FROM leaves WHERE tenant = ? AND sequence >= ?", tenant, at)
    assert await site.flaws(tenant) == {Flaw.ROW_WITHOUT_LEAF}
    site.edit("DELETE FROM memories WHERE tenant = ? AND id = ?", tenant, two)
    assert await site.flaws(tenant) == set()
    assert (await site.keep.audit.head(tenant)).size < filed.head.size
    # The index still names what is gone, until it is reconciled.
    answer = await site.ask(filed.alice)
    assert (answer.shown, answer.withheld) == ({one}, {two: "check.missing"})


@pytest.mark.requirement("Q6")
async def test_a_chain_made_anew_shows_only_against_a_kept_head(
    site: Site, tenant: TenantId
) -> None:
    """Anyone can compute the chain: whoever rewrites all of it leaves the ledger consistent."""
    filed = await honest(site, tenant)
    value = EMPTY.hash
    for sequence in range(1, filed.head.size + 1):
        rowid, leaf = leaf_at(site, tenant, sequence)
        if sequence == 2:
            leaf = msgspec.structs.replace(leaf, actor="somebody")
        body = msgspec.msgpack.encode(leaf)
        value = follow(value, leaf_hash(body))
        site.put("leaves", rowid, {"body": body, "chain": value})
    assert await site.flaws(tenant) == set()
    now = await site.keep.audit.head(tenant)
    assert now.size == filed.head.size
    assert now.hash != filed.head.hash


@pytest.mark.requirement("Q6")
async def test_a_forged_waiting_leaf_of_a_recall_is_taken_for_the_gateways_own(
    site: Site, tenant: TenantId
) -> None:
    """Leaves carry no signature yet: what is put among those that wait is chained with them."""
    filed = await honest(site, tenant)
    _, recall = leaf_at(site, tenant, 2)
    lie = msgspec.structs.replace(recall, id=LeafId(site.new_id()), actor="somebody")
    forge(site, lie, sequence=None, chain=None)
    assert await site.flaws(tenant) == set()
    assert leaf_at(site, tenant, filed.head.size + 1)[1] == lie
