"""`/metrics` on the gateway's own port, for the platform's administrator (E11)."""

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler

from gateway.doors import Edge
from gateway.metrics import MEDIA_TYPE


def figure_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handler."""

    @get("/metrics")
    async def metrics() -> Response[bytes]:
        headers = {"Cache-Control": "no-store"}
        return Response(await edge.metrics.page(), headers=headers, media_type=MEDIA_TYPE)

    return [metrics]
