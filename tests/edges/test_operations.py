"""Health, documents, logs and shutdown (E8, E11, E12)."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from gateway import scopes, telemetry
from gateway.edge import server
from gateway.settings import Http, Limits, LogLevel
from guard.nouns import Draft
from guard.outcomes import (
    Merged,
    Quarantined,
    Queued,
    Redacted,
    Rejected,
    Skipped,
    Stored,
    Superseded,
    WriteOutcome,
)
from memory.origin import OriginClass
from tests.edges.world import ID, OTHER_ID, World, bearer, ed25519_jwk, key_set, token

USER = OriginClass.USER_STATED


@pytest.mark.requirement("W12")
@pytest.mark.parametrize(
    ("outcome", "status", "confirmed"),
    [
        (Stored(ID, USER, 3), 201, 200),
        (Redacted(ID, USER, 3, ("secrets.key",)), 201, 200),
        (Superseded(ID, USER, 3, OTHER_ID), 201, 200),
        (Merged(ID, USER, 3), 200, 200),
        (Skipped(USER, 3, ("worth.noise",)), 200, 200),
        (Quarantined(ID, OriginClass.WEB, 0, ("injection.override",)), 202, 202),
        (Queued(ID, USER, 3), 202, 202),
        (Rejected(OriginClass.WEB, 0, ("injection.override",)), 422, 422),
    ],
)
def test_each_outcome_has_its_status(  # noqa: PLR0917
    client: TestClient[Litestar],
    world: World,
    signing_key: dict[str, Any],
    outcome: WriteOutcome,
    status: int,
    confirmed: int,
) -> None:
    """The answer names the outcome, its reasons and the origin; a refusal is a problem besides."""
    world.calls.outcome = outcome
    headers = bearer(token(signing_key))
    answer = client.post("/v1/memories", json={"text": "tea"}, headers=headers)
    assert answer.status_code == status
    told = answer.json()
    assert told["outcome"] == outcome.__struct_config__.tag
    assert told["origin"] == {"class": outcome.origin.value, "trust": outcome.trust}
    assert told["reasons"] == list(outcome.reasons)
    assert told.get("id") == getattr(outcome, "id", None)
    assert told.get("supersedes") == getattr(outcome, "supersedes", None)
    assert ("problem" in answer.headers["content-type"]) == (status == 422)
    place = {"queued": f"/v1/writes/{ID}"}.get(told["outcome"])
    place = f"/v1/memories/{ID}" if status == 201 else place
    assert answer.headers.get("location") == place
    answer = client.post(f"/v1/memories/{ID}/confirm", headers=headers)
    assert answer.status_code == confirmed


@pytest.mark.requirement("E3")
def test_a_full_request_reaches_the_door_whole(
    client: TestClient[Litestar], world: World, signing_key: dict[str, Any]
) -> None:
    """Every field arrives as the noun the guard knows, in English and Chinese."""
    body = {
        "text": "以后都用顺丰 — always SF Express",
        "layer": "semantic",
        "kind": "preference",
        "importance": 0.8,
        "ttl_days": 90,
        "entities": ["顺丰"],
        "session_id": "s-1",
        "occurred_at": "2026-01-02T08:00:00+08:00",
        "origin": {"class": "document", "reference": "file.txt", "parents": [OTHER_ID]},
        "metadata": {"app": "shop"},
    }
    headers = bearer(token(signing_key))
    assert client.post("/v1/memories", json=body, headers=headers).status_code == 201
    ((_, _, draft),) = world.calls.made
    assert isinstance(draft, Draft)
    assert draft.text == body["text"]
    assert draft.occurred_at is not None
    assert draft.occurred_at.isoformat() == "2026-01-02T00:00:00+00:00"
    assert draft.hint.class_ is OriginClass.DOCUMENT
    assert draft.hint.parents == (OTHER_ID,)
    assert draft.metadata == {"app": "shop"}
    answer = client.get("/v1/memories?kind=fact&kind=note&state=held&limit=3", headers=headers)
    assert answer.json()["cursor"] == "next"
    asked, cursor, limit = world.calls.made[-1][2]
    assert ([k.value for k in asked.kinds], cursor, limit) == (["fact", "note"], None, 3)
    assert [s.value for s in asked.states] == ["held"]
    asking = {"query": "快递", "time_zone": "Asia/Shanghai", "k": 50, "window": ["上次那个?"]}
    told = client.post("/v1/recall", json=asking, headers=headers).json()
    assert told["items"][0] | {"id": ID, "score": 0.9, "trust": 3} == told["items"][0]
    assert (told["reliable"], told["degraded"], told["trace_id"]) == (True, False, "t1")


@pytest.mark.requirement("E11")
def test_readiness_names_what_fails(tmp_path: Path) -> None:
    """One broken or hanging probe makes the gateway unready, named and without its words."""
    working = True

    async def ledger() -> None:
        if not working:
            raise RuntimeError("zyzzyva")

    async def index() -> None:
        if not working:
            await asyncio.Event().wait()

    world = World(key_set(tmp_path, ed25519_jwk()), probes={"ledger": ledger, "index": index})
    world.settings = msgspec.structs.replace(
        world.settings, limits=Limits(probe_deadline_seconds=0.05)
    )
    with TestClient(world.app()) as client:
        assert client.get("/readyz").json() == {"status": "ready", "checks": ["ledger", "index"]}
        working = False
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["failed"] == ["ledger", "index"]
        assert answer.headers["content-type"] == "application/problem+json"
        assert "zyzzyva" not in answer.text
        assert client.get("/healthz").status_code == 200


@pytest.mark.requirement("E8")
def test_a_handler_that_is_late_gets_503(tmp_path: Path) -> None:
    """The deadline ends a request that hangs, and says when to try again."""
    key = ed25519_jwk()
    world = World(key_set(tmp_path, key))
    world.settings = msgspec.structs.replace(
        world.settings, limits=Limits(request_deadline_seconds=0.05)
    )
    world.calls.pause = lambda: asyncio.Event().wait()
    with TestClient(world.app()) as client:
        answer = client.post("/v1/memories", json={"text": "a"}, headers=bearer(token(key)))
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"


@pytest.mark.requirement("E11")
def test_the_openapi_document_covers_every_rest_route(client: TestClient[Litestar]) -> None:
    """Every route under /v1 is described with its scope, and the page loads nothing foreign."""
    document = client.get("/schema/openapi.json").json()
    described = {
        (method.upper(), path): operation["security"][0]["bearer"][0]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    expected = {row: str(need) for row, need in scopes.ROUTES.items() if row[1].startswith("/v1")}
    assert described == expected
    body = document["paths"]["/v1/memories"]["post"]["requestBody"]["content"]
    name = body["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
    assert document["components"]["schemas"][name]["additionalProperties"] is False
    page = client.get("/schema")
    assert "src=" not in page.text
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """Yield what the JSON log writes while the test runs."""
    root = logging.getLogger()
    before = (root.handlers, root.level)
    stream = io.StringIO()
    telemetry.configure(LogLevel.INFO, stream)
    yield stream
    root.handlers, root.level = before[0], before[1]


@pytest.mark.requirement("E11", "E9")
def test_logs_hold_allowed_keys_and_no_content(
    client: TestClient[Litestar], world: World, signing_key: dict[str, Any], logged: io.StringIO
) -> None:
    """Method, route, status and duration are logged; text, ids, subject and token never are."""
    value = token(signing_key, sub="zyzzyva-subject")
    headers = bearer(value)
    client.post("/v1/memories", json={"text": "zyzzyva text"}, headers=headers)
    client.get(f"/v1/memories/{ID}", headers=headers)
    client.get("/v1/memories?cursor=zyzzyva-cursor", headers=headers)
    world.calls.failure = RuntimeError("zyzzyva failure")
    client.post("/v1/memories", json={"text": "zyzzyva text"}, headers=headers)
    logging.getLogger("some.library").warning("got %s", "zyzzyva")
    written = logged.getvalue()
    lines = [json.loads(line) for line in written.splitlines()]
    requests = [line for line in lines if line["event"] == "request"]
    assert [(one["route"], one["status"]) for one in requests] == [
        ("/v1/memories", 201),
        ("/v1/memories/{id}", 200),
        ("/v1/memories", 200),
        ("/v1/memories", 500),
    ]
    (unforeseen,) = (line for line in lines if "exception" in line)
    assert (unforeseen["event"], unforeseen["exception"]) == ("unforeseen error", "RuntimeError")
    allowed = {"time", "level", "logger", "event", "exception", "at", *telemetry.ALLOWED_KEYS}
    assert all(set(line) <= allowed for line in lines)
    assert any(line["logger"] == "some.library" for line in lines)
    for secret in ("zyzzyva", ID, value):
        assert secret not in written


@pytest.mark.requirement("E12")
async def test_a_request_in_flight_finishes_and_streams_end_at_shutdown(
    world: World, signing_key: dict[str, Any]
) -> None:
    """After the stop signal a running write is answered, and an open stream holds nothing up."""
    entered, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        entered.set()
        await go_on.wait()

    world.calls.pause = slow
    world.settings = msgspec.structs.replace(world.settings, http=Http(port=0, shutdown_seconds=5))
    running = server(world.app(), world.settings)
    serving = asyncio.create_task(running.serve())
    while not running.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    headers = bearer(token(signing_key))
    async with (
        httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http,
        http.stream("GET", "/sse", headers=headers) as stream,
    ):
        lines = stream.aiter_lines()
        assert await anext(lines) == "event: endpoint"
        write = asyncio.create_task(http.post("/v1/memories", json={"text": "a"}, headers=headers))
        await entered.wait()
        running.should_exit = True
        go_on.set()
        assert (await write).status_code == 201
        with anyio.fail_after(10):
            await serving
    assert world.calls.names == ["remember"]
