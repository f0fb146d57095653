"""Whatever is changed in the ledger's memory rows behind the gateway's back is not recalled.

Every test shows the memory before it is touched, and the untouched ones afterwards.
"""

from collections.abc import Callable, Iterable

import msgspec
import pytest

from guard.nouns import Label, Leaf
from guard.outcomes import Query
from guard.principal import Principal
from guard.recall import recall
from memory.types import LeafId, MemoryId, TenantId
from storage.chain import Flaw
from tests.attacks.tamper import EVERYTHING, QUESTION, Columns, Library, Site, sampled
from tests.house import caller

pytestmark = pytest.mark.asyncio(loop_scope="session")

PARTS = ("token", "entry", "evidence", "tag", "fingerprint")
DAY = 86_400_000_000
CHANGED, ROLLED_BACK = {Flaw.ROW_CHANGED}, {Flaw.ROW_ROLLED_BACK}
UNSEEN: set[Flaw] = set()
"""Nothing that `audit verify` compares: the keyed tag alone covers it."""


async def dropped(
    site: Site, alice: Principal, victims: dict[MemoryId, str], others: set[MemoryId]
) -> None:
    """Make sure that recall drops exactly the victims, for these reasons, and fetch knows none."""
    answer = await site.ask(alice)
    assert answer.shown == others
    assert answer.withheld == victims
    for id in victims:
        assert not await site.fetched(alice, id)
    for id in others:
        assert await site.fetched(alice, id)


async def whole(site: Site, alice: Principal, ids: set[MemoryId]) -> None:
    """Make sure that all of them are shown and nothing is amiss."""
    answer = await site.ask(alice)
    assert (answer.shown, answer.withheld) == (ids, {})
    assert await site.flaws(alice.owner.tenant) == set()


@pytest.mark.requirement("R5", "S3")
@pytest.mark.parametrize("tried_at", [sampled, pytest.param(range, marks=pytest.mark.live)])
async def test_no_byte_of_a_stored_memory_can_change(
    site: Site, tenant: TenantId, tried_at: Callable[[int], Iterable[int]]
) -> None:
    """Each byte of token, entry, evidence, tag and fingerprint, one by one: dropped and audited."""
    alice = caller("alice", tenant)
    *victims, control = await site.shelves(alice, *range(9))
    answer = await site.ask(alice)
    assert answer.shown == {*victims, control}
    rows = [site.memory(tenant, id) for id in victims]
    lengths = {part: {len(row[part]) for row in rows} for part in PARTS}
    assert all(len(found) == 1 for found in lengths.values())
    places = [(part, at) for part, (length,) in lengths.items() for at in tried_at(length)]

    # The victims are built alike, so that each round tries eight places at once.
    before = (await site.keep.audit.head(tenant)).size
    for start in range(0, len(places), len(rows)):
        tried = list(zip(rows, places[start : start + len(rows)], strict=False))
        for row, (part, at) in tried:
            flipped = bytearray(row[part])
            flipped[at] ^= 1 << at % 8
            site.change(row, **{part: bytes(flipped)})
        found = await recall(alice, Query(QUESTION, EVERYTHING), site.rooms)
        shown = {item.memory.id for item in found.items}
        assert shown == {control, *(row["id"] for row in rows[len(tried) :])}, tried
        for row, (part, _) in tried:
            site.change(row, **{part: row[part]})

    # Every single one of them is in the audit.
    await site.journal.flush()
    reasons: list[tuple[str, ...]] = []
    while leaves := await site.keep.audit.leaves(tenant, before, 1000):
        reasons += [one.leaf.reasons for one in leaves if one.leaf.outcome == "withheld"]
        before = leaves[-1].sequence
    assert reasons == [("check.unreadable",)] * len(places)
    await whole(site, alice, {*victims, control})


