"""The index nominates and decides nothing: whatever is written into it can hide, never show.

Each test writes to the real shards as the follower does, behind the ledger's back.
"""

import hashlib

import msgspec
import pytest

from guard.confirm import confirm
from guard.nouns import Draft
from guard.outcomes import Stored
from guard.ports import Entry
from guard.principal import Principal
from memory.origin import Channel
from memory.types import MemoryId, Owner, TenantId
from storage.repair import rebuild, reconcile
from tests.attacks.tamper import Library, Site
from tests.house import caller

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def entry_of(site: Site, principal: Principal, id: MemoryId) -> Entry:
    """Return what the index has of a memory."""
    owner: Owner = principal.owner
    (row,) = await site.rooms.ledger.rows(owner.tenant, owner.subject, [id])
    opened = await site.rooms.vault.open(owner, row.sealed)
    return Entry(
        id=id,
        layer=row.sealed.label.layer,
        blinded=await site.rooms.vault.open_entry(owner, row.sealed),
        recorded_at=row.sealed.label.recorded_at,
        occurred_at=opened.body.occurred_at,
        token=row.sealed.token,
    )


def under(entry: Entry, other: Entry) -> Entry:
    """Return `entry` as if it belonged to the subject of `other`."""
    blinded = msgspec.structs.replace(entry.blinded, subject=other.blinded.subject)
    return msgspec.structs.replace(entry, blinded=blinded)


async def whole(site: Site, library: Library) -> None:
    """Make the index anew and make sure that both subjects are shown all that is theirs."""
    await rebuild(library.tenant, site.keep.outbox, site.keep.vault, site.index)
    for who, ids in ((library.alice, library.mine), (library.bob, library.theirs)):
        answer = await site.ask(who)
        assert (answer.shown, answer.withheld) == ({*ids}, {})


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("content", ["a flipped byte", "another memory's", "another's", "nothing"])
async def test_edited_content_is_dropped_until_the_index_is_reconciled(
    site: Site, library: Library, content: str
) -> None:
    """The ledger's digest decides, whatever bytes stand under a memory's id."""
    await whole(site, library)
    victim, second, third = library.mine
    entry = await entry_of(site, library.alice, victim)
    token = {
        "a flipped byte": bytes((entry.token[0] ^ 1,)) + entry.token[1:],
        "another memory's": (await entry_of(site, library.alice, second)).token,
        "another's": (await entry_of(site, library.bob, library.theirs[0])).token,
        "nothing": b"",
    }[content]
    await site.index.upsert(library.tenant, [msgspec.structs.replace(entry, token=token)])

    answer = await site.ask(library.alice)
    assert (answer.shown, answer.withheld) == ({second, third}, {victim: "check.index"})
    # The ledger is the truth, and reading by id asks nobody else.
    assert await site.fetched(library.alice, victim)

    drift = await reconcile(library.tenant, site.keep.outbox, site.keep.vault, site.index)
    assert (drift.stale, drift.missing, drift.orphans) == (1, 0, 0)
    assert (await site.ask(library.alice)).shown == {*library.mine}


@pytest.mark.requirement("R5")
async def test_replayed_content_of_an_older_revision_is_dropped(
    site: Site, tenant: TenantId
) -> None:
    """What an agent relayed does not come back once the subject's own word stands in its place."""
    alice, agent = caller("alice", tenant), caller("alice", tenant, channel=Channel.MCP)
    victim, other = await site.shelves(agent, 1, 2)
    old = await entry_of(site, alice, victim)
    assert isinstance(await confirm(alice, victim, site.rooms), Stored)
    await site.settle()
    assert (await site.ask(alice)).shown == {victim, other}

    await site.index.upsert(tenant, [old])
    answer = await site.ask(alice)
    assert (answer.shown, answer.withheld) == ({other}, {victim: "check.index"})


@pytest.mark.requirement("R5")
async def test_an_invented_entry_is_named_and_not_shown(site: Site, library: Library) -> None:
    """An id that the ledger does not know stands for nothing, with the best of content."""
    await whole(site, library)
    entry = await entry_of(site, library.alice, library.mine[0])
    forged = msgspec.structs.replace(entry, id=MemoryId(site.new_id()))
    await site.index.upsert(library.tenant, [forged])
    answer = await site.ask(library.alice)
    assert (answer.shown, answer.withheld) == ({*library.mine}, {forged.id: "check.missing"})
    assert not await site.fetched(library.alice, forged.id)
    await whole(site, library)


