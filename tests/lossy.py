"""A network that loses things at the worst moment: a real proxy before a real database."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum
from typing import Final


class Loss(Enum):
    """What becomes of the next message that holds the marked bytes."""

    NONE = "none"
    REQUEST = "it never arrives"
    ANSWER = "it arrives and takes effect; the answer never comes back"
    LATE = "it arrives after its sender has given up and tried again"


class Network:
    """Lies between clients and one server, and cuts a connection when told to."""

    def __init__(self, port: int) -> None:
        self._server_port: Final = port
        self._tried_again: Final = asyncio.Event()
        self._marked = b""
        self._again = b""
        self.loss = Loss.NONE
        self.down = False
        """While set, nobody comes through any more."""
        self.lost = 0
        self.losing: Final = asyncio.Event()
        """Set by the first loss."""
        self.port = 0
        self._carrying: Final[dict[asyncio.Task[None], asyncio.StreamWriter]] = {}

    def lose(self, loss: Loss, marked: bytes, again: bytes = b"") -> None:
        """Suffer `loss` at the next message with `marked`; one with `again` is a new attempt."""
        self.loss, self._marked, self._again = loss, marked, again

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one client's connection until either side ends it, or it is cut."""
        task = asyncio.create_task(self._connect(reader, writer))
        self._carrying[task] = writer
        await asyncio.wait((task,))
        del self._carrying[task]

    async def close(self) -> None:
        """Cut every connection."""
        self._tried_again.set()
        for writer in self._carrying.values():
            writer.close()
        await asyncio.gather(*self._carrying, return_exceptions=True)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.down:
            await _end(writer)
            return
        upstream, server = await asyncio.open_connection("127.0.0.1", self._server_port)
        back = asyncio.create_task(_carry(upstream, writer))
        try:
            while message := await reader.read(65_536):
                if self._again and self._again in message and self.lost:
                    self._tried_again.set()
                if self.loss is Loss.NONE or self._marked not in message:
                    server.write(message)
                    continue
                loss, self.loss, self.lost = self.loss, Loss.NONE, self.lost + 1
                self.losing.set()
                back.cancel()
                await asyncio.gather(back, return_exceptions=True)
                await self._suffer(loss, message, upstream, server, writer)
                return
        except ConnectionError:
            return
        finally:
            back.cancel()
            await asyncio.gather(back, return_exceptions=True)
            await _end(writer)
            await _end(server)

    async def _suffer(
        self,
        loss: Loss,
        message: bytes,
        upstream: asyncio.StreamReader,
        server: asyncio.StreamWriter,
        writer: asyncio.StreamWriter,
    ) -> None:
        if loss is Loss.REQUEST:
            return
        if loss is Loss.LATE:
            await _end(writer)
            await self._tried_again.wait()
        server.write(message)
        await upstream.read(1)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while message := await reader.read(65_536):
            writer.write(message)
        writer.close()


async def _end(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


@asynccontextmanager
async def lossy(port: int) -> AsyncIterator[Network]:
    """Lend a network before the server at `port`."""
    network = Network(port)
    async with await asyncio.start_server(network.serve, "127.0.0.1", 0) as server:
        network.port = server.sockets[0].getsockname()[1]
        try:
            yield network
        finally:
            await network.close()
