"""Takes away the index, the ledger's lock and the disk: no answer is untrue, and all recovers."""

import asyncio
import contextlib
import errno
import os
import resource
import signal
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Iterator
from http import HTTPStatus
from pathlib import Path

import httpx2
import pytest

from tests.live.conftest import Figure
from tests.live.gateway_process import Caller, GatewayProcess, send, until
from tests.live.phrases import phrases
from tests.live.writing import Acknowledged, assert_all_there, recalls

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

_MOST_WRITES = 100
"""Writes after which a full disk must have shown: the log of the ledger is reused for a while."""


async def acknowledged(caller: Caller, text: str) -> Acknowledged:
    """Store a text and return its acknowledgement."""
    response = await caller.store(text)
    assert response.status_code == HTTPStatus.CREATED, response.text
    return Acknowledged(caller, response.json()["id"], text)


def assert_unavailable(response: httpx2.Response) -> None:
    """Insist on a refusal that a client can act on."""
    assert response.status_code == HTTPStatus.SERVICE_UNAVAILABLE, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    assert int(response.headers["Retry-After"]) >= 1
    problem = response.json()
    assert (problem["status"], problem["code"]) == (503, "unavailable")
    assert problem.keys() <= {"type", "title", "status", "code", "unavailable"}


@pytest.mark.requirement("R11", "R13", "S9")
@pytest.mark.parametrize("trouble", [signal.SIGKILL, signal.SIGSTOP])
async def test_without_an_index_worker_the_ledger_answers(
    gateway: GatewayProcess, trouble: signal.Signals, figure: Figure
) -> None:
    """Writes are acknowledged and found, marked as degraded; a new worker ends that by itself."""
    caller, texts = gateway.caller("acme", "anna"), phrases(1)
    before = await acknowledged(caller, next(texts))
    assert await recalls(*before, degraded=False)

    (worker,) = gateway.worker_pids()
    started = asyncio.get_running_loop().time()
    send(trouble, [worker])
    during = await acknowledged(caller, next(texts))
    for memory in (during, before):
        assert await recalls(*memory, degraded=None if trouble is signal.SIGKILL else True)

    # One that hangs is killed for it, once it has been silent for long enough.
    async def another() -> bool:
        degraded = (await caller.recall(during.text))["degraded"]
        return not degraded and worker not in gateway.worker_pids()

    await until(another, "another worker serves")
    waited = asyncio.get_running_loop().time() - started
    await assert_all_there([before, during])
    figure(f"after {trouble.name} of the index worker, recall was whole again in {waited:.1f} s")


@contextlib.contextmanager
def locked(gateway: GatewayProcess) -> Iterator[None]:
    """Hold the ledger as another process's transaction would."""
    with contextlib.closing(gateway.ledger()) as ledger:
        ledger.execute("BEGIN EXCLUSIVE")
        yield
        ledger.execute("ROLLBACK")


@pytest.mark.requirement("E9", "R11", "S9")
async def test_a_locked_ledger_is_503_and_nothing_is_half_written(
    gateway: GatewayProcess, figure: Figure
) -> None:
    """Writes, a first write of a subject and a deletion are refused; then all of it works again."""
    caller, texts = gateway.caller("acme", "anna"), phrases(2)
    newcomer = gateway.caller("acme", "boris")
    stored = await acknowledged(caller, next(texts))
    await gateway.drained()
    counts = gateway.counts()
    waiting = [next(texts)]
    with locked(gateway):
        refused = await asyncio.gather(
            *(caller.store(text) for text in waiting),
            newcomer.store(waiting[0]),
            caller.http.delete(f"/v1/memories/{stored.id}"),
        )
        # Reading needs no lock. (Its audit leaves wait in memory.)
        assert await recalls(*stored, degraded=False)
        assert (await caller.fetch(stored.id)).status_code == HTTPStatus.OK
        assert gateway.counts() == counts
    for response in refused:
        assert_unavailable(response)
    again = [await acknowledged(caller, text) for text in waiting]
    assert await recalls(*(await acknowledged(newcomer, waiting[0])))
    await assert_all_there([stored, *again])
    await gateway.stop()
    await gateway.verify_audit()
    figure(f"{len(refused)} changes were refused with 503 while the ledger was locked")


async def _ran(*command: str) -> bool:
    process = await asyncio.create_subprocess_exec(*command, stdout=DEVNULL, stderr=DEVNULL)
    return await process.wait() == 0


