"""Tokens that were taken back open no door, over REST and MCP, and their streams end (E6)."""

from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from gateway.app.serving import USE_CASES
from gateway.revoked import Revoked
from gateway.settings import Auth, Settings
from storage.fakes.revocations import MemoryRevocations
from tests.edges.test_tenants import _headers
from tests.edges.world import World, bearer, ed25519_jwk, key_set, token

ADMIN = "tenant:admin platform:admin memory:read memory:write"


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


@pytest.mark.requirement("E6", "E1", "M1")
def test_a_token_that_was_taken_back_opens_no_door(
    client: TestClient[Litestar], signing_key: dict[str, Any]
) -> None:
    """The answer is that of any bad token; the administrator's own goes on to count."""
    admin = bearer(token(signing_key, sub="root", jti="admin", scope=ADMIN))
    stolen = bearer(token(signing_key, jti="stolen"))
    doors = [("GET", "/v1/memories"), ("GET", "/sse"), ("POST", "/mcp"), ("POST", "/messages")]
    assert client.get("/v1/memories", headers=stolen).status_code == 200
    made = client.post("/v1/tenant/revocations", json={"token": "stolen"}, headers=admin)
    assert made.status_code == 201
    assert (made.json()["of"], made.json()["name"]) == ("token", "stolen")
    for method, path in doors:
        answer = client.request(method, path, headers=stolen, json={})
        assert answer.status_code == 401, path
        assert 'error="invalid_token"' in answer.headers["www-authenticate"]
        assert answer.json()["title"] == "Authentication required"
    fresh = bearer(token(signing_key, jti="fresh"))
    assert client.get("/v1/memories", headers=fresh).status_code == 200
    listed = client.get("/v1/tenant/revocations", headers=admin).json()
    assert [one["name"] for one in listed["items"]] == ["stolen"]


@pytest.mark.requirement("E6")
@pytest.mark.parametrize("path", ["/v1/tenant/revocations", "/v1/admin/tenants/revoke"])
def test_a_whole_tenant_is_taken_back(
    client: TestClient[Litestar], signing_key: dict[str, Any], path: str
) -> None:
    """By its own administrator or the platform's; another tenant does not notice."""
    admin = token(signing_key, scope=ADMIN)
    body = {"everyone": True} if "tenant/" in path else {"id": "acme"}
    assert client.post(path, json=body, headers=bearer(admin)).is_success
    assert client.get("/v1/memories", headers=bearer(admin)).status_code == 401
    theirs = bearer(token(signing_key, tid="globex"))
    assert client.get("/v1/memories", headers=theirs).status_code == 200


@pytest.mark.requirement("E6", "E4")
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"token": "a", "subject": "b"}, 400),
        ({"token": "a", "before": "2026-01-01T00:00:00Z"}, 400),
        ({"subject": "a", "before": "2126-01-01T00:00:00Z"}, 400),
        ({"subject": "a", "before": "2026-01-01T00:00:00"}, 400),
        ({"subject": ""}, 400),
        ({"subject": "a", "tenant": "globex"}, 400),
    ],
    ids=str,
)
def test_what_is_not_one_thing_is_refused(
    client: TestClient[Litestar], signing_key: dict[str, Any], body: dict[str, Any], status: int
) -> None:
    """A body that names nothing, two things, or what is not the caller's to name."""
    admin = bearer(token(signing_key, scope=ADMIN))
    assert client.post("/v1/tenant/revocations", json=body, headers=admin).status_code == status
    assert client.get("/v1/tenant/revocations", headers=admin).json()["items"] == []
    plain = bearer(token(signing_key, scope="memory:read memory:write"))
    named = {"subject": "alice"}
    assert client.post("/v1/tenant/revocations", json=named, headers=plain).status_code == 403


@pytest.mark.requirement("E6", "M1")
@pytest.mark.parametrize("path", ["/sse", "/mcp"])
async def test_an_open_stream_ends_when_its_token_is_taken_back(
    live_url: str, signing_key: dict[str, Any], path: str
) -> None:
    """Over real sockets, properly ended; the stream of another subject stays open."""
    async with httpx2.AsyncClient(base_url=live_url, timeout=20) as http:
        mine = await _headers(http, path, token(signing_key))
        theirs = await _headers(http, path, token(signing_key, sub="bob"))
        async with (
            http.stream("GET", path, headers=theirs) as kept,
            http.stream("GET", path, headers=mine) as stream,
        ):
            assert (stream.status_code, kept.status_code) == (200, 200)
            admin = bearer(token(signing_key, sub="root", scope=ADMIN))
            told = await http.post(
                "/v1/tenant/revocations", json={"subject": "alice"}, headers=admin
            )
            assert told.status_code == 201
            with anyio.fail_after(8):
                async for _ in stream.aiter_bytes():
                    pass
            with anyio.move_on_after(0.3) as waited:
                async for _ in kept.aiter_bytes():
                    pass
            assert waited.cancelled_caught
