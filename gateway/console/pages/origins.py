"""Origins: where memories came from, how far one reaches, and its quarantine.

What a writer named goes in the body of a form and never in a path: links have keyed ids.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode

import msgspec
from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Redirect, Template
from msgspec import Meta

from gateway import wire
from gateway.console.cookies import Incoming
from gateway.console.forms import Forms, asked
from gateway.console.frame import Frame
from gateway.console.shield import ROOT
from gateway.doors import Edge
from guard.errors import NotFoundError
from guard.origins import GROUPED, Ban, Kind, Place

_Name = Annotated[str, Meta(min_length=1, max_length=2048)]
_Cursor = Annotated[str, Meta(min_length=1, max_length=512)]
_PAGE: Final = 25
_MOST_BANS: Final = 200


class AskOrigins(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to group by, and which page."""

    by: Literal["source", "session", "client"] = "source"
    cursor: _Cursor | None = None
    done: Literal["lifted", "lifting", "lifted_own"] | None = None

    def link(self, cursor: str | None) -> str:
        """Return the way to a page of the same list."""
        pairs = [("by", self.by), *([] if cursor is None else [("cursor", cursor)])]
        return f"{ROOT}/origins?{urlencode(pairs)}"


class AskOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which origin, and which page of what it reaches."""

    by: Kind | None = None
    name: _Name | None = None
    cursor: wire.Id | None = None
    done: Literal["held", "holding"] | None = None

    def place(self) -> Place:
        """Return the origin. Raises NotFoundError when none is named."""
        if self.by is None or self.name is None:
            raise NotFoundError
        wire.require_text("name", self.name)
        return Place(self.by, self.name)


class NameOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One origin, as a form names it."""

    by: Kind
    name: _Name

    def place(self) -> Place:
        """Return the origin."""
        wire.require_text("name", self.name)
        return Place(self.by, self.name)


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A form of one button."""


def origins_pages(edge: Edge, frame: Frame, forms: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of origins."""
    doors, rooms = edge.use_cases.origins, edge.rooms

    async def banned(request: Incoming) -> list[Ban]:
        every = await doors.bans(request.auth, None, _MOST_BANS, rooms)
        return [ban for ban in every if ban.lifted_at is None]

    @get("/origins")
    async def origins(request: Incoming) -> Template:
        wanted = asked(request.query_params.multi_items(), AskOrigins)
        found = await doors.origins(request.auth, Kind(wanted.by), wanted.cursor, _PAGE, rooms)
        return frame.page(
            request,
            "origins.html",
            wanted=wanted,
            groups=found.items,
            further=None if found.cursor is None else wanted.link(found.cursor),
            first=None if wanted.cursor is None else wanted.link(None),
            kinds=list(Kind),
            grouped=GROUPED,
            bans=await banned(request),
            link=link,
        )

    @post("/origins/find", status_code=303)
    async def find(request: Incoming) -> Response[Any]:
        said = await forms.submitted(request, NameOrigin)
        report = await doors.report(request.auth, said.place(), None, 1, rooms)
        return Redirect(link(report.place), status_code=303)

    @get("/origins/of")
    async def origin(request: Incoming) -> Template:
        wanted = asked(request.query_params.multi_items(), AskOrigin)
        after = None if wanted.cursor is None else wire.memory_id(wanted.cursor)
        report = await doors.report(request.auth, wanted.place(), after, _PAGE, rooms)
        further = None if report.cursor is None else link(report.place, report.cursor)
        first = None if after is None else link(report.place)
        return frame.page(
            request, "origin.html", wanted=wanted, report=report, further=further, first=first
        )

    @post("/origins/preview", status_code=200)
    async def preview(request: Incoming) -> Template:
        said = await forms.submitted(request, NameOrigin)
        impact = await doors.preview(request.auth, said.place(), rooms)
        return frame.page(request, "origin_hold.html", impact=impact, back=link(impact.place))

    @post("/origins/hold", status_code=303)
    async def hold(request: Incoming) -> Response[Any]:
        said = await forms.submitted(request, NameOrigin)
        impact = await doors.quarantine(request.auth, said.place(), rooms)
        done = "holding" if impact.remaining or not impact.complete else "held"
        return Redirect(f"{link(impact.place)}&done={done}", status_code=303)

    @post("/origins/lift/{id:str}", status_code=303)
    async def lift(request: Incoming, id: FromPath[str]) -> Response[Any]:
        await forms.submitted(request, Nothing)
        lifted = await doors.lift(request.auth, wire.memory_id(id), rooms)
        if lifted.more:
            return Redirect(f"{ROOT}/origins?done=lifting", status_code=303)
        done = "lifted_own" if lifted.own else "lifted"
        return Redirect(f"{ROOT}/origins?done={done}", status_code=303)

    return [origins, find, origin, preview, hold, lift]


def link(place: Place, cursor: str | None = None) -> str:
    """Return the way to an origin's page."""
    pairs = [("by", place.kind.value), ("name", place.name)]
    pairs += [] if cursor is None else [("cursor", cursor)]
    return f"{ROOT}/origins/of?{urlencode(pairs)}"
