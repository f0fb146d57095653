"""Traces: the request and its steps, allow-listed attributes, nobody's word on parents (E11)."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from litestar.testing import TestClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from gateway import tracing
from gateway.app.serving import USE_CASES
from gateway.metering import Recorder
from gateway.settings import SettingsError
from gateway.settings import Tracing as Section
from gateway.tracing import Tracing, provider_of
from tests.edges.world import World, bearer, ed25519_jwk, key_set, token
from tests.house import House

PARENT = f"00-{'ab' * 16}-{'cd' * 8}-01"


class Traced(World):
    """An edge with the real doors over a house in memory, whose spans are kept."""

    def __init__(self, keys: Any, trusted: tuple[str, ...] = ()) -> None:
        super().__init__(keys)
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracing = Tracing(provider, trusted)
        self.house = House()

    def edge(self) -> Any:
        """Return what the application is built from."""
        watch = Recorder(self.metrics, self.tracing)
        rooms = self.house.with_rooms(watch=watch, registry=self.registry)
        return msgspec.structs.replace(super().edge(), rooms=rooms, use_cases=USE_CASES)

    def spans(self) -> list[ReadableSpan]:
        """Return the spans that ended since the last call, in order of their beginning."""
        found = sorted(self.exporter.get_finished_spans(), key=lambda span: span.start_time or 0)
        self.exporter.clear()
        return found


@pytest.fixture
def world(tmp_path: Path, signing_key: dict[str, Any]) -> Traced:
    """Return an edge that trusts nobody's `traceparent`."""
    return Traced(key_set(tmp_path, signing_key))


def _tree(spans: list[ReadableSpan]) -> tuple[str, list[str]]:
    """Return the root's name and the names of its children, in one trace; below are detectors."""
    root = next(span for span in spans if span.parent is None)
    assert root.context is not None
    below: list[str] = []
    for span in spans:
        assert span.context is not None
        assert span.context.trace_id == root.context.trace_id
        if span.parent is not None and span.parent.span_id == root.context.span_id:
            below.append(span.name)
        else:
            assert span is root or span.name.startswith("detect.")
    return root.name, below


@pytest.mark.requirement("E11")
def test_a_request_and_its_steps_are_one_tree(world: Traced, signing_key: dict[str, Any]) -> None:
    """Gather, screen and commit of a write; understand to rank of a recall; nothing of a 404."""
    headers = bearer(token(signing_key))
    with TestClient(world.app()) as client:
        text = {"text": "I like green tea."}
        stored = client.post("/v1/memories", json=text, headers=headers)
        assert stored.status_code == 201
        spans = world.spans()
        assert _tree(spans) == (
            "request",
            ["remember.gather", "remember.detect", "remember.screen", "remember.commit"],
        )
        assert spans[0].kind is SpanKind.SERVER
        assert dict(spans[0].attributes or {}) == {
            "http.request.method": "POST",
            "http.route": "/v1/memories",
            "http.response.status_code": 201,
            "memguard.request_id": stored.headers["x-request-id"],
        }
        client.post("/v1/recall", json={"query": "green tea"}, headers=headers)
        steps = ["understand", "search", "load", "open", "beside", "rescreen", "rank"]
        assert _tree(world.spans()) == ("request", [f"recall.{step}" for step in steps])
        client.get("/v1/nowhere")
        (lost,) = world.spans()
        assert dict(lost.attributes or {})["http.route"] == "(none)"


@pytest.mark.requirement("E11", "E9")
def test_spans_hold_nothing_but_what_is_allowed(world: Traced, signing_key: dict[str, Any]) -> None:
    """No text, id, name or exception's words: of what failed its kind alone."""
    headers = bearer(token(signing_key, sub="zyzzyva-subject", tid="zyzzyva-tenant"))

    class BrokenIndex(type(world.house.index)):  # type: ignore[misc]
        async def search(self, *_: Any) -> Any:
            """Break, and say so at length."""
            raise RuntimeError("zyzzyva words")

    world.house.index.__class__ = BrokenIndex
    with TestClient(world.app(), raise_server_exceptions=False) as client:
        client.post("/v1/memories", json={"text": "zyzzyva text"}, headers=headers)
        answer = client.post("/v1/recall", json={"query": "zyzzyva"}, headers=headers)
        client.get("/v1/memories/zyzzyva?cursor=zyzzyva", headers=headers)
    assert answer.status_code == 500
    spans = world.spans()
    for span in spans:
        assert set(span.attributes or {}) <= tracing.ALLOWED
        assert span.events == ()
        assert "zyzzyva" not in span.to_json()
    (failed,) = (span for span in spans if span.name == "recall.search")
    assert dict(failed.attributes or {}) == {"error.type": "RuntimeError"}
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.status.description is None
    with pytest.raises(ValueError, match="not allowed"):
        tracing.put(failed, "memguard.text", "x")  # type: ignore[arg-type]