@pytest.fixture
async def cramped(tmp_path: Path, models: Path) -> AsyncIterator[GatewayProcess]:
    """Lend a gateway whose data directory is a small file system of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=160m", "memguard-test", str(disk))
    if os.geteuid() != 0 or not await _ran(*mount):
        pytest.skip("only root can mount a file system")
    try:
        async with GatewayProcess(disk / "data", models, log=tmp_path / "gateway.log") as process:
            yield process
    finally:
        assert await _ran("umount", "--lazy", str(disk))


async def _until_refused(
    gateway: GatewayProcess, caller: Caller, kept: list[Acknowledged]
) -> tuple[str, dict[str, int]]:
    """Write until a write is refused; return its text and what the ledger held just before."""
    for text in phrases(3):
        counts = gateway.counts()
        response = await caller.store(text)
        if response.status_code != HTTPStatus.CREATED:
            assert_unavailable(response)
            return text, counts
        kept.append(Acknowledged(caller, response.json()["id"], text))
        assert len(kept) < _MOST_WRITES, "the disk is not full"
    raise AssertionError("there are always more phrases")


async def _assert_recovers(
    gateway: GatewayProcess, kept: list[Acknowledged], caller: Caller, text: str
) -> None:
    """Insist that a refused text can be stored now, and that each acknowledgement is true."""
    accepted: list[httpx2.Response] = []

    async def stores() -> bool:
        accepted.append(await caller.store(text))
        return accepted[-1].status_code != HTTPStatus.SERVICE_UNAVAILABLE

    await until(stores, "writes work again")
    assert accepted[-1].status_code == HTTPStatus.CREATED, accepted[-1].text
    kept.append(Acknowledged(caller, accepted[-1].json()["id"], text))
    await assert_all_there(kept)
    await gateway.drained()
    await gateway.stop()
    await gateway.verify_audit()
    assert await gateway.drift() == {"missing": 0, "stale": 0, "orphans": 0}


def _memories(counts: dict[str, int]) -> tuple[int, int]:
    """Return what only acknowledged writes may change; leaves of recalls come and go beside."""
    return counts["subjects"], counts["memories"]


@pytest.mark.requirement("E9", "S9", "Q6")
async def test_a_full_disk_is_503_and_nothing_is_half_written(
    cramped: GatewayProcess, figure: Figure
) -> None:
    """What was acknowledged stays readable meanwhile, and with room again writes go on."""
    caller = cramped.caller("acme", "anna")
    kept: list[Acknowledged] = []
    ballast = cramped.data_dir.parent / "ballast"
    first = await acknowledged(caller, "The spare lens caps lie in drawer QX7710 in Lisbon.")
    kept.append(first)
    _fill(ballast)
    text, counts = await _until_refused(cramped, caller, kept)
    assert _memories(cramped.counts()) == _memories(counts)
    assert _memories(counts)[1] == len(kept)
    assert await recalls(*first, degraded=None)
    assert_unavailable(await caller.store(text))
    # Somebody new needs a key first, and there is no room for that either.
    newcomer = cramped.caller("acme", "boris")
    assert_unavailable(await newcomer.store(text))
    ballast.unlink()
    kept.append(await acknowledged(newcomer, text))
    await _assert_recovers(cramped, kept, caller, text)
    figure(f"a full disk was met after {len(kept) - 3} writes; all {len(kept)} are there")


@pytest.mark.requirement("E9", "S9", "Q6")
async def test_a_ledger_that_may_not_grow_is_503_and_nothing_is_half_written(
    gateway: GatewayProcess, figure: Figure
) -> None:
    """A limit on file sizes fails writes with another error than a full disk, to the same end."""
    caller = gateway.caller("acme", "anna")
    kept = [await acknowledged(caller, "The spare lens caps lie in drawer QX7711 in Lisbon.")]
    sizes = [path.stat().st_size for path in gateway.data_dir.glob("*.db*")]
    resource.prlimit(gateway.pid, resource.RLIMIT_FSIZE, (max(sizes), resource.RLIM_INFINITY))
    text, counts = await _until_refused(gateway, caller, kept)
    assert _memories(gateway.counts()) == _memories(counts)
    assert _memories(counts)[1] == len(kept)
    assert await recalls(*kept[0], degraded=None)
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.prlimit(gateway.pid, resource.RLIMIT_FSIZE, unlimited)
    await _assert_recovers(gateway, kept, caller, text)
    figure(f"a file size limit was met after {len(kept) - 2} writes; all {len(kept)} are there")


def _fill(ballast: Path) -> None:
    """Write until the file system has not a byte left."""
    size = 1 << 20
    with ballast.open("wb", buffering=0) as file:
        while size:
            try:
                file.write(bytes(size))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                size //= 2
