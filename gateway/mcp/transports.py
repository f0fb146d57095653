"""MCP over Streamable HTTP at `/mcp` and legacy HTTP+SSE at `/sse` with `/messages` (M1, M3).

Paths are exact routes behind the same bearer check as REST. A stream ends when its token does.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import anyio
from litestar import asgi, get
from litestar.handlers import ASGIRouteHandler, HTTPRouteHandler
from litestar.types import Receive, Scope, Send
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from gateway.auth import remaining
from gateway.doors import Edge
from gateway.mcp.seats import Seats
from gateway.mcp.server import build_server
from gateway.mcp.stepup import let_through
from gateway.mcp.streams import Streams
from gateway.metrics import Figure
from gateway.problems import metadata_url
from gateway.rates import Cashier
from gateway.resources import Resource, metadata_of
from gateway.slots import Slots
from memory.origin import Channel
from memory.types import Owner

_REFUSED: Final = 400
_SESSION: Final = b"mcp-session-id"
_REVISION: Final = b"mcp-protocol-version"
_OPT: Final = {"channel": Channel.MCP, "streams": True}


class McpEdge:
    """The MCP routes of one application, and the session manager that must run beside them."""

    def __init__(self, edge: Edge, cashier: Cashier, slots: Slots) -> None:
        limits = edge.settings.limits
        security = TransportSecuritySettings(
            allowed_hosts=edge.settings.hosts, allowed_origins=edge.settings.origins
        )
        self._edge = edge
        self._server = build_server(edge, cashier, slots)
        self._seats = Seats(limits.mcp_sessions_each, limits.mcp_idle_seconds)
        self._streams = Streams(edge.admission, edge.settings.auth.registry_seconds, edge.revoked)
        self._sse = SseServerTransport("/messages", security, limits.max_body_bytes)
        self._manager = StreamableHTTPSessionManager(
            self._server,
            security_settings=security,
            session_idle_timeout=limits.mcp_idle_seconds,
            max_request_body_size=limits.max_body_bytes,
            max_sessions=limits.mcp_sessions,
        )
        edge.metrics.look_up(
            lambda: (
                Figure("mcp_sessions", "Open MCP sessions and SSE streams.", self._seats.taken),
                Figure("tasks", "Tasks of the event loop.", len(asyncio.all_tasks())),
            )
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Keep sessions while the application lives. Can be entered once."""
        async with self._manager.run():
            watching = asyncio.create_task(self._streams.run(), name="streams")
            try:
                yield
            finally:
                watching.cancel()
                await asyncio.wait((watching,))

    def routes(self) -> list[ASGIRouteHandler | HTTPRouteHandler]:
        """Return the transports' routes, and the metadata of all resources."""

        @asgi("/mcp", copy_scope=True, opt=_OPT)
        async def streamable(scope: Scope, receive: Receive, send: Send) -> None:
            metadata = metadata_url(self._edge.settings.url, "/mcp")
            again = await let_through(scope["auth"], receive, send, metadata)
            if again is None:
                return
            ending = Ending(again, send, self._seconds_left(scope))
            watched = self._streams.watched(scope["auth"], ending)
            with watched, self._seated(scope, ending), ending.time:
                await self._manager.handle_request(scope, again, ending.send)  # type: ignore[arg-type]
            await ending.finish()

        @asgi("/sse", copy_scope=True, opt=_OPT)
        async def sse(scope: Scope, receive: Receive, send: Send) -> None:
            if scope.get("method") != "GET":
                await _method_not_allowed(send)
                return
            ending = Ending(receive, send, self._seconds_left(scope))
            seat = self._seats.take(scope["auth"].owner)
            try:
                with self._streams.watched(scope["auth"], ending):
                    await self._serve_sse(scope, ending.receive, ending.send)
            finally:
                self._seats.settle(seat, None)
            await ending.finish()

        @asgi("/messages", copy_scope=True, opt=_OPT)
        async def messages(scope: Scope, receive: Receive, send: Send) -> None:
            await self._sse.handle_post_message(scope, receive, send)  # type: ignore[arg-type]

        return [streamable, sse, messages, *metadata_routes(self._edge)]

    @contextmanager
    def _seated(self, scope: Scope, ending: "Ending") -> Iterator[None]:
        """Keep count of the sessions that this request opens, uses or ends.

        Raises LimitedError for one too many. Revisions without sessions need no seat.
        """
        owner: Owner = scope["auth"].owner
        # Of a repeated header the first counts, as it does for the SDK.
        headers = {n: value.decode("latin-1") for n, value in reversed(list(scope["headers"]))}
        session = headers.get(_SESSION)
        if (
            headers.get(_REVISION, HANDSHAKE_PROTOCOL_VERSIONS[0])
            not in HANDSHAKE_PROTOCOL_VERSIONS
        ):
            yield
        elif session is None:
            seat = self._seats.take(owner)
            try:
                yield
            finally:
                self._seats.settle(seat, ending.session)
        else:
            self._seats.used(owner, session)
            yield
            if scope.get("method") == "DELETE":
                self._seats.leave(owner, session)

    async def _serve_sse(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with self._sse.connect_sse(scope, receive, send) as (incoming, outgoing):  # type: ignore[arg-type]
                options = self._server.create_initialization_options()
                await self._server.run(incoming, outgoing, options)
        except ValueError:
            return  # the transport has already answered: Host or Origin is not allowed

    def _seconds_left(self, scope: Scope) -> float:
        return remaining(scope["auth"], self._edge.verifier.leeway)


class Ending:
    """One response that is over when its token is, or earlier, properly ended and not cut off."""

    def __init__(self, receive: Receive, send: Send, seconds: float) -> None:
        self._receive, self._send = receive, send
        self._until = anyio.current_time() + seconds
        self._waiting: anyio.CancelScope | None = None
        self._open = False
        self.time = anyio.CancelScope(deadline=self._until)
        """What a transport that does not look at `receive` runs in."""
        self.session: str | None = None
        """The session that a successful response names."""

    async def receive(self) -> Any:
        """Return the next message, or a disconnect once time is up."""
        with anyio.CancelScope(deadline=self._until) as self._waiting:
            return await self._receive()
        return {"type": "http.disconnect"}

    def end(self) -> None:
        """Let time be up."""
        self._until = anyio.current_time()
        self.time.cancel()
        if self._waiting is not None:
            self._waiting.cancel()

    async def send(self, message: Any) -> None:
        """Pass a message on, and remember whether the response is still open."""
        if message["type"] == "http.response.start":
            self._open = True
            if message["status"] < _REFUSED:
                named = dict(message.get("headers", ())).get(_SESSION)
                self.session = None if named is None else named.decode("latin-1")
        elif not message.get("more_body", False):
            self._open = False
        await self._send(message)

    async def finish(self) -> None:
        """End the response if the transport left it open."""
        if self._open:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})


def metadata_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the RFC 9728 documents of the resources, each at its own well-known address."""
    auth, url = edge.settings.auth, edge.settings.url

    def route(resource: Resource) -> HTTPRouteHandler:
        document = metadata_of(resource, url, auth.servers)

        @get(resource.metadata_path)
        async def metadata() -> dict[str, object]:
            return document

        return metadata

    return [route(one) for one in Resource]


async def _method_not_allowed(send: Send) -> None:
    headers = [(b"allow", b"GET"), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 405, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