@pytest.mark.requirement("E11")
@pytest.mark.parametrize(
    ("trusted", "sent", "taken"),
    [
        ((), [PARENT], False),
        (("192.0.2.0/24",), [PARENT], False),
        (("127.0.0.0/8",), [PARENT], True),
        (("127.0.0.0/8",), [PARENT, PARENT], False),
        (("127.0.0.0/8",), ["zyzzyva"], False),
        (("127.0.0.0/8",), [], False),
    ],
)
async def test_a_parent_is_taken_from_trusted_networks_alone(
    trusted: tuple[str, ...],
    sent: list[str],
    taken: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    """By the address of the connection; twice, or malformed, it is not taken at all."""
    world = Traced(_keys(tmp_path), trusted)
    headers = [("traceparent", value) for value in sent]
    with TestClient(world.app()) as client:
        client.get("/healthz")
        world.spans()
        scope_client = ("127.0.0.1", 1)
        transport = httpx2.ASGITransport(app=client.app, client=scope_client)
        async with httpx2.AsyncClient(transport=transport, base_url="http://x") as http:
            await http.get("/healthz", headers=headers)
    (span,) = world.spans()
    assert span.context is not None
    assert (span.parent is not None) == taken
    assert (span.context.trace_id == int("ab" * 16, 16)) == taken


def _keys(tmp_path: Path) -> Any:
    return key_set(tmp_path, ed25519_jwk())


@pytest.mark.requirement("E11", "M6")
async def test_a_tool_call_is_traced_and_its_message_names_no_parent(
    live_url: str, world: Traced, signing_key: dict[str, Any]
) -> None:
    """The steps stand below the request, whatever `_meta` claims; the SDK's spans stay here."""
    headers = bearer(token(signing_key))
    async with (
        httpx2.AsyncClient(headers=headers, timeout=20) as http,
        Client(streamable_http_client(f"{live_url}/mcp", http_client=http)) as agent,
    ):
        world.spans()
        meta: Any = {"traceparent": PARENT}
        await agent.call_tool("recall_memory", {"query": "green tea"}, meta=meta)
    spans = world.spans()
    steps = [span for span in spans if span.name.startswith("recall.")]
    assert len(steps) == 7
    roots = {span.context.span_id for span in spans if span.parent is None and span.context}
    assert {span.parent.span_id for span in steps if span.parent} <= roots
    assert {span.name for span in spans} == {"request", *(span.name for span in steps)}
    assert all(span.context and span.context.trace_id != int("ab" * 16, 16) for span in spans)


@contextmanager
def _collector() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    """Lend the address of a collector, and what it was sent."""
    received: list[tuple[dict[str, str], bytes]] = []

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Keep what was sent."""
            length = int(self.headers["content-length"])
            named = {name.lower(): value for name, value in self.headers.items()}
            received.append((named, self.rfile.read(length)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Taking)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/traces", received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.requirement("E11")
def test_spans_reach_a_collector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the headers of the file and the service's name, and nothing of this host."""
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "host.name=zyzzyva")
    file = tmp_path / "headers"
    file.write_text("Api-Key: hunter2\n\n")
    with _collector() as (url, received):
        section = Section(otlp_url=url, otlp_headers_file=file, service_name="memory-one")
        provider = provider_of(section)
        with Tracing(provider).span("request"):
            pass
        provider.shutdown()
    ((headers, _),) = received
    assert headers["api-key"] == "hunter2"
    assert headers["content-type"] == "application/x-protobuf"
    (_, body) = received[0]
    assert b"memory-one" in body
    assert b"request" in body
    assert b"zyzzyva" not in body


@pytest.mark.requirement("E11")
def test_a_share_of_the_requests_is_traced() -> None:
    """None at 0, all at 1; what runs in them is not affected."""
    for ratio, expected in ((0.0, 0), (1.0, 3)):
        kept = InMemorySpanExporter()
        section = Section(otlp_url="http://127.0.0.1:9/v1/traces", sample_ratio=ratio)
        provider = provider_of(section, kept)
        spans = Tracing(provider)
        for _ in range(3):
            with spans.span("request"):
                pass
        provider.force_flush()
        assert len(kept.get_finished_spans()) == expected
        provider.shutdown()


@pytest.mark.requirement("E11")
@pytest.mark.parametrize("content", ["no separator", "name:", ": value", None])
def test_headers_that_can_not_be_read_end_the_start(tmp_path: Path, content: str | None) -> None:
    """The file is named and not quoted."""
    file = tmp_path / "headers"
    if content is not None:
        file.write_text(content)
    section = Section(otlp_url="http://127.0.0.1:9/v1/traces", otlp_headers_file=file)
    with pytest.raises(SettingsError, match="otlp_headers_file") as told:
        provider_of(section)
    assert content != "no separator" or content not in str(told.value)


@pytest.mark.requirement("E11")
def test_without_the_extra_a_configured_collector_ends_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever wants traces is told what to install, and never served without."""
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(SettingsError, match=r"memguard-gateway\[otel\]"):
        provider_of(Section(otlp_url="http://127.0.0.1:9/v1/traces"))


@pytest.mark.requirement("E11")
def test_without_a_collector_there_is_nothing_of_it() -> None:
    """The SDK is not even imported by the edge."""
    code = (
        "import sys, gateway.edge, gateway.metering;"
        "sys.exit(any(name.startswith('opentelemetry.sdk') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603
    assert Section().otlp_url is None
