"""One case: what it rests on, its text for whoever gives a ground, and the decision on it."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Annotated, Any, Final, NamedTuple

from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Redirect, Template
from msgspec import Meta

from gateway import rulings, wire
from gateway.casefiles import CaseFileAnswer
from gateway.console.cookies import Incoming
from gateway.console.forms import Forms
from gateway.console.frame import Frame
from gateway.console.shield import ROOT
from gateway.doors import Edge
from guard.reveal import Ground, Quote, Revealed
from guard.ruling import Because
from memory.types import MemoryId

FOR_RELEASE: Final = (
    Because.FALSE_POSITIVE,
    Because.VERIFIED_WITH_SUBJECT,
    Because.BUSINESS_NEED,
    Because.OTHER,
)
FOR_REJECTION: Final = (
    Because.POISONING,
    Because.POLICY_VIOLATION,
    Because.SPAM,
    Because.DUPLICATE,
    Because.OTHER,
)


class Release(rulings.Decide, frozen=True, forbid_unknown_fields=True):
    """Why, and how: a form's field has the words that it has."""

    trust: Annotated[int, Meta(ge=0, le=4)] | None = None
    redact: bool = False


class Piece(NamedTuple):
    """A stretch of a text, and what was found in it."""

    text: str
    reasons: tuple[str, ...]


def item_pages(edge: Edge, frame: Frame, forms: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of one case."""
    doors, rooms = edge.use_cases, edge.rooms

    async def page(request: Incoming, id: MemoryId, revealed: Revealed | None = None) -> Template:
        file = CaseFileAnswer.of(await doors.cases.file(request.auth, id, rooms))
        return frame.page(
            request,
            "item.html",
            file=file,
            case=file.case,
            revealed=revealed,
            pieces=[] if revealed is None else pieces(revealed.text, revealed.evidence),
            grounds=list(Ground),
            for_release=FOR_RELEASE,
            for_rejection=FOR_REJECTION,
            because=list(Because),
        )

    @get("/queue/{id:str}")
    async def item(request: Incoming, id: FromPath[str]) -> Template:
        return await page(request, wire.memory_id(id))

    @post("/queue/{id:str}/reveal", status_code=200)
    async def reveal(request: Incoming, id: FromPath[str]) -> Template:
        asked = await forms.submitted(request, wire.RevealHeld)
        of = wire.memory_id(id)
        shown = await doors.reveal(request.auth, of, asked.ground, asked.comment, rooms)
        return await page(request, of, shown)

    @post("/queue/{id:str}/release", status_code=303)
    async def release(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, Release)
        manner = rulings.Release(said.reason, said.comment, said.trust, said.redact).manner()
        what = (wire.memory_id(id), rooms, said.ruling(), manner)
        await doors.decisions.release(request.auth, *what)
        return done("released", id)

    @post("/queue/{id:str}/reject", status_code=303)
    async def reject(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, rulings.Decide)
        await doors.decisions.reject(request.auth, wire.memory_id(id), rooms, said.ruling())
        return done("rejected", id)

    @post("/queue/{id:str}/escalate", status_code=303)
    async def escalate(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, rulings.Decide)
        await doors.decisions.escalate(request.auth, wire.memory_id(id), rooms, said.ruling())
        return done("escalated", id)

    @post("/queue/{id:str}/undo", status_code=303)
    async def undo(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, rulings.Decide)
        await doors.decisions.undo(request.auth, wire.memory_id(id), rooms, said.ruling())
        return done("undone", id)

    return [item, reveal, release, reject, escalate, undo]


def done(what: str, id: str) -> Redirect:
    """Return the way back to the queue, which says what was done."""
    return Redirect(f"{ROOT}/queue?done={what}&of={wire.memory_id(id)}", status_code=303)


def pieces(text: str, evidence: Sequence[Quote]) -> list[Piece]:
    """Return the text cut where something was found, so that a page can mark it."""
    spans = [one for one in evidence if 0 <= one.start < one.end <= len(text)]
    edges = sorted({0, len(text), *(edge for one in spans for edge in (one.start, one.end))})
    return [
        Piece(
            text[start:end],
            tuple(dict.fromkeys(s.reason for s in spans if s.start <= start and end <= s.end)),
        )
        for start, end in pairwise(edges)
    ]
