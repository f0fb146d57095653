"""The OpenAPI document and a page to read it by, both made from the routes themselves.

The page is plain HTML without scripts and asks nobody else for anything.
"""

import html
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from litestar import MediaType, Response, get
from litestar.handlers import HTTPRouteHandler

from gateway.limits import Shape
from gateway.problems import MEDIA_TYPE, Problem
from gateway.scopes import ROUTES

_REF: Final = "#/components/schemas/{name}"
_CSP: Final = "default-src 'none'; style-src 'unsafe-inline'"


def schema_routes(described: Sequence[HTTPRouteHandler], url: str) -> list[HTTPRouteHandler]:
    """Return the handlers of the document and its page for `described`."""
    document = openapi(described, url)
    page = _page(document)

    @get("/schema/openapi.json")
    async def openapi_json() -> dict[str, Any]:
        return document

    @get("/schema", media_type=MediaType.HTML)
    async def openapi_page() -> Response[str]:
        headers = {"Content-Security-Policy": _CSP, "X-Content-Type-Options": "nosniff"}
        return Response(page, headers=headers, media_type=MediaType.HTML)

    return [openapi_json, openapi_page]


def openapi(described: Sequence[HTTPRouteHandler], url: str) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document."""
    types: list[type[msgspec.Struct]] = [Problem]
    for handler in described:
        shape: Shape = handler.opt["shape"]
        types += [one for one in (shape.answer, shape.body) if one is not None]
    found, components = msgspec.json.schema_components(types, ref_template=_REF)
    schema = dict(zip(types, found, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for handler in described:
        for path in handler.paths:
            template = path.replace(":str}", "}")
            for method in handler.http_methods:
                operation = _operation(handler.opt["shape"], method, template, schema)
                paths.setdefault(template, {})[method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "Memguard", "version": "1"},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
            },
        },
    }


def _operation(
    shape: Shape, method: str, template: str, schema: dict[type[msgspec.Struct], dict[str, Any]]
) -> dict[str, Any]:
    answer = {"application/json": {"schema": schema[shape.answer]}}
    problem = {"description": "Refused", "content": {MEDIA_TYPE: {"schema": schema[Problem]}}}
    operation: dict[str, Any] = {
        "summary": shape.summary,
        "security": [{"bearer": [str(ROUTES[method, template])]}],
        "responses": {
            str(shape.status): {"description": "Done", "content": answer},
            "default": problem,
        },
    }
    parameters = _query(shape.query)
    if "{id}" in template:
        identified = {"name": "id", "in": "path", "required": True}
        parameters.append({**identified, "schema": msgspec.json.schema(shape.id)})
    for name, what in shape.fields.items():
        field = {"name": name, "in": "header", "description": what}
        parameters.append({**field, "schema": {"type": "string"}})
    if parameters:
        operation["parameters"] = parameters
    if shape.body is not None:
        content = {"application/json": {"schema": schema[shape.body]}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _query(kind: type[msgspec.Struct] | None) -> list[dict[str, Any]]:
    if kind is None:
        return []
    (root,), components = msgspec.json.schema_components([kind], ref_template=_REF)
    properties = components[root["$ref"].rsplit("/", 1)[1]]["properties"]
    return [{"name": name, "in": "query", "schema": one} for name, one in properties.items()]


def _page(document: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{method.upper()}</code></td><td><code>{html.escape(path)}</code></td>"
        f"<td>{html.escape(one['summary'])}</td>"
        f"<td><code>{html.escape(one['security'][0]['bearer'][0])}</code></td></tr>"
        for path, methods in document["paths"].items()
        for method, one in methods.items()
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Memguard API</title>"
        "<style>body{font:16px system-ui;margin:2rem}td{padding:.3rem 1rem .3rem 0}</style>"
        "<h1>Memguard API</h1><table><tr><th>Method<th>Path<th>What<th>Scope</tr>"
        f"{rows}</table><p><a href='/schema/openapi.json'>OpenAPI document</a></html>"
    )
