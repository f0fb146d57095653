"""Who has another's session id has nothing: every way into an open session, every intruder (M3).

A session id is no secret worth anything: each message is judged by its own token, and a session
answers none but the one subject, through the one client, who opened it.
"""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import anyio
import httpx2
import pytest

from gateway.app.serving import USE_CASES
from gateway.revoked import Revoked
from gateway.settings import Auth, Settings
from storage.fakes.revocations import MemoryRevocations
from tests.edges.world import EVERY_SCOPE, World, bearer, ed25519_jwk, key_set, token

ADMIN: Final = "tenant:admin memory:read"
REVISION: Final = "2025-03-26"
OWN_JTI: Final = "the-token-that-opened-it"
INTRUDERS: Final[dict[str, tuple[Mapping[str, Any], int]]] = {
    "another subject": ({"sub": "bob"}, 404),
    "another tenant": ({"tid": "globex"}, 404),
    "another client": ({"azp": "another-app"}, 404),
    "a subject of the same name elsewhere": ({"tid": "globex", "azp": "another-app"}, 404),
    "expired": ({"exp": int(time.time()) - 3600, "iat": int(time.time()) - 7200}, 401),
    "taken back": ({"jti": "stolen"}, 401),
    "for another audience": ({"aud": "elsewhere"}, 401),
    "of another issuer": ({"iss": "https://elsewhere.example"}, 401),
}
"""What an intruder's token has otherwise than the owner's, and what he is answered."""

_ACCEPT: Final = {"Accept": "application/json, text/event-stream"}
_INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": REVISION,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
_CALL: Final = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {"name": "recall_memory", "arguments": {"query": "seat"}},
}


@pytest.fixture
def world(tmp_path: Path, signing_key: dict[str, Any]) -> World:
    """Return an edge with the real doors of revocation, that looks twenty times a second."""
    made = World(
        key_set(tmp_path, signing_key, ed25519_jwk("two")),
        settings=Settings(auth=Auth(revocation_seconds=0.05)),
    )
    made.revoked = Revoked(MemoryRevocations(), 0.05, float("inf"))
    made.tokens = USE_CASES.tokens
    return made


async def _take_back(http: httpx2.AsyncClient, key: Mapping[str, Any], **what: Any) -> None:
    admin = bearer(token(key, sub="root", jti="admin", scope=ADMIN))
    answer = await http.post("/v1/tenant/revocations", json=what, headers=admin)
    assert answer.status_code == 201, answer.text


async def _session(http: httpx2.AsyncClient, own: Mapping[str, str]) -> dict[str, str]:
    """Open a session over Streamable HTTP; return the headers that name it."""
    opened = await http.post("/mcp", json=_INITIALIZE, headers=own)
    assert opened.status_code == 200
    return {
        "mcp-session-id": opened.headers["mcp-session-id"],
        "mcp-protocol-version": REVISION,
    }


@asynccontextmanager
async def _sse(
    http: httpx2.AsyncClient, own: Mapping[str, str]
) -> AsyncIterator[tuple[str, AsyncIterator[str]]]:
    """Open an SSE stream; lend the address to post to, and the lines that come."""
    async with http.stream("GET", "/sse", headers=own) as stream:
        assert stream.status_code == 200
        lines = stream.aiter_lines()
        async for line in lines:
            if line.startswith("data:"):
                yield line.removeprefix("data:").strip(), lines
                return


