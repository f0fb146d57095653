"""The registry's contract, on memory, on a real SQLite file and on a real PostgreSQL."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from guard.errors import ConflictError, NotFoundError
from guard.nouns import Leaf
from guard.ports import Allowed, Client, Enrolment, Registry, Tenant
from memory.origin import Channel, OriginClass
from memory.types import ClientId, LeafId, TenantId
from storage.audit import SqlAudit
from storage.database import Database
from storage.fakes.registry import MemoryRegistry
from storage.registry import SqlRegistry
from tests.contracts.ledger_builders import ACME, GLOBEX, START, new_file, url_of
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
    yield Audited(database)
    await database.close()


class Audited(SqlRegistry):
    """The registry in SQL, with the audit over the same ledger at hand."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.audit = SqlAudit(database)


async def leaves_of(registry: Registry, tenant: TenantId) -> list[Leaf]:
    """Return what the audit has of a tenant, and that its chain holds."""
    if isinstance(registry, MemoryRegistry):
        return [leaf for leaf in registry.leaves if leaf.tenant == tenant]
    assert isinstance(registry, Audited)
    await registry.audit.integrate()
    assert (await registry.audit.verify(tenant)).ok
    return [one.leaf for one in await registry.audit.leaves(tenant, 0, 100)]


def leaf(number: int, tenant: TenantId = ACME) -> Leaf:
    """Return a leaf of an administrator's change."""
    return Leaf(
        id=LeafId(f"0197b7a0-0000-7000-8000-{number:012}"),
        tenant=tenant,
        subject="",
        actor="root",
        client=APP,
        channel=Channel.CLI,
        action="tenant.register",
        object=tenant,
        version=0,
        outcome="done",
        policy="",
        digest=b"",
        reasons=(),
        at=START,
    )


def new(tenant: TenantId = ACME, *clients: Client, leaves: tuple[Leaf, ...] = ()) -> Enrolment:
    """Return the enrolment of a new tenant."""
    return Enrolment(
        tenant=tenant,
        new=True,
        suspended=False,
        ceiling=OriginClass.USER_STATED,
        allowed=Allowed(),
        clients=clients,
        leaves=leaves,
    )


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


@pytest.mark.requirement("E13", "Q6")
async def test_an_amendment_changes_what_it_names_and_leaves_the_rest(registry: Registry) -> None:
    """Each part stands for itself, so that whoever adds a client can't undo a suspension."""
    app = Client(APP, ACME, OriginClass.USER_STATED)
    await registry.amend(new(ACME, app, leaves=(leaf(1),)))
    assert await registry.tenant(ACME) == Tenant(
        ACME, suspended=False, ceiling=OriginClass.USER_STATED
    )
    assert await registry.client(ACME, APP) == app
    units = Allowed(tenant=600, subject=60)
    await registry.amend(Enrolment(tenant=ACME, suspended=True, leaves=(leaf(2),)))
    await registry.amend(Enrolment(tenant=ACME, allowed=units, leaves=(leaf(3),)))
    bot = Client(BOT, ACME, OriginClass.AGENT_RELAYED)
    await registry.amend(Enrolment(tenant=ACME, clients=(bot,), leaves=(leaf(4),)))
    await registry.amend(Enrolment(tenant=ACME, removed=(APP,), leaves=(leaf(5),)))
    await registry.amend(Enrolment(tenant=ACME, ceiling=OriginClass.DOCUMENT, leaves=(leaf(6),)))
    assert await registry.tenant(ACME) == Tenant(ACME, True, OriginClass.DOCUMENT, units)  # noqa: FBT003
    assert await registry.client(ACME, APP) is None
    assert await registry.client(ACME, BOT) == bot
    await registry.amend(Enrolment(tenant=ACME, allowed=Allowed()))
    assert await registry.tenant(ACME) == Tenant(ACME, suspended=True, ceiling=OriginClass.DOCUMENT)
    assert await leaves_of(registry, ACME) == [leaf(number) for number in range(1, 7)]


@pytest.mark.requirement("E13", "Q6")
async def test_an_amendment_that_fails_leaves_no_part_of_itself(registry: Registry) -> None:
    """A tenant twice, one that is not there, a client that is not there: nothing, and no leaf."""
    app = Client(APP, ACME, OriginClass.USER_STATED)
    bot = Client(BOT, ACME, OriginClass.USER_STATED)
    with pytest.raises(NotFoundError):
        await registry.amend(Enrolment(tenant=ACME, suspended=False, leaves=(leaf(1),)))
    with pytest.raises(NotFoundError):
        await registry.amend(Enrolment(tenant=ACME, leaves=(leaf(1),)))
    assert await registry.tenant(ACME) is None
    await registry.amend(new(ACME, app, leaves=(leaf(2),)))
    await registry.amend(Enrolment(tenant=ACME, suspended=True))
    with pytest.raises(ConflictError):
        await registry.amend(new(ACME, bot, leaves=(leaf(3),)))
    with pytest.raises(NotFoundError):
        await registry.amend(
            Enrolment(tenant=ACME, clients=(bot,), removed=(ClientId("c"),), leaves=(leaf(4),))
        )
    assert await registry.tenant(ACME) == Tenant(
        ACME, suspended=True, ceiling=OriginClass.USER_STATED
    )
    assert await registry.clients(ACME, None, 10) == [app]
    assert await leaves_of(registry, ACME) == [leaf(2)]


@pytest.mark.requirement("E13")
@pytest.mark.parametrize(
    "change",
    [
        Enrolment(tenant=ACME, clients=(Client(APP, GLOBEX, OriginClass.WEB),)),
        Enrolment(tenant=ACME, leaves=(leaf(1, GLOBEX),)),
        Enrolment(tenant=ACME, new=True),
    ],
)
async def test_an_amendment_that_is_none_is_a_mistake(
    registry: Registry, change: Enrolment
) -> None:
    """Clients and leaves of another tenant, and a tenant without terms, are refused whole."""
    with pytest.raises(ValueError, match=r"tenant"):
        await registry.amend(change)
    assert await registry.tenant(ACME) is None


@pytest.mark.requirement("E13")
async def test_tenants_and_clients_are_listed_in_order_page_by_page(registry: Registry) -> None:
    """Each page goes on behind the last id, and one tenant's clients are never another's."""
    names = ["Zeta", "acme", "globex", "öl", "租户", "𝒵"]
    for name in reversed(names):
        tenant = TenantId(name)
        await registry.amend(new(tenant, Client(APP, tenant, OriginClass.WEB)))
    pages = []
    after: TenantId | None = None
    while page := await registry.tenants(after, 4):
        pages.append([one.id for one in page])
        after = page[-1].id
    assert pages == [names[:4], names[4:]]
    await registry.amend(
        Enrolment(tenant=ACME, clients=(Client(BOT, ACME, OriginClass.AGENT_RELAYED),))
    )
    first = await registry.clients(ACME, None, 1)
    assert [one.id for one in first] == [APP]
    assert await registry.clients(ACME, APP, 5) == [Client(BOT, ACME, OriginClass.AGENT_RELAYED)]
    assert await registry.clients(TenantId("nobody"), None, 5) == []
