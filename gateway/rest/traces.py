"""What recalls looked at over REST, and where one memory was lost."""

from typing import Any

from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from gateway import wire
from gateway.doors import Edge
from gateway.limits import Shape
from guard.explain import WhyNot
from guard.trace import Trace
from memory.types import TraceId

Incoming = Request[Any, Any, Any]


def trace_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/traces`."""
    doors, rooms = edge.use_cases.traces, edge.rooms
    max_text_chars = edge.settings.limits.max_text_chars

    @get("/v1/traces/{id:str}", opt={"shape": Shape("What a recall looked at", Trace)})
    async def traced(request: Incoming, id: FromPath[str]) -> Trace:
        return await doors.traced(request.auth, TraceId(wire.memory_id(id)), rooms)

    @post(
        "/v1/traces/why-not",
        status_code=200,
        opt={"shape": Shape("Where a memory was lost", WhyNot, body=wire.AskWhyNot)},
    )
    async def why_not(request: Incoming) -> WhyNot:
        asked = wire.from_json(await request.body(), wire.AskWhyNot)
        query = asked.query_of(max_text_chars=max_text_chars)
        return await doors.why_not(request.auth, wire.memory_id(asked.id), query, rooms)

    return [traced, why_not]
