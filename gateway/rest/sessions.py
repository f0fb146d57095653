"""What was said in a session, as the application that heard it reports it."""

from typing import Any

from litestar import Request, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from gateway import wire
from gateway.answers import TurnsAnswer
from gateway.doors import Edge
from gateway.limits import Shape

Incoming = Request[Any, Any, Any]


def session_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/sessions`."""
    doors, rooms = edge.use_cases, edge.rooms
    max_text_chars = edge.settings.limits.max_text_chars

    @post(
        "/v1/sessions/{id:str}/turns",
        opt={
            "shape": Shape(
                "Post what was said", TurnsAnswer, 201, body=wire.PostTurns, id=wire.Word
            )
        },
    )
    async def hear(request: Incoming, id: FromPath[str]) -> TurnsAnswer:
        session = wire.session_id(id)
        turns = wire.from_json(await request.body(), wire.PostTurns).said(
            max_text_chars=max_text_chars
        )
        return TurnsAnswer.of(await doors.hear(request.auth, session, turns, rooms))

    return [hear]
