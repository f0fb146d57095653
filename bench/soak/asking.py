"""How the driver asks: over REST or MCP, any of the gateways, and what may come back."""

import asyncio
import random
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, Final, Self

import httpx2
import msgspec
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from bench.soak.book import Book, Owner

ANSWER_SECONDS: Final = 60.0
"""A gateway that has not answered by then is stuck: its own deadline is half of that."""
_EXPECTED: Final = frozenset({200, 201, 202, 404, 409, 429, 503})

Token = Callable[[Owner], str]


class Answer(msgspec.Struct, frozen=True):
    """What came back. Status 0 is a connection that broke off."""

    status: int
    body: Mapping[str, Any]

    @property
    def undecided(self) -> bool:
        """Whether what was asked for may have been done all the same."""
        return self.status == 0 or self.body.get("unavailable") == "commit"

    @property
    def again(self) -> bool:
        """Whether asking once more makes sense."""
        return self.status in (0, 409, 429, 503)

    @property
    def texts(self) -> dict[str, str]:
        """The memories in the answer: text by id."""
        return {one["id"]: one["text"] for one in self.body.get("items", ()) if "text" in one}


class Asking:
    """Asks a gateway chosen by chance. Each answer is checked for texts of others."""

    def __init__(self, urls: tuple[str, ...], token: Token, book: Book, seed: int) -> None:
        self._token = token
        self._book = book
        self._urls = urls
        self._chance = random.Random(seed)  # noqa: S311 - choices, not secrets
        self._stack = AsyncExitStack()
        self._clients: dict[str, httpx2.AsyncClient] = {}
        self.slowest = 0.0
        """Seconds that the slowest answer took."""

    async def __aenter__(self) -> Self:
        """Open a client for each gateway."""
        for url in self._urls:
            client = httpx2.AsyncClient(base_url=url, timeout=ANSWER_SECONDS, trust_env=False)
            self._clients[url] = await self._stack.enter_async_context(client)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close them."""
        await self._stack.aclose()

    async def rest(
        self,
        owner: Owner,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        **headers: str,
    ) -> Answer:
        """Return what REST answers."""
        url = self._chance.choice(self._urls)
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        fields["Authorization"] = f"Bearer {self._token(owner)}"
        began = asyncio.get_running_loop().time()
        try:
            response = await self._clients[url].request(method, path, json=body, headers=fields)
        except httpx2.ReadTimeout:
            self._book.violated(f"STUCK: {method} {path} at {url} had no answer")
            return Answer(0, {})
        except httpx2.TransportError:
            self._book.counts["connections broken"] += 1
            return Answer(0, {})
        self.slowest = max(self.slowest, asyncio.get_running_loop().time() - began)
        self._book.scoped(owner, response.text)
        try:
            answer = Answer(
                response.status_code, msgspec.json.decode(response.content, type=dict[str, Any])
            )
        except msgspec.MsgspecError:
            self._book.violated(f"NO ANSWER: {method} {path}: {response.status_code}, no JSON")
            return Answer(0, {})
        self._noted(f"{method} {path[:12]}", answer)
        return answer

    async def tool(self, owner: Owner, name: str, arguments: Mapping[str, Any]) -> Answer:
        """Return what an MCP tool answers, in a session of its own, as REST would have said it."""
        url = self._chance.choice(self._urls)
        headers = {"Authorization": f"Bearer {self._token(owner)}"}
        try:
            async with (
                httpx2.AsyncClient(
                    headers=headers, timeout=ANSWER_SECONDS, trust_env=False
                ) as http,
                Client(streamable_http_client(f"{url}/mcp", http_client=http)) as session,
            ):
                result = await session.call_tool(name, dict(arguments))
        except (httpx2.HTTPError, MCPError, ExceptionGroup):
            # The SDK wraps a lost connection in any of these.
            self._book.counts["MCP sessions broken"] += 1
            return Answer(0, {})
        texts = [one.text for one in result.content if isinstance(one, TextContent)]
        self._book.scoped(owner, "\n".join(texts))
        self._book.scoped(owner, msgspec.json.encode(result.structured_content).decode())
        if result.is_error:
            error = msgspec.json.decode(texts[0], type=dict[str, Any])["error"]
            status = {"unavailable": 503, "limited": 429, "conflict": 409, "not_found": 404}
            # Whether a commit's answer was lost stands in the title alone.
            lost = {"unavailable": "commit"} if "not known" in error["title"] else {}
            answer = Answer(status.get(error["code"], 400), {"code": error["code"], **lost})
        else:
            answer = Answer(200, result.structured_content or {})
        self._noted(name, answer)
        return answer

    def _noted(self, what: str, answer: Answer) -> None:
        self._book.counts[f"answers {answer.status}"] += 1
        if answer.status not in _EXPECTED:
            code = answer.body.get("code")
            self._book.violated(f"UNEXPECTED: {what}: {answer.status} {code}")
