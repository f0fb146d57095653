"""A port of its own for `/metrics`, without a token: for a collector on the same host or pod."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import uvicorn

from gateway.metrics import MEDIA_TYPE, Metrics
from gateway.settings import Metrics as Section
from gateway.settings import SettingsError

_OK: Final = 200
_NOT_FOUND: Final = 404


def listening(section: Section, metrics: Metrics) -> Any:
    """Return the lifespan in which the page is served where the settings say.

    It raises SettingsError when nobody can listen there.
    """

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        if section.port is None:
            yield
            return
        server = _Quiet(
            uvicorn.Config(
                _page(metrics),
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="off",
                timeout_graceful_shutdown=1,
                limit_concurrency=8,
            )
        )
        with _bound(section.host, section.port) as listener:
            serving = asyncio.create_task(server.serve([listener]), name="metrics")
            try:
                yield
            finally:
                server.should_exit = True
                await asyncio.wait((serving,))

    return lifespan


class _Quiet(uvicorn.Server):
    """Leaves the signals to the gateway's own server."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture nothing."""
        yield


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address, family=family)
    except OSError as error:
        raise SettingsError(
            f"cannot serve metrics on {host} port {port}: {error.strerror}"
        ) from None


def _page(metrics: Metrics) -> Any:
    async def page(scope: Any, _: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        found = scope["method"] == "GET" and scope["path"] == "/metrics"
        body = await metrics.page() if found else b""
        headers = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        status = _OK if found else _NOT_FOUND
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return page
