"""One case of a tenant over REST, with all that it is decided by and no word of its text."""

from typing import Any

from litestar import Request, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from gateway import wire
from gateway.casefiles import CaseFileAnswer
from gateway.doors import Edge
from gateway.limits import Shape

Incoming = Request[Any, Any, Any]


def case_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers of single cases."""
    doors, rooms = edge.use_cases.cases, edge.rooms

    @get(
        "/v1/quarantine/{id:str}",
        opt={"shape": Shape("Show a case and what surrounds it", CaseFileAnswer)},
    )
    async def casefile(request: Incoming, id: FromPath[str]) -> CaseFileAnswer:
        return CaseFileAnswer.of(await doors.file(request.auth, wire.memory_id(id), rooms))

    return [casefile]
