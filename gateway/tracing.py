"""Traces for OpenTelemetry, when a collector is configured; else there is nothing of it (E11).

Spans carry attributes of an allow-list and never content, no name of a tenant or a subject, and of
an exception only its kind. They are a tree of their own: what other libraries put into
OpenTelemetry's ambient context, an MCP client's `traceparent` among it, is not looked at, and our
provider is not made the process's, so that no library's spans leave through it.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Final

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from gateway.settings import SettingsError
from gateway.settings import Tracing as Section

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

ALLOWED: Final = frozenset(
    {
        "http.request.method",
        "http.route",
        "http.response.status_code",
        "memguard.request_id",
        "error.type",
    }
)
_EXTRA: Final = "install memguard-gateway[otel] to export traces"
_QUEUE: Final = 4096
_EXPORT_SECONDS: Final = 5
_TRACEPARENT: Final = b"traceparent"
_HEADER: Final = re.compile(r"\A[A-Za-z0-9-]+\Z")

_current: ContextVar[Span | None] = ContextVar("memguard_span", default=None)


class Tracing:
    """Makes spans. One per gateway."""

    def __init__(self, provider: "TracerProvider", trusted: Iterable[str] = ()) -> None:
        """`trusted` are networks whose `traceparent` is taken for the parent of a request."""
        self._tracer = provider.get_tracer("memguard")
        self._trusted = tuple(ip_network(one) for one in trusted)

    @contextmanager
    def span(
        self, name: str, kind: SpanKind = SpanKind.INTERNAL, parent: Context | None = None
    ) -> Iterator[Span]:
        """Run the block in a span below the one that runs."""
        above = _current.get()
        ours = Context() if above is None else set_span_in_context(above, Context())
        span = self._tracer.start_span(name, context=parent or ours, kind=kind)
        before = _current.set(span)
        try:
            yield span
        except BaseException as error:
            put(span, "error.type", type(error).__name__)
            span.set_status(
                Status(StatusCode.ERROR)
            )  # without a description: it would be its words
            raise
        finally:
            _current.reset(before)
            span.end()

    def parent_of(self, host: str | None, headers: Iterable[tuple[bytes, bytes]]) -> Context | None:
        """Return whose span a request belongs to, when the one who says so is trusted."""
        told = [value for name, value in headers if name == _TRACEPARENT]
        if len(told) != 1 or not self._trusts(host):
            return None
        carrier = {"traceparent": told[0].decode("latin-1")}
        return TraceContextTextMapPropagator().extract(carrier, Context())

    def _trusts(self, host: str | None) -> bool:
        try:
            address = ip_address(host or "")
        except ValueError:
            return False
        return any(address in network for network in self._trusted)


def put(span: Span, name: str, value: str | int) -> None:
    """Give a span an attribute. Raises ValueError for one that is not on the list."""
    if name not in ALLOWED:
        raise ValueError(f"{name} is not allowed in a trace")
    span.set_attribute(name, value)


def provider_of(section: Section, exporter: "SpanExporter | None" = None) -> "TracerProvider":
    """Return the provider that the settings ask for; it exports until it is shut down.

    Raises SettingsError when the extra is not installed or the headers can't be read.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased  # noqa: PLC0415
    except ImportError:
        raise SettingsError(_EXTRA) from None
    provider = TracerProvider(
        sampler=ParentBased(TraceIdRatioBased(section.sample_ratio)),
        # Not `Resource.create`, which tells of the host, the process and its environment.
        resource=Resource({"service.name": section.service_name}),
        shutdown_on_exit=False,
    )
    sending = exporter or OTLPSpanExporter(
        endpoint=section.otlp_url, headers=_headers(section), timeout=_EXPORT_SECONDS
    )
    provider.add_span_processor(
        BatchSpanProcessor(
            sending,
            max_queue_size=_QUEUE,
            schedule_delay_millis=1000,
            max_export_batch_size=512,
            export_timeout_millis=_EXPORT_SECONDS * 1000,
        )
    )
    return provider


def _headers(section: Section) -> dict[str, str]:
    """Return the headers that the collector asks for, a `name: value` a line."""
    if section.otlp_headers_file is None:
        return {}
    try:
        lines = section.otlp_headers_file.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"cannot read tracing.otlp_headers_file: {type(error).__name__}"
        ) from None
    headers: dict[str, str] = {}
    for line in filter(str.strip, lines):
        name, separator, value = line.partition(":")
        if not separator or not _HEADER.match(name.strip()) or not value.strip():
            raise SettingsError("tracing.otlp_headers_file: each line is `name: value`")
        headers[name.strip().lower()] = value.strip()
    return headers
