"""All that runs: gateways, a PostgreSQL, a Redis, an index server. Made new, and thrown away."""

import asyncio
import os
import shutil
import sys
import tempfile
import uuid
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.soak.book import Owner
from bench.soak.greedy import BURST_SECONDS
from gateway import app
from gateway.app.keep import start_keys
from gateway.minting import DEVELOPMENT_CLIENT
from gateway.settings import Settings, load
from storage.keystore import prepare
from storage.migrations import migrate
from tests.live.gateway_process import GatewayProcess
from tests.postgres import GATEWAY, Cluster, Place, throwaway
from tests.redis import RedisProcess

_ROOT: Final = Path(__file__).parents[2]
_SCOPES: Final = ("memory:read", "memory:write", "memory:delete", "platform:admin")
_TOKEN_SECONDS: Final = 6 * 3600
_REDIS: Final = ("redis-server", "valkey-server")


class MissingError(Exception):
    """A program that the soak needs is not on this machine."""


class IndexServer:
    """The double's process; or a real server, which suffers no faults."""

    def __init__(self, url: str, process: Process | None) -> None:
        self.url = url
        self._process = process

    @property
    def real(self) -> bool:
        """Whether it is a server that somebody else runs."""
        return self._process is None

    async def turn(self, fault: str) -> None:
        """Switch to a fault, or to `well`."""
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("a real server is not ours to break")
        self._process.stdin.write(f"{fault}\n".encode())
        await self._process.stdout.readline()


class Site(msgspec.Struct, frozen=True):
    """Everything, running."""

    settings: Settings
    cluster: Cluster
    ledger: Place
    redis: RedisProcess
    index: IndexServer
    gateways: tuple[GatewayProcess, ...]
    tokens: dict[Owner, str] = msgspec.field(default_factory=dict)

    def token(self, owner: Owner) -> str:
        """Return somebody's token, minted when it is first asked for."""
        if owner not in self.tokens:
            self.tokens[owner] = app.token(
                self.settings,
                tenant=owner.tenant,
                subject=owner.subject,
                scopes=_SCOPES,
                client=DEVELOPMENT_CLIENT,
                ttl_seconds=_TOKEN_SECONDS,
            )
        return self.tokens[owner]

    def count(self, table: str) -> int:
        """Return how many rows a table of the ledger has, whoever owns them."""
        with self.ledger.connect() as boss:
            asked = f"SELECT count(*) FROM {table}".encode()  # noqa: S608 - a name of ours
            found: Any = boss.execute(asked).fetchone()
        return int(found[0])


@asynccontextmanager
async def opened_site(gateways: int) -> AsyncIterator[Site]:
    """Start everything, and end and remove it after the block."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memguard-soak-")))
        settings = load(environ={}, overrides={"storage.data_dir": str(folder / "keys")})
        keys = start_keys(settings)
        app.prepare_models(settings, lambda _step, _done, _total: None)
        cluster = stack.enter_context(throwaway())
        ledger, store = cluster.database(), cluster.database()
        await asyncio.to_thread(lambda: asyncio.run(migrate(ledger.owner, GATEWAY)))
        await prepare(store.owner, GATEWAY)
        redis = RedisProcess(_redis_program(), folder)
        redis.start()
        stack.callback(redis.kill)
        index = await stack.enter_async_context(_index_server())
        environment = {
            "MEMGUARD_STORAGE_ROOT_KEY_FILE": str(keys.root_key),
            "MEMGUARD_AUTH_KEYS_FILE": str(keys.keys_file),
            "MEMGUARD_STORAGE_LEDGER_URL": ledger.gateway,
            "MEMGUARD_STORAGE_KEYS_URL": store.gateway,
            "MEMGUARD_STORAGE_POOL_SIZE": "8",
            "MEMGUARD_INDEX_KIND": "server",
            "MEMGUARD_INDEX_URL": index.url,
            "MEMGUARD_INDEX_PREFIX": f"soak-{uuid.uuid4().hex[:8]}",
            "MEMGUARD_LIMITS_REDIS_URL": redis.url,
            "MEMGUARD_LIMITS_REDIS_DEADLINE_SECONDS": "0.5",  # the processors are shared with load
            "MEMGUARD_LIMITS_BURST_SECONDS": str(BURST_SECONDS),
            "MEMGUARD_WRITES_LEASE_SECONDS": "10",
            "MEMGUARD_EMBEDDER_THREADS": "1",
        }
        if "QDRANT_TEST_API_KEY" in os.environ:
            environment["MEMGUARD_INDEX_API_KEY"] = os.environ["QDRANT_TEST_API_KEY"]
        if "PYTHONPATH" in os.environ:  # else gateways would run other code than this
            environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
        models = settings.storage.data_dir / "models"
        made = []
        for number in range(gateways):
            log = folder / f"gateway-{number}.log"
            one = GatewayProcess(folder / f"data-{number}", models, log=log, **environment)
            made.append(await stack.enter_async_context(one))
        yield Site(settings, cluster, ledger, redis, index, tuple(made))


@asynccontextmanager
async def _index_server() -> AsyncIterator[IndexServer]:
    if "QDRANT_TEST_URL" in os.environ:
        yield IndexServer(os.environ["QDRANT_TEST_URL"], None)
        return
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.soak.index_server", "0"), stdin=PIPE, stdout=PIPE, cwd=_ROOT
    )
    try:
        if process.stdout is None:
            raise RuntimeError("a pipe was asked for")
        yield IndexServer((await process.stdout.readline()).decode().strip(), process)
    finally:
        process.kill()
        await process.wait()


def _redis_program() -> str:
    for name in _REDIS:
        if found := shutil.which(name):
            return found
    raise MissingError(f"none of {', '.join(_REDIS)} is installed")
