"""MCP over stdin and stdout, for clients that start a program: it passes on to a gateway (M1).

It holds one token, the user's, and no rights of its own. Every message goes to the gateway over
Streamable HTTP and is checked there, as if the client spoke to the gateway itself. The gateway may
be one in this very process, which then listens nowhere: the messages take the same way in.
"""

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import httpx2
from litestar.types import ASGIApp
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from guard.errors import UnauthenticatedError, UnavailableError

Context = ServerRequestContext[Any]
Answer = TypeVar("Answer")

_SECONDS: Final = 60.0
_UNAUTHENTICATED: Final = 401


async def serve_stdio(url: str, token: str, inside: ASGIApp | None = None) -> None:
    """Speak MCP on stdin and stdout until stdin ends, for the gateway at `url`, or for the one
    `inside` this process that goes by this address.

    Raises UnauthenticatedError when the gateway does not believe the token, and UnavailableError
    when it does not answer.
    """
    async with connected(url, token, inside) as gateway:
        server = passing_on(gateway)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


@asynccontextmanager
async def connected(url: str, token: str, inside: ASGIApp | None) -> AsyncIterator[Client]:
    """Lend a client of the gateway, whose answers `passing_on` passes on."""
    headers = {"Authorization": f"Bearer {token}"}
    # The revision that is spoken here keeps no stream open, which ASGITransport could not do.
    way = None if inside is None else httpx2.ASGITransport(inside, raise_app_exceptions=False)  # type: ignore[arg-type]
    async with httpx2.AsyncClient(
        headers=headers, timeout=_SECONDS, follow_redirects=False, trust_env=False, transport=way
    ) as http:
        await _require_welcome(http, url)
        async with Client(streamable_http_client(f"{url}/mcp", http_client=http)) as gateway:
            yield gateway


async def _require_welcome(http: httpx2.AsyncClient, url: str) -> None:
    """Ask once in plain HTTP, since a broken handshake tells no reason."""
    try:
        answer = await http.options(f"{url}/mcp")
    except (httpx2.HTTPError, httpx2.InvalidURL):
        raise UnavailableError("gateway") from None
    if answer.status_code == _UNAUTHENTICATED:
        raise UnauthenticatedError


def passing_on(gateway: Client) -> Server[Any]:
    """Return a server that offers and answers what the gateway does."""

    async def list_tools(_: Context, page: PaginatedRequestParams | None) -> ListToolsResult:
        return await _answer(gateway.list_tools(cursor=_cursor(page), cache_mode="bypass"))

    async def call_tool(_: Context, asked: CallToolRequestParams) -> CallToolResult:
        return await _answer(gateway.call_tool(asked.name, asked.arguments))

    async def list_resources(
        _: Context, page: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return await _answer(gateway.list_resources(cursor=_cursor(page), cache_mode="bypass"))

    async def list_templates(
        _: Context, page: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        cursor = _cursor(page)
        return await _answer(gateway.list_resource_templates(cursor=cursor, cache_mode="bypass"))

    async def read(_: Context, asked: ReadResourceRequestParams) -> ReadResourceResult:
        return await _answer(gateway.read_resource(asked.uri, cache_mode="bypass"))

    async def list_prompts(_: Context, page: PaginatedRequestParams | None) -> ListPromptsResult:
        return await _answer(gateway.list_prompts(cursor=_cursor(page), cache_mode="bypass"))

    async def get_prompt(_: Context, asked: GetPromptRequestParams) -> GetPromptResult:
        return await _answer(gateway.get_prompt(asked.name, asked.arguments))

    return Server(
        "memguard",
        version="1",
        instructions=gateway.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _cursor(page: PaginatedRequestParams | None) -> str | None:
    return None if page is None else page.cursor


async def _answer(answer: Awaitable[Answer]) -> Answer:
    """Return the gateway's answer; its refusals pass on as they are."""
    try:
        return await answer
    except (httpx2.HTTPError, OSError):
        raise MCPError(INTERNAL_ERROR, "The gateway does not answer") from None
