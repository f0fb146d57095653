"""Accepted writes that were given up, for the administrator of the tenant that made them (W14)."""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from msgspec import Meta

from gateway import wire
from gateway.doors import Edge
from gateway.limits import Shape

Incoming = Request[Any, Any, Any]


class ListDead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many, longest dead first."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class DeadAnswer(msgspec.Struct, frozen=True):
    """One write: whose it is, how often it was tried, why in vain, and since when it is dead."""

    id: str
    subject: str
    attempts: int
    reason: str
    dead_since: datetime


class DeadWritesAnswer(msgspec.Struct, frozen=True):
    """The writes, longest dead first."""

    items: tuple[DeadAnswer, ...]


class ReplayedAnswer(msgspec.Struct, frozen=True):
    """Which write is tried again."""

    id: str


def dead_write_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/tenant/dead-writes`."""
    doors, rooms = edge.use_cases.queue, edge.rooms

    @get(
        "/v1/tenant/dead-writes",
        opt={"shape": Shape("List writes that were given up", DeadWritesAnswer, query=ListDead)},
    )
    async def given_up(request: Incoming) -> DeadWritesAnswer:
        page = wire.from_query(request.query_params.multi_items(), ListDead)
        dead = await doors.given_up(request.auth, page.limit, rooms)
        return DeadWritesAnswer(
            tuple(
                DeadAnswer(one.id, one.owner.subject, one.attempts, one.reason, one.at)
                for one in dead
            )
        )

    @post(
        "/v1/tenant/dead-writes/{id:str}/replay",
        status_code=200,
        opt={"shape": Shape("Have a write tried again", ReplayedAnswer)},
    )
    async def replay(request: Incoming, id: FromPath[str]) -> ReplayedAnswer:
        await doors.replay(request.auth, wire.memory_id(id), rooms)
        return ReplayedAnswer(id)

    return [given_up, replay]
