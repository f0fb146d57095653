"""The registry's contract, on memory, on a real SQLite file and on a real PostgreSQL."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from guard.ports import Client, Registry, Tenant
from memory.origin import OriginClass
from memory.types import ClientId
from storage.database import Database
from storage.fakes.registry import MemoryRegistry
from storage.registry import SqlRegistry
from tests.contracts.ledger_builders import ACME, GLOBEX, new_file, url_of
from tests.postgres import Place

APP, BOT = ClientId("app"), ClientId("bot")


@pytest.fixture
async def registry(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Registry]:
    """Lend a fresh registry of each adapter."""
    adapter, place = ledger_at
    if adapter == "memory":
        yield MemoryRegistry()
        return
    url = place.gateway if place else url_of(await new_file(tmp_path))
    database = await Database.open(url)
    yield SqlRegistry(database)
    await database.close()


@pytest.mark.requirement("E13")
async def test_who_was_not_registered_is_not_there(registry: Registry) -> None:
    """Neither tenant nor client, and asking creates neither; who was registered is."""
    for _ in range(2):
        assert await registry.tenant(ACME) is None
        assert await registry.client(ACME, APP) is None
    await registry.register(Tenant(ACME, suspended=False), [])
    assert await registry.tenant(ACME) == Tenant(ACME, suspended=False)
    assert await registry.client(ACME, APP) is None


@pytest.mark.requirement("E13")
async def test_a_client_belongs_to_its_tenant_alone(registry: Registry) -> None:
    """The same client id in two tenants is two clients with their own ceilings."""
    mine = Client(APP, ACME, OriginClass.USER_STATED)
    theirs = Client(APP, GLOBEX, OriginClass.WEB)
    await registry.register(Tenant(ACME, suspended=False), [mine])
    await registry.register(Tenant(GLOBEX, suspended=False), [])
    assert await registry.client(ACME, APP) == mine
    assert await registry.client(GLOBEX, APP) is None
    await registry.register(Tenant(GLOBEX, suspended=False), [theirs])
    assert await registry.client(ACME, APP) == mine
    assert await registry.client(GLOBEX, APP) == theirs


@pytest.mark.requirement("E13")
async def test_registering_again_replaces_and_keeps_other_clients(registry: Registry) -> None:
    """Suspension and ceilings take the newest value; twice the same changes nothing."""
    bot = Client(BOT, ACME, OriginClass.AGENT_RELAYED)
    await registry.register(Tenant(ACME, suspended=False), [bot])
    lowered = Client(APP, ACME, OriginClass.DOCUMENT)
    await registry.register(
        Tenant(ACME, suspended=False), [Client(APP, ACME, OriginClass.OPERATOR)]
    )
    for _ in range(2):
        await registry.register(Tenant(ACME, suspended=True), [lowered])
        assert await registry.tenant(ACME) == Tenant(ACME, suspended=True)
        assert await registry.client(ACME, APP) == lowered
        assert await registry.client(ACME, BOT) == bot


@pytest.mark.requirement("E13")
async def test_a_client_of_another_tenant_is_refused_whole(registry: Registry) -> None:
    """A programming error: nothing of the call is registered."""
    with pytest.raises(ValueError, match="tenant"):
        await registry.register(
            Tenant(ACME, suspended=False), [Client(APP, GLOBEX, OriginClass.OPERATOR)]
        )
    assert await registry.tenant(ACME) is None
    assert await registry.client(GLOBEX, APP) is None
