"""How somebody signs in to the console, and out again.

In development with a token, and where there is an issuer to sign in at, there. The token is
verified by the check that every token passes, as one for REST, and kept for the visit. The browser
gets a fresh ticket each time, so that a ticket which somebody else gave it is worth nothing.
"""

import secrets
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect, Template
from msgspec import Meta

from gateway.auth import MAX_TOKEN_CHARS, Bearers
from gateway.console.cookies import Cookies, Incoming
from gateway.console.forms import Forms
from gateway.console.frame import FORM, Frame, own_path
from gateway.console.issuer import Errand, Issuer
from gateway.console.shield import ROOT
from gateway.peers import FAILED, SIGNS_IN
from gateway.resources import Resource
from gateway.settings import Mode
from guard.errors import ForbiddenError, NotFoundError, UnauthenticatedError
from guard.principal import Principal
from guard.visits import SECRET_BYTES, Porch, Ticket, begin, end
from memory.origin import Channel
from memory.types import TenantId

_DRAFTED: Final = TenantId("-")
"""Stands for the tenant in what a form to sign in is tied to: none is known yet."""


class SignIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A token, and where to go on with it."""

    token: Annotated[str, Meta(min_length=1, max_length=MAX_TOKEN_CHARS)]
    next: Annotated[str, Meta(max_length=256)] = ROOT


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A form with nothing to fill in."""


class Look(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How somebody wants to see the pages, and on which he said so."""

    next: Annotated[str, Meta(max_length=256)] = ROOT
    language: Literal["en", "zh"] | None = None
    theme: Literal["auto", "light", "dark"] | None = None


class Entrance:
    """The door of the console."""

    def __init__(
        self,
        frame: Frame,
        forms: Forms,
        bearers: Bearers,
        porch: Porch,
        *,
        mode: Mode,
        issuer: Issuer | None,
    ) -> None:
        self._frame, self._forms = frame, forms
        self._bearers, self._porch = bearers, porch
        self._mode, self._issuer = mode, issuer
        self._cookies: Cookies = frame.cookies

    def routes(self) -> list[HTTPRouteHandler]:
        """Return the handlers of signing in and out."""

        @get("/login")
        async def login(request: Incoming) -> Template:
            return self._form(request, own_path(request.query_params.get("next", ROOT)))

        @post("/login", status_code=303, opt={SIGNS_IN: True})
        async def sign_in(request: Incoming) -> Response[Any]:
            return await self._sign_in(request)

        @post("/logout", status_code=303)
        async def sign_out(request: Incoming) -> Redirect:
            await self._forms.submitted(request, Nothing)
            await end(request.auth, self._cookies.ticket(request.scope), self._porch)
            answer = Redirect(f"{ROOT}/login", status_code=303)
            answer.set_cookie(self._cookies.drop(self._cookies.visit))
            return answer

        @post("/look", status_code=303)
        async def look(request: Incoming) -> Redirect:
            said = await self._forms.harmless(request, Look)
            answer = Redirect(own_path(said.next), status_code=303)
            if said.language is not None:
                answer.set_cookie(self._cookies.liking(self._cookies.language, said.language))
            if said.theme is not None:
                answer.set_cookie(self._cookies.liking(self._cookies.theme, said.theme))
            return answer

        @get("/away", status_code=303)
        async def away(request: Incoming) -> Redirect:
            if self._issuer is None:
                raise NotFoundError
            place, errand = self._issuer.leave(own_path(request.query_params.get("next", ROOT)))
            answer = Redirect(place, status_code=303)
            answer.set_cookie(self._cookies.brief(self._cookies.away, errand.text()))
            return answer

        @get("/back", opt={SIGNS_IN: True})
        async def back(request: Incoming) -> Template:
            return await self._come_back(request)

        return [login, sign_in, sign_out, look, away, back]

    async def visit(self, principal: Principal, token: str, request: Incoming) -> Ticket:
        """Begin a visit, and end the one that this browser may have been on."""
        ticket = await begin(principal, token, self._porch)
        try:
            before = self._cookies.ticket(request.scope)
            await end(principal, before, self._porch)
        except (UnauthenticatedError, ForbiddenError):
            pass  # there was none, or it is another tenant's and ends by itself
        return ticket

    def _form(
        self, request: Incoming, onward: str, status: int = 200, *, failed: bool = False
    ) -> Template:
        draft = Ticket(_DRAFTED, secrets.token_bytes(SECRET_BYTES))
        page = self._frame.page(
            request,
            "login.html",
            status,
            next=onward,
            failed=failed,
            takes_tokens=self._mode is Mode.DEVELOPMENT,
            away=self._issuer is not None,
            form_secret=draft.derived(FORM),
        )
        page.cookies.append(self._cookies.brief(self._cookies.draft, draft.text()))
        return page

    async def _come_back(self, request: Incoming) -> Template:
        if self._issuer is None:
            raise NotFoundError
        said = request.query_params
        try:
            errand = Errand.read(request.cookies.get(self._cookies.away, ""))
            answer = (said.get("code", ""), said.get("state", ""), said.get("iss"))
            token = await self._issuer.come_back(errand, *answer)
            principal, _ = await self._bearers.principal(token, Resource.REST, Channel.CONSOLE)
            ticket = await self.visit(principal, token, request)
        except UnauthenticatedError:
            request.scope["state"][FAILED] = True
            page = self._form(request, ROOT, 401, failed=True)
        else:
            # No redirect: on one that began at another site a browser would send no strict cookie.
            page = self._frame.page(request, "back.html", onward=errand.onward)
            page.cookies.append(self._cookies.keep(ticket))
        page.cookies.append(self._cookies.drop(self._cookies.away))
        return page

    async def _sign_in(self, request: Incoming) -> Response[Any]:
        draft = Ticket.read(request.cookies.get(self._cookies.draft, ""))
        said = await self._forms.signed(request, SignIn, draft)
        if self._mode is not Mode.DEVELOPMENT:
            raise ForbiddenError
        token = said.token.strip()
        try:
            principal, _ = await self._bearers.principal(token, Resource.REST, Channel.CONSOLE)
            ticket = await self.visit(principal, token, request)
        except UnauthenticatedError:
            request.scope["state"][FAILED] = True
            return self._form(request, own_path(said.next), 401, failed=True)
        answer = Redirect(own_path(said.next), status_code=303)
        answer.set_cookie(self._cookies.keep(ticket))
        answer.set_cookie(self._cookies.drop(self._cookies.draft))
        return answer
