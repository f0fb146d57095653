"""A gateway as an operator runs it: a process of its own that is killed, stopped, started again.

Everything goes through what a user has: the command, the port, the data directory. Only the
command is forked with its imports done, which saves seconds for each, and tokens are minted in this
process, which saves one more.
"""

import asyncio
import contextlib
import os
import random
import signal
import socket
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Self

import httpx2
import msgspec

from gateway import app
from gateway.minting import DEVELOPMENT_CLIENT
from gateway.settings import Settings, load
from tests.live.nursery import Child, asked, born

MEMGUARD: Final = str(Path(sys.executable).with_name("memguard"))
POLL_SECONDS: Final = 0.02
START_SECONDS: Final = 120.0
STOP_SECONDS: Final = 30.0
REQUEST_SECONDS: Final = 60.0
TABLES: Final = ("subjects", "memories", "leaves", "outbox")
SCOPES: Final = ("memory:read", "memory:write", "memory:delete")

_HOST: Final = "127.0.0.1"
# Below the range that outgoing connections get theirs from: a client that tries a port of that
# range again and again while nobody listens is one day connected to itself.
_PORTS: Final = range(15_000, 32_000)
_READY_POLL_SECONDS: Final = 0.1
"""A start takes seconds of a core; asking more often would take them from it."""
_TAIL_LINES: Final = 15


async def until(
    holds: Callable[[], Awaitable[bool]],
    what: str,
    seconds: float = START_SECONDS,
    poll: float = POLL_SECONDS,
) -> None:
    """Return as soon as `holds` does; fail, saying what was waited for, when time is up."""
    try:
        async with asyncio.timeout(seconds):
            while not await holds():  # noqa: ASYNC110 - another process tells of no event
                await asyncio.sleep(poll)
    except TimeoutError:
        raise AssertionError(f"not within {seconds:.0f} s: {what}") from None


class Caller:
    """One subject's application: a token, and connections of its own to the gateway."""

    def __init__(self, url: str, token: str) -> None:
        self.token = token
        self.http = httpx2.AsyncClient(
            base_url=url,
            timeout=REQUEST_SECONDS,
            trust_env=False,
            headers={"Authorization": f"Bearer {token}"},
        )

    async def store(self, text: str, **more: Any) -> httpx2.Response:
        """Ask for a text to be remembered."""
        return await self.http.post("/v1/memories", json={"text": text, **more})

    async def fetch(self, id: str) -> httpx2.Response:
        """Ask for one memory by id."""
        return await self.http.get(f"/v1/memories/{id}")

    async def recall(self, query: str, k: int = 10) -> Mapping[str, Any]:
        """Return the answer to a question, which must be an answer."""
        response = await self.http.post("/v1/recall", json={"query": query, "k": k})
        assert response.status_code == HTTPStatus.OK, response.text
        return msgspec.json.decode(response.content, type=dict[str, Any])

    async def texts(self) -> list[str]:
        """Return the texts of all active memories of the subject."""
        found: list[str] = []
        cursor: str | None = None
        while True:
            asked = {"limit": "100"} | ({"cursor": cursor} if cursor else {})
            response = await self.http.get("/v1/memories", params=asked)
            assert response.status_code == HTTPStatus.OK, response.text
            page = msgspec.json.decode(response.content, type=dict[str, Any])
            found += [item["text"] for item in page["items"]]
            cursor = page["cursor"]
            if cursor is None:
                return found


