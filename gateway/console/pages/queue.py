"""The queue: what is held, found by filters and read page by page."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode

import msgspec
from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Template
from msgspec import Meta

from gateway import wire
from gateway.console.cookies import Incoming
from gateway.console.forms import Forms, asked
from gateway.console.frame import Frame
from gateway.console.shield import ROOT
from gateway.doors import Edge
from guard.bulk import Verdict
from guard.docket import MOST_COUNTED, Search
from guard.ports import Order
from memory.origin import OriginClass
from memory.types import ClientId, Layer, SubjectId

_Word = Annotated[str, Meta(min_length=1, max_length=512)]
_Reason = Annotated[str, Meta(pattern="^[a-z0-9_.-]{1,100}$")]
_PAGE: Final = 25


class AskQueue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which page of which part of the queue, as the form above it asks."""

    sort: Order = Order.NEWEST
    origin: Annotated[tuple[OriginClass, ...], Meta(max_length=10)] = ()
    layer: Annotated[tuple[Layer, ...], Meta(max_length=3)] = ()
    subject: _Word | None = None
    client: _Word | None = None
    reference: _Word | None = None
    reason: _Reason | None = None
    since: date | None = None
    until: date | None = None
    state: Literal["held", "escalated"] = "held"
    cursor: _Word | None = None
    done: Literal["released", "rejected", "escalated", "undone", "held", "weighed"] | None = None
    of: wire.Id | None = None

    def search(self) -> Search:
        """Return what is asked for. Days are those of UTC, the last one included."""
        return Search(
            order=self.sort,
            origins=self.origin,
            layers=self.layer,
            clients=() if self.client is None else (ClientId(self.client),),
            subjects=() if self.subject is None else (SubjectId(self.subject),),
            references=() if self.reference is None else (self.reference,),
            reasons=() if self.reason is None else (self.reason,),
            since=midnight(self.since),
            until=midnight(self.until, 1),
            escalated=self.state == "escalated",
        )

    @property
    def filters(self) -> bool:
        """Whether anything is left out."""
        return self.search() != Search(order=self.sort)

    def link(self, cursor: str | None) -> str:
        """Return the way to a page of the same part."""
        plain = msgspec.to_builtins(
            msgspec.structs.replace(self, cursor=cursor, done=None, of=None)
        )
        pairs: list[tuple[str, Any]] = []
        for name, value in plain.items():
            values = value if isinstance(value, list | tuple) else [value]
            pairs += [(name, one) for one in values if one is not None]
        return f"{ROOT}/queue?{urlencode(pairs)}"

    @property
    def query(self) -> str:
        """The part itself as a query, without a place in it."""
        return self.link(None).partition("?")[2]


def queue_pages(edge: Edge, frame: Frame, _: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of the queue."""
    doors, rooms = edge.use_cases, edge.rooms

    @get("/queue")
    async def queue(request: Incoming) -> Template:
        wanted = asked(request.query_params.multi_items(), AskQueue)
        found = await doors.held(request.auth, wanted.cursor, _PAGE, rooms, wanted.search())
        return frame.page(
            request,
            "queue.html",
            wanted=wanted,
            cases=found.items,
            total=found.total,
            most_counted=MOST_COUNTED,
            further=None if found.cursor is None else wanted.link(found.cursor),
            first=None if wanted.cursor is None else wanted.link(None),
            orders=list(Order),
            origins=list(OriginClass),
            verdicts=(Verdict.REJECT, Verdict.RELEASE, Verdict.ESCALATE),
            layers=list(Layer),
            states=("held", "escalated"),
        )

    return [queue]


def midnight(day: date | None, later: int = 0) -> datetime | None:
    """Return when a day begins in UTC, or one that many days after it."""
    try:
        return None if day is None else datetime.combine(day + timedelta(days=later), time(), UTC)
    except OverflowError:
        return None
