"""A memory that an older reader read is found by today's slots, once a write or a rescan met it."""

import msgspec
import pytest

from guard.claimed import ByClaims, _encode, _Record
from guard.forget import fade, forget
from guard.nouns import Draft, Opened, Row
from guard.outcomes import Merged, Quarantined, Stored, Superseded
from guard.relating import Reading, Relating, Said
from guard.rescan import rescan
from guard.rooms import Rooms
from memory.types import MemoryId, TenantId
from tests.house import AGENT, ALICE, House

OLD, NEAR, NEW = "My port is 5432.", "My port is 5432 on the laptop.", "我的端口改成5433了。"


class Elder(ByClaims):
    """Reads as the reader before did: slots by other names, in records of its own."""

    def read(self, said: Said) -> Reading:
        """Return what only this reader would find."""
        found = super().read(said)
        slots = tuple(f"elder {name}" for name in found.slots)
        gist = tuple(f"elder {one}" for one in found.gist)
        return Reading(slots, gist, _encode(_Record("elder")))


def before(house: House) -> Rooms:
    """Return the rooms as they were before the upgrade."""
    return house.with_rooms(relating=Elder())


async def stored(house: House, text: str, rooms: Rooms | None = None) -> MemoryId:
    """Write, and return the id."""
    told = await house.remember(ALICE, text, rooms)
    house.later(minutes=1)
    assert isinstance(told, Stored), told
    return told.id


async def row_of(house: House, id: MemoryId) -> tuple[Row, Opened]:
    """Return a memory of Alice's."""
    owner = ALICE.owner
    (row,) = await house.ledger.rows(owner.tenant, owner.subject, [id])
    return row, await house.vault.open(owner, row.sealed)


@pytest.mark.requirement("W10")
async def test_nothing_is_found_by_slots_of_another_reader() -> None:
    """The control of this file: far in wording, both stay. Read by one reader, one gives way."""
    house = House()
    await stored(house, OLD, before(house))
    assert isinstance(await house.remember(ALICE, NEW), Stored)
    other = House()
    old = await stored(other, OLD)
    assert isinstance(told := await other.remember(ALICE, NEW), Superseded)
    assert told.supersedes == old


@pytest.mark.requirement("W10")
async def test_what_a_write_is_compared_with_is_read_again() -> None:
    """The next statement of that slot, far in wording, replaces it. Nothing else of it changed: it
    was said when it was said, counts as before, and its history tells of one reading.
    """
    house = House()
    old = await stored(house, OLD, before(house))
    was, plain = await row_of(house, old)
    await stored(house, NEAR)
    row, opened = await row_of(house, old)
    kept, label = was.sealed.label, row.sealed.label
    names = label.__struct_fields__
    changed = {name for name in names if getattr(label, name) != getattr(kept, name)}
    assert changed == {"revision", "version", "digest", "entry_digest", "leaf"}
    assert row.sealed.fingerprint == was.sealed.fingerprint
    assert opened.body == msgspec.structs.replace(plain.body, reading=opened.body.reading)
    assert ("reread", "active", ()) in await house.audited()

    told = await house.remember(ALICE, NEW)
    assert isinstance(told, Superseded)
    assert f"memory.{old}" in told.reasons
    assert [a for a, _, _ in await house.audited()].count("reread") == 1


@pytest.mark.requirement("W10", "Q4")
async def test_a_rescan_reads_all_of_a_tenant_again() -> None:
    """Of every subject, and once: the second finds nothing to do."""
    house = House()
    old = await stored(house, OLD, before(house))
    for n in range(5):
        await stored(house, f"The code of locker {n} is 77{n}0.", before(house))
    tenant = TenantId("acme")
    stock = house.ledger.stock
    assert (await rescan(tenant, stock, house.rooms, lambda _: None)).reread == 6
    assert (await rescan(tenant, stock, house.rooms, lambda _: None)).reread == 0
    told = await house.remember(ALICE, NEW)
    assert isinstance(told, Superseded)
    assert told.supersedes == old


@pytest.mark.requirement("W15")
async def test_what_was_read_again_is_known_by_its_claim_when_it_is_forgotten() -> None:
    """In the other language, from a lesser source; without that it is learned again."""
    outcomes = []
    for met in (False, True):
        house = House()
        old = await stored(house, OLD, before(house))
        if met:
            await rescan(TenantId("acme"), house.ledger.stock, house.rooms, lambda _: None)
        await forget(ALICE, old, house.rooms)
        house.later(minutes=1)
        outcomes.append(await house.remember(AGENT, "我的端口是5432。"))
    assert [type(one) for one in outcomes] == [Stored, Quarantined]
    assert outcomes[1].reasons == ("relate.forgotten",)


class Torn(ByClaims):
    """Never sure of its own records."""

    def is_current(self, record: bytes) -> bool:
        """Return False."""
        del record
        return False


@pytest.mark.requirement("W10")
@pytest.mark.parametrize("reader", [Torn(), ByClaims()])
async def test_what_would_be_no_better_is_left(reader: Relating) -> None:
    """What nobody can read today either, and what is read alike."""
    house = House()
    old = await stored(house, OLD, house.with_rooms(relating=reader))
    rooms = house.with_rooms(relating=reader)
    assert isinstance(await house.remember(ALICE, NEAR, rooms), Stored | Merged)
    row, _ = await row_of(house, old)
    assert row.sealed.label.version == 1


@pytest.mark.requirement("W10", "M4")
async def test_what_its_owner_let_fade_is_read_again_and_stays_faded() -> None:
    """It is found by today's slots like the others, and counts no more for it."""
    house = House()
    old = await stored(house, OLD, before(house))
    await fade(ALICE, old, house.rooms)
    was, _ = await row_of(house, old)
    await stored(house, NEAR)
    row, _ = await row_of(house, old)
    assert row.sealed.label.revision == was.sealed.label.revision + 1
    assert row.sealed.label.faded == 1
    told = await house.remember(ALICE, NEW)
    assert isinstance(told, Superseded)
    assert f"memory.{old}" in told.reasons


@pytest.mark.requirement("W10")
async def test_a_write_stands_when_what_it_met_can_not_be_read_again() -> None:
    """The embedder went away after the write was judged: the old one is left for the next time."""
    house = House()
    old = await stored(house, OLD, before(house))

    class Late(ByClaims):
        """Lets the embedder fail as soon as the second text is read anew."""

        def read(self, said: Said) -> Reading:
            """Read, and break what is needed afterwards."""
            house.embedder.broken = said.text == OLD
            return super().read(said)

    rooms = house.with_rooms(relating=Late())
    assert isinstance(await house.remember(ALICE, Draft(NEAR), rooms), Stored)
    assert house.embedder.broken
    house.embedder.broken = False
    row, _ = await row_of(house, old)
    assert row.sealed.label.version == 1