@pytest.mark.requirement("R5", "E5")
async def test_an_entry_under_another_subjects_mark_is_shown_to_nobody(
    site: Site, library: Library
) -> None:
    """Its thief sees that something was withheld and nothing of it; its owner misses it."""
    await whole(site, library)
    victim, other = library.theirs
    entry = await entry_of(site, library.bob, victim)
    alices = await entry_of(site, library.alice, library.mine[0])
    await site.index.upsert(library.tenant, [under(entry, alices)])

    answer = await site.ask(library.alice)
    assert (answer.shown, answer.withheld) == ({*library.mine}, {victim: "check.missing"})
    assert not await site.fetched(library.alice, victim)
    # A miss without a trace, since the index does not name it to him; reading by id still works,
    # and reconciling compares content alone: only a rebuild brings it back.
    answer = await site.ask(library.bob)
    assert (answer.shown, answer.withheld) == ({other}, {})
    assert await site.fetched(library.bob, victim)
    await reconcile(library.tenant, site.keep.outbox, site.keep.vault, site.index)
    assert (await site.ask(library.bob)).shown == {other}
    await whole(site, library)


@pytest.mark.requirement("R5", "E5")
async def test_another_subjects_memory_copied_under_ones_own_mark_is_not_shown(
    site: Site, library: Library
) -> None:
    """A copy under a new id is missing from the ledger, one under a known id is not its content."""
    await whole(site, library)
    mine, *rest = library.mine
    stolen = under(
        await entry_of(site, library.bob, library.theirs[0]),
        await entry_of(site, library.alice, mine),
    )
    new, known = MemoryId(site.new_id()), mine
    copies = [msgspec.structs.replace(stolen, id=id) for id in (new, known)]
    await site.index.upsert(library.tenant, copies)
    answer = await site.ask(library.alice)
    assert answer.shown == {*rest}
    assert answer.withheld == {new: "check.missing", known: "check.index"}
    assert (await site.ask(library.bob)).shown == {*library.theirs}
    await whole(site, library)


@pytest.mark.requirement("R5", "E5")
async def test_another_tenants_entry_is_shown_to_nobody(
    site: Site, library: Library, tenant: TenantId
) -> None:
    """Copied into the collection of a tenant with a subject of the same name, under her mark."""
    await whole(site, library)
    namesake = caller("alice", tenant)
    (own,) = await site.shelves(namesake, 9)
    stolen = under(
        await entry_of(site, library.alice, library.mine[0]), await entry_of(site, namesake, own)
    )
    await site.index.upsert(tenant, [stolen])
    answer = await site.ask(namesake)
    assert (answer.shown, answer.withheld) == ({own}, {stolen.id: "check.missing"})
    assert (await site.ask(library.alice)).shown == {*library.mine}


@pytest.mark.requirement("R5")
async def test_forged_search_material_lifts_nothing(site: Site, tenant: TenantId) -> None:
    """A memory dressed up as the best answer to a question is scored by what is sealed."""
    alice = caller("alice", tenant)
    (answering,) = await site.shelves(alice, 1)
    unrelated = await site.remember(alice, Draft("Tea tastes best without sugar."))
    await site.settle()
    disguise = (await entry_of(site, alice, answering)).blinded
    entry = await entry_of(site, alice, unrelated)
    await site.index.upsert(tenant, [msgspec.structs.replace(entry, blinded=disguise)])
    assert (await site.ask(alice)).shown == {answering}
    assert (await site.ask(alice, "What tastes best without sugar?")).shown == {unrelated}


@pytest.mark.requirement("R5", "S9")
async def test_a_removed_entry_is_a_miss_that_only_reconciling_sees(
    site: Site, library: Library
) -> None:
    """What the index doesn't name is not audited: the documented limit of hiding."""
    await whole(site, library)
    victim, *others = library.mine
    await site.index.remove(library.tenant, [victim])
    answer = await site.ask(library.alice)
    assert (answer.shown, answer.withheld) == ({*others}, {})
    assert await site.flaws(library.tenant) == set()
    drift = await reconcile(library.tenant, site.keep.outbox, site.keep.vault, site.index)
    assert drift.missing == 1
    assert (await site.ask(library.alice)).shown == {*library.mine}


async def test_entries_of_these_tests_are_those_of_the_follower(
    site: Site, library: Library
) -> None:
    """The control of this file: what it writes unchanged is what the index already has."""
    await whole(site, library)
    before = await site.index.inventory(library.tenant, None, 99)
    entry = await entry_of(site, library.alice, library.mine[0])
    assert (entry.id, hashlib.sha256(entry.token).digest()) in before
    await site.index.upsert(library.tenant, [entry])
    assert await site.index.inventory(library.tenant, None, 99) == before
    assert (await site.ask(library.alice)).shown == {*library.mine}
