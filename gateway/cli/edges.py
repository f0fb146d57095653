"""A client of both edges, as an application and an agent would use them: REST, and the MCP SDK."""

import base64
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final, Self

import httpx2
import msgspec
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

_TIMEOUT_SECONDS: Final = 30.0


class EdgeError(Exception):
    """The gateway can't be talked to, or answers what no client can read."""


class Answer(msgspec.Struct, frozen=True):
    """What an edge said: the HTTP status (for a tool call 200, or 0 when refused), and the body."""

    status: int
    body: Mapping[str, Any]

    @property
    def items(self) -> list[Mapping[str, Any]]:
        """The memories in the answer."""
        found = self.body.get("items")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    def item(self, id: str) -> Mapping[str, Any] | None:
        """Return the memory with this id, if it is among them."""
        return next((one for one in self.items if id and one.get("id") == id), None)

    def text(self, name: str) -> str:
        """Return a member as text, empty when it is missing."""
        return str(self.body.get(name) or "")

    def part(self, name: str) -> Mapping[str, Any]:
        """Return a member that is an object, empty when it is missing."""
        found = self.body.get(name)
        return found if isinstance(found, dict) else {}


class HttpEdges:
    """Talks to the gateway at `url` over real sockets."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._stack = AsyncExitStack()
        self._rest = httpx2.AsyncClient(base_url=url, timeout=_TIMEOUT_SECONDS, trust_env=False)

    async def __aenter__(self) -> Self:
        """Open the connections."""
        await self._stack.enter_async_context(self._rest)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self._stack.aclose()

    async def ask(
        self, token: str, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Answer:
        """Return what REST answers."""
        try:
            response = await self._rest.request(method, path, json=body, headers=_bearer(token))
        except httpx2.HTTPError as error:
            raise EdgeError(f"{method} {path}: {type(error).__name__}") from None
        try:
            parsed = msgspec.json.decode(response.content, type=dict[str, Any])
        except msgspec.MsgspecError:
            parsed = {}  # a status alone is an answer, too
        return Answer(response.status_code, parsed)

    async def call(self, token: str, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Return what an MCP tool answers, in a session of its own."""
        try:
            async with self._session(token) as session:
                result = await session.call_tool(tool, dict(arguments))
        except (httpx2.HTTPError, MCPError, ExceptionGroup) as error:
            raise EdgeError(f"{tool}: {_first(error)}") from None
        content = result.structured_content
        return Answer(0 if result.is_error else 200, content if isinstance(content, dict) else {})

    @asynccontextmanager
    async def _session(self, token: str) -> AsyncIterator[Client]:
        async with httpx2.AsyncClient(
            headers=_bearer(token), timeout=_TIMEOUT_SECONDS, trust_env=False
        ) as http:
            transport = streamable_http_client(f"{self._url}/mcp", http_client=http)
            async with Client(transport) as client:
                yield client


def forged(token: str, **claims: str) -> str:
    """Return the token with other claims under the old signature."""
    header, payload, signature = token.split(".")
    padded = payload + "=" * (-len(payload) % 4)
    said = msgspec.json.decode(base64.urlsafe_b64decode(padded), type=dict[str, Any])
    changed = base64.urlsafe_b64encode(msgspec.json.encode({**said, **claims})).rstrip(b"=")
    return f"{header}.{changed.decode()}.{signature}"


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _first(error: BaseException) -> str:
    """Return the name of what lies at the bottom of a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error).__name__
