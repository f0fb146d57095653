"""A sealed tenant on real adapters: found in memory, and no entry of it in an index."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway import app
from gateway.app.enrolling import LedgerDesk, enrol
from gateway.app.indexing import opened_index
from gateway.app.keep import index_dir, opened_keep
from gateway.app.serving import new_id, now
from gateway.cli.program import run
from gateway.settings import Settings, SettingsError, TenantEntry, load
from guard.errors import NotFoundError
from guard.fakes import HashEmbedder
from guard.forget import forget
from guard.outcomes import Query
from guard.ports import Indexing
from guard.principal import Principal
from guard.recall import recall
from memory.types import MemoryId, TenantId
from storage.embedders import SqlEmbedders
from storage.fakes.registry import MemoryRegistry
from storage.index.divided import DividedIndex
from storage.registry import SqlRegistry
from storage.sealed import SealedIndex
from tests.attacks.tamper import Site
from tests.house import caller

VEILED, OPEN = TenantId("veiled"), TenantId("open")
TEXTS = (
    "The staging database listens on port 5433.",
    "The spare key hangs behind the blue door.",
    "Our supplier for paper is Larkspindle.",
)
QUESTION = "On which port does the staging database listen?"
OTHER = "Where does the spare key hang, behind which door?"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return the settings of a site over a fresh folder."""
    return load(environ={}, overrides={"storage.data_dir": str(tmp_path / "data")})


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Site]:
    """Lend rooms on the real ledger and index, with a sealed tenant and an open one."""
    async with opened_keep(settings) as keep:
        embedder = HashEmbedder().id
        await SqlEmbedders(keep.database).adopt(embedder)
        desk = LedgerDesk(now, new_id, SqlRegistry(keep.database))
        await enrol((TenantEntry(id=VEILED, sealed=True), TenantEntry(id=OPEN)), desk)
        async with opened_index(settings, keep, embedder.dimensions) as index:
            yield Site(settings, keep, index)  # type: ignore[arg-type]


async def write(site: Site, principal: Principal) -> list[MemoryId]:
    """Store all texts and let the index follow; return their ids."""
    ids = [await site.remember(principal, text) for text in TEXTS]
    await site.settle()
    owner = principal.owner
    assert await site.rooms.ledger.unindexed(owner.tenant, owner.subject, 10) == []
    return ids


async def ask(site: Site, principal: Principal, question: str = QUESTION) -> set[MemoryId]:
    """Return the ids in an answer that the index took part in."""
    answer = await recall(principal, Query(question, 3), site.rooms)
    assert not answer.degraded
    return {item.memory.id for item in answer.items}


def parts(site: Site) -> tuple[DividedIndex, SealedIndex]:
    """Return the index, and its part in memory."""
    index = site.rooms.index
    assert isinstance(index, DividedIndex)
    assert isinstance(index.sealed, SealedIndex)
    return index, index.sealed


def shards(settings: Settings) -> int:
    """Return how many collections lie on the disk."""
    return sum(path.is_dir() for path in index_dir(settings).rglob("segments"))


@pytest.mark.requirement("S6")
async def test_a_sealed_tenants_memory_is_found_and_in_no_index(settings: Settings) -> None:
    """By its owner alone; the open tenant beside it, the control, has its entries."""
    alice, bob, open_alice = (
        caller("alice", VEILED),
        caller("bob", VEILED),
        caller("alice", OPEN),
    )
    async with opened(settings) as site:
        index, sealed = parts(site)
        ids = await write(site, alice)
        assert (await index.engine.inventory(VEILED, None, 10), shards(settings)) == ([], 0)
        assert ids[0] in await ask(site, alice)
        assert await ask(site, bob) == set()
        # The follower has marked them as indexed: it was the matrix that found them.
        assert (sealed.subjects, sealed.size > 0) == (2, True)

        others = await write(site, open_alice)
        assert len(await index.engine.inventory(OPEN, None, 10)) == len(TEXTS)
        assert shards(settings) > 0
        assert others[0] in await ask(site, open_alice)
        assert sealed.subjects == 2

        await forget(alice, ids[0], site.rooms)
        assert ids[0] not in await ask(site, alice)
        assert ids[1] in await ask(site, alice, OTHER)
    async with opened(settings) as site:
        assert ids[1] in await ask(site, alice, OTHER)
        assert await parts(site)[0].engine.inventory(VEILED, None, 10) == []


@pytest.mark.requirement("S6")
async def test_sealing_removes_the_entries_before_it_says_so_and_unsealing_brings_them_back(
    settings: Settings,
) -> None:
    """The same memories are found before, between and after; a stranger is not found."""
    alice = caller("alice", OPEN)
    async with opened(settings) as site:
        ids = await write(site, alice)
        assert ids[0] in await ask(site, alice)
    assert shards(settings) > 0

    assert await app.seal(settings, OPEN) == len(TEXTS)
    assert shards(settings) == 0
    async with opened(settings) as site:
        tenant = await site.rooms.registry.tenant(OPEN)
        assert tenant is not None
        assert tenant.indexing is Indexing.SEALED
        assert ids[0] in await ask(site, alice)
        assert parts(site)[1].subjects == 1
    assert await app.seal(settings, OPEN) == 0

    assert await app.unseal(settings, OPEN) == len(TEXTS)
    async with opened(settings) as site:
        index, sealed = parts(site)
        assert len(await index.engine.inventory(OPEN, None, 10)) == len(TEXTS)
        assert ids[0] in await ask(site, alice)
        assert sealed.subjects == 0
    for switch in (app.seal, app.unseal):
        with pytest.raises(NotFoundError):
            await switch(settings, TenantId("nobody"))


@pytest.mark.requirement("S6", "E13")
async def test_settings_that_say_otherwise_than_what_is_so_stop_the_start() -> None:
    """A tenant is sealed when it is new, or by the command; what is not said changes nothing."""
    desk = LedgerDesk(now, new_id, MemoryRegistry())
    await enrol((TenantEntry(id="a", sealed=True), TenantEntry(id="b")), desk)
    for entry, verb in ((TenantEntry(id="a", sealed=False), "unseal"), (sealed_b(), "seal")):
        with pytest.raises(SettingsError, match=f"tenant {verb}`"):
            await enrol((entry,), desk)
    assert await enrol((TenantEntry(id="a"), TenantEntry(id="b", sealed=False)), desk) == 0
    found = await desk.registry.tenant(TenantId("a"))
    assert found is not None
    assert found.indexing is Indexing.SEALED


def sealed_b() -> TenantEntry:
    """Return an entry that would have the open tenant sealed."""
    return TenantEntry(id="b", sealed=True)


@pytest.mark.requirement("S6", "Q9")
def test_the_command_line_registers_a_sealed_tenant_and_switches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown tenant is a problem, and said to be one."""
    at = ["--data-dir", str(tmp_path / "data"), "--json"]
    assert run(["tenant", "register", "acme", "--sealed", *at]) == 0
    assert '"index":"sealed"' in capsys.readouterr().out
    assert run(["tenant", "seal", "acme", *at]) == 0
    assert capsys.readouterr().out.strip() == '{"entries":0}'
    assert run(["tenant", "unseal", "acme", *at]) == 0
    capsys.readouterr()
    assert run(["tenant", "list", *at]) == 0
    assert '"index":"open"' in capsys.readouterr().out
    assert run(["tenant", "seal", "nobody", *at]) == 1
