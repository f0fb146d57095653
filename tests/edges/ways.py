"""Ways to call a tool: over REST by its twin, and over each MCP transport; each tells the same.

What a call led to is reduced to what must not depend on the way: outcome, reasons, origin, ids in
order, the code of a refusal. Text that a fence's nonce or an age makes different is made alike.
"""

import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final, Protocol
from urllib.parse import quote

import httpx2
import msgspec
from litestar import Litestar
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from gateway.mcp.stdio import connected, passing_on
from gateway.mcp.tools import REPLAYED_META
from gateway.problems import REPLAYED
from tests.edges.world import bearer

Told = dict[str, Any]
Arguments = Mapping[str, Any]
OLDER: Final = "2025-03-26"
_ACCEPT: Final = {"Accept": "application/json, text/event-stream"}
_NONCE: Final = re.compile(r"\b[0-9a-f]{16}\b")
_REFUSED: Final = 400
_STDIO: Final = """
import asyncio, os, sys
from gateway.mcp.stdio import serve_stdio
asyncio.run(serve_stdio(sys.argv[1], os.environ["MEMGUARD_TOKEN"]))
"""


class Caller(Protocol):
    """One caller's connection."""

    async def call(self, tool: str, arguments: Arguments) -> Told:
        """Call a tool, and tell what it led to."""
        ...


Way = Callable[[str, str, Litestar], AbstractAsyncContextManager[Caller]]
"""Connects with a token to the gateway at an address, or to its application in this process."""


class _Sdk:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, arguments: Arguments) -> Told:
        try:
            return told_by_tool(tool, await self._client.call_tool(tool, dict(arguments)))
        except MCPError as error:
            return _refused(error.error.data or {})