class GatewayProcess:
    """One data directory and port, and the gateway process that serves them at the moment."""

    def __init__(
        self, data_dir: Path, models: Path, *, log: Path | None = None, **environment: str
    ) -> None:
        """Lay out `data_dir` with models that are prepared already. Nothing is started."""
        data_dir.mkdir(mode=0o700, exist_ok=True)
        (data_dir / "models").symlink_to(models)
        self.data_dir = data_dir
        self.log = log or data_dir.parent / "gateway.log"
        self.settings: Settings = load(
            environ=environment,
            overrides={"storage.data_dir": str(data_dir), "http.port": str(_free_port())},
        )
        self._environment = environment
        self._process: Child | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Start the first process."""
        try:
            await self.start()
        except BaseException:
            await self.kill()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let go of the clients, and kill what still runs."""
        await self._stack.aclose()
        await self.kill()

    @property
    def url(self) -> str:
        """Where clients find it, the same after each start."""
        return self.settings.url

    @property
    def pid(self) -> int:
        """The process that runs now."""
        assert self._process is not None
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether the process has not ended."""
        return self._process is not None and self._process.returncode is None

    async def launch(self) -> None:
        """Start a process on the data directory; it may still be waiting for what it needs."""
        http = self.settings.http
        options = ("--host", _HOST, "--port", str(http.port), "--data-dir", str(self.data_dir))
        with self.log.open("ab") as log:
            self._process = await born(
                ("serve", *options), {"PYTHONUTF8": "1", **self._environment}, log, log
            )

    async def start(self) -> None:
        """Start a process on the data directory and return when it says that it is ready."""
        await self.launch()
        async with httpx2.AsyncClient(base_url=self.url, trust_env=False) as client:

            async def ready() -> bool:
                assert self.runs, f"the gateway ended by itself: {self.last_words()}"
                with contextlib.suppress(httpx2.TransportError):
                    return (await client.get("/readyz")).status_code == HTTPStatus.OK
                return False

            await until(ready, "the gateway is ready", poll=_READY_POLL_SECONDS)

    async def kill(self) -> None:
        """Kill the process as a power cut would, if it runs; its index worker is left alone."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    def terminate(self) -> None:
        """Ask the process to stop, as a service manager would."""
        assert self._process is not None
        self._process.terminate()

    async def ended(self) -> int:
        """Return the exit code of a process that was asked to stop."""
        assert self._process is not None
        try:
            async with asyncio.timeout(STOP_SECONDS):
                return await self._process.wait()
        except TimeoutError:
            raise AssertionError(f"it did not stop: {self.last_words()}") from None

    async def stop(self) -> None:
        """Stop the process, and insist that it says it ended well."""
        self.terminate()
        assert await self.ended() == 0, self.last_words()

    def worker_pids(self) -> list[int]:
        """Return the index workers among the children of the process."""
        return [pid for pid in _children(self.pid) if _is_worker(pid)]

    def caller(self, tenant: str, subject: str, scopes: Iterable[str] = SCOPES) -> Caller:
        """Return an application of this subject; its connections end with the gateway."""
        token = app.token(
            self.settings,
            tenant=tenant,
            subject=subject,
            scopes=scopes,
            client=DEVELOPMENT_CLIENT,
            ttl_seconds=3600,
        )
        caller = Caller(self.url, token)
        self._stack.push_async_callback(caller.http.aclose)
        return caller

    def counts(self) -> dict[str, int]:
        """Return how many rows each table of the ledger holds, as of one moment."""
        asked = ", ".join(f"(SELECT count(*) FROM {table})" for table in TABLES)  # noqa: S608
        with contextlib.closing(self.ledger()) as ledger:
            found = ledger.execute(f"SELECT {asked}").fetchone()
        return dict(zip(TABLES, found, strict=True))

    def ledger(self) -> sqlite3.Connection:
        """Open the ledger file beside the gateway; the caller closes it."""
        connection = sqlite3.connect(self.data_dir / "ledger.db", timeout=REQUEST_SECONDS)
        connection.isolation_level = None
        return connection

    async def drained(self, seconds: float = 90.0) -> None:
        """Return when the index has followed; leases of a killed gateway last a minute."""

        async def empty() -> bool:
            return self.counts()["outbox"] == 0

        await until(empty, "the index follows the ledger", seconds)

    async def memguard(self, *words: str) -> tuple[int, list[dict[str, Any]]]:
        """Run a command on the data directory; return its exit code and its JSON report."""
        code, out, errors = await asked(
            (*words, "--json", "--data-dir", str(self.data_dir)),
            {"PYTHONUTF8": "1", **self._environment},
        )
        assert out, errors.decode()
        return code, msgspec.json.decode(out, type=list[dict[str, Any]])

    async def verify_audit(self) -> int:
        """Insist that every tenant's audit is whole; return how many leaves it has in all."""
        code, reports = await self.memguard("audit", "verify")
        assert code == 0, reports
        assert reports, "an audit without tenants proves nothing"
        assert all(report["ok"] for report in reports), reports
        return sum(report["leaves"] for report in reports)

    async def drift(self) -> dict[str, int]:
        """Reconcile index and ledger of the stopped gateway; return what was amiss, by kind."""
        code, reports = await self.memguard("index", "reconcile")
        names = ("missing", "stale", "orphans")
        total = {name: sum(report[name] for report in reports) for name in names}
        assert reports, "a ledger without tenants proves nothing"
        assert code == (1 if any(total.values()) else 0), reports
        return total

    def last_words(self) -> str:
        """Return the end of the log."""
        lines = self.log.read_text("utf-8", "replace").splitlines()
        return " | ".join(lines[-_TAIL_LINES:])


def send(signal_: signal.Signals, pids: Iterable[int]) -> None:
    """Send a signal to processes of ours; one that has just ended needs none."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal_)


def gone(pid: int) -> bool:
    """Say whether a process has ended."""
    status = _status(pid)
    return status is None or status[0] == "Z"


def _children(parent: int) -> list[int]:
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if (status := _status(pid)) and int(status[1]) == parent]


def _status(pid: int) -> list[str] | None:
    """Return what follows a process's name in its status: state, parent and more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return None


def _is_worker(pid: int) -> bool:
    try:
        return b"storage.index.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _free_port() -> int:
    while True:
        port = random.choice(_PORTS)  # noqa: S311
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((_HOST, port))
            return port
