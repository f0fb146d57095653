"""One stored memory: what is known of it, its text for a ground, and what a reviewer may do."""

from collections.abc import Iterable
from typing import Any, Final, Literal

import msgspec
from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Redirect, Template

from gateway import proposing, rulings, wire
from gateway.console.cookies import Incoming
from gateway.console.forms import Forms, asked
from gateway.console.frame import Frame
from gateway.console.pages.item import FOR_REJECTION, done, pieces
from gateway.console.pages.memories import AskMemories
from gateway.console.pages.proposals import told
from gateway.console.shield import ROOT
from gateway.doors import Edge
from guard.errors import NotFoundError
from guard.proposal import Proposal
from guard.reveal import Ground, Revealed
from guard.ruling import Because
from memory.types import INDEXED_LAYERS, Layer, MemoryId, State

GROUNDS: Final = (Ground.INCIDENT, Ground.REQUEST, Ground.AUDIT, Ground.REVIEW)
"""In the order in which one is likely: what is held for review is read as a case."""
FOR_MOVE: Final = (
    Because.VERIFIED_WITH_SUBJECT,
    Because.BUSINESS_NEED,
    Because.MISTAKE,
    Because.OTHER,
)
MOVES: Final = {Layer.SEMANTIC: "promoted", Layer.EPISODIC: "demoted"}


class AskMemory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was done to it just now, if anything."""

    done: Literal["promoted", "demoted", "weighed"] | None = None


def memory_pages(edge: Edge, frame: Frame, forms: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of one stored memory."""
    doors, rooms = edge.use_cases, edge.rooms

    async def page(
        request: Incoming,
        id: MemoryId,
        revealed: Revealed | None = None,
        done: str | None = None,
    ) -> Template:
        item = await doors.dossiers.entry(request.auth, id, rooms)
        layer = item.label.layer
        return frame.page(
            request,
            "memory.html",
            item=item,
            own=item.label.subject == request.auth.owner.subject,
            back=AskMemories(item.label.subject).link(None),
            revealed=revealed,
            pieces=[] if revealed is None else pieces(revealed.text, revealed.evidence),
            grounds=GROUNDS,
            other=next((x for x in INDEXED_LAYERS if x != layer and layer in MOVES), None),
            for_hold=FOR_REJECTION,
            for_move=FOR_MOVE,
            because=list(Because),
            done=done,
        )

    @get("/memories/{id:str}")
    async def memory(request: Incoming, id: FromPath[str]) -> Response[Any] | Template:
        of = wire.memory_id(id)
        query = asked(request.query_params.multi_items(), AskMemory)
        try:
            return await page(request, of, done=query.done)
        except NotFoundError:
            # A proposal names what may be held by now.
            await doors.cases.file(request.auth, of, rooms)
            return Redirect(f"{ROOT}/queue/{of}", status_code=303)

    @post("/memories/{id:str}/reveal", status_code=200)
    async def reveal(request: Incoming, id: FromPath[str]) -> Template:
        said = await forms.submitted(request, wire.RevealHeld)
        of = wire.memory_id(id)
        shown = await doors.dossiers.disclose(request.auth, of, said.ground, said.comment, rooms)
        return await page(request, of, shown)

    return [memory, reveal, *_decisions(edge, forms)]


def _decisions(edge: Edge, forms: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of what a reviewer does to it, or proposes."""
    doors, rooms = edge.use_cases, edge.rooms

    @post("/memories/{id:str}/hold", status_code=303)
    async def hold(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, rulings.Decide)
        await doors.decisions.hold(request.auth, wire.memory_id(id), rooms, said.ruling())
        return done("held", id)

    @post("/memories/{id:str}/layer", status_code=303)
    async def move(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, rulings.Move)
        of, layer = wire.memory_id(id), Layer(said.layer)
        await doors.decisions.move(request.auth, of, layer, rooms, said.ruling())
        return Redirect(f"{ROOT}/memories/{of}?done={MOVES[layer]}", status_code=303)

    @post("/memories/{id:str}/trust", status_code=303)
    async def weigh(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, proposing.Weigh)
        of = wire.memory_id(id)
        what = (of, said.trust, said.ruling(), rooms)
        made = await doors.proposals.change_trust(request.auth, *what)
        if isinstance(made, Proposal):
            return told("proposed", of)
        if made.state is State.HELD:
            return done("weighed", of)
        return Redirect(f"{ROOT}/memories/{of}?done=weighed", status_code=303)

    @post("/memories/{id:str}/erase", status_code=303)
    async def erase(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, rulings.Decide)
        of = wire.memory_id(id)
        await doors.proposals.propose_erasure(request.auth, of, said.ruling(), rooms)
        return told("proposed", of)

    return [hold, move, weigh, erase]
