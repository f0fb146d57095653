"""What replaced what, over REST: told, changed, undone."""

from typing import Any, Final

from litestar import Request, Response, get, patch, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from gateway import fields, rulings, wire
from gateway.answers import CaseAnswer, DismissedAnswer, DoubtsAnswer, HistoryAnswer, WriteAnswer
from gateway.doors import Edge
from gateway.limits import Shape
from gateway.problems import Refusal, written
from guard.once import Once
from guard.outcomes import Told

Incoming = Request[Any, Any, Any]
_AMEND: Final = "PATCH /v1/memories/{id}"
_RESTORE: Final = "POST /v1/memories/{id}/restore"


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
        opt={
            "shape": Shape(
                "Put a revision in its place",
                WriteAnswer,
                body=wire.AmendMemory,
                fields=fields.KEY_FIELD,
            )
        },
    )
    async def amend(request: Incoming, id: FromPath[str]) -> Response[WriteAnswer | Refusal]:
        amendment = wire.from_json(await request.body(), wire.AmendMemory).amendment(
            now=rooms.clock(), leeway_seconds=leeway_seconds, max_text_chars=max_text_chars
        )
        of, once = wire.memory_id(id), _once(request, _AMEND)
        if once is not None:
            told = await doors.amend_once(request.auth, of, amendment, once, rooms)
        else:
            outcome = await doors.amend(request.auth, of, amendment, rooms)
            told = Told(outcome, replayed=False)
        return written(told.outcome, creates=False, replayed=told.replayed)

    @post(
        "/v1/memories/{id:str}/restore",
        opt={"shape": Shape("Undo a wrong supersede", WriteAnswer, fields=fields.KEY_FIELD)},
    )
    async def restore(request: Incoming, id: FromPath[str]) -> Response[WriteAnswer | Refusal]:
        of, once = wire.memory_id(id), _once(request, _RESTORE)
        if once is not None:
            told = await doors.restore_once(request.auth, of, once, rooms)
        else:
            told = Told(await doors.restore(request.auth, of, rooms), replayed=False)
        return written(told.outcome, creates=False, replayed=told.replayed)

    @post(
        "/v1/quarantine/{id:str}/restore",
        status_code=200,
        opt={"shape": Shape("Undo a wrong supersede of a subject", CaseAnswer)},
    )
    async def restore_for(request: Incoming, id: FromPath[str]) -> CaseAnswer:
        return CaseAnswer.of(await doors.restore_for(request.auth, wire.memory_id(id), rooms))

    @get(
        "/v1/consistency",
        opt={"shape": Shape("List memories in doubt", DoubtsAnswer, query=wire.ListDoubts)},
    )
    async def doubted(request: Incoming) -> DoubtsAnswer:
        page = wire.from_query(request.query_params.multi_items(), wire.ListDoubts)
        return DoubtsAnswer.of(await doors.doubted(request.auth, page.cursor, page.limit, rooms))

    @post(
        "/v1/consistency/{id:str}/dismiss",
        status_code=200,
        opt={"shape": Shape("Dismiss a doubt", DismissedAnswer, body=rulings.Decide)},
    )
    async def dismiss(request: Incoming, id: FromPath[str]) -> DismissedAnswer:
        ruling = wire.from_json(await request.body(), rulings.Decide).ruling()
        of = wire.memory_id(id)
        return DismissedAnswer.of(await doors.dismiss(request.auth, of, rooms, ruling))

    return [history, amend, restore, restore_for, doubted, dismiss]


def _once(request: Incoming, route: str) -> Once | None:
    return fields.once_of(request.headers.getall(fields.KEY, []), route)
