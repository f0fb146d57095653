"""Findings over REST, for a SIEM that comes for them: OCSF, as a page of JSON or as lines (Q7)."""

from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, get
from litestar.handlers import HTTPRouteHandler
from msgspec import Meta

from gateway import wire
from gateway.doors import Edge
from gateway.limits import Shape
from guard.findings import Finding
from guard.reporting import Findings

Incoming = Request[Any, Any, Any]

LINES: Final = "application/x-ndjson"
CURSOR: Final = "Memguard-Cursor"
END: Final = "Memguard-End"


class ListFindings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """After which leaf of the record, and how many at most."""

    cursor: Annotated[int, Meta(ge=0, le=2**53)] = 0
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


class FindingsAnswer(msgspec.Struct, frozen=True):
    """One page of findings, the number to go on after, and whether there was no more by now."""

    items: tuple[Finding, ...]
    cursor: int
    end: bool


def finding_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handler of `/v1/findings`."""
    doors, rooms = edge.use_cases.reports, edge.rooms

    @get(
        "/v1/findings",
        opt={
            "shape": Shape(
                "List findings as OCSF events",
                FindingsAnswer,
                query=ListFindings,
                fields={"Accept": f"{LINES} for one finding a line, the cursor in {CURSOR}"},
            )
        },
    )
    async def findings(request: Incoming) -> Response[Any]:
        asked = wire.from_query(request.query_params.multi_items(), ListFindings)
        page = await doors.findings(request.auth, asked.cursor, asked.limit, rooms)
        return _lines(page) if _wants_lines(request) else _page(page)

    return [findings]


def _wants_lines(request: Incoming) -> bool:
    kinds = (one.partition(";")[0].strip() for one in request.headers.get("accept", "").split(","))
    return LINES in kinds


def _page(page: Findings) -> Response[Any]:
    return Response(FindingsAnswer(page.items, page.cursor, page.end))


def _lines(page: Findings) -> Response[Any]:
    """Return a line for each finding; where to go on stands in the head."""
    headers = {CURSOR: str(page.cursor), END: "true" if page.end else "false"}
    body = b"".join(msgspec.json.encode(one) + b"\n" for one in page.items)
    return Response(body, media_type=LINES, headers=headers)
