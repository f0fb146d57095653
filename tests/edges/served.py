"""Real gateways on real adapters, served from a thread: for tests that speak HTTP and wait.

One set of adapters (SQLite files, index workers, the packaged models) serves several builds of the
gateway, so that a build with a seeded leak runs beside the honest one on the same data.
"""

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Final

import httpx2
import uvicorn

from gateway.app import keep, serving, tokens
from gateway.doors import UseCases
from gateway.settings import Settings, load

_START_SECONDS: Final = 60.0
_NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Without anybody's certificates: reading them takes longer than a request that needs none."""


class Served:
    """Gateways by name, each with an address, over one data directory."""

    def __init__(self, settings: Settings, ports: Mapping[str, int]) -> None:
        self.settings = settings
        self.urls = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}

    def token(self, subject: str, tenant: str = "acme", *, client: str = "dev-app") -> str:
        """Return a token with every scope."""
        scopes = ("memory:read", "memory:write", "memory:delete", "quarantine:read")
        return tokens.token(
            self.settings,
            tenant=tenant,
            subject=subject,
            scopes=scopes,
            client=client,
            ttl_seconds=3600,
        )

    def client(self, token: str, build: str = "honest") -> httpx2.Client:
        """Return an HTTP client of one build that sends `token`."""
        headers = {"Authorization": f"Bearer {token}"}
        return httpx2.Client(
            base_url=self.urls[build], headers=headers, timeout=30, verify=_NO_TLS, trust_env=False
        )


@contextmanager
def served(folder: Path, builds: Mapping[str, UseCases]) -> Iterator[Served]:
    """Serve each build on a port of its own while the block runs."""
    settings = load(environ={}, overrides={"storage.data_dir": str(folder / "data")})
    keep.start_keys(settings)
    serving.prepare_models(settings, lambda _step, _done, _total: None)
    sockets = {name: _listening() for name in builds}
    ports = {name: int(one.getsockname()[1]) for name, one in sockets.items()}
    ready, stop = threading.Event(), threading.Event()
    failed: list[BaseException] = []

    async def serve() -> None:
        async with AsyncExitStack() as stack:
            adapters = await stack.enter_async_context(serving.adapters_of(settings))
            servers = []
            for name, use_cases in builds.items():
                gateway = serving.assembled(settings, adapters, use_cases)
                config = uvicorn.Config(gateway.litestar, log_config=None, lifespan="on")
                server = _Quiet(config)
                servers.append(server)
                running = asyncio.create_task(server.serve([sockets[name]]))
                stack.push_async_callback(_ended, server, running)
            for server in servers:
                await server.up.wait()
            ready.set()
            await asyncio.to_thread(stop.wait)

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            failed.append(error)
            raise
        finally:
            ready.set()

    thread = threading.Thread(target=run, name="served")
    thread.start()
    try:
        assert ready.wait(_START_SECONDS), "the gateways did not start"
        assert not failed, f"the gateways did not start: {failed}"
        yield Served(settings, ports)
    finally:
        stop.set()
        thread.join(_START_SECONDS)


class _Quiet(uvicorn.Server):
    """Leaves the signals of the test process alone, and says when it is up."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self.up.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture nothing."""
        yield


async def _ended(server: uvicorn.Server, running: asyncio.Task[None]) -> None:
    server.should_exit = True
    await running


def _listening() -> socket.socket:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    return listener
