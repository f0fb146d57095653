"""The Qdrant double behind a real socket, so that a gateway's own client speaks HTTP to it.

`python -m tests.edges.qdrant_served PORT` serves one by itself, for gateways in other processes.
"""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import uvicorn

from tests.contracts.qdrant_double import QdrantDouble


class ServedDouble:
    """A double on a port; it can be stopped as a killed server is, and started again."""

    def __init__(self, double: QdrantDouble, port: int = 0) -> None:
        self.double = double
        self._port = port
        self._server: _Quiet | None = None
        self._running: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Return when it listens; on the port it had before, if it had one."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self._port))
        self._port = int(listener.getsockname()[1])
        config = uvicorn.Config(
            self._app,
            interface="asgi3",
            log_config=None,
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        self._server = _Quiet(config)
        self._running = asyncio.create_task(self._server.serve([listener]))
        await self._server.up.wait()

    async def stop(self) -> None:
        """Return when nobody listens any more."""
        if self._server is not None and self._running is not None:
            self._server.should_exit = True
            await self._running
            self._server = self._running = None

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        body = bytearray()
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        path = scope["path"]
        if scope["query_string"]:
            path = f"{path}?{scope['query_string'].decode('ascii')}"
        request = httpx.Request(
            scope["method"], f"{self.url}{path}", headers=scope["headers"], content=bytes(body)
        )
        response = await self.double.wire.handle_async_request(request)
        content = await response.aread()
        headers = [(name.lower(), value) for name, value in response.headers.raw]
        await send(
            {"type": "http.response.start", "status": response.status_code, "headers": headers}
        )
        await send({"type": "http.response.body", "body": content})


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


@asynccontextmanager
async def served_double(port: int = 0) -> AsyncIterator[ServedDouble]:
    """Serve a new double while the block runs."""
    served = ServedDouble(QdrantDouble(), port)
    await served.start()
    try:
        yield served
    finally:
        await served.stop()
        await served.double.engine.close()


async def _forever(port: int) -> None:
    async with served_double(port) as served:
        sys.stdout.write(f"{served.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_forever(int(sys.argv[1])))
