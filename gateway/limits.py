"""How much one request may cost, and what it may carry (E3, E8).

Bodies are read here, whole and within bounds, before anything parses them: the limit holds for
chunked uploads and for the MCP transports exactly as for REST.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar.connection import ASGIConnection
from litestar.enums import ScopeType
from litestar.handlers import BaseRouteHandler
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Send
from litestar.types import Scope as Connection

from gateway.problems import MediaTypeError, SlowRequestError, TooLargeError
from gateway.settings import Limits
from guard.errors import InvalidError, UnavailableError

_NAMES_AN_OWNER: Final = re.compile(rb"(\A|[-_])(tenant|subject)([-_]|\Z)")


class Shape(msgspec.Struct, frozen=True):
    """What a REST route takes and gives: parsed by it, checked here, documented from it.

    `fields` are the header fields that it reads, each with what it is for; `id` is the kind of what
    stands for `{id}` in its path, by default a memory's.
    """

    summary: str
    answer: type[msgspec.Struct]
    status: int = 200
    body: type[msgspec.Struct] | None = None
    query: type[msgspec.Struct] | None = None
    fields: Mapping[str, str] = msgspec.field(default_factory=dict)
    id: Any = UUID


class RequestLimits(ASGIMiddleware):
    """Reads the body within size and time, and gives up on a handler that is late."""

    scopes = (ScopeType.HTTP, ScopeType.ASGI)

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    async def handle(
        self, scope: Connection, receive: Receive, send: Send, next_app: ASGIApp
    ) -> None:
        """Bound one request."""
        opt = scope["route_handler"].opt
        shape: Shape | None = opt.get("shape")
        seconds = self._limits.request_deadline_seconds
        headers = scope["headers"]
        _refuse_encodings(headers)
        async with within(seconds, SlowRequestError("the body did not arrive in time")):
            body = await _read(receive, headers, self._limits.max_body_bytes)
        if body is None:
            return  # the client went away
        _check_body(body, headers, shape)
        if opt.get("streams"):
            await next_app(scope, _replay(body, receive), send)
            return
        async with within(seconds, UnavailableError("deadline")):
            await next_app(scope, _replay(body, receive), send)


@asynccontextmanager
async def within(seconds: float, error: Exception) -> AsyncIterator[None]:
    """Run the block for at most `seconds`, then raise `error`."""
    try:
        async with asyncio.timeout(seconds) as deadline:
            yield
    except TimeoutError:
        if deadline.expired():
            raise error from None
        raise


async def strict_guard(connection: ASGIConnection, handler: BaseRouteHandler) -> None:  # type: ignore[type-arg]
    """Refuse what no route reads: tenant or subject in a header, a query where none is taken."""
    if handler.opt.get("shape") is None:
        return
    if any(_NAMES_AN_OWNER.search(name.lower()) for name, _ in connection.scope["headers"]):
        raise InvalidError("tenant and subject come from the token, not from a header")
    if connection.scope["query_string"] and handler.opt["shape"].query is None:
        raise InvalidError("this route takes no query")


def _refuse_encodings(headers: Iterable[tuple[bytes, bytes]]) -> None:
    coded = [value for name, value in headers if name == b"content-encoding"]
    if any(value.strip().lower() not in (b"", b"identity") for value in coded):
        raise MediaTypeError("compressed bodies are not read")


async def _read(
    receive: Receive, headers: Iterable[tuple[bytes, bytes]], limit: int
) -> bytes | None:
    """Return the whole body, None when the client left, or raise TooLargeError."""
    too_large = TooLargeError(f"the body exceeds {limit} bytes")
    for name, value in headers:
        if name == b"content-length" and value.isdigit() and int(value[:20]) > limit:
            raise too_large
    body = bytearray()
    while True:
        message: Any = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > limit:
            raise too_large
        if not message.get("more_body", False):
            return bytes(body)


def _check_body(body: bytes, headers: Iterable[tuple[bytes, bytes]], shape: Shape | None) -> None:
    if shape is None:
        return
    if shape.body is None:
        if body:
            raise InvalidError("this route takes no body")
        return
    kinds = [value for name, value in headers if name == b"content-type"]
    if len(kinds) != 1 or kinds[0].split(b";")[0].strip().lower() != b"application/json":
        raise MediaTypeError("send application/json")


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once and then what really comes (a disconnect)."""
    pending: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Any:
        return pending.pop() if pending else await receive()

    return replayed
