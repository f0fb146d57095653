"""What went wrong, told so that a model can repair its call (M4, E9)."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from mcp.types import CallToolResult, TextContent

from gateway.mcp.arguments import ARGUMENTS, EXAMPLES
from gateway.mcp.schemas import object_schema
from gateway.problems import problem_of, retry_after

_MISSING: Final = re.compile(r"required field `(\w+)`")
_FIRST: Final = re.compile(r"\A(\w+)")

_REPAIRS: Final[dict[str, str]] = {
    "not_found": "No memory of this user has that id. Call recall_memory or list_memories to find "
    "the id, and do not make one up.",
    "forbidden": "The token lacks the scope that `scope` names. Ask the user to allow it; do not "
    "repeat the call before that.",
    "limited": "Wait for `retry_after_seconds`, then send the same call again.",
    "unavailable": "Send the same call again after `retry_after_seconds`, with the same "
    "idempotency_key if you gave one.",
    "conflict": "Send the same call again.",
}

_KINDS: Final = {
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
}
_BOUNDS: Final = (
    ("minItems", "maxItems", " items"),
    ("minLength", "maxLength", " characters"),
    ("minimum", "maximum", ""),
)


def refused(error: Exception, tool: str | None = None) -> CallToolResult:
    """Return the tool error for what went wrong, from the same table as REST's problems.

    Of a wrong argument of `tool` it tells the name, what is allowed, and a right value.
    """
    problem = problem_of(error)
    told: dict[str, Any] = {"code": problem.code, "title": problem.title}
    if problem.scope is not None:
        told["scope"] = problem.scope
    if problem.detail is not None:
        told["detail"] = problem.detail
        told |= _repair(problem.detail, tool)
    elif problem.code in _REPAIRS:
        told["repair"] = _REPAIRS[problem.code]
    wait = retry_after(error)
    if wait is not None:
        told["retry_after_seconds"] = wait
    text = msgspec.json.encode({"error": told}).decode()
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


def _repair(detail: str, tool: str | None) -> dict[str, Any]:
    kind = None if tool is None else ARGUMENTS.get(tool)
    properties = {} if kind is None else object_schema(kind)["properties"]
    if "unknown field" in detail:
        return {"repair": f"Leave that field out. The arguments are: {', '.join(properties)}."}
    missing, first = _MISSING.search(detail), _FIRST.match(detail)
    named = missing[1] if missing and ":" not in detail else first[1] if first else ""
    if named not in properties:
        return {"repair": "Correct the named argument and call the tool again."}
    example = EXAMPLES[named]
    return {
        "argument": named,
        "repair": f"Give `{named}` as {allowed(properties[named])}, for example "
        f"{json.dumps(example, ensure_ascii=False)}, and call the tool again.",
        "example": example,
    }


def allowed(schema: Mapping[str, Any]) -> str:
    """Return in words what a JSON Schema of an argument allows."""
    for one in schema.get("anyOf", ()):
        if one.get("type") != "null":
            return allowed(one)
    if "enum" in schema:
        return "one of " + ", ".join(map(str, filter(None, schema["enum"])))
    match schema:
        case {"format": "date-time"}:
            return "an RFC 3339 time with an offset"
        case {"pattern": _}:
            return "1 to 255 visible ASCII characters without spaces"
        case {"type": "object"}:
            return "an object"
        case _:
            return _KINDS[schema["type"]] + _within(schema)


def _within(schema: Mapping[str, Any]) -> str:
    """Return the bounds of a text, list or number in words."""
    for least, most, unit in _BOUNDS:
        low, high = schema.get(least), schema.get(most)
        if high is not None and low is not None:
            return f" of {low}{unit}" if low == high else f" from {low} to {high}{unit}"
        if high is not None:
            return f" of at most {high}{unit}"
    return ""
