"""One SSE session spoken word by word, light enough to have hundreds of them in one process."""

import asyncio
import contextlib
import itertools
from asyncio import Future
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, Final, TypeVar

import httpx2
import msgspec

Answer = TypeVar("Answer")
REVISION: Final = "2024-11-05"
SECONDS: Final = 120.0
BUSY: Final = {
    HTTPStatus.TOO_MANY_REQUESTS: "limited",
    HTTPStatus.SERVICE_UNAVAILABLE: "unavailable",
}
"""What a gateway may answer that has too much to do."""
_TRIES: Final = 60


class BusyError(Exception):
    """A message was not taken, by a gateway that has too much to do."""


class Talk:
    """A session that is open: calls go in by POST, answers come on the stream."""

    def __init__(self, http: httpx2.AsyncClient, token: str, endpoint: str) -> None:
        self._http, self._endpoint = http, endpoint
        self._headers = {"Authorization": f"Bearer {token}"}
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[str]] = {}

    async def listen(self, lines: AsyncIterator[str]) -> None:
        """Hand out answers until the stream ends; it must end properly."""
        try:
            async for line in lines:
                if line.startswith("data:"):
                    answer = line.removeprefix("data:").strip()
                    number = msgspec.json.decode(answer, type=dict[str, Any]).get("id")
                    if number in self._waiting:
                        self._waiting.pop(number).set_result(answer)
        finally:
            for one in self._waiting.values():
                one.cancel()

    async def greet(self) -> None:
        """Shake hands."""
        client = {"name": "crowd", "version": "1"}
        asked = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": client}
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await insisted(lambda: self.ask("initialize", asked))
        await insisted(lambda: self._post(note))

    async def call(self, tool: str, **arguments: Any) -> str:
        """Return the whole answer of a tool, as it came."""
        return await self.ask("tools/call", {"name": tool, "arguments": arguments})

    async def ask(self, method: str, params: dict[str, Any]) -> str:
        """Return the whole answer to a request, as it came."""
        number = next(self._numbers)
        answer: Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        await self._post({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        async with asyncio.timeout(SECONDS):
            return await answer

    async def _post(self, message: dict[str, Any]) -> None:
        answer = await self._http.post(self._endpoint, json=message, headers=self._headers)
        if answer.status_code in BUSY:
            raise BusyError(BUSY[HTTPStatus(answer.status_code)])
        assert answer.status_code == HTTPStatus.ACCEPTED, answer.text


async def insisted(ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """Ask again each second while the gateway has too much to do."""
    for _ in range(_TRIES):
        with contextlib.suppress(BusyError):
            return await ask()
        await asyncio.sleep(1)
    raise AssertionError("the gateway never had time")


@asynccontextmanager
async def talking(http: httpx2.AsyncClient, token: str) -> AsyncIterator[tuple[Talk, Future[None]]]:
    """Lend an open session, and what is done when the gateway has ended its stream."""
    headers = {"Authorization": f"Bearer {token}"}
    async with contextlib.AsyncExitStack() as stack:

        async def opened() -> httpx2.Response:
            stream = await stack.enter_async_context(http.stream("GET", "/sse", headers=headers))
            if stream.status_code in BUSY:
                raise BusyError
            return stream

        stream = await insisted(opened)
        assert stream.status_code == HTTPStatus.OK
        lines = stream.aiter_lines()
        endpoint = ""
        while not endpoint:
            line = await anext(lines)
            endpoint = line.removeprefix("data:").strip() if line.startswith("data:") else ""
        talk = Talk(http, token, endpoint)
        listening = asyncio.ensure_future(talk.listen(lines))
        try:
            await talk.greet()
            yield talk, listening
        finally:
            listening.cancel()
            await asyncio.wait((listening,))
