"""The console put together: its pages, its door, its files, and what stands around them."""

import secrets
from datetime import timedelta
from typing import Any, Final

from litestar import MediaType, Response, Router, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Redirect, Template
from litestar.types import Scope as Connection

from gateway.auth import Bearers
from gateway.console.cookies import Cookies, Incoming
from gateway.console.entrance import Entrance
from gateway.console.forms import Forms
from gateway.console.frame import Frame, allowed, statics
from gateway.console.issuer import Issuer
from gateway.console.pages.audit import audit_pages
from gateway.console.pages.bulk import bulk_pages
from gateway.console.pages.item import item_pages
from gateway.console.pages.letters import letters_pages
from gateway.console.pages.memories import memories_pages
from gateway.console.pages.memory import memory_pages
from gateway.console.pages.origins import origins_pages
from gateway.console.pages.overview import overview_pages
from gateway.console.pages.policies import policies_pages
from gateway.console.pages.proposals import proposals_pages
from gateway.console.pages.queue import queue_pages
from gateway.console.pages.settings import settings_pages
from gateway.console.refusals import PageProblems
from gateway.console.shield import ROOT
from gateway.doors import Edge
from gateway.problems import ProblemHandler
from guard.errors import NotFoundError
from guard.visits import Porch, token_of
from memory.origin import Channel

_KEEP_FILES: Final = "public, max-age=31536000, immutable"
"""Pages name their files with a stamp that changes with them."""


class Console:
    """What the edge needs of the console."""

    def __init__(self, edge: Edge, bearers: Bearers) -> None:
        settings = edge.settings
        self._edge = edge
        self._cookies = Cookies(secure=settings.url.startswith("https://"))
        self._frame = Frame(self._cookies)
        self._forms = Forms(self._cookies, settings.origins)
        self._porch = Porch(
            visits=edge.visits,
            envelopes=edge.rooms.envelopes,
            clock=edge.rooms.clock,
            new_id=edge.rooms.new_id,
            new_secret=secrets.token_bytes,
            longest=timedelta(minutes=settings.console.visit_minutes),
        )
        issuer = None
        if settings.console.client_id is not None:
            issuer = Issuer(settings, edge.verifier)
        self._entrance = Entrance(
            self._frame, self._forms, bearers, self._porch, mode=settings.mode, issuer=issuer
        )
        self.templates: Final = self._frame.templates

    async def visited(self, scope: Connection) -> str:
        """Return the token of the visit that a request belongs to.

        Raises UnauthenticatedError when there is none, or no more.
        """
        return await token_of(self._cookies.ticket(scope), self._porch)

    def router(self) -> Router:
        """Return everything under `/console`."""
        problems = PageProblems(self._frame, ProblemHandler(self._edge.settings.url))
        return Router(
            ROOT,
            route_handlers=[*self._entrance.routes(), *self._shell(), *self._pages()],
            exception_handlers={Exception: problems},
            opt={"channel": Channel.CONSOLE},
        )

    def _pages(self) -> list[HTTPRouteHandler]:
        """Return the sections' handlers. A new section is one more line, here and in `SECTIONS`."""
        around = (self._edge, self._frame, self._forms)
        return [
            *overview_pages(*around),
            *queue_pages(*around),
            *origins_pages(*around),
            *bulk_pages(*around),
            *item_pages(*around),
            *memories_pages(*around),
            *memory_pages(*around),
            *proposals_pages(*around),
            *policies_pages(*around),
            *audit_pages(*around),
            *letters_pages(*around),
            *settings_pages(*around),
        ]

    def _shell(self) -> list[HTTPRouteHandler]:
        files = statics()

        @get("/", media_type=MediaType.HTML)
        async def home(request: Incoming) -> Redirect | Template:
            places = allowed(request.auth)
            if places:
                return Redirect(f"{ROOT}/{places[0]}", status_code=303)
            return self._frame.page(request, "nothing.html", 403)

        @get("/static/{name:str}")
        async def static(name: FromPath[str]) -> Response[Any]:
            if name not in files:
                raise NotFoundError
            content, kind = files[name]
            return Response(content, media_type=kind, headers={"Cache-Control": _KEEP_FILES})

        return [home, static]
