"""A tool as a model reads it: description, JSON Schemas, annotations (M4)."""

from typing import Any

import msgspec
from mcp.types import Tool, ToolAnnotations

from gateway.mcp.arguments import ARGUMENTS
from gateway.mcp.wording import TITLES, TOOL_TEXTS


def object_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the JSON Schema with `type: object` at the root and no references.

    Several providers refuse `$ref` in tool schemas, and ours are never recursive.
    """
    (root,), definitions = msgspec.json.schema_components([kind], ref_template="{name}")
    inlined: dict[str, Any] = _inline(root, definitions)
    return inlined


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline(one, definitions) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        beside = {name: value for name, value in node.items() if name != "$ref"}
        return {**_inline(definitions[node["$ref"]], definitions), **beside}
    return {name: _inline(value, definitions) for name, value in node.items()}


def tool(
    name: str,
    answer: type[msgspec.Struct],
    *,
    reads_only: bool = False,
    destroys: bool = False,
) -> Tool:
    """Return the tool of this name; what it does is told by the two marks."""
    return Tool(
        name=name,
        title=TITLES[name],
        description=" ".join(TOOL_TEXTS[name].split()),
        input_schema=object_schema(ARGUMENTS[name]),
        output_schema=object_schema(answer),
        annotations=ToolAnnotations(
            title=TITLES[name],
            read_only_hint=reads_only,
            destructive_hint=destroys,
            idempotent_hint=reads_only or destroys,
            open_world_hint=False,
        ),
    )
