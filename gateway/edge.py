"""Builds the one application that speaks REST and MCP, and the server that runs it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec
import uvicorn
from litestar import Litestar
from litestar.types import ASGIApp

from gateway.auth import BearerAuth, Bearers, UnsafeFirstUse
from gateway.connections import Doorkeeper, protocol
from gateway.console.shield import Shielded
from gateway.console.site import Console
from gateway.doors import Edge, Lifespan, Probe, UseCases
from gateway.limits import RequestLimits, strict_guard
from gateway.mcp.transports import McpEdge
from gateway.metering import MeteredBuckets, metered
from gateway.metrics import Figure
from gateway.peers import PeerLimits
from gateway.problems import ProblemHandler
from gateway.quotas import granted
from gateway.rates import Cashier, RateLimits
from gateway.rest.audit import audit_routes
from gateway.rest.bulk import bulk_routes
from gateway.rest.cases import case_routes
from gateway.rest.dead_writes import dead_write_routes
from gateway.rest.dossiers import dossier_routes
from gateway.rest.figures import figure_routes
from gateway.rest.findings import finding_routes
from gateway.rest.health import health_routes
from gateway.rest.memories import memory_routes
from gateway.rest.origins import origin_routes
from gateway.rest.policies import policy_routes
from gateway.rest.proposals import proposal_routes
from gateway.rest.quarantine import quarantine_routes
from gateway.rest.revisions import revision_routes
from gateway.rest.revocations import revocation_routes
from gateway.rest.schema import schema_routes
from gateway.rest.sessions import session_routes
from gateway.rest.tenants import tenant_routes
from gateway.rest.traces import trace_routes
from gateway.rest.webhooks import webhook_routes
from gateway.scopes import scope_guard
from gateway.settings import Settings
from gateway.slots import FairShare, SlotBounds, Slots
from gateway.telemetry import LOGGER, Watched


def build(edge: Edge) -> Litestar:
    """Return the application. What enters passes, in this order: log and figures, limits of its
    address, bearer check, rate limits, size limits, its tenant's turn, scope.

    Debug is off for good: there is no setting that shows a stack trace to a caller.
    """
    limits, metrics = edge.settings.limits, edge.metrics
    edge = msgspec.structs.replace(
        edge,
        use_cases=metered(edge.use_cases, metrics),
        buckets=MeteredBuckets(edge.buckets, metrics),
        peers=MeteredBuckets(edge.peers, metrics),
    )
    cashier = Cashier(edge.buckets, limits, granted(limits, edge.rooms.registry))
    slots = Slots(SlotBounds.of(limits))
    metrics.look_up(
        lambda: (
            Figure("slots_busy", "Operations at work.", slots.busy),
            Figure("slots_waiting", "Operations that wait for their turn.", slots.waiting),
        )
    )
    mcp = McpEdge(edge, cashier, slots)
    bearers = Bearers(edge.verifier, edge.admission, edge.revoked)
    console = Console(edge, bearers)
    described = [
        *memory_routes(edge),
        *session_routes(edge),
        *revision_routes(edge),
        *trace_routes(edge),
        *quarantine_routes(edge),
        *bulk_routes(edge),
        *proposal_routes(edge),
        *case_routes(edge),
        *dossier_routes(edge),
        *origin_routes(edge),
        *dead_write_routes(edge),
        *audit_routes(edge),
        *finding_routes(edge),
        *webhook_routes(edge),
        *tenant_routes(edge),
        *revocation_routes(edge),
        *policy_routes(edge),
    ]

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for opening in edge.lifespans:
                await stack.enter_async_context(opening())
            await stack.enter_async_context(mcp.run())
            _announce(edge)
            yield

    app = Litestar(
        [
            *described,
            *health_routes(edge),
            *schema_routes(described, edge.settings.url),
            *figure_routes(edge),
            *mcp.routes(),
            console.router(),
        ],
        template_config=console.templates,
        middleware=[
            PeerLimits(edge.peers, edge.settings.http, limits),
            BearerAuth(bearers, console.visited),
            RateLimits(cashier),
            RequestLimits(limits),
            FairShare(slots),
        ],
        guards=[scope_guard, strict_guard],
        exception_handlers={Exception: ProblemHandler(edge.settings.url)},
        lifespan=[lifespan],
        openapi_config=None,
        logging_config=None,
        debug=False,
    )
    # Around the router, so that what no route takes is watched as well.
    app.asgi_handler = Watched(Shielded(app.asgi_handler), metrics, edge.tracing)
    return app


def server(app: ASGIApp, settings: Settings) -> uvicorn.Server:
    """Return the server: on SIGTERM it stops accepting and lets what runs finish."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=settings.http.host,
            port=settings.http.port,
            http=protocol(Doorkeeper(settings)),
            ssl_certfile=settings.http.tls_cert,
            ssl_keyfile=settings.http.tls_key,
            log_config=None,
            access_log=False,  # it would write query strings; our log has route templates
            server_header=False,
            proxy_headers=False,  # `gateway.peers` knows whom to believe, and for what
            lifespan="on",
            timeout_graceful_shutdown=settings.http.shutdown_seconds,
        )
    )


def _announce(edge: Edge) -> None:
    settings = edge.settings
    LOGGER.info("serving", extra={"mode": settings.mode.value, "address": settings.url})
    if isinstance(edge.admission, UnsafeFirstUse):
        LOGGER.warning("unregistered tenants are registered at first use; not for production")


__all__ = ["Edge", "Lifespan", "Probe", "UseCases", "build", "server"]
