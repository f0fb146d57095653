"""What is peculiar to the embedded index: its directory, its worker, and damage to its shards."""

import asyncio
import json
import os
import signal
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from guard.errors import InvalidError, UnavailableError
from memory.types import INDEXED_LAYERS, TenantId
from storage.index import pool, wire
from storage.index.embedded import EmbeddedIndex
from storage.index.places import Places, share_of
from storage.index.pool import Worker
from storage.index.share import Share
from tests.contracts.index_builders import (
    ACME,
    ALICE,
    DIMENSIONS,
    GLOBEX,
    entry,
    id_of,
    probe,
    rich,
)


@asynccontextmanager
async def opened(root: Path, workers: int = 1) -> AsyncIterator[EmbeddedIndex]:
    """Open the index in `root` for the length of a block."""
    index = await EmbeddedIndex.open(root, DIMENSIONS, workers, 30, grace_seconds=0)
    try:
        yield index
    finally:
        await index.close()


async def recovered(index: EmbeddedIndex) -> None:
    """Return when the index answers again."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await index.ping()
            except UnavailableError:
                await asyncio.sleep(0)


async def hits(index: EmbeddedIndex, tenant: TenantId = ACME) -> list[str]:
    """Return what Alice finds."""
    found = await index.search(tenant, ALICE, probe(rich()))
    return sorted(hit.id for hit in found.routes["entity"])


@pytest.mark.requirement("S2")
async def test_what_was_stored_is_there_after_closing_and_opening(tmp_path: Path) -> None:
    """Content outlives the process, with another number of workers too."""
    async with opened(tmp_path) as index:
        await index.upsert(ACME, [entry(1, rich())])
        await index.upsert(GLOBEX, [entry(2, rich())])
    async with opened(tmp_path, workers=2) as index:
        assert await hits(index) == [id_of(1)]
        assert await hits(index, GLOBEX) == [id_of(2)]
        assert len(set(index.worker_pids)) == 2


@pytest.mark.requirement("S2")
async def test_a_second_opener_is_refused(tmp_path: Path) -> None:
    """One process owns the directory; the second is told so, and the first goes on."""
    async with opened(tmp_path) as index:
        await index.upsert(ACME, [entry(1, rich())])
        with pytest.raises(UnavailableError, match="open in another process"):
            await EmbeddedIndex.open(tmp_path, DIMENSIONS, grace_seconds=0)
        assert await hits(index) == [id_of(1)]


@pytest.mark.requirement("S2")
async def test_other_vectors_than_the_index_was_built_for_are_refused(tmp_path: Path) -> None:
    """Another model's dimensions fail at the start instead of finding nothing for ever."""
    async with opened(tmp_path):
        pass
    with pytest.raises(InvalidError, match="other vectors"):
        await EmbeddedIndex.open(tmp_path, {"en": 9}, grace_seconds=0)
    async with opened(tmp_path):
        pass


@pytest.mark.requirement("L2", "S2")
async def test_directory_names_say_nothing_and_only_the_owner_can_read(tmp_path: Path) -> None:
    """No tenant's name in any path, one shard per layer, no access for group or others."""
    root = tmp_path / "index"
    async with opened(root) as index:
        layered = [entry(n, rich(), layer=layer) for n, layer in enumerate(INDEXED_LAYERS, start=1)]
        await index.upsert(TenantId("very-secret-tenant"), layered)
    paths = sorted(root.rglob("*"))
    assert not any("secret" in str(path.relative_to(root)) for path in paths)
    assert len([path for path in paths if path.name == "edge_config.json"]) == len(INDEXED_LAYERS)
    for path in (root, *paths):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


@pytest.mark.requirement("S5")
async def test_dropping_leaves_no_file_of_the_tenant(tmp_path: Path) -> None:
    """The directories are gone, and those of others stay."""
    async with opened(tmp_path) as index:
        await index.upsert(ACME, [entry(1, rich(), token=b"A" * 60)])
        await index.upsert(GLOBEX, [entry(2, rich())])
        await index.drop(ACME)
    assert tenants(tmp_path) == [GLOBEX]
    assert len(shards(tmp_path)) == 1


@pytest.mark.requirement("R11", "S9")
async def test_a_killed_worker_is_started_again_and_has_what_it_acknowledged(
    tmp_path: Path,
) -> None:
    """Calls fail while it is away, at once and by the agreed error; nothing is lost."""
    async with opened(tmp_path) as index:
        await index.upsert(ACME, [entry(1, rich())])
        (before,) = index.worker_pids
        waiting = asyncio.create_task(_until_refused(index))
        os.kill(before, signal.SIGKILL)
        await waiting
        await recovered(index)
        assert index.worker_pids != [before]
        assert index.restarts == 1
        assert await hits(index) == [id_of(1)]


async def _until_refused(index: EmbeddedIndex) -> None:
    async with asyncio.timeout(30):
        while True:
            try:
                await index.ping()
            except UnavailableError:
                return


