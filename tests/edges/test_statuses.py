"""Each refusal has the status that its specification gives it, at every endpoint and method.

401 and 403: RFC 6750 and the MCP authorization specification; 404 for a session that is not there,
403 for a foreign Origin and 405: MCP's transports; 413, 421 and 429: RFC 9110 and RFC 6585.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from gateway.settings import Limits, Settings
from tests.edges.world import ID, OTHER_ID, World, bearer, ed25519_jwk, key_set, token

HOME: Final = {"Host": "127.0.0.1:8080"}
ACCEPT: Final = {"Accept": "application/json, text/event-stream"}
POSTED: Final = {"Content-Type": "application/json"}
NO_SESSION: Final = "0" * 32
METADATA: Final = "/.well-known/oauth-protected-resource"
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "TRACE")

# What each endpoint takes; every other method is 405.
TAKES: Final[dict[str, set[str]]] = {
    "/mcp": {"GET", "POST", "DELETE"},
    "/sse": {"GET"},
    "/messages": {"POST"},
    METADATA: {"GET"},
    f"{METADATA}/v1": {"GET"},
    f"{METADATA}/mcp": {"GET"},
    f"{METADATA}/sse": {"GET"},
    "/healthz": {"GET"},
    "/readyz": {"GET"},
    "/schema": {"GET"},
    "/metrics": {"GET"},
    "/v1/memories": {"GET", "POST"},
    f"/v1/memories/{ID}": {"GET", "PATCH", "DELETE"},
    f"/v1/memories/{ID}/history": {"GET"},
    f"/v1/memories/{ID}/restore": {"POST"},
    f"/v1/memories/{ID}/confirm": {"POST"},
    f"/v1/memories/{ID}/hold": {"POST"},
    f"/v1/memories/{ID}/layer": {"POST"},
    "/v1/sessions/s-1/turns": {"POST"},
    f"/v1/writes/{ID}": {"GET"},
    "/v1/recall": {"POST"},
    "/v1/quarantine": {"GET"},
    f"/v1/quarantine/{ID}": {"GET"},
    f"/v1/quarantine/{ID}/release": {"POST"},
    f"/v1/quarantine/{ID}/reveal": {"POST"},
    "/v1/subjects/memories": {"GET"},
    f"/v1/subjects/memories/{ID}/reveal": {"POST"},
    "/v1/origins": {"GET"},
    "/v1/origins/report": {"POST"},
    "/v1/origins/quarantine": {"POST"},
    "/v1/origins/quarantines": {"GET"},
    f"/v1/origins/quarantines/{ID}/lift": {"POST"},
    "/v1/consistency": {"GET"},
    f"/v1/consistency/{ID}/dismiss": {"POST"},
    "/v1/tenant/clients": {"GET", "PUT", "DELETE"},
    "/v1/findings": {"GET"},
    "/v1/tenant/webhooks": {"GET", "PUT", "DELETE"},
    "/v1/tenant/webhooks/rotate": {"POST"},
    "/v1/tenant/webhooks/dead": {"GET"},
    "/v1/tenant/webhooks/dead/replay": {"POST"},
    "/v1/tenant/revocations": {"GET", "POST"},
    "/v1/tenant/policies": {"GET", "POST"},
    "/v1/tenant/policies/1/simulate": {"POST"},
    "/v1/tenant/policies/rollback": {"POST"},
    "/v1/tenant/hunts": {"POST"},
    "/v1/admin/tenants": {"GET", "POST"},
    "/v1/admin/tenants/suspend": {"POST"},
}
PUBLIC: Final = {METADATA, f"{METADATA}/v1", f"{METADATA}/mcp", f"{METADATA}/sse"} | {
    "/healthz",
    "/readyz",
    "/schema",
}
MCP: Final = ("/mcp", "/sse", "/messages")
BODILESS: Final = ("/restore", "/confirm", "/lift", "/rollback")
DOORS: Final = [(m, p) for p, taken in TAKES.items() if p not in PUBLIC for m in sorted(taken)]
MCP_DOORS: Final = [(method, path) for method, path in DOORS if path in MCP]
"""Every method of every endpoint that asks for a token, and those of MCP."""


@pytest.fixture(scope="module")
def key() -> dict[str, Any]:
    """Return a private key that the gateway trusts."""
    return ed25519_jwk()


@pytest.fixture(scope="module")
def edge(key: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> World:
    """Return an edge that trusts it."""
    return World(key_set(tmp_path_factory.mktemp("keys"), key))


@pytest.fixture(scope="module")
def http(edge: World) -> Iterator[TestClient[Litestar]]:
    """Yield a client of it that shows errors as responses."""
    with TestClient(edge.app(), raise_server_exceptions=False) as opened:
        yield opened


def ask(
    http: TestClient[Litestar], method: str, path: str, headers: dict[str, str], body: bytes = b""
) -> Any:
    """Return the answer to one request, in a shape that the endpoint would read."""
    if path == "/messages":
        path = f"{path}?session_id={NO_SESSION}"
    sent = HOME | ACCEPT | (POSTED if body else {}) | headers
    return http.request(method, path, headers=sent, content=body)


def is_problem(answer: Any, status: int, code: str) -> None:
    """Assert that it is a problem of this status, with nothing in it that names a cause."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert (answer.json()["status"], answer.json()["code"]) == (status, code)