@pytest.mark.requirement("M3", "E1", "E6")
@pytest.mark.parametrize("intruder", INTRUDERS)
async def test_an_open_session_over_http_refuses_whoever_did_not_open_it(
    live_url: str, world: World, signing_key: dict[str, Any], intruder: str
) -> None:
    """No method gets in, no stream is taken over or ended, and the owner goes on."""
    changes, refused = INTRUDERS[intruder]
    own = bearer(token(signing_key, jti=OWN_JTI)) | _ACCEPT
    async with httpx2.AsyncClient(base_url=live_url) as http:
        session = await _session(http, own)
        await _take_back(http, signing_key, token="stolen")
        theirs = bearer(token(signing_key, **{"jti": "theirs", **changes})) | _ACCEPT | session
        async with http.stream("GET", "/mcp", headers=own | session) as kept:
            for method in ("POST", "GET", "DELETE"):
                answer = await http.request(method, "/mcp", json=_CALL, headers=theirs)
                assert answer.status_code == refused, method
            assert world.calls.names == []
            answer = await http.post("/mcp", json=_CALL, headers=own | session)
            assert "fence" in answer.text
            with anyio.move_on_after(0.2) as waited:
                async for _ in kept.aiter_bytes():
                    pass
            assert waited.cancelled_caught
        assert (await http.delete("/mcp", headers=own | session)).status_code == 200
    assert world.calls.names == ["recall"]


@pytest.mark.requirement("M3", "E1", "E6")
@pytest.mark.parametrize("intruder", INTRUDERS)
async def test_an_open_sse_stream_takes_messages_from_its_owner_alone(
    live_url: str, world: World, signing_key: dict[str, Any], intruder: str
) -> None:
    """What an intruder posts reaches nobody; what the owner posts is answered on the stream."""
    changes, refused = INTRUDERS[intruder]
    own = bearer(token(signing_key, jti=OWN_JTI))
    async with httpx2.AsyncClient(base_url=live_url) as http:
        await _take_back(http, signing_key, token="stolen")
        theirs = bearer(token(signing_key, **{"jti": "theirs", **changes}))
        async with _sse(http, own) as (endpoint, lines):
            assert (await http.post(endpoint, json=_INITIALIZE, headers=own)).status_code == 202
            note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            assert (await http.post(endpoint, json=note, headers=own)).status_code == 202
            stolen = await http.post(endpoint, json=_CALL | {"id": 666}, headers=theirs)
            assert stolen.status_code == refused
            assert world.calls.names == []
            assert (await http.post(endpoint, json=_CALL, headers=own)).status_code == 202
            with anyio.fail_after(8):
                async for line in lines:
                    assert '"id":666' not in line
                    if "fence" in line:
                        break
    assert world.calls.names == ["recall"]


@pytest.mark.requirement("M3", "E6", "E1")
@pytest.mark.parametrize("path", ["/sse", "/mcp"])
@pytest.mark.parametrize(
    "what", [{"token": OWN_JTI}, {"subject": "alice"}, {"everyone": True}, None], ids=str
)
async def test_an_open_stream_ends_with_what_let_it_in(
    live_url: str, world: World, signing_key: dict[str, Any], path: str, what: dict[str, Any] | None
) -> None:
    """By token, subject or tenant taken back, or expired; nothing is answered on it any more."""
    leeway = world.settings.auth.leeway_seconds
    life = {} if what else {"exp": int(time.time()) + 2 - leeway}
    own = bearer(token(signing_key, jti=OWN_JTI, **life)) | _ACCEPT
    other = bearer(token(signing_key, tid="globex", scope=EVERY_SCOPE)) | _ACCEPT
    async with httpx2.AsyncClient(base_url=live_url, timeout=20) as http:
        mine = own | (await _session(http, own) if path == "/mcp" else {})
        theirs = other | (await _session(http, other) if path == "/mcp" else {})
        async with (
            http.stream("GET", path, headers=theirs) as kept,
            http.stream("GET", path, headers=mine) as stream,
        ):
            assert (stream.status_code, kept.status_code) == (200, 200)
            if what:
                await _take_back(http, signing_key, **what)
            with anyio.fail_after(10):
                async for _ in stream.aiter_bytes():
                    pass
            with anyio.move_on_after(0.2) as waited:
                async for _ in kept.aiter_bytes():
                    pass
            assert waited.cancelled_caught
        assert (await http.post("/mcp", json=_CALL, headers=mine)).status_code == 401