@pytest.mark.requirement("R11")
async def test_a_worker_that_does_not_answer_in_time_is_given_up_and_replaced(
    tmp_path: Path,
) -> None:
    """A stopped process fails calls at their deadline, and is killed when it stays silent."""
    index = await EmbeddedIndex.open(tmp_path, DIMENSIONS, timeout_seconds=0.05)
    try:
        (before,) = index.worker_pids
        os.kill(before, signal.SIGSTOP)
        with pytest.raises(UnavailableError):
            await index.ping()
        await recovered(index)
        assert index.worker_pids != [before]
    finally:
        await index.close()


@pytest.mark.requirement("R11")
async def test_nobody_waits_for_a_worker_that_is_silent_already(tmp_path: Path) -> None:
    """One call finds out at its deadline; those that come after it are told at once, also many."""
    index = await EmbeddedIndex.open(tmp_path, DIMENSIONS, timeout_seconds=1.0)
    try:
        (pid,) = index.worker_pids
        (worker,) = index._workers
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(UnavailableError):
            await index.ping()
        assert len(worker._inflight) == 1
        for _ in range(50):
            with pytest.raises(UnavailableError):
                await index.ping()
        assert len(worker._inflight) == 1, "they were never sent"
        os.kill(pid, signal.SIGCONT)
        await recovered(index)
        assert index.worker_pids == [pid]
    finally:
        await index.close()


@pytest.mark.requirement("R11")
async def test_work_that_nobody_waits_for_any_more_is_skipped(tmp_path: Path) -> None:
    """A call that reaches the worker after its deadline is not carried out."""
    index = await EmbeddedIndex.open(tmp_path, DIMENSIONS, timeout_seconds=0.5)
    try:
        (pid,) = index.worker_pids
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(UnavailableError):
            await index.upsert(ACME, [entry(1, rich())])
        os.kill(pid, signal.SIGCONT)
        await recovered(index)
        assert index.worker_pids == [pid]
        assert await index.inventory(ACME, None, 10) == []
    finally:
        await index.close()


def tenants(root: Path) -> list[str]:
    """Return the tenants that have a directory, dropped ones included while any file is left."""
    return [json.loads(path.read_bytes())["tenant"] for path in root.rglob("tenant.json")]


def shards(root: Path) -> list[Path]:
    """Return the shard directories."""
    return sorted(path.parent for path in root.rglob("edge_config.json"))


@pytest.mark.requirement("S8", "R11")
@pytest.mark.parametrize(
    "victim", ["edge_config.json", "segment.json", "mutable_id_tracker.mappings"]
)
async def test_a_damaged_shard_stands_aside_and_its_tenant_waits_for_a_rebuild(
    tmp_path: Path, victim: str
) -> None:
    """Searches of that tenant fail, visibly and across restarts, until it was rebuilt."""
    async with opened(tmp_path) as index:
        await index.upsert(ACME, [entry(1, rich())])
    home = shards(tmp_path)[0].parent
    for path in home.rglob(victim):
        path.write_bytes(b"\xff" * path.stat().st_size)
    async with opened(tmp_path) as index:
        await index.upsert(GLOBEX, [entry(2, rich())])
        for _ in range(2):
            with pytest.raises(UnavailableError):
                await index.search(ACME, ALICE, probe(rich()))
        assert index.incomplete() == {ACME}
        assert await hits(index, GLOBEX) == [id_of(2)]
    async with opened(tmp_path) as index:
        assert index.incomplete() == {ACME}
        assert list(home.glob("aside-*"))
        await index.begin_rebuild(ACME)
        await index.upsert(ACME, [entry(3, rich())])
        await index.end_rebuild(ACME)
        assert await hits(index) == [id_of(3)]
        assert index.incomplete() == frozenset()
        assert list(home.glob("aside-*")) == []


@pytest.mark.requirement("S8")
async def test_an_emptied_shard_directory_is_damage_not_an_empty_shard(tmp_path: Path) -> None:
    """The engine would open it and find nothing, for ever and without a word."""
    async with opened(tmp_path) as index:
        await index.upsert(ACME, [entry(1, rich())])
    (shards(tmp_path)[0] / "edge_config.json").unlink()
    async with opened(tmp_path) as index:
        with pytest.raises(UnavailableError):
            await index.search(ACME, ALICE, probe(rich()))
        assert index.incomplete() == {ACME}


