"""Whatever is sent, the answer is a 4xx problem and no door is called (E3, E8, E9)."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from guard.errors import (
    ConflictError,
    ForbiddenError,
    InvalidError,
    LimitedError,
    NotFoundError,
    UnavailableError,
    UnreadableError,
)
from tests.edges.lasting import lasting_fixtures
from tests.edges.world import ID, OTHER_ID, World, bearer, token

SECRET_WORD = "zyzzyva"
FUTURE = (datetime.now(UTC) + timedelta(hours=1)).isoformat()

STORE: dict[str, bytes] = {
    "nothing": b"",
    "half an object": b'{"text": "a',
    "not an object": b'["text"]',
    "null": b"null",
    "two documents": b'{"text":"a"}{"text":"b"}',
    "invalid UTF-8": b'{"text":"\xff\xfe"}',
    "UTF-16": '{"text":"a"}'.encode("utf-16"),
    "NaN": b'{"text":"a","importance":NaN}',
    "no text": b"{}",
    "text of another type": b'{"text":["zyzzyva"]}',
    "text as a number": b'{"text":5}',
    "empty text": b'{"text":""}',
    "blank text": '{"text":" \\n\u3000\\t"}'.encode(),
    "NUL": b'{"text":"zyzzyva\\u0000"}',
    "lone surrogate": b'{"text":"zyzzyva\\ud800 "}',
    "lone low surrogate": b'{"text":"\\udc00zyzzyva"}',
    "text one over the limit": json.dumps({"text": "a" * 8193}).encode(),
    "text beyond any limit": json.dumps({"text": "a" * 40_000}).encode(),
    "deep arrays": b'{"text":' + b"[" * 60_000,
    "deep unknown field": b'{"text":"a","x":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    "deep metadata": b'{"text":"a","metadata":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001,
    "unknown field": b'{"text":"a","zyzzyva":1}',
    "unknown field that is content": b'{"text":"a","the zyzzyva is secret":1}',
    "names a tenant": b'{"text":"a","tenant":"acme"}',
    "names a subject": b'{"text":"a","subject":"bob"}',
    "names a user": b'{"text":"a","user_id":"bob"}',
    "names a tenant inside the origin": b'{"text":"a","origin":{"tenant":"acme"}}',
    "trust inside the origin": b'{"text":"a","origin":{"class":"web","trust":4}}',
    "unknown origin": b'{"text":"a","origin":{"class":"zyzzyva"}}',
    "unknown kind": b'{"text":"a","kind":"zyzzyva"}',
    "unknown layer": b'{"text":"a","layer":"zyzzyva"}',
    "working layer": b'{"text":"a","layer":"working"}',
    "importance above one": b'{"text":"a","importance":1.01}',
    "importance as text": b'{"text":"a","importance":"1"}',
    "no days to live": b'{"text":"a","ttl_days":0}',
    "too many days to live": b'{"text":"a","ttl_days":3651}',
    "days as a fraction": b'{"text":"a","ttl_days":1.5}',
    "days as a truth": b'{"text":"a","ttl_days":true}',
    "too many entities": json.dumps({"text": "a", "entities": ["e"] * 33}).encode(),
    "entity too long": json.dumps({"text": "a", "entities": ["e" * 129]}).encode(),
    "entity with a line break": b'{"text":"a","entities":["a\\nb"]}',
    "session too long": json.dumps({"text": "a", "session_id": "s" * 129}).encode(),
    "session blank": b'{"text":"a","session_id":" "}',
    "reference too long": json.dumps({"text": "a", "origin": {"reference": "r" * 2049}}).encode(),
    "parent that is no id": json.dumps({"text": "a", "origin": {"parents": ["p" * 36]}}).encode(),
    "too many parents": json.dumps({"text": "a", "origin": {"parents": [ID] * 33}}).encode(),
    "too much metadata": json.dumps(
        {"text": "a", "metadata": {str(i): "v" for i in range(17)}}
    ).encode(),
    "metadata key too long": json.dumps({"text": "a", "metadata": {"k" * 65: "v"}}).encode(),
    "metadata value too long": json.dumps({"text": "a", "metadata": {"k": "v" * 513}}).encode(),
    "metadata of another type": b'{"text":"a","metadata":{"k":1}}',
    "NUL in metadata": b'{"text":"a","metadata":{"k":"\\u0000"}}',
    "NUL in a metadata key": b'{"text":"a","metadata":{"\\u0000":"v"}}',
    "when in the future": json.dumps({"text": "a", "occurred_at": FUTURE}).encode(),
    "when without an offset": b'{"text":"a","occurred_at":"2026-01-01T00:00:00"}',
    "when as a number": b'{"text":"a","occurred_at":1700000000}',
    "when as a date": b'{"text":"a","occurred_at":"2026-01-01"}',
    "when on no day": b'{"text":"a","occurred_at":"2026-02-30T00:00:00Z"}',
    "when before time": b'{"text":"a","occurred_at":"0001-01-01T00:00:00+14:00"}',
}

RECALL: dict[str, bytes] = {
    "no query": b"{}",
    "blank query": b'{"query":"  "}',
    "k of nothing": b'{"query":"a","k":0}',
    "k too large": b'{"query":"a","k":51}',
    "k absurd": b'{"query":"a","k":1000000000}',
    "k as text": b'{"query":"a","k":"5"}',
    "k negative": b'{"query":"a","k":-1}',
    "no layer": b'{"query":"a","layers":[]}',
    "one layer twice": b'{"query":"a","layers":["semantic","semantic"]}',
    "unknown zone": b'{"query":"a","time_zone":"Mars/Olympus"}',
    "zone that is a path": b'{"query":"a","time_zone":"../../etc/passwd"}',
    "zone that is absolute": b'{"query":"a","time_zone":"/etc/localtime"}',
    "zone with NUL": b'{"query":"a","time_zone":"UTC\\u0000"}',
    "since after until": b'{"query":"a","since":"2026-02-01T00:00:00Z",'
    b'"until":"2026-01-01T00:00:00Z"}',
    "reference without an offset": b'{"query":"a","reference_time":"2026-01-01T00:00:00"}',
    "window too long": json.dumps({"query": "a", "window": ["t"] * 11}).encode(),
    "NUL in the window": b'{"query":"a","window":["\\u0000"]}',
    "control character in the session": b'{"query":"a","session_id":"s\\u0007"}',
    "names a tenant": b'{"query":"a","tenant_id":"acme"}',
    "names a subject": b'{"query":"a","subject":"bob"}',
}

QUERIES: dict[str, str] = {
    "unknown name": "tenant=acme",
    "names a subject": "subject=bob",
    "limit absurd": "limit=1000000000",
    "limit of nothing": "limit=0",
    "limit as text": "limit=zyzzyva",
    "limit twice": "limit=1&limit=2",
    "unknown kind": "kind=zyzzyva",
    "forgotten ones": "state=forgotten",
    "since without an offset": "since=2026-01-01T00:00:00",
    "cursor too long": f"cursor={'c' * 513}",
}


def _is_a_problem(answer: Any, status: int) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["status"] == status
    assert told["type"] == f"urn:memguard:problem:{told['code']}"
    assert SECRET_WORD not in answer.text.replace("unknown field zyzzyva", "")
    assert "Traceback" not in answer.text
    assert ".py" not in answer.text


lasting, signing_key, world, client = lasting_fixtures()


@pytest.fixture
def headers(signing_key: dict[str, Any]) -> dict[str, str]:
    """Return headers of a caller who may do everything."""
    return bearer(token(signing_key)) | {"Content-Type": "application/json"}


@pytest.mark.requirement("E3", "E8", "E9")
@pytest.mark.parametrize("body", STORE.values(), ids=STORE.keys())
def test_a_bad_write_is_refused(
    client: TestClient[Litestar], world: World, headers: dict[str, str], body: bytes
) -> None:
    """The caller is told which field, never what was in it, and nothing is stored."""
    _is_a_problem(client.post("/v1/memories", content=body, headers=headers), 400)
    assert world.calls.names == []


@pytest.mark.requirement("E3", "E8", "E9")
@pytest.mark.parametrize("body", RECALL.values(), ids=RECALL.keys())
def test_a_bad_recall_is_refused(
    client: TestClient[Litestar], world: World, headers: dict[str, str], body: bytes
) -> None:
    """A question out of bounds is answered before anything is looked up."""
    _is_a_problem(client.post("/v1/recall", content=body, headers=headers), 400)
    assert world.calls.names == []


@pytest.mark.requirement("E3", "E8")
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_a_bad_query_string_is_refused(
    client: TestClient[Litestar], world: World, headers: dict[str, str], query: str
) -> None:
    """Unknown and ill-formed parameters are errors, not ignored."""
    _is_a_problem(client.get(f"/v1/memories?{query}", headers=headers), 400)
    assert world.calls.names == []


@pytest.mark.requirement("E3")
@pytest.mark.parametrize("name", ["X-Tenant-Id", "Tenant", "X-Subject", "x-memguard-subject-id"])
def test_a_header_that_names_an_owner_is_refused(
    client: TestClient[Litestar], world: World, headers: dict[str, str], name: str
) -> None:
    """Tenant and subject come from the token; a header that claims otherwise is an error."""
    _is_a_problem(client.get("/v1/memories", headers=headers | {name: "acme"}), 400)
    assert world.calls.names == []


@pytest.mark.requirement("E3")
def test_what_a_route_does_not_take_is_refused(
    client: TestClient[Litestar], world: World, headers: dict[str, str]
) -> None:
    """A query or body on a route without one is an error, whatever it says."""
    _is_a_problem(client.get(f"/v1/memories/{ID}?tenant=acme", headers=headers), 400)
    _is_a_problem(client.post("/v1/recall?subject=b", json={"query": "a"}, headers=headers), 400)
    body = {"tenant": "acme"}
    _is_a_problem(client.post(f"/v1/memories/{ID}/confirm", json=body, headers=headers), 400)
    _is_a_problem(client.request("DELETE", f"/v1/memories/{ID}", json=body, headers=headers), 400)
    assert world.calls.names == []


@pytest.mark.requirement("E8")
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", None])
def test_another_content_type_is_refused(
    client: TestClient[Litestar], world: World, headers: dict[str, str], kind: str | None
) -> None:
    """Only application/json is read: a browser form can't post a memory."""
    sent = {name: value for name, value in headers.items() if name != "Content-Type"}
    sent |= {"Content-Type": kind} if kind is not None else {}
    _is_a_problem(client.post("/v1/memories", content=b'{"text":"a"}', headers=sent), 415)
    assert world.calls.names == []


