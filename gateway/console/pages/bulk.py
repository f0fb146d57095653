"""Many cases decided at once: chosen in the queue, shown, and then exactly those."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal
from urllib.parse import parse_qsl

import msgspec
from litestar import post
from litestar.handlers import HTTPRouteHandler
from litestar.response import Template
from msgspec import Meta

from gateway import rulings, wire
from gateway.console.cookies import Incoming
from gateway.console.forms import Forms, asked
from gateway.console.frame import Frame
from gateway.console.pages.item import FOR_REJECTION, FOR_RELEASE
from gateway.console.pages.queue import AskQueue
from gateway.doors import Edge
from guard.bulk import Became, Verdict
from guard.docket import Search
from guard.errors import InvalidError
from memory.types import MemoryId

_ON_A_PAGE: Final = 100


class Choose(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to decide: on the cases that were ticked, or on all that the queue's filters leave."""

    decision: Verdict
    which: Literal["ticked", "all"] = "ticked"
    ids: Annotated[tuple[wire.Id, ...], Meta(max_length=_ON_A_PAGE)] = ()
    query: Annotated[str, Meta(max_length=8192)] = ""

    def of(self) -> Search | tuple[MemoryId, ...]:
        """Return which cases are meant. Raises InvalidError when none is."""
        if self.which == "all":
            return asked(parse_qsl(self.query), AskQueue).search()
        if not self.ids:
            raise InvalidError("ids: tick at least one case")
        return tuple(map(wire.memory_id, self.ids))


class Decide(rulings.Decide, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Why, on what was shown."""

    decision: Verdict
    preview: Annotated[str, Meta(min_length=1, max_length=32_768)]


def bulk_pages(edge: Edge, frame: Frame, forms: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of decisions on many cases."""
    doors, rooms = edge.use_cases.bulk, edge.rooms

    @post("/queue/bulk", status_code=200)
    async def preview(request: Incoming) -> Template:
        said = await forms.submitted(request, Choose)
        found = await doors.preview(request.auth, said.decision, said.of(), rooms)
        reasons = FOR_RELEASE if said.decision is Verdict.RELEASE else FOR_REJECTION
        around: dict[str, Any] = {"done": (), "became": {}, "found": found, "reasons": reasons}
        return frame.page(request, "bulk.html", decision=said.decision, **around)

    @post("/queue/bulk/decide", status_code=200)
    async def decide(request: Incoming) -> Template:
        said = await forms.submitted(request, Decide)
        what = said.decision, said.preview, said.ruling(), rooms
        done = await doors.decide(request.auth, *what)
        became = Counter(one.became for one in done)
        around: dict[str, Any] = {
            "done": [one for one in done if one.became is not Became.DECIDED],
            "became": {one: became[one] for one in Became if became[one]},
            "found": None,
            "again": said if became[Became.LEFT] else None,
        }
        return frame.page(request, "bulk.html", decision=said.decision, **around)

    return [preview, decide]