EDITS: dict[str, tuple[Columns, str, set[Flaw]]] = {
    "state held": ({"state": "held"}, "check.alive", CHANGED),
    "state superseded": ({"state": "superseded"}, "check.alive", CHANGED),
    "layer": ({"layer": "semantic"}, "check.unreadable", UNSEEN),
    "kind": ({"kind": "constraint"}, "check.unreadable", UNSEEN),
    "revision": ({"revision": 2}, "check.unreadable", UNSEEN),
    "version": ({"version": 2}, "check.unreadable", CHANGED),
    "origin": ({"origin": "operator"}, "check.unreadable", UNSEEN),
    "trust raised": ({"trust": 4}, "check.unreadable", UNSEEN),
    "trust lowered": ({"trust": 0}, "check.unreadable", UNSEEN),
    "channel": ({"channel": "cli"}, "check.unreadable", UNSEEN),
    "client": ({"client": "another"}, "check.unreadable", UNSEEN),
    "source": ({"source": "0" * 32}, "check.unreadable", UNSEEN),
    "session": ({"session": "0" * 32}, "check.unreadable", UNSEEN),
    "importance": ({"importance": 0.75}, "check.unreadable", UNSEEN),
    "confidence": ({"confidence": 0.5}, "check.unreadable", UNSEEN),
    "recorded_at": ({"recorded_at": DAY}, "check.unreadable", UNSEEN),
    "changed_at": ({"changed_at": DAY}, "check.unreadable", UNSEEN),
    "expires_at later": ({"expires_at": 100_000 * DAY}, "check.unreadable", UNSEEN),
    "expires_at never": ({"expires_at": None}, "check.unreadable", UNSEEN),
    "superseded_by": ({"superseded_by": "0" * 36}, "check.unreadable", UNSEEN),
    "policy": ({"policy": "strict@000000000000"}, "check.evidence", UNSEEN),
    "digest": ({"digest": b"\0" * 32}, "check.index", CHANGED),
    "entry_digest": ({"entry_digest": b"\0" * 32}, "check.unreadable", CHANGED),
    "faded": ({"faded": 3}, "check.unreadable", UNSEEN),
    "gravity": ({"gravity": 9}, "check.unreadable", UNSEEN),
    "leaf": ({"leaf": "0" * 36}, "check.current", {Flaw.ROW_WITHOUT_LEAF}),
    # A value that no row can have: the row is then none, and the index names one that is missing.
    "kind that is none": ({"kind": "bogus"}, "check.missing", {Flaw.ROW_UNREADABLE}),
    "trust that is no number": ({"trust": "four"}, "check.missing", {Flaw.ROW_UNREADABLE}),
    "time beyond the calendar": ({"expires_at": 2**62}, "check.missing", {Flaw.ROW_UNREADABLE}),
    "token that is text": ({"token": "text"}, "check.missing", {Flaw.ROW_UNREADABLE}),
    "token without bytes": ({"token": b""}, "check.unreadable", CHANGED),
    "entry without bytes": ({"entry": b""}, "check.unreadable", CHANGED),
    "evidence without bytes": ({"evidence": b""}, "check.unreadable", UNSEEN),
    "tag without bytes": ({"tag": b""}, "check.unreadable", UNSEEN),
}
MOVED = {"id", "tenant", "subject"}
"""Label columns with tests of their own: a row with another of these is another row."""


async def test_every_label_column_is_edited_here() -> None:
    """A column that is added to the label fails here until it has its line in `EDITS`."""
    edited = {name for columns, _, _ in EDITS.values() for name in columns}
    assert set(Label.__struct_fields__) - MOVED <= edited


@pytest.mark.requirement("R5", "W3")
@pytest.mark.parametrize("edit", EDITS)
async def test_no_column_can_change(site: Site, library: Library, edit: str) -> None:
    """Each edit is dropped for its reason; `audit verify` sees those that leaves tell of."""
    columns, reason, flaws = EDITS[edit]
    victim, *others = library.mine
    row = site.memory(library.tenant, victim)
    await whole(site, library.alice, {*library.mine})
    try:
        site.change(row, **columns)
        await dropped(site, library.alice, {victim: reason}, {*others})
        assert await site.flaws(library.tenant) == flaws
    finally:
        site.restore(row)
    await whole(site, library.alice, {*library.mine})


SWAPS = {
    "tokens": (("token",), "check.unreadable", CHANGED),
    "tokens with their digests": (("token", "digest"), "check.index", CHANGED),
    "entries with their digests": (("entry", "entry_digest"), "check.unreadable", UNSEEN),
    "evidence": (("evidence",), "check.unreadable", UNSEEN),
    "all sealed parts": ((*PARTS, "digest", "entry_digest"), "check.index", CHANGED),
    "tags": (("tag",), "check.unreadable", UNSEEN),
    "leaves": (("leaf",), "check.current", ROLLED_BACK),
    "leaves and all sealed parts": (
        (*PARTS, "digest", "entry_digest", "leaf"),
        "check.index",
        ROLLED_BACK,
    ),
}


@pytest.mark.requirement("R5", "S3")
@pytest.mark.parametrize("swap", SWAPS)
async def test_two_memories_cannot_change_places(site: Site, library: Library, swap: str) -> None:
    """Whichever columns two rows of one subject exchange, both are dropped and the third stays."""
    columns, reason, flaws = SWAPS[swap]
    one, two, third = library.mine
    rows = [site.memory(library.tenant, id) for id in (one, two)]
    await whole(site, library.alice, {*library.mine})
    try:
        for row, other in zip(rows, reversed(rows), strict=True):
            site.change(row, **{name: other[name] for name in columns})
        await dropped(site, library.alice, {one: reason, two: reason}, {third})
        assert await site.flaws(library.tenant) == flaws
    finally:
        for row in rows:
            site.restore(row)
    await whole(site, library.alice, {*library.mine})


