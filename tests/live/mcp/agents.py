"""Agents that use their memory through a client as people install it, each in its own way."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import httpx2
import msgspec
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from tests.live.gateway_process import MEMGUARD
from tests.live.mcp.npm import INSPECTOR, REMOTE, Npm


class Agent(Protocol):
    """Lists tools and calls them."""

    async def tools(self) -> set[str]:
        """Return the names of the tools that are offered."""
        ...

    async def call(self, tool: str, **arguments: str) -> CallToolResult:
        """Return what a tool answered."""
        ...


Connected = AbstractAsyncContextManager[Agent]


class _Sdk:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def tools(self) -> set[str]:
        return {one.name for one in (await self._client.list_tools()).tools}

    async def call(self, tool: str, **arguments: str) -> CallToolResult:
        return await self._client.call_tool(tool, arguments)


@asynccontextmanager
async def sdk_http(url: str, token: str) -> AsyncIterator[Agent]:
    """Use the Python SDK over Streamable HTTP."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield _Sdk(client)


@asynccontextmanager
async def sdk_sse(url: str, token: str) -> AsyncIterator[Agent]:
    """Use the Python SDK over HTTP+SSE."""
    headers = {"Authorization": f"Bearer {token}"}
    async with Client(sse_client(f"{url}/sse", headers=headers), mode="legacy") as client:
        yield _Sdk(client)


@asynccontextmanager
async def sdk_stdio(token: str, *words: str) -> AsyncIterator[Agent]:
    """Use the Python SDK with `memguard mcp` as the program that it starts."""
    environment = {"MEMGUARD_TOKEN": token, "PYTHONUTF8": "1"}
    program = StdioServerParameters(command=MEMGUARD, args=["mcp", *words], env=environment)
    async with Client(program) as client:
        yield _Sdk(client)


@asynccontextmanager
async def remote(npm: Npm, address: str, transport: str, token: str) -> AsyncIterator[Agent]:
    """Use mcp-remote, which desktop clients start, with a header from the environment."""
    command, *words = npm.words(
        REMOTE, address, "--transport", transport, "--header", "Authorization: Bearer ${TOKEN}"
    )
    environment = {**npm.environment, "TOKEN": token}
    program = StdioServerParameters(command=command, args=words, env=environment)
    async with Client(program, mode="legacy") as client:
        yield _Sdk(client)


class _Inspector:
    def __init__(self, npm: Npm, address: str, token: str) -> None:
        self._npm = npm
        self._target = ("--cli", address, "--header", f"Authorization: Bearer {token}")

    async def tools(self) -> set[str]:
        told = await self._ask("--method", "tools/list", "--strict")
        return {one["name"] for one in told["tools"]}

    async def call(self, tool: str, **arguments: str) -> CallToolResult:
        pairs = [
            word for name, value in arguments.items() for word in ("--tool-arg", f"{name}={value}")
        ]
        told = await self._ask("--method", "tools/call", "--tool-name", tool, *pairs)
        return CallToolResult.model_validate(told)

    async def _ask(self, *words: str) -> Mapping[str, Any]:
        code, told = await self._npm.run(INSPECTOR, *self._target, *words)
        assert code == 0, told
        return msgspec.json.decode(told, type=dict[str, Any])


@asynccontextmanager
async def inspector(npm: Npm, address: str, token: str) -> AsyncIterator[Agent]:
    """Use the command line of the official inspector, a process for each call."""
    yield _Inspector(npm, address, token)
