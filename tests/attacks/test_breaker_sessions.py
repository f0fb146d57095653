"""One caller can't take the MCP sessions that all callers share."""

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from gateway.mcp.seats import Seats
from gateway.settings import Limits
from guard.errors import LimitedError
from memory.types import Owner, SubjectId, TenantId
from tests.edges.world import World, bearer, ed25519_jwk, key_set, token

ALICE: Final = Owner(TenantId("acme"), SubjectId("alice"))
NAMESAKE: Final = Owner(TenantId("umbra"), SubjectId("alice"))
INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT: Final = {"Accept": "application/json, text/event-stream", "Host": "127.0.0.1"}


def _open(client: TestClient[Litestar], key: dict[str, Any], **claims: str) -> Any:
    headers = bearer(token(key, **claims)) | ACCEPT
    return client.post("/mcp", headers=headers, json=INITIALIZE)


@pytest.mark.requirement("E8", "M3")
def test_a_subject_that_opens_session_upon_session_shuts_out_only_himself(tmp_path: Path) -> None:
    """Beyond his share a subject gets 429; others open theirs, and an ended one makes room."""
    key = ed25519_jwk()
    world = World(key_set(tmp_path, key))
    limits = Limits(mcp_sessions=10, mcp_sessions_each=2)
    world.settings = msgspec.structs.replace(world.settings, limits=limits)
    with TestClient(world.app(), raise_server_exceptions=False) as client:
        first, second, third = (_open(client, key) for _ in range(3))
        assert (first.status_code, second.status_code) == (200, 200)
        assert third.status_code == 429
        assert third.json()["code"] == "limited"
        assert "Retry-After" in third.headers
        assert _open(client, key, azp="another-app").status_code == 429
        assert _open(client, key, sub="bob").status_code == 200
        assert _open(client, key, tid="umbra").status_code == 200
        ending = bearer(token(key)) | ACCEPT | {"mcp-session-id": first.headers["mcp-session-id"]}
        assert client.delete("/mcp", headers=ending).status_code == 200
        assert _open(client, key).status_code == 200


@pytest.mark.requirement("E8")
def test_a_seat_is_free_again_once_its_session_is_over() -> None:
    """By its owner's word, by a refused opening, or by idleness; never by somebody else's word."""
    now = 0.0
    seats = Seats(1, 900, lambda: now)
    seats.settle(seats.take(ALICE), "one")
    with pytest.raises(LimitedError):
        seats.take(ALICE)
    seats.leave(NAMESAKE, "one")
    with pytest.raises(LimitedError):
        seats.take(ALICE)
    seats.settle(seats.take(NAMESAKE), None)
    seats.settle(seats.take(NAMESAKE), "two")
    seats.leave(ALICE, "one")
    seats.settle(seats.take(ALICE), "three")
    now = 800.0
    seats.used(NAMESAKE, "three")
    seats.used(ALICE, "unheard-of")
    with pytest.raises(LimitedError):
        seats.take(ALICE)
    seats.used(ALICE, "three")
    now = 1600.0
    with pytest.raises(LimitedError):
        seats.take(ALICE)
    now = 1701.0
    held = seats.take(ALICE)
    now = 10_000.0
    with pytest.raises(LimitedError):
        seats.take(ALICE)
    seats.settle(held, None)
    seats.take(ALICE)