@pytest.mark.requirement("R5", "S3")
async def test_rows_that_exchange_their_ids_are_dropped(site: Site, library: Library) -> None:
    """The cipher is bound to the id: each content under the other's id opens for nobody."""
    one, two, third = library.mine
    rows = [site.memory(library.tenant, id) for id in (one, two)]
    try:
        site.change(rows[0], id="between")
        site.change(rows[1], id=one)
        site.change(rows[0], id=two)
        answer = await site.ask(library.alice)
        assert (answer.shown, set(answer.withheld)) == ({third}, {one, two})
        assert not await site.fetched(library.alice, one)
        assert await site.flaws(library.tenant) == ROLLED_BACK
    finally:
        site.change(rows[0], id="between")
        for row in reversed(rows):
            site.restore(row)
    await whole(site, library.alice, {*library.mine})


@pytest.mark.requirement("R5")
async def test_a_deleted_row_is_missed_and_audited(site: Site, library: Library) -> None:
    """Deleting is not prevented, but recall says that something is missing, and so does verify."""
    victim, *others = library.mine
    row = site.memory(library.tenant, victim)
    site.edit("DELETE FROM memories WHERE rowid = ?", row["rowid"])
    try:
        await dropped(site, library.alice, {victim: "check.missing"}, {*others})
        assert await site.flaws(library.tenant) == {Flaw.ROW_MISSING}
    finally:
        site.insert("memories", row)
    await whole(site, library.alice, {*library.mine})


@pytest.mark.requirement("R5", "S3")
@pytest.mark.parametrize("looked_at", ["indexed", "unindexed"])
async def test_a_row_moved_to_another_subject_is_nobodys(
    site: Site, library: Library, looked_at: str
) -> None:
    """Its old owner misses it, and its new one is not shown it however recall comes by it."""
    victim, *others = library.mine
    row = site.memory(library.tenant, victim)
    try:
        site.change(row, subject="bob", indexed_version=int(looked_at == "indexed"))
        await dropped(site, library.alice, {victim: "check.missing"}, {*others})
        answer = await site.ask(library.bob)
        assert answer.shown == {*library.theirs}
        assert answer.withheld == ({} if looked_at == "indexed" else {victim: "check.unreadable"})
        assert not await site.fetched(library.bob, victim)
        assert await site.flaws(library.tenant) == CHANGED
    finally:
        site.restore(row)
    await whole(site, library.alice, {*library.mine})


@pytest.mark.requirement("R5", "S3")
@pytest.mark.parametrize("with_leaf", [False, True], ids=["alone", "with a leaf"])
@pytest.mark.parametrize("whose", ["alice", "bob"])
async def test_a_row_copied_under_a_new_id_is_not_shown(
    site: Site, tenant: TenantId, whose: str, *, with_leaf: bool
) -> None:
    """To its own subject or another, its columns rewritten and a leaf forged to fit, stays shut."""
    alice, bob = caller("alice", tenant), caller("bob", tenant)
    mine, theirs = await site.shelves(alice, 1, 2), await site.shelves(bob, 3)
    row = site.memory(tenant, mine[0])
    copy = row | {"id": site.new_id(), "subject": whose, "indexed_version": 0}
    if with_leaf:
        leaf = site.row("leaves", tenant, row["leaf"])
        copy |= {"leaf": site.new_id()}
        said = msgspec.msgpack.decode(leaf["body"], type=Leaf)
        body = msgspec.structs.replace(
            said, id=LeafId(copy["leaf"]), object=copy["id"], subject=whose
        )
        forged = {"id": copy["leaf"], "object": copy["id"], "body": msgspec.msgpack.encode(body)}
        site.insert("leaves", leaf | forged | {"sequence": None, "chain": None})
    assert (await site.ask(alice)).shown == {*mine}
    site.insert("memories", copy)

    withheld = {copy["id"]: "check.unreadable" if with_leaf else "check.current"}
    for who, shown in ((alice, mine), (bob, theirs)):
        answer = await site.ask(who)
        assert answer.shown == {*shown}
        assert answer.withheld == (withheld if who.owner.subject == whose else {})
        assert not await site.fetched(who, copy["id"])
    # A forged leaf fits a forged row for anyone without the key: the tag is what recall looks at.
    assert await site.flaws(tenant) == (UNSEEN if with_leaf else ROLLED_BACK)


@pytest.mark.requirement("R5", "S3")
@pytest.mark.parametrize("with_leaf", [False, True], ids=["alone", "with its leaf"])
async def test_a_row_copied_to_another_tenant_is_not_shown(
    site: Site, library: Library, tenant: TenantId, *, with_leaf: bool
) -> None:
    """The same id, the same name of the subject, another tenant: every key is another one."""
    namesake = caller("alice", tenant)
    (own,) = await site.shelves(namesake, 7)
    row = site.memory(library.tenant, library.mine[0])
    site.insert("memories", row | {"tenant": tenant, "indexed_version": 0})
    if with_leaf:
        leaf = site.row("leaves", library.tenant, row["leaf"])
        site.insert("leaves", leaf | {"tenant": tenant, "sequence": None, "chain": None})
    reason = "check.unreadable" if with_leaf else "check.current"
    await dropped(site, namesake, {library.mine[0]: reason}, {own})
    assert await site.flaws(tenant) != set()
    await whole(site, library.alice, {*library.mine})
