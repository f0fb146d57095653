"""What is stored of a subject, found by its name and listed without a text."""

from collections.abc import Iterable
from typing import Annotated, Final
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
from guard.dossier import Dossier
from memory.types import SubjectId

_Word = Annotated[str, Meta(min_length=1, max_length=512)]
_PAGE: Final = 25


class AskMemories(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whose memories, and which page of them."""

    subject: _Word | None = None
    cursor: _Word | None = None

    def __post_init__(self) -> None:
        """Refuse a name that no subject has."""
        if self.subject is not None:
            wire.require_text("subject", self.subject)

    def link(self, cursor: str | None) -> str:
        """Return the way to a page of the same list."""
        pairs = [("subject", self.subject), ("cursor", cursor)]
        return f"{ROOT}/memories?{urlencode([pair for pair in pairs if pair[1] is not None])}"


def memories_pages(edge: Edge, frame: Frame, _: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handler of a subject's memories."""
    doors, rooms = edge.use_cases.dossiers, edge.rooms

    @get("/memories")
    async def memories(request: Incoming) -> Template:
        wanted = asked(request.query_params.multi_items(), AskMemories)
        found = Dossier((), None)
        if wanted.subject is not None:
            whose = SubjectId(wanted.subject)
            found = await doors.dossier(request.auth, whose, wanted.cursor, _PAGE, rooms)
        return frame.page(
            request,
            "memories.html",
            wanted=wanted,
            items=found.items,
            further=None if found.cursor is None else wanted.link(found.cursor),
            first=None if wanted.cursor is None else wanted.link(None),
        )

    return [memories]
