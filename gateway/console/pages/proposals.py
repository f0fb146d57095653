"""What takes two reviewers: what waits for the second, and his word on it."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode

import msgspec
from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Redirect, Template
from msgspec import Meta

from gateway import rulings, wire
from gateway.console.cookies import Incoming
from gateway.console.forms import Forms, asked
from gateway.console.frame import Frame
from gateway.console.shield import ROOT
from gateway.doors import Edge
from guard.ruling import Because

_PAGE: Final = 25
_HERE: Final = f"{ROOT}/proposals"


class AskProposals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which page of them, oldest first; `done` is what was done just now to the memory `of`."""

    after: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    done: Literal["proposed", "approved", "refused"] | None = None
    of: wire.Id | None = None


def proposals_pages(edge: Edge, frame: Frame, forms: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of what waits for a second reviewer."""
    doors, rooms = edge.use_cases.proposals, edge.rooms

    @get("/proposals")
    async def proposals(request: Incoming) -> Template:
        wanted = asked(request.query_params.multi_items(), AskProposals)
        found = await doors.proposed(request.auth, wanted.after, _PAGE + 1, rooms)
        more = len(found) > _PAGE
        return frame.page(
            request,
            "proposals.html",
            wanted=wanted,
            items=found[:_PAGE],
            further=f"{_HERE}?{urlencode({'after': found[_PAGE - 1].id})}" if more else None,
            first=None if wanted.after is None else _HERE,
            because=list(Because),
        )

    @post("/proposals/{id:str}/approve", status_code=303)
    async def approve(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, rulings.Decide)
        made = await doors.approve(request.auth, wire.memory_id(id), said.ruling(), rooms)
        return told("approved", made.memory)

    @post("/proposals/{id:str}/refuse", status_code=303)
    async def refuse(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, rulings.Decide)
        made = await doors.refuse(request.auth, wire.memory_id(id), said.ruling(), rooms)
        return told("refused", made.memory)

    return [proposals, approve, refuse]


def told(what: str, memory: str) -> Redirect:
    """Return the way to what waits, which says what was done to a memory."""
    return Redirect(f"{_HERE}?done={what}&of={wire.memory_id(memory)}", status_code=303)