@pytest.mark.requirement("M2", "E1")
@pytest.mark.parametrize(("method", "path"), DOORS)
def test_401_without_a_token_and_with_a_bad_one(
    http: TestClient[Litestar], method: str, path: str
) -> None:
    """With a challenge that leads on; an error is named only where a token was tried."""
    for headers in ({}, bearer("abc.def.ghi")):
        answer = ask(http, method, path, headers)
        is_problem(answer, 401, "unauthenticated")
        challenge = answer.headers["www-authenticate"]
        assert challenge.startswith("Bearer ")
        assert f'resource_metadata="http://127.0.0.1:8080{METADATA}/' in challenge
        assert ('error="invalid_token"' in challenge) == bool(headers)


@pytest.mark.requirement("M2", "E4")
@pytest.mark.parametrize(("method", "path"), [door for door in DOORS if door[1] not in MCP])
def test_403_names_the_scope_that_a_route_needs(
    http: TestClient[Litestar], key: dict[str, Any], method: str, path: str
) -> None:
    """With the challenge that has a client ask for more; the transports name theirs by message."""
    takes_body = method in ("POST", "PUT", "PATCH") and not path.endswith(BODILESS)
    body = b"{}" if takes_body else b""
    answer = ask(http, method, path, bearer(token(key, scope="openid")), body)
    is_problem(answer, 403, "forbidden")
    needed = answer.json()["scope"]
    assert f'error="insufficient_scope", scope="{needed}"' in answer.headers["www-authenticate"]


@pytest.mark.requirement("M2")
def test_403_names_the_scope_that_a_message_needs(
    http: TestClient[Litestar], key: dict[str, Any]
) -> None:
    """Over Streamable HTTP, before the message reaches any session."""
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall_memory"}}'
    answer = ask(http, "POST", "/mcp", bearer(token(key, scope="openid")), body)
    assert answer.status_code == 403
    assert 'scope="memory:read"' in answer.headers["www-authenticate"]


@pytest.mark.requirement("M2")
@pytest.mark.parametrize(("method", "path"), MCP_DOORS)
def test_421_for_a_foreign_host_and_403_for_a_foreign_origin(
    http: TestClient[Litestar], key: dict[str, Any], method: str, path: str
) -> None:
    """A browser that was lured here by a name, or by a page, gets nothing, token or not."""
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}' if method == "POST" else b""
    for name, value, status in (
        ("Host", "evil.example", 421),
        ("Host", "127.0.0.1.evil.example:8080", 421),
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
    ):
        headers = bearer(token(key)) | {name: value}
        assert ask(http, method, path, headers, body).status_code == status
        assert ask(http, method, path, {name: value}, body).status_code == 401


