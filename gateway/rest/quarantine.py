"""Held writes of a tenant over REST, for its reviewers."""

from typing import Any

from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from gateway import rulings, wire
from gateway.answers import CaseAnswer, CasesAnswer, RevealedAnswer
from gateway.doors import Edge
from gateway.limits import Shape
from memory.types import Layer

Incoming = Request[Any, Any, Any]


def quarantine_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/quarantine`, and two on what is stored."""
    doors, rooms = edge.use_cases, edge.rooms

    @get(
        "/v1/quarantine",
        opt={"shape": Shape("List held writes", CasesAnswer, query=wire.ListHeld)},
    )
    async def held(request: Incoming) -> CasesAnswer:
        page = wire.from_query(request.query_params.multi_items(), wire.ListHeld)
        search = page.search()
        return CasesAnswer.of(
            await doors.held(request.auth, page.cursor, page.limit, rooms, search)
        )

    @post(
        "/v1/quarantine/{id:str}/release",
        status_code=200,
        opt={"shape": Shape("Release a held write", CaseAnswer, body=rulings.Release)},
    )
    async def release(request: Incoming, id: FromPath[str]) -> CaseAnswer:
        asked = wire.from_json(await request.body(), rulings.Release)
        what = (wire.memory_id(id), rooms, asked.ruling(), asked.manner())
        return CaseAnswer.of(await doors.decisions.release(request.auth, *what))

    @post(
        "/v1/quarantine/{id:str}/reject",
        status_code=200,
        opt={"shape": Shape("Reject a held write", CaseAnswer, body=rulings.Decide)},
    )
    async def reject(request: Incoming, id: FromPath[str]) -> CaseAnswer:
        ruling = wire.from_json(await request.body(), rulings.Decide).ruling()
        of = wire.memory_id(id)
        return CaseAnswer.of(await doors.decisions.reject(request.auth, of, rooms, ruling))

    @post(
        "/v1/quarantine/{id:str}/escalate",
        status_code=200,
        opt={"shape": Shape("Leave a held write to others", CaseAnswer, body=rulings.Decide)},
    )
    async def escalate(request: Incoming, id: FromPath[str]) -> CaseAnswer:
        ruling = wire.from_json(await request.body(), rulings.Decide).ruling()
        of = wire.memory_id(id)
        return CaseAnswer.of(await doors.decisions.escalate(request.auth, of, rooms, ruling))

    @post(
        "/v1/quarantine/{id:str}/undo",
        status_code=200,
        opt={"shape": Shape("Undo a decision", CaseAnswer, body=rulings.Decide)},
    )
    async def undo(request: Incoming, id: FromPath[str]) -> CaseAnswer:
        ruling = wire.from_json(await request.body(), rulings.Decide).ruling()
        of = wire.memory_id(id)
        return CaseAnswer.of(await doors.decisions.undo(request.auth, of, rooms, ruling))

    @post(
        "/v1/quarantine/{id:str}/reveal",
        status_code=200,
        opt={"shape": Shape("Read a case", RevealedAnswer, body=wire.RevealHeld)},
    )
    async def reveal(request: Incoming, id: FromPath[str]) -> RevealedAnswer:
        asked = wire.from_json(await request.body(), wire.RevealHeld)
        of, because = wire.memory_id(id), (asked.ground, asked.comment)
        return RevealedAnswer.of(await doors.reveal(request.auth, of, *because, rooms))

    @post(
        "/v1/memories/{id:str}/hold",
        status_code=200,
        opt={"shape": Shape("Hold what is stored", CaseAnswer, body=rulings.Decide)},
    )
    async def hold(request: Incoming, id: FromPath[str]) -> CaseAnswer:
        ruling = wire.from_json(await request.body(), rulings.Decide).ruling()
        of = wire.memory_id(id)
        return CaseAnswer.of(await doors.decisions.hold(request.auth, of, rooms, ruling))

    @post(
        "/v1/memories/{id:str}/layer",
        status_code=200,
        opt={"shape": Shape("Promote or demote what is stored", CaseAnswer, body=rulings.Move)},
    )
    async def move(request: Incoming, id: FromPath[str]) -> CaseAnswer:
        asked = wire.from_json(await request.body(), rulings.Move)
        what = (wire.memory_id(id), Layer(asked.layer), rooms, asked.ruling())
        return CaseAnswer.of(await doors.decisions.move(request.auth, *what))

    return [held, release, reject, escalate, undo, reveal, hold, move]
