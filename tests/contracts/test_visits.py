"""Visits: the same on memory, on a real SQLite file and on a real PostgreSQL."""

import secrets
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from guard.errors import UnauthenticatedError
from guard.principal import Principal
from guard.visits import Porch, Ticket, Visit, Visits, begin, end, token_of
from memory.types import Owner
from storage.database import Database
from storage.fakes.visits import MemoryVisits
from storage.visits import SqlVisits
from tests.contracts.ledger_builders import ACME, ANNA, GLOBEX, START, new_file, url_of
from tests.contracts.test_registry import leaf
from tests.house import House, caller
from tests.postgres import Place

HOUR = timedelta(hours=1)


@pytest.fixture
async def visits(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Visits]:
    """Lend a fresh store of each adapter."""
    adapter, place = ledger_at
    if adapter == "memory":
        yield MemoryVisits()
        return
    url = place.gateway if place else url_of(await new_file(tmp_path))
    database = await Database.open(url)
    yield SqlVisits(database)
    await database.close()


def visit(id: str = "a" * 64, owner: Owner = Owner(ACME, ANNA)) -> Visit:  # noqa: B008
    """Return a visit of an hour."""
    return Visit(id, owner, START + HOUR, b"sealed")


@pytest.mark.requirement("Q8")
async def test_a_visit_is_found_until_it_expires_or_ends(visits: Visits) -> None:
    """By its own tenant and id alone."""
    await visits.add(visit(), leaf(1), START)
    assert await visits.find(ACME, "a" * 64, START) == visit()
    assert await visits.find(GLOBEX, "a" * 64, START) is None
    assert await visits.find(ACME, "b" * 64, START) is None
    assert await visits.find(ACME, "a\0", START) is None
    assert await visits.find(ACME, "a" * 64, START + HOUR) is None
    await visits.end(GLOBEX, "a" * 64, msgspec.structs.replace(leaf(2), tenant=GLOBEX))
    assert await visits.find(ACME, "a" * 64, START) is not None
    await visits.end(ACME, "a" * 64, leaf(3))
    assert await visits.find(ACME, "a" * 64, START) is None


@pytest.mark.requirement("Q8")
async def test_a_new_visit_removes_what_has_expired(visits: Visits) -> None:
    """Nobody has to tidy up, and a row of the same id has room again."""
    await visits.add(visit(), leaf(1), START)
    await visits.add(visit("b" * 64), leaf(2), START + HOUR)
    await visits.add(visit(), leaf(3), START + HOUR)


@pytest.mark.requirement("Q8")
async def test_a_leaf_of_another_tenant_is_refused(visits: Visits) -> None:
    """It is a programming error; nothing is kept."""
    foreign = msgspec.structs.replace(leaf(1), tenant=GLOBEX)
    with pytest.raises(ValueError, match="tenant"):
        await visits.add(visit(), foreign, START)
    assert await visits.find(ACME, "a" * 64, START) is None


@pytest.fixture
def house() -> House:
    """Return a house with keys and a clock."""
    return House()


def porch(house: House, visits: Visits) -> Porch:
    """Return what a visit needs, over the house's keys."""
    rooms = house.rooms
    return Porch(
        visits=visits,
        envelopes=rooms.envelopes,
        clock=rooms.clock,
        new_id=house.new_id,
        new_secret=secrets.token_bytes,
        longest=HOUR,
    )


def visitor(house: House, hours: int = 8) -> Principal:
    """Return somebody whose token lasts so long."""
    found = caller()
    return msgspec.structs.replace(found, expires_at=house.now + hours * HOUR)


@pytest.mark.requirement("Q8")
async def test_a_ticket_gives_the_token_back(visits: Visits, house: House) -> None:
    """For as long as configured and no longer; each visit has a ticket of its own."""
    way, who = porch(house, visits), visitor(house)
    ticket, other = await begin(who, "a.b.c", way), await begin(who, "d.e.f", way)
    assert ticket != other
    assert await token_of(ticket, way) == "a.b.c"
    read = Ticket.read(ticket.text())
    assert read == ticket
    house.later(minutes=59)
    assert await token_of(ticket, way) == "a.b.c"
    house.later(minutes=1)
    with pytest.raises(UnauthenticatedError):
        await token_of(ticket, way)


@pytest.mark.requirement("Q8")
async def test_a_visit_ends_with_its_token_and_by_signing_out(visits: Visits, house: House) -> None:
    """A token that has expired already begins none."""
    way = porch(house, visits)
    brief = msgspec.structs.replace(visitor(house), expires_at=house.now + timedelta(minutes=5))
    ticket = await begin(brief, "a.b.c", way)
    left = await begin(visitor(house), "d.e.f", way)
    await end(visitor(house), left, way)
    with pytest.raises(UnauthenticatedError):
        await token_of(left, way)
    house.later(minutes=5)
    with pytest.raises(UnauthenticatedError):
        await token_of(ticket, way)
    with pytest.raises(UnauthenticatedError):
        await begin(brief, "a.b.c", way)


@pytest.mark.requirement("Q8")
async def test_what_is_no_ticket_opens_nothing(visits: Visits, house: House) -> None:
    """Another tenant's name in it, a flipped bit, and words that are none at all."""
    way = porch(house, visits)
    ticket = await begin(visitor(house), "a.b.c", way)
    flipped = bytes([ticket.secret[0] ^ 1]) + ticket.secret[1:]
    for wrong in (Ticket(GLOBEX, ticket.secret), Ticket(ticket.tenant, flipped)):
        with pytest.raises(UnauthenticatedError):
            await token_of(wrong, way)
    secret, _, tenant = ticket.text().partition(".")
    words = ("", ".", secret, f"{secret}.", f"{secret[:-1]}.{tenant}", f"{secret}=.{tenant}")
    assert [one for one in (*words, f"é.{tenant}", "x" * 9999) if Ticket.read(one)] == []
    assert ticket.text() not in repr(ticket)


@pytest.mark.requirement("Q8")
async def test_the_ledger_alone_opens_no_visit(house: House) -> None:
    """The row has neither the ticket nor the token, and what is moved to another row is dead."""
    visits = MemoryVisits()
    way = porch(house, visits)
    ticket, other = [await begin(visitor(house), one, way) for one in ("a.b.c", "d.e.f")]
    (row, foreign) = visits.kept.values()
    assert b"a.b.c" not in row.token
    assert ticket.text().split(".")[0] not in row.id
    visits.kept[ticket.tenant, row.id] = msgspec.structs.replace(row, token=foreign.token)
    with pytest.raises(UnauthenticatedError):
        await token_of(ticket, way)
    assert await token_of(other, way) == "d.e.f"
    assert [one.action for one in visits.leaves] == ["visit", "visit"]
