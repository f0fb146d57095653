"""What was taken back: the same on memory, on a real SQLite file and on a real PostgreSQL."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from guard.nouns import Leaf
from guard.revoke import EVERYONE, Of, Revocation, Revocations
from memory.types import TenantId
from storage.audit import SqlAudit
from storage.database import Database
from storage.fakes.revocations import MemoryRevocations
from storage.revocations import SqlRevocations
from tests.contracts.ledger_builders import ACME, GLOBEX, START, new_file, url_of
from tests.contracts.test_registry import leaf
from tests.postgres import Place


@pytest.fixture
async def revocations(
    ledger_at: tuple[str, Place | None], tmp_path: Path
) -> AsyncIterator[Revocations]:
    """Lend a fresh store of each adapter."""
    adapter, place = ledger_at
    if adapter == "memory":
        yield MemoryRevocations()
        return
    url = place.gateway if place else url_of(await new_file(tmp_path))
    database = await Database.open(url)
    yield Audited(database)
    await database.close()


class Audited(SqlRevocations):
    """The store in SQL, with the audit over the same ledger at hand."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.audit = SqlAudit(database)


async def leaves_of(revocations: Revocations, tenant: TenantId) -> list[Leaf]:
    """Return what the audit has of a tenant, and that its chain holds."""
    if isinstance(revocations, MemoryRevocations):
        return [one for one in revocations.leaves if one.tenant == tenant]
    assert isinstance(revocations, Audited)
    await revocations.audit.integrate()
    assert (await revocations.audit.verify(tenant)).ok
    return [one.leaf for one in await revocations.audit.leaves(tenant, 0, 100)]


def taken(number: int, of: Of, name: str, tenant: TenantId = ACME) -> Revocation:
    """Return a revocation that was decided `number` minutes after the start."""
    at = START + timedelta(minutes=number)
    id = f"0197b7a0-0000-7000-8000-{number:012}"
    return Revocation(id, tenant, of, name, at - timedelta(seconds=1), at)


@pytest.mark.requirement("E6")
async def test_what_is_taken_back_comes_back_as_it_was(revocations: Revocations) -> None:
    """Of each kind, with its audit leaf, for all who look and page by page for its tenant."""
    mine = [
        taken(1, Of.TOKEN, "jti-1"),
        taken(2, Of.SUBJECT, "爱丽丝"),
        taken(3, Of.TENANT, EVERYONE),
    ]
    theirs = taken(4, Of.SUBJECT, "alice", GLOBEX)
    for number, one in enumerate([*mine, theirs]):
        await revocations.add(one, leaf(number + 100, one.tenant))
    assert await revocations.since(None) == [*mine, theirs]
    assert await revocations.since(mine[2].at) == [mine[2], theirs]
    assert await revocations.since(theirs.at + timedelta(microseconds=1)) == []
    assert await revocations.of(ACME, None, 2) == mine[:2]
    assert await revocations.of(ACME, mine[1].id, 2) == mine[2:]
    assert await revocations.of(GLOBEX, None, 9) == [theirs]
    assert await leaves_of(revocations, ACME) == [leaf(number + 100) for number in range(3)]
    assert await leaves_of(revocations, GLOBEX) == [leaf(103, GLOBEX)]


@pytest.mark.requirement("E6")
async def test_a_leaf_of_another_tenant_is_no_record_of_it(revocations: Revocations) -> None:
    """A programming error is one, and nothing is kept."""
    with pytest.raises(ValueError, match="another tenant"):
        await revocations.add(taken(1, Of.TOKEN, "jti-1"), leaf(1, GLOBEX))
    assert await revocations.since(None) == []
