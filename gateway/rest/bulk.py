"""Many held writes decided at once over REST: a preview, and then exactly what it showed."""

from typing import Any

from litestar import Request, post
from litestar.handlers import HTTPRouteHandler

from gateway import wire
from gateway.bulks import BulkAnswer, DecideAll
from gateway.doors import Edge
from gateway.limits import Shape

Incoming = Request[Any, Any, Any]


def bulk_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handler of `/v1/quarantine/bulk`."""
    doors, rooms = edge.use_cases.bulk, edge.rooms

    @post(
        "/v1/quarantine/bulk",
        status_code=200,
        opt={"shape": Shape("Decide on many held writes", BulkAnswer, body=DecideAll)},
    )
    async def bulk(request: Incoming) -> BulkAnswer:
        asked = wire.from_json(await request.body(), DecideAll)
        if asked.preview is None:
            found = await doors.preview(request.auth, asked.decision, asked.of(), rooms)
            return BulkAnswer.before(found)
        what = (asked.decision, asked.preview, asked.ruling(), rooms)
        return BulkAnswer.after(await doors.decide(request.auth, *what))

    return [bulk]