@pytest.mark.requirement("S8", "R11")
async def test_a_tenant_whose_calls_keep_killing_the_worker_is_set_aside(tmp_path: Path) -> None:
    """After three deaths in a row over one tenant's calls its shards stand aside for a rebuild."""
    async with opened(tmp_path) as index:
        await index.upsert(ACME, [entry(1, rich())])
        await index.upsert(GLOBEX, [entry(2, rich())])
        (worker,) = index._workers
        for _ in range(pool._STRIKES):
            await recovered(index)
            (pid,) = index.worker_pids
            os.kill(pid, signal.SIGSTOP)
            call = asyncio.create_task(index.search(ACME, ALICE, probe(rich())))
            async with asyncio.timeout(30):
                while not worker._inflight:  # noqa: ASYNC110 - turns of the loop, not time
                    await asyncio.sleep(0)
            os.kill(pid, signal.SIGKILL)
            with pytest.raises(UnavailableError):
                await call
        await recovered(index)
        assert index.incomplete() == {ACME}
        assert await hits(index, GLOBEX) == [id_of(2)]


@pytest.mark.requirement("S2")
def test_only_so_many_shards_are_open_and_all_can_be_served(tmp_path: Path) -> None:
    """The least recently used shard is closed for the next, and opened again when asked."""
    configure = wire.Configure(str(tmp_path), DIMENSIONS, 0, 1, 2, 5.0, ())
    share = Share(configure, lambda _: None)
    vector = rich().vectors["en"].tobytes()
    tenants = [TenantId(f"tenant {n}") for n in range(5)]
    for n, tenant in enumerate(tenants):
        point = wire.Point(
            id_of(n), INDEXED_LAYERS[0], ALICE, {"en": vector}, (), (), (), 0, b"sealed"
        )
        assert share.handle(wire.Upsert(tenant, (point,))) == wire.Done()
        assert len(share._open) <= 2
    for n, tenant in enumerate(tenants):
        listed = share.handle(wire.Inventory(tenant, None, 10))
        assert isinstance(listed, wire.Listed)
        assert [id for id, _ in listed.items] == [id_of(n)]
        assert len(share._open) <= 2
    share.close()


@pytest.mark.requirement("S9")
def test_a_failed_request_leaves_the_shard_to_be_opened_anew(tmp_path: Path) -> None:
    """What the engine refuses is a result; the next request is served."""
    share = Share(wire.Configure(str(tmp_path), DIMENSIONS, 0, 1, 8, 5.0, ()), lambda _: None)
    good = wire.Point(id_of(1), INDEXED_LAYERS[0], ALICE, {}, (), (), ("e1",), 0, b"sealed")
    bad = wire.Point(id_of(2), INDEXED_LAYERS[0], ALICE, {"en": b"\0" * 4}, (), (), (), 0, b"")
    assert share.handle(wire.Upsert(ACME, (good,))) == wire.Done()
    assert share.handle(wire.Upsert(ACME, (bad,))) == wire.Failed("engine")
    listed = share.handle(wire.Inventory(ACME, None, 10))
    assert isinstance(listed, wire.Listed)
    assert [id for id, _ in listed.items] == [id_of(1)]
    share.close()


@pytest.mark.requirement("S9")
def test_leftovers_of_a_process_that_died_are_cleared(tmp_path: Path) -> None:
    """Half-made and half-removed directories go; one that names no tenant is counted and kept."""
    for name in ("new-x", "gone-y", "stray"):
        (tmp_path / name).mkdir()
    places = Places(tmp_path, 0, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stray"]
    assert places.strays == 1


@pytest.mark.requirement("S2")
def test_the_share_of_a_tenant_never_changes() -> None:
    """Pinned: another hash would look for shards in the wrong worker."""
    assert [share_of(TenantId(name), 4) for name in ("acme", "globex", "公司", "x")] == [0, 3, 0, 0]


@pytest.mark.requirement("S2")
async def test_a_worker_that_cannot_start_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A root that is no directory ends in the agreed error, not in waiting for ever."""
    monkeypatch.setattr(pool, "_START_SECONDS", 0.2)
    configure = wire.Configure(str(tmp_path / "absent"), DIMENSIONS, 0, 1, 8, 5.0, ())
    worker = Worker(configure, os.open(tmp_path, os.O_RDONLY), 1.0)
    with pytest.raises(UnavailableError):
        await worker.start()
    assert worker.pid is None
    os.close(worker._lock)


def inherited(pid: int) -> tuple[bytes, list[str]]:
    """Return a process's environment and the names of its open files."""
    process = Path(f"/proc/{pid}")
    files = [str(path.readlink()) for path in (process / "fd").iterdir()]
    return (process / "environ").read_bytes(), files


@pytest.mark.requirement("S3")
async def test_a_worker_inherits_no_environment_and_no_open_file_but_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Secrets in the gateway's environment and its sockets stay in the gateway."""
    monkeypatch.setenv("MEMGUARD_TEST_SECRET", "do-not-inherit")
    with (tmp_path / "held").open("w") as held:
        async with opened(tmp_path / "index") as index:
            (pid,) = index.worker_pids
            environment, files = inherited(pid)
            assert held.name not in files
            assert str((tmp_path / "index" / "lock").resolve()) in files
            assert not any(name.startswith("socket:") for name in files)
            assert b"do-not-inherit" not in environment
