"""A door in front of a gateway that adds the token which the conformance suite can't send."""

import asyncio
import contextlib
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

_HEAD_END = b"\r\n\r\n"


@asynccontextmanager
async def tokens_added(url: str, token: str) -> AsyncIterator[str]:
    """Lend an address whose every request reaches the gateway at `url` with `token`.

    Nothing else is changed but the door's own name in `Host`, so that a foreign one stays foreign.
    """
    gateway = urlsplit(url)
    assert gateway.hostname is not None
    host, port, own = gateway.hostname, gateway.port, b""

    async def pass_through(reader: StreamReader, writer: StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(_HEAD_END)
            lines = head.removesuffix(_HEAD_END).split(b"\r\n")
            # One request a connection: of a second one the head would not be seen here.
            kept = [one for one in lines if not one.lower().startswith(b"connection:")]
            added = [b"Authorization: Bearer " + token.encode(), b"Connection: close"]
            sent = b"\r\n".join([*kept, *added]) + _HEAD_END
            answers, there = await asyncio.open_connection(host, port)
            there.write(sent.replace(own, gateway.netloc.encode(), 1))
            try:
                await _until_one_ends(_pour(answers, writer), _pour(reader, there))
            finally:
                there.close()

    async def lead(reader: StreamReader, writer: StreamWriter) -> None:
        passing.add(task := asyncio.ensure_future(pass_through(reader, writer)))
        await asyncio.wait((task,))
        writer.close()
        passing.discard(task)

    passing: set[asyncio.Future[None]] = set()
    door = await asyncio.start_server(lead, "127.0.0.1", 0)
    own = b"127.0.0.1:%d" % door.sockets[0].getsockname()[1]
    try:
        yield f"http://{own.decode()}"
    finally:
        door.close()
        for one in passing:
            one.cancel()
        while passing:  # noqa: ASYNC110 - each takes itself out
            await asyncio.sleep(0.01)


async def _until_one_ends(*ways: Coroutine[None, None, None]) -> None:
    tasks = [asyncio.ensure_future(one) for one in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in tasks:
            one.cancel()
        await asyncio.wait(tasks)


async def _pour(source: StreamReader, sink: StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while some := await source.read(65_536):
            sink.write(some)
            await sink.drain()