@pytest.mark.requirement("E8")
def test_a_compressed_body_is_refused(
    client: TestClient[Litestar], headers: dict[str, str]
) -> None:
    """There is nothing to inflate, so nothing inflates."""
    sent = headers | {"Content-Encoding": "gzip"}
    _is_a_problem(client.post("/v1/memories", content=b"\x1f\x8b", headers=sent), 415)


@pytest.mark.requirement("E8")
@pytest.mark.parametrize("path", ["/v1/memories", "/mcp", "/messages", "/v1/recall"])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_too_large_is_refused(
    client: TestClient[Litestar],
    world: World,
    headers: dict[str, str],
    path: str,
    chunked: bool,  # noqa: FBT001
) -> None:
    """Ten megabytes get 413 on every edge, declared or in chunks that declare nothing."""

    def chunks() -> Iterator[bytes]:
        for _ in range(160):
            yield b"a" * 65_536

    body: Any = chunks() if chunked else b"a" * 10_485_760
    _is_a_problem(client.post(path, content=body, headers=headers), 413)
    assert world.calls.names == []


@pytest.mark.requirement("E5", "E9")
@pytest.mark.parametrize("id", [OTHER_ID, "1", "x" * 3000, ID.upper(), "..", "%00", f"{ID}%0a"])
def test_a_foreign_id_looks_like_a_missing_one(
    client: TestClient[Litestar], headers: dict[str, str], id: str
) -> None:
    """Ids of others, of nobody and of no shape all get the same 404."""
    answer = client.get(f"/v1/memories/{id}", headers=headers)
    missing = client.get(f"/v1/memories/{OTHER_ID}", headers=headers)
    _is_a_problem(answer, 404)
    assert answer.content == missing.content


