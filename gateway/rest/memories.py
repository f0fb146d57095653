"""A subject's own memories over REST: parse, call the door, map the outcome."""

from typing import Any, Final

from litestar import Request, Response, delete, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from gateway import fields, wire
from gateway.answers import (
    ForgetAnswer,
    ListAnswer,
    MemoryAnswer,
    RecallAnswer,
    WriteAnswer,
    WriteStatusAnswer,
)
from gateway.doors import Edge
from gateway.limits import Shape
from gateway.problems import Refusal, answer_of, written
from guard.outcomes import Told

Incoming = Request[Any, Any, Any]
_REMEMBER: Final = "POST /v1/memories"


def memory_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/memories` and `/v1/recall`."""
    doors, rooms = edge.use_cases, edge.rooms
    max_text_chars = edge.settings.limits.max_text_chars
    leeway_seconds = edge.settings.auth.leeway_seconds

    @post(
        "/v1/memories",
        opt={
            "shape": Shape(
                "Remember", WriteAnswer, 201, body=wire.StoreMemory, fields=fields.WRITE_FIELDS
            )
        },
    )
    async def remember(request: Incoming) -> Response[WriteAnswer | Refusal]:
        draft = wire.from_json(await request.body(), wire.StoreMemory).draft(
            now=rooms.clock(), leeway_seconds=leeway_seconds, max_text_chars=max_text_chars
        )
        once = fields.once_of(request.headers.getall(fields.KEY, []), _REMEMBER)
        if fields.prefers_async(request.headers.getall(fields.PREFER, [])):
            told = await doors.accept(request.auth, draft, once, rooms)
        elif once is not None:
            told = await doors.remember_once(request.auth, draft, once, rooms)
        else:
            told = Told(await doors.remember(request.auth, draft, rooms), replayed=False)
        return written(told.outcome, creates=True, replayed=told.replayed)

    @get("/v1/writes/{id:str}", opt={"shape": Shape("How far one is", WriteStatusAnswer)})
    async def status(request: Incoming, id: FromPath[str]) -> WriteStatusAnswer:
        found = await doors.status(request.auth, wire.memory_id(id), rooms)
        answer = answer_of(found.outcome)
        return WriteStatusAnswer(found.id, found.progress, found.accepted_at, answer)

    @get(
        "/v1/memories",
        opt={"shape": Shape("List, newest first", ListAnswer, query=wire.ListMemories)},
    )
    async def browse(request: Incoming) -> ListAnswer:
        page = wire.from_query(request.query_params.multi_items(), wire.ListMemories)
        listing = await doors.browse(request.auth, page.filter(), page.cursor, page.limit, rooms)
        return ListAnswer.of(listing)

    @get("/v1/memories/{id:str}", opt={"shape": Shape("Read one", MemoryAnswer)})
    async def fetch(request: Incoming, id: FromPath[str]) -> MemoryAnswer:
        return MemoryAnswer.of(await doors.fetch(request.auth, wire.memory_id(id), rooms))

    @delete(
        "/v1/memories/{id:str}",
        status_code=200,
        opt={"shape": Shape("Forget one, or let it fade", ForgetAnswer, query=wire.HowToForget)},
    )
    async def forget(request: Incoming, id: FromPath[str]) -> ForgetAnswer:
        how = wire.from_query(request.query_params.multi_items(), wire.HowToForget)
        door = doors.fade if how.mode is wire.ForgetMode.FADE else doors.forget
        return ForgetAnswer.of(await door(request.auth, wire.memory_id(id), rooms))

    @post("/v1/memories/{id:str}/confirm", opt={"shape": Shape("Confirm one", WriteAnswer)})
    async def confirm(request: Incoming, id: FromPath[str]) -> Response[WriteAnswer | Refusal]:
        outcome = await doors.confirm(request.auth, wire.memory_id(id), rooms)
        return written(outcome, creates=False)

    @post(
        "/v1/recall",
        status_code=200,
        opt={"shape": Shape("Recall", RecallAnswer, body=wire.RecallMemory)},
    )
    async def recall(request: Incoming) -> RecallAnswer:
        query = wire.from_json(await request.body(), wire.RecallMemory).query_of(
            max_text_chars=max_text_chars
        )
        return RecallAnswer.of(await doors.recall(request.auth, query, rooms))

    return [remember, status, browse, fetch, forget, confirm, recall]