@asynccontextmanager
async def streamable(url: str, token: str, _: Litestar) -> AsyncIterator[Caller]:
    """Connect over Streamable HTTP as the current revision has it."""
    async with (
        httpx2.AsyncClient(headers=bearer(token), timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield _Sdk(client)


@asynccontextmanager
async def sse(url: str, token: str, _: Litestar) -> AsyncIterator[Caller]:
    """Connect over HTTP+SSE."""
    async with Client(sse_client(f"{url}/sse", headers=bearer(token)), mode="legacy") as client:
        yield _Sdk(client)


@asynccontextmanager
async def stdio(url: str, token: str, _: Litestar) -> AsyncIterator[Caller]:
    """Start a process that does what `memguard mcp` does, without the other commands: they take
    seconds to import.
    """
    program = StdioServerParameters(
        command=sys.executable,
        args=["-c", _STDIO, url],
        env={**os.environ, "MEMGUARD_TOKEN": token},
    )
    async with Client(program) as client:
        yield _Sdk(client)


@asynccontextmanager
async def embedded(url: str, token: str, app: Litestar) -> AsyncIterator[Caller]:
    """Connect to what `memguard mcp --embedded` puts between a client and its own gateway."""
    async with connected(url, token, app) as gateway, Client(passing_on(gateway)) as client:
        yield _Sdk(client)


class _Older:
    """Speaks the revision of March 2025 word by word, with a session, and no SDK in between."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http
        self._number = 0

    async def open(self) -> None:
        """Shake hands."""
        asked = {
            "protocolVersion": OLDER,
            "capabilities": {},
            "clientInfo": {"name": "older", "version": "1"},
        }
        answer = await self._send("initialize", asked)
        assert _message(answer)["result"]["protocolVersion"] == OLDER
        self._http.headers["mcp-session-id"] = answer.headers["mcp-session-id"]
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await self._http.post("/mcp", json=note)).status_code == 202

    async def call(self, tool: str, arguments: Arguments) -> Told:
        message = _message(
            await self._send("tools/call", {"name": tool, "arguments": dict(arguments)})
        )
        if "error" in message:
            return _refused(message["error"].get("data") or {})
        return told_by_tool(tool, CallToolResult.model_validate(message["result"]))

    async def _send(self, method: str, params: Arguments) -> httpx2.Response:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        return await self._http.post("/mcp", json=message)


@asynccontextmanager
async def older(url: str, token: str, _: Litestar) -> AsyncIterator[Caller]:
    """Connect over Streamable HTTP as the revision of March 2025 has it."""
    headers = bearer(token) | _ACCEPT
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=30) as http:
        client = _Older(http)
        await client.open()
        yield client
        assert (await http.delete("/mcp")).status_code == 200


def _message(answer: httpx2.Response) -> dict[str, Any]:
    body = answer.text
    if answer.headers["content-type"].startswith("text/event-stream"):
        (body,) = [
            line.removeprefix("data:").strip()
            for line in body.splitlines()
            if line.startswith("data:") and line.removeprefix("data:").strip()
        ]
    return msgspec.json.decode(body, type=dict[str, Any])


class _Rest:
    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def call(self, tool: str, arguments: Arguments) -> Told:
        answer = await self._http.request(**twin(tool, arguments))
        body = msgspec.json.decode(answer.content, type=dict[str, Any])
        if answer.status_code >= _REFUSED and "outcome" not in body:
            return _refused(body)
        return told(tool, body, replayed=REPLAYED in answer.headers)


@asynccontextmanager
async def rest(url: str, token: str, _: Litestar) -> AsyncIterator[Caller]:
    """Call the route that does what a tool does."""
    async with httpx2.AsyncClient(base_url=url, headers=bearer(token), timeout=30) as http:
        yield _Rest(http)


def twin(tool: str, arguments: Arguments) -> dict[str, Any]:  # noqa: C901, PLR0911 - one each
    """Return the REST request that does what a tool does with these arguments."""
    rest = dict(arguments)
    key = rest.pop("idempotency_key", None)
    headers = {} if key is None else {"Idempotency-Key": key}
    match tool:
        case "store_memory":
            return _json("POST", "/v1/memories", rest, headers)
        case "save_preference":
            if "preference" in rest:
                rest["text"] = rest.pop("preference")
            body = {"layer": "semantic", "kind": "preference", **rest}
            return _json("POST", "/v1/memories", body, headers)
        case "update_memory":
            return _json("PATCH", _one(rest), rest, headers)
        case "forget_memory":
            return {"method": "DELETE", "url": _one(rest), "params": rest}
        case "recall_memory":
            return _json("POST", "/v1/recall", rest, headers)
        case "get_context":
            asked = {"query": rest.pop("task"), "k": 20}
            return _json("POST", "/v1/recall", asked, headers)
        case "summarize_memories" if "topic" in rest:
            asked = {"query": rest.pop("topic"), "k": 20}
            return _json("POST", "/v1/recall", asked, headers)
        case "summarize_memories":
            return {"method": "GET", "url": "/v1/memories", "params": {"limit": 50}}
        case "list_memories":
            singular = {"layers": "layer", "kinds": "kind", "origins": "origin"}
            named = {singular.get(name, name): value for name, value in rest.items()}
            return {"method": "GET", "url": "/v1/memories", "params": named}
        case _:
            raise AssertionError(f"a tool without a twin: {tool}")


def _one(rest: dict[str, Any]) -> str:
    return "/v1/memories/" + quote(str(rest.pop("id")), safe="")


def _json(method: str, url: str, body: Any, headers: Mapping[str, str]) -> dict[str, Any]:
    return {"method": method, "url": url, "json": body, "headers": headers}


def told_by_tool(tool: str, answer: CallToolResult) -> Told:
    """Return what a tool's result tells, of whichever transport."""
    (block,) = answer.content
    assert isinstance(block, TextContent)
    if answer.is_error and answer.structured_content is None:
        return _refused(msgspec.json.decode(block.text, type=dict[str, Any])["error"])
    assert answer.structured_content is not None
    replayed = bool((answer.meta or {}).get(REPLAYED_META))
    return told(tool, answer.structured_content, replayed=replayed)


def told(tool: str, body: Told, *, replayed: bool = False) -> Told:
    """Return of an answer what REST and MCP must have alike."""
    match tool:
        case "store_memory" | "save_preference" | "update_memory":
            kept = {name: body.get(name) for name in ("outcome", "reasons", "origin")}
            more = {"id": body.get("id"), "supersedes": body.get("supersedes")}
            return {**kept, **more, "replayed": replayed}
        case "forget_memory":
            return {name: body[name] for name in ("id", "removed", "remains")}
        case "recall_memory":
            kept = {name: body[name] for name in ("reliable", "degraded")}
            context = _NONCE.sub("NONCE", body["context"])
            scores = [round(one["score"], 6) for one in body["items"]]
            return {**kept, "ids": _ids(body), "scores": scores, "context": context}
        case "get_context":
            return {"reliable": body["reliable"], "ids": _ids(body)}
        case "list_memories":
            return {"ids": _ids(body), "more": body["cursor"] is not None}
        case "summarize_memories":
            return {"ids": sorted(_ids(body))}
        case _:
            raise AssertionError(f"a tool without a twin: {tool}")


def _ids(body: Told) -> list[str]:
    return list(body["ids"]) if "ids" in body else [one["id"] for one in body["items"]]


def _refused(problem: Mapping[str, Any]) -> Told:
    """Return what a refusal tells: REST's problem, a tool error, or a protocol error."""
    names = ("code", "scope", "detail")
    return {name: problem[name] for name in names if problem.get(name) is not None}
