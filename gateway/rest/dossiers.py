"""A subject's memories over REST, for the reviewers of its tenant."""

from typing import Any

from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from gateway import wire
from gateway.answers import DossierAnswer, RevealedAnswer
from gateway.doors import Edge
from gateway.limits import Shape
from memory.types import SubjectId

Incoming = Request[Any, Any, Any]


def dossier_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/subjects`."""
    doors, rooms = edge.use_cases.dossiers, edge.rooms

    @get(
        "/v1/subjects/memories",
        opt={"shape": Shape("List a subject's memories", DossierAnswer, query=wire.ListDossier)},
    )
    async def listed(request: Incoming) -> DossierAnswer:
        page = wire.from_query(request.query_params.multi_items(), wire.ListDossier)
        what = SubjectId(page.subject), page.cursor, page.limit
        return DossierAnswer.of(await doors.dossier(request.auth, *what, rooms))

    @post(
        "/v1/subjects/memories/{id:str}/reveal",
        status_code=200,
        opt={"shape": Shape("Read a subject's memory", RevealedAnswer, body=wire.RevealHeld)},
    )
    async def reveal(request: Incoming, id: FromPath[str]) -> RevealedAnswer:
        asked = wire.from_json(await request.body(), wire.RevealHeld)
        of, because = wire.memory_id(id), (asked.ground, asked.comment)
        return RevealedAnswer.of(await doors.disclose(request.auth, of, *because, rooms))

    return [listed, reveal]
