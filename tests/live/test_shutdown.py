"""Stops the gateway as a service manager does, while it is busy: nothing is cut off or lost."""

import asyncio
import contextlib
import itertools
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path

import httpx2
import msgspec
import pytest

from tests.live.conftest import Figure
from tests.live.gateway_process import Caller, GatewayProcess, gone, until
from tests.live.phrases import phrases
from tests.live.writing import Acknowledged, assert_all_there

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

_WRITERS = 6
_IN_FLIGHT = 4


async def until_closed(gateway: GatewayProcess) -> None:
    """Return when the gateway takes no new connections."""
    http = gateway.settings.http

    async def refused() -> bool:
        try:
            _, writer = await asyncio.open_connection(http.host, http.port)
        except ConnectionRefusedError:
            return True
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        return False

    await until(refused, "the gateway takes no new connections", 10)


class Halfway:
    """A write that the gateway has begun to read, and whose body is yet to come."""

    def __init__(self, reader: StreamReader, writer: StreamWriter, body: bytes) -> None:
        self._reader = reader
        self._writer = writer
        self._body = body

    @classmethod
    async def begin(cls, gateway: GatewayProcess, caller: Caller, text: str) -> "Halfway":
        """Send the head of a request and return when the gateway asks for its body."""
        http = gateway.settings.http
        reader, writer = await asyncio.open_connection(http.host, http.port)
        body = msgspec.json.encode({"text": text})
        writer.write(
            b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
            b"Content-Type: application/json\r\nAuthorization: Bearer %b\r\n"
            b"Content-Length: %d\r\n\r\n" % (caller.token.encode(), len(body))
        )
        async with asyncio.timeout(30):
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        return cls(reader, writer, body)

    async def finish(self) -> str:
        """Send the body and return the id of the acknowledgement."""
        self._writer.write(self._body)
        async with asyncio.timeout(30):
            answer = await self._reader.read()  # the gateway closes the connection afterwards
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 201 "), answer
        return str(msgspec.json.decode(body)["id"])


async def _write(caller: Caller, writer: int, acknowledged: list[Acknowledged]) -> str:
    """Write until the gateway is gone; return the text that got no answer."""
    for text in phrases(writer):
        try:
            response = await caller.store(text)
        except httpx2.TransportError:
            return text
        assert response.status_code == HTTPStatus.CREATED, response.text
        acknowledged.append(Acknowledged(caller, response.json()["id"], text))
    raise AssertionError("there are always more phrases")


@pytest.mark.requirement("E12", "S9")
async def test_requests_in_flight_finish_and_nothing_acknowledged_is_lost(
    gateway: GatewayProcess, figure: Figure
) -> None:
    """Requests that it has begun to read are answered, new ones refused, and it ends with 0."""
    caller = gateway.caller("acme", "anna")
    others = [gateway.caller("globex", f"subject {n}") for n in range(_WRITERS)]
    acknowledged: list[Acknowledged] = []
    workers = gateway.worker_pids()
    async with asyncio.TaskGroup() as group:
        writers = [
            group.create_task(_write(other, n, acknowledged)) for n, other in enumerate(others)
        ]

        async def busy() -> bool:
            return len(acknowledged) >= 5 * _WRITERS

        await until(busy, "writes go on")
        texts = list(itertools.islice(phrases(9), _IN_FLIGHT))
        halfway = [await Halfway.begin(gateway, caller, text) for text in texts]
        gateway.terminate()
        await until_closed(gateway)
        assert gateway.runs
        ids = [await one.finish() for one in halfway]
    assert await gateway.ended() == 0, gateway.last_words()
    assert all(gone(pid) for pid in workers)
    acknowledged += [Acknowledged(caller, id, text) for id, text in zip(ids, texts, strict=True)]

    await gateway.start()
    unanswered = [task.result() for task in writers]
    for other, text in zip(others, unanswered, strict=True):
        # Whether the last one was heard or not: saying it again makes it one memory.
        response = await other.store(text)
        assert response.status_code in (HTTPStatus.CREATED, HTTPStatus.OK), response.text
        acknowledged.append(Acknowledged(other, response.json()["id"], text))
    await assert_all_there(acknowledged)
    await gateway.stop()
    await gateway.verify_audit()
    assert await gateway.drift() == {"missing": 0, "stale": 0, "orphans": 0}
    figure(
        f"SIGTERM among writes: {len(acknowledged) - _WRITERS} acknowledged ({_IN_FLIGHT} of them "
        "after the signal), 0 lost, exit code 0"
    )


@pytest.fixture
async def hasty(tmp_path: Path, models: Path) -> AsyncIterator[GatewayProcess]:
    """Lend a gateway that gives running requests little time to end."""
    async with GatewayProcess(
        tmp_path / "data", models, MEMGUARD_HTTP_SHUTDOWN_SECONDS="2"
    ) as process:
        yield process


@pytest.mark.requirement("E12", "M1")
@pytest.mark.parametrize("path", ["/sse", "/mcp"])
async def test_an_open_stream_is_ended_and_does_not_hold_the_gateway_up(
    hasty: GatewayProcess, path: str, figure: Figure
) -> None:
    """A client that listens and says nothing is let go within the time for running requests."""
    caller = hasty.caller("acme", "anna")
    headers = {"Accept": "text/event-stream"}
    if path == "/mcp":
        headers |= await _session(caller)
    request = caller.http.stream("GET", path, headers=headers)
    async with request as response:
        assert response.status_code == HTTPStatus.OK
        stream = response.aiter_raw()
        if path == "/sse":
            assert b"event: endpoint" in await anext(stream)
        started = asyncio.get_running_loop().time()
        hasty.terminate()
        # However it is ended, it is ended: by a last chunk or by closing the connection.
        with contextlib.suppress(httpx2.RemoteProtocolError):
            async with asyncio.timeout(hasty.settings.http.shutdown_seconds + 10):
                async for _ in stream:
                    pass
    assert await hasty.ended() == 0, hasty.last_words()
    took = asyncio.get_running_loop().time() - started
    figure(f"SIGTERM with an open stream at {path}: ended after {took:.1f} s, exit code 0")


async def _session(caller: Caller) -> dict[str, str]:
    """Open a session of the Streamable HTTP transport; return the headers that name it."""
    version = "2025-06-18"
    response = await caller.http.post(
        "/mcp",
        headers={"Accept": "application/json, text/event-stream"},
        json={
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "listener", "version": "1"},
            },
        },
    )
    assert response.status_code == HTTPStatus.OK, response.text
    session = response.headers["Mcp-Session-Id"]
    return {"Mcp-Session-Id": session, "Mcp-Protocol-Version": version}
