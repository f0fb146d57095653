"""A real HTTP endpoint on this machine that keeps what is posted to it and answers as told."""

import asyncio
import base64
import hashlib
import hmac
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec


class Received(msgspec.Struct, frozen=True):
    """One request, as it came."""

    path: str
    fields: dict[str, str]
    body: bytes

    @property
    def event(self) -> Any:
        """The body as JSON."""
        return msgspec.json.decode(self.body)


class Receiver:
    """Answers 204, or what `answers` says first: whole heads, without the empty line."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.answers: list[str] = []
        self.silent = False
        self.port = 0
        self.endless = False
        self.serving: set[asyncio.Task[None]] = set()

    @property
    def place(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection, in a task that ends with the endpoint."""
        task = asyncio.create_task(self._serve(reader, writer))
        self.serving.add(task)
        task.add_done_callback(self.serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            lines = (line.partition(": ") for line in head[1:] if line)
            fields = {name.lower(): value for name, _, value in lines}
            body = await reader.readexactly(int(fields.get("content-length", "0")))
            self.received.append(Received(head[0].split(" ")[1], fields, body))
            if self.silent:
                await asyncio.Event().wait()
            answer = self.answers.pop(0) if self.answers else "204 No Content"
            writer.write(f"HTTP/1.1 {answer}\r\nConnection: close\r\n".encode())
            writer.write(b"\r\n" if self.endless else b"Content-Length: 0\r\n\r\n")
            await writer.drain()
            while self.endless:
                writer.write(b"x" * 65_536)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass  # it went away
        finally:
            writer.close()


@asynccontextmanager
async def receiving(context: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    """Lend an endpoint that listens."""
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=context)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        for task in [*receiver.serving]:
            task.cancel()
        await asyncio.gather(*receiver.serving, return_exceptions=True)


def verified(received: Received, secret: str) -> bool:
    """Return whether one of the signatures is that of a secret, as Standard Webhooks checks it."""
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    names: Sequence[str] = ("webhook-id", "webhook-timestamp")
    said = ".".join(received.fields[name] for name in names).encode() + b"." + received.body
    mac = base64.b64encode(hmac.new(key, said, hashlib.sha256).digest()).decode()
    given = received.fields["webhook-signature"].split(" ")
    return any(hmac.compare_digest(one, f"v1,{mac}") for one in given)
