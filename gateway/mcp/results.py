"""A tool bound to its door, and what it gives back: text for a model, and the same typed."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from mcp.types import CallToolResult, TextContent, Tool

from guard.errors import InvalidError
from guard.principal import Principal


class MemoryTool(msgspec.Struct, frozen=True):
    """One tool: its description for the model, and the call."""

    tool: Tool
    call: Callable[[Principal, dict[str, Any]], Awaitable[CallToolResult]]


def result(text: str, answer: msgspec.Struct, *, is_error: bool = False) -> CallToolResult:
    """Return the answer of a tool as text and as structured content."""
    return CallToolResult(
        content=[TextContent(text=text)],
        structured_content=msgspec.to_builtins(answer),
        is_error=is_error,
    )


def json_of(answer: msgspec.Struct) -> str:
    """Return an answer as the text of a result."""
    return msgspec.json.encode(answer).decode()


def bounded(name: str, text: str, most: int) -> str:
    """Return `text`, or raise InvalidError when it is longer than the configuration allows."""
    if len(text) > most:
        raise InvalidError(f"{name}: at most {most} characters")
    return text