@pytest.mark.requirement("M3", "E5")
def test_404_for_what_is_not_there(http: TestClient[Litestar], key: dict[str, Any]) -> None:
    """A session, a memory or a path: unknown ones are missing, whoever asks."""
    mine = bearer(token(key))
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    unknown = {"Mcp-Session-Id": NO_SESSION, "Mcp-Protocol-Version": "2025-06-18"}
    for method, body in (("POST", ping), ("GET", b""), ("DELETE", b"")):
        assert ask(http, method, "/mcp", mine | unknown, body).status_code == 404
    assert ask(http, "POST", "/messages", mine, ping).status_code == 404
    is_problem(ask(http, "GET", f"/v1/memories/{OTHER_ID}", mine), 404, "not_found")
    for path in ("/mcp/", "/mcpx", "/mcp/x", "/sse/x", "/v2/memories", f"{METADATA}/x"):
        for headers in ({}, mine):
            answer = ask(http, "PUT", path, headers)
            assert answer.status_code == (404 if path != "/mcp/" else 405 if headers else 401)


@pytest.mark.requirement("M1", "E9")
@pytest.mark.parametrize("path", TAKES)
def test_405_for_every_other_method(
    http: TestClient[Litestar], edge: World, key: dict[str, Any], path: str
) -> None:
    """`Allow` names just what the endpoint takes, and no door is reached."""
    edge.calls.made.clear()
    for method in METHODS:
        if method in TAKES[path]:
            continue
        answer = ask(http, method, path, bearer(token(key)))
        assert answer.status_code == 405, method
        allowed = {one.strip() for one in answer.headers["allow"].split(",")}
        assert allowed == TAKES[path]
    assert edge.calls.names == []


@pytest.mark.requirement("E4")
@pytest.mark.parametrize("path", TAKES)
def test_no_endpoint_lets_pages_of_others_in(
    http: TestClient[Litestar], key: dict[str, Any], path: str
) -> None:
    """A browser's preflight is refused everywhere: no other page's script calls the gateway."""
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for headers in ({}, bearer(token(key))):
        answer = ask(http, "OPTIONS", path, asked | headers)
        assert 400 <= answer.status_code < 500
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.requirement("E8", "M6")
@pytest.mark.parametrize(("method", "path"), [door for door in DOORS if door != ("GET", "/sse")])
def test_413_for_a_body_over_the_limit(
    http: TestClient[Litestar], edge: World, key: dict[str, Any], method: str, path: str
) -> None:
    """Before anything reads it, and only after the token was believed."""
    body = b"x" * (edge.settings.limits.max_body_bytes + 1)
    is_problem(ask(http, method, path, bearer(token(key)), body), 413, "too_large")
    is_problem(ask(http, method, path, {}, body), 401, "unauthenticated")


@pytest.mark.requirement("E14", "M6")
def test_429_for_an_address_whose_tokens_fail(tmp_path: Path) -> None:
    """At every endpoint and method alike, with the seconds to wait, before any token is read."""
    key = ed25519_jwk()
    settings = Settings(limits=Limits(peer_failures_per_minute=1))
    world = World(key_set(tmp_path, key), settings=settings)
    with TestClient(world.app(), raise_server_exceptions=False) as http:
        assert ask(http, "GET", "/v1/memories", bearer(token(key))).status_code == 200
        for _ in range(2):
            ask(http, "GET", "/v1/memories", bearer("abc.def.ghi"))
        world.calls.made.clear()
        for method, path in DOORS:
            answer = ask(http, method, path, bearer(token(key)))
            is_problem(answer, 429, "limited")
            assert int(answer.headers["retry-after"]) >= 1
        assert world.calls.names == []


@pytest.mark.requirement("E7")
def test_429_for_a_caller_who_has_spent_all(tmp_path: Path) -> None:
    """At REST; a tool call is told in its result, where a model reads it."""
    key = ed25519_jwk()
    limits = Limits(subject_units_per_minute=5, burst_seconds=60)
    world = World(key_set(tmp_path, key), settings=Settings(limits=limits))
    with TestClient(world.app(), raise_server_exceptions=False) as http:
        statuses = [
            ask(http, "GET", "/v1/memories", bearer(token(key))).status_code for _ in range(6)
        ]
        assert statuses == [200] * 5 + [429]
        body = b'{"query": "tea"}'
        is_problem(ask(http, "POST", "/v1/recall", bearer(token(key)), body), 429, "limited")
