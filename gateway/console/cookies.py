"""The console's cookies: the ticket of a visit, and how somebody likes his pages.

The ticket goes to us alone: no script reads it, no other site's link or form sends it, and under
https its name says to the browser that no other host may have set it.
"""

from typing import Any, Final, Literal

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.types import Scope as Connection

from guard.errors import UnauthenticatedError
from guard.visits import Ticket

Incoming = Request[Any, Any, Any]
THEMES: Final = ("auto", "light", "dark")
_YEAR: Final = 365 * 24 * 3600
_DRAFT_SECONDS: Final = 900
"""How long a form to sign in with, or a way to the issuer and back, is good for."""
_PLAIN: Final = "memguard"
_Same = Literal["strict", "lax"]


class Cookies:
    """Their names and flags, for a gateway that is spoken to over https or is not."""

    def __init__(self, *, secure: bool) -> None:
        self.secure: Final = secure
        prefix = "__Host-" if secure else ""
        self.visit: Final = f"{prefix}{_PLAIN}"
        self.draft: Final = f"{prefix}{_PLAIN}-draft"
        self.away: Final = f"{prefix}{_PLAIN}-away"
        self.language: Final = f"{prefix}{_PLAIN}-language"
        self.theme: Final = f"{prefix}{_PLAIN}-theme"

    def ticket(self, scope: Connection) -> Ticket:
        """Return the ticket that a request brings. Raises UnauthenticatedError without one."""
        said = ASGIConnection[Any, Any, Any, Any](scope).cookies.get(self.visit, "")
        found = Ticket.read(said)
        if found is None:
            raise UnauthenticatedError
        return found

    def keep(self, ticket: Ticket) -> Cookie:
        """Return the cookie that holds a ticket until the browser is closed."""
        return self._cookie(self.visit, ticket.text())

    def drop(self, name: str) -> Cookie:
        """Return the cookie that removes one."""
        return self._cookie(name, "", seconds=0)

    def brief(self, name: str, value: str) -> Cookie:
        """Return a cookie for the time of signing in.

        The one that is needed on the way back from an issuer has to be sent along with its link.
        """
        same: _Same = "lax" if name == self.away else "strict"
        return self._cookie(name, value, seconds=_DRAFT_SECONDS, same=same)

    def liking(self, name: str, value: str) -> Cookie:
        """Return a cookie that remembers how somebody likes his pages."""
        return self._cookie(name, value, seconds=_YEAR)

    def _cookie(
        self, name: str, value: str, *, seconds: int | None = None, same: _Same = "strict"
    ) -> Cookie:
        return Cookie(
            key=name,
            value=value,
            max_age=seconds,
            path="/",  # what `__Host-` demands
            secure=self.secure,
            httponly=True,
            samesite=same,
        )
