"""Logs as JSON lines with an allow-list of keys: never content, never a caller's values (E11).

A library's message may quote what it was given, so of records that are not ours only the logger,
the place and the kind of exception are written.
"""

import json
import logging
import sys
import time
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, TextIO

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, Send
from litestar.types import Scope as Connection

from gateway.problems import problem_of
from gateway.settings import LogLevel

LOGGER: Final = logging.getLogger("memguard")
ALLOWED_KEYS: Final = (
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


class RequestLog(ASGIMiddleware):
    """Logs each request once: method, route template, status, duration."""

    scopes = (ScopeType.HTTP, ScopeType.ASGI)

    async def handle(
        self, scope: Connection, receive: Receive, send: Send, next_app: ASGIApp
    ) -> None:
        """Pass the request on and log how it ended."""
        started = time.perf_counter()
        status = _CLOSED_BY_CLIENT

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await next_app(scope, receive, noting)
        except Exception as error:
            status = problem_of(error).status  # a middleware refused; the answer is yet to be made
            raise
        finally:
            LOGGER.info(
                "request",
                extra={
                    "method": str(scope.get("method")),
                    "route": scope["path_template"],
                    "status": status,
                    "milliseconds": round((time.perf_counter() - started) * 1000, 1),
                },
            )
