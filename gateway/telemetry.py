"""Logs as JSON lines with an allow-list of keys: never content, never a caller's values (E11).

A library's message may quote what it was given, so of records that are not ours only the logger,
the place and the kind of exception are written.
"""

import json
import logging
import sys
import time
import uuid
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, TextIO

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Send
from litestar.types import Scope as Connection
from opentelemetry.trace import SpanKind

from gateway.metrics import UNROUTED, Metrics, method_of
from gateway.settings import LogLevel
from gateway.tracing import Tracing, put

LOGGER: Final = logging.getLogger("memguard")
REQUEST: Final[ContextVar[str | None]] = ContextVar("memguard_request", default=None)
"""The id of the request at work, in every line of its log: made here, never the caller's word."""
ALLOWED_KEYS: Final = (
    "request",
    "mode",
    "address",
    "method",
    "route",
    "status",
    "milliseconds",
    "probe",
    "task",
    "tool",
    "outcome",
)
_CLOSED_BY_CLIENT: Final = 499
_FAILED: Final = 500


class JsonLines(logging.Formatter):
    """Writes the allow-listed part of a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        ours = record.name == "memguard" or record.name.startswith("memguard.")
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.msg if ours else f"{record.module}:{record.lineno}",
        }
        if ours:
            line |= {key: getattr(record, key) for key in ALLOWED_KEYS if hasattr(record, key)}
            request = REQUEST.get()
            line |= {} if request is None else {"request": request}
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = record.exc_info[0].__name__
            line["at"] = places(record.exc_info[2])
        return json.dumps(line, ensure_ascii=False, default=str)


def places(trace: TracebackType | None) -> list[str]:
    """Return the innermost code places of a traceback: files and lines, no values."""
    found = []
    while trace is not None:
        found.append(f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}")
        trace = trace.tb_next
    return found[-8:]


def configure(level: LogLevel, stream: TextIO | None = None) -> None:
    """Send all logging to `stream` (stderr) as JSON lines. Replaces what was configured."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    # It tells of each start that it looked at the schema; a migration that fails raises.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    # It tells of each request to an index server; what fails there our own log says.
    logging.getLogger("httpx").setLevel(logging.WARNING)


class Watched:
    """Stands around the whole application: each request gets an id, a log line, figures, a span.

    What no route takes is watched as well. Its path is the caller's word and is written nowhere.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, tracing: Tracing | None) -> None:
        self._app, self._metrics, self._tracing = app, metrics, tracing

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Pass one request on, and note how it ended."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        before = REQUEST.set(answer.request)
        try:
            if self._tracing is None:
                await self._app(scope, receive, answer.send)
            else:
                await self._traced(self._tracing, scope, receive, answer)
        except Exception:
            answer.failed()
            raise
        finally:
            self._note(scope, answer)
            REQUEST.reset(before)

    async def _traced(
        self, tracing: Tracing, scope: Connection, receive: Receive, answer: "_Answer"
    ) -> None:
        client = scope.get("client")
        parent = tracing.parent_of(client[0] if client else None, scope["headers"])
        with tracing.span("request", SpanKind.SERVER, parent) as span:
            put(span, "memguard.request_id", answer.request)
            put(span, "http.request.method", method_of(str(scope.get("method"))))
            try:
                await self._app(scope, receive, answer.send)
            finally:
                put(span, "http.route", _route(scope))
                put(span, "http.response.status_code", answer.status)

    def _note(self, scope: Connection, answer: "_Answer") -> None:
        route, method, seconds = _route(scope), method_of(str(scope.get("method"))), answer.seconds
        self._metrics.request(route=route, method=method, status=answer.status, seconds=seconds)
        LOGGER.info(
            "request",
            extra={
                "method": method,
                "route": route,
                "status": answer.status,
                "milliseconds": round(seconds * 1000, 1),
            },
        )


class _Answer:
    """The answer to one request on its way out: it is given the request's id."""

    def __init__(self, send: Send) -> None:
        self.request = str(uuid.uuid4())
        self.status = _CLOSED_BY_CLIENT
        self._send = send
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def failed(self) -> None:
        """Take note that no answer was made, unless one was begun."""
        if self.status == _CLOSED_BY_CLIENT:
            self.status = _FAILED

    async def send(self, message: Message) -> None:
        """Pass a message on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            named = (b"x-request-id", self.request.encode())
            message["headers"] = [*message.get("headers", []), named]
        await self._send(message)


def _route(scope: Connection) -> str:
    return scope.get("path_template", UNROUTED)
