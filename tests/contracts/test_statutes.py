"""Versions of rules and what held: the same in memory, on SQLite and on a real PostgreSQL."""

import hashlib
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from guard.errors import ConflictError
from guard.nouns import Leaf
from guard.statutes import Enactment, Ruleset, Statutes
from memory.types import ClientId, SubjectId, TenantId
from storage.audit import SqlAudit
from storage.database import Database
from storage.fakes.statutes import MemoryStatutes
from storage.statutes import SqlStatutes
from tests.contracts.ledger_builders import ACME, GLOBEX, START, new_file, url_of
from tests.contracts.test_registry import leaf
from tests.postgres import Place


class Audited(SqlStatutes):
    """The store in SQL, with the audit over the same ledger at hand."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.audit = SqlAudit(database)


@pytest.fixture
async def statutes(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Statutes]:
    """Lend a fresh store of each adapter."""
    adapter, place = ledger_at
    if adapter == "memory":
        yield MemoryStatutes()
        return
    url = place.gateway if place else url_of(await new_file(tmp_path))
    database = await Database.open(url)
    yield Audited(database)
    await database.close()


def ruleset(number: int, tenant: TenantId = ACME) -> Ruleset:
    """Return a version."""
    text = f"# {number} 规则\n"
    return Ruleset(
        tenant=tenant,
        number=number,
        author=SubjectId("爱丽丝"),
        client=ClientId("console"),
        at=START + timedelta(minutes=number),
        comment="why",
        text=text,
        digest=hashlib.sha256(text.encode()).digest(),
    )


def enactment(place: int, number: int, tenant: TenantId = ACME, back: int = 0) -> Enactment:
    """Return a change of what holds, `place` minutes after the start."""
    at = START + timedelta(minutes=place)
    return Enactment(tenant, place, number, b"digest", back, SubjectId("alice"), at)


def leaf_to(number: int, of: Ruleset | Enactment) -> Leaf:
    """Return a leaf that belongs to it."""
    return msgspec.structs.replace(leaf(number, of.tenant), digest=of.digest)


async def leaves_of(statutes: Statutes, tenant: TenantId) -> list[Leaf]:
    """Return what the audit has of a tenant, and that its chain holds."""
    if isinstance(statutes, MemoryStatutes):
        return [one for one in statutes.leaves if one.tenant == tenant]
    assert isinstance(statutes, Audited)
    await statutes.audit.integrate()
    assert (await statutes.audit.verify(tenant)).ok
    return [one.leaf for one in await statutes.audit.leaves(tenant, 0, 100)]


@pytest.mark.requirement("Q4")
async def test_versions_come_back_as_they_were_and_are_their_tenants_alone(
    statutes: Statutes,
) -> None:
    """By number, newest first and page by page; a number is taken once, with its leaf."""
    mine, theirs = [ruleset(1), ruleset(2), ruleset(3)], ruleset(1, GLOBEX)
    for number, one in enumerate([*mine, theirs]):
        await statutes.add(one, leaf_to(number + 1, one))
    assert await statutes.one(ACME, 2) == mine[1]
    assert await statutes.one(ACME, 4) is None
    assert await statutes.one(GLOBEX, 1) == theirs
    assert await statutes.one(GLOBEX, 2) is None
    assert await statutes.of(ACME, None, 2) == mine[:0:-1]
    assert await statutes.of(ACME, 2, 2) == mine[:1]
    assert await statutes.of(GLOBEX, None, 9) == [theirs]
    another = msgspec.structs.replace(mine[2], comment="another")
    with pytest.raises(ConflictError):
        await statutes.add(another, leaf_to(9, another))
    assert await statutes.one(ACME, 3) == mine[2]
    assert len(await leaves_of(statutes, ACME)) == 3
    assert await leaves_of(statutes, GLOBEX) == [leaf_to(4, theirs)]


@pytest.mark.requirement("Q4")
async def test_what_holds_is_the_newest_place_of_each_tenant(statutes: Statutes) -> None:
    """A place is taken once; who looks again sees what is new, across tenants."""
    first, second = enactment(1, 1), enactment(2, 2, back=1)
    theirs = enactment(1, 7, GLOBEX)
    assert list(await statutes.current(None)) == []
    for number, one in enumerate([first, second, theirs]):
        await statutes.enact(one, leaf_to(number + 1, one))
    assert await statutes.enacted(ACME, None, 9) == [second, first]
    assert await statutes.enacted(ACME, 2, 9) == [first]
    assert await statutes.enacted(GLOBEX, None, 9) == [theirs]
    assert list(await statutes.current(None)) == [second, theirs]
    assert list(await statutes.current(second.at)) == [second]
    assert list(await statutes.current(second.at + timedelta(microseconds=1))) == []
    rival = enactment(2, 3)
    with pytest.raises(ConflictError):
        await statutes.enact(rival, leaf_to(9, rival))
    assert list(await statutes.current(None)) == [second, theirs]
    assert len(await leaves_of(statutes, ACME)) == 2


@pytest.mark.requirement("Q4")
async def test_a_leaf_that_says_otherwise_is_no_record_of_it(statutes: Statutes) -> None:
    """Of another tenant or another text: a programming error, and nothing is kept."""
    one, made = ruleset(1), enactment(1, 1)
    with pytest.raises(ValueError, match="another tenant"):
        await statutes.add(one, leaf_to(1, ruleset(1, GLOBEX)))
    with pytest.raises(ValueError, match="another text"):
        await statutes.add(one, leaf_to(1, ruleset(2)))
    with pytest.raises(ValueError, match="another text"):
        await statutes.enact(made, leaf_to(1, one))
    assert await statutes.of(ACME, None, 9) == []
    assert list(await statutes.current(None)) == []
