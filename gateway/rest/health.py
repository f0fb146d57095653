"""Whether the process lives, and whether it can serve (E11)."""

import asyncio

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler

from gateway.doors import Edge, Probe
from gateway.problems import MEDIA_TYPE
from gateway.telemetry import LOGGER


def health_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return `/healthz`, which looks at nothing, and `/readyz`, which asks every probe."""
    seconds = edge.settings.limits.probe_deadline_seconds

    @get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @get("/readyz")
    async def readyz() -> Response[dict[str, object]]:
        names = list(edge.probes)
        held = await asyncio.gather(*(_holds(n, edge.probes[n], seconds) for n in names))
        failed = [name for name, ok in zip(names, held, strict=True) if not ok]
        if not failed:
            return Response({"status": "ready", "checks": names})
        return Response(
            {
                "type": "urn:memguard:problem:unavailable",
                "title": "Not ready",
                "status": 503,
                "code": "unavailable",
                "failed": failed,
            },
            status_code=503,
            headers={"Retry-After": "1"},
            media_type=MEDIA_TYPE,
        )

    return [healthz, readyz]


async def _holds(name: str, probe: Probe, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await probe()
    # A probe may fail in any way; whatever it was, the gateway is not ready, and says no more.
    except Exception:  # noqa: BLE001
        LOGGER.warning("probe failed", exc_info=True, extra={"probe": name})
        return False
    return True