@pytest.mark.requirement("E9")
def test_routing_errors_are_problems_too(
    client: TestClient[Litestar], headers: dict[str, str]
) -> None:
    """An unknown path and a wrong method are told in the same shape; 405 says what is allowed."""
    _is_a_problem(client.get("/v1/zyzzyva", headers=headers), 404)
    answer = client.put("/v1/memories", headers=headers)
    _is_a_problem(answer, 405)
    assert {"GET", "POST"} <= set(answer.headers["allow"].split(", "))


@pytest.mark.requirement("E9")
@pytest.mark.parametrize(
    ("error", "status", "retry"),
    [
        (InvalidError("origin.parents: not all are memories of yours"), 400, None),
        (ForbiddenError("memory:write"), 403, None),
        (NotFoundError(), 404, None),
        (ConflictError(), 409, "1"),
        (LimitedError(2.4), 429, "3"),
        (UnreadableError("zyzzyva"), 500, None),
        (UnavailableError("ledger", 0.2), 503, "1"),
        (RuntimeError("zyzzyva"), 500, None),
        (TimeoutError("zyzzyva"), 500, None),
    ],
)
def test_each_error_has_its_status(  # noqa: PLR0917
    client: TestClient[Litestar],
    world: World,
    headers: dict[str, str],
    error: Exception,
    status: int,
    retry: str | None,
) -> None:
    """Foreseen errors say what helps, unforeseen ones say nothing, both as problems."""
    world.calls.failure = error
    answer = client.post("/v1/memories", json={"text": "a"}, headers=headers)
    _is_a_problem(answer, status)
    assert answer.headers.get("retry-after") == retry
    assert world.calls.names == ["remember"]
