"""What takes two reviewers, over REST: proposed, listed, approved, refused."""

from typing import Any

from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from gateway import proposing, wire
from gateway.doors import Edge
from gateway.limits import Shape
from gateway.proposing import ProposalAnswer, ProposalsAnswer, SettledAnswer
from gateway.rulings import Decide

Incoming = Request[Any, Any, Any]


def proposal_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/proposals`, and those that propose."""
    doors, rooms = edge.use_cases.proposals, edge.rooms

    @post(
        "/v1/memories/{id:str}/trust",
        status_code=200,
        opt={"shape": Shape("Lower trust, or propose more", SettledAnswer, body=proposing.Weigh)},
    )
    async def weigh(request: Incoming, id: FromPath[str]) -> SettledAnswer:
        asked = wire.from_json(await request.body(), proposing.Weigh)
        what = (wire.memory_id(id), asked.trust, asked.ruling(), rooms)
        return SettledAnswer.of(await doors.change_trust(request.auth, *what))

    @post(
        "/v1/memories/{id:str}/erase",
        status_code=200,
        opt={"shape": Shape("Propose an erasure", SettledAnswer, body=Decide)},
    )
    async def erase(request: Incoming, id: FromPath[str]) -> SettledAnswer:
        ruling = wire.from_json(await request.body(), Decide).ruling()
        what = (wire.memory_id(id), ruling, rooms)
        return SettledAnswer.of(await doors.propose_erasure(request.auth, *what))

    @get(
        "/v1/proposals",
        opt={
            "shape": Shape(
                "List what waits for a second reviewer",
                ProposalsAnswer,
                query=proposing.ListProposals,
            )
        },
    )
    async def proposed(request: Incoming) -> ProposalsAnswer:
        page = wire.from_query(request.query_params.multi_items(), proposing.ListProposals)
        found = await doors.proposed(request.auth, page.after, page.limit, rooms)
        return ProposalsAnswer(tuple(map(ProposalAnswer.of, found)))

    @post(
        "/v1/proposals/{id:str}/approve",
        status_code=200,
        opt={"shape": Shape("Approve what another proposed", SettledAnswer, body=Decide)},
    )
    async def approve(request: Incoming, id: FromPath[str]) -> SettledAnswer:
        ruling = wire.from_json(await request.body(), Decide).ruling()
        of = wire.memory_id(id)
        return SettledAnswer.of(await doors.approve(request.auth, of, ruling, rooms))

    @post(
        "/v1/proposals/{id:str}/refuse",
        status_code=200,
        opt={"shape": Shape("Refuse what was proposed", ProposalAnswer, body=Decide)},
    )
    async def refuse(request: Incoming, id: FromPath[str]) -> ProposalAnswer:
        ruling = wire.from_json(await request.body(), Decide).ruling()
        of = wire.memory_id(id)
        return ProposalAnswer.of(await doors.refuse(request.auth, of, ruling, rooms))

    return [weigh, erase, proposed, approve, refuse]
