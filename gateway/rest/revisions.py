"""What replaced what, over REST: told, changed, undone."""

from typing import Any

from litestar import Request, Response, get, patch, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from gateway import wire
from gateway.answers import CaseAnswer, HistoryAnswer, WriteAnswer
from gateway.doors import Edge
from gateway.limits import Shape
from gateway.problems import Refusal, written

Incoming = Request[Any, Any, Any]


def revision_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers that tell of a memory's past and change what stands."""
    doors, rooms = edge.use_cases.revisions, edge.rooms
    max_text_chars = edge.settings.limits.max_text_chars
    leeway_seconds = edge.settings.auth.leeway_seconds

    @get(
        "/v1/memories/{id:str}/history",
        opt={"shape": Shape("What one replaced and was replaced by", HistoryAnswer)},
    )
    async def history(request: Incoming, id: FromPath[str]) -> HistoryAnswer:
        return HistoryAnswer.of(await doors.history(request.auth, wire.memory_id(id), rooms))

    @patch(
        "/v1/memories/{id:str}",
        opt={"shape": Shape("Put a revision in its place", WriteAnswer, body=wire.AmendMemory)},
    )
    async def amend(request: Incoming, id: FromPath[str]) -> Response[WriteAnswer | Refusal]:
        amendment = wire.from_json(await request.body(), wire.AmendMemory).amendment(
            now=rooms.clock(), leeway_seconds=leeway_seconds, max_text_chars=max_text_chars
        )
        outcome = await doors.amend(request.auth, wire.memory_id(id), amendment, rooms)
        return written(outcome, creates=False)

    @post(
        "/v1/memories/{id:str}/restore",
        opt={"shape": Shape("Undo a wrong supersede", WriteAnswer)},
    )
    async def restore(request: Incoming, id: FromPath[str]) -> Response[WriteAnswer | Refusal]:
        outcome = await doors.restore(request.auth, wire.memory_id(id), rooms)
        return written(outcome, creates=False)

    @post(
        "/v1/quarantine/{id:str}/restore",
        status_code=200,
        opt={"shape": Shape("Undo a wrong supersede of a subject", CaseAnswer)},
    )
    async def restore_for(request: Incoming, id: FromPath[str]) -> CaseAnswer:
        return CaseAnswer.of(await doors.restore_for(request.auth, wire.memory_id(id), rooms))

    return [history, amend, restore, restore_for]
