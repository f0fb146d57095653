"""The overview: what waits, what was decided, and what was caught, day by day."""

from collections.abc import Iterable
from typing import Annotated

import msgspec
from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Template
from msgspec import Meta

from gateway.console.charts import HEIGHT, WIDTH, stacked
from gateway.console.cookies import Incoming
from gateway.console.forms import Forms, asked
from gateway.console.frame import Frame
from gateway.doors import Edge
from guard.docket import MOST_COUNTED
from guard.findings import Event
from guard.overview import LONGEST_DAYS

_SPANS = (7, 30, LONGEST_DAYS)


class AskOverview(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many days to look back on."""

    days: Annotated[int, Meta(ge=1, le=LONGEST_DAYS)] = 30


def overview_pages(edge: Edge, frame: Frame, _: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of the overview."""
    doors, rooms = edge.use_cases, edge.rooms

    @get("/overview")
    async def overview(request: Incoming) -> Template:
        wanted = asked(request.query_params.multi_items(), AskOverview)
        found = await doors.overview(request.auth, wanted.days, rooms)
        minutes = found.review_minutes
        return frame.page(
            request,
            "overview.html",
            wanted=wanted,
            spans=_SPANS,
            found=found,
            most_counted=MOST_COUNTED,
            decided=found.events.get(Event.RELEASED, 0) + found.events.get(Event.REJECTED, 0),
            waited=None if minutes is None else _waited(minutes),
            events=[(event, found.events.get(event, 0)) for event in Event],
            charts=[
                ("kind", "family", stacked([(one.day, one.kinds) for one in found.days])),
                ("origin", "origin", stacked([(one.day, one.origins) for one in found.days])),
            ],
            size=(WIDTH, HEIGHT),
        )

    return [overview]


def _waited(minutes: float) -> tuple[str, str]:
    """Return a time as a number and the name of its unit."""
    for unit, length in (("days", 1440), ("hours", 60)):
        if minutes >= 2 * length:
            return f"{minutes / length:.0f}", unit
    return f"{minutes:.0f}", "minutes"
