"""What browsers send: forms of ours alone, bounded and typed like any other request (Q8).

A form is taken when the browser says that the page it came from is ours (`Origin`), and when it
brings the secret that only a page of this very visit has. Both are needed.
"""

import hmac
from collections.abc import Iterable
from typing import Final, TypeVar
from urllib.parse import parse_qsl

import msgspec

from gateway import wire
from gateway.console.cookies import Cookies, Incoming
from gateway.console.frame import FORM
from gateway.problems import MediaTypeError
from guard.errors import ForbiddenError, InvalidError
from guard.visits import Ticket

T = TypeVar("T", bound=msgspec.Struct)
SECRET: Final = "form_secret"  # noqa: S105 - a field's name
_MOST_FIELDS: Final = 256
_KIND: Final = "application/x-www-form-urlencoded"


class Forms:
    """Reads the forms of one gateway's pages."""

    def __init__(self, cookies: Cookies, origins: Iterable[str]) -> None:
        self._cookies = cookies
        self._origins = tuple(origins)

    async def submitted(self, request: Incoming, kind: type[T]) -> T:
        """Return what a visitor sent from a page of his visit.

        Raises ForbiddenError for a form from elsewhere, InvalidError for what is not of its kind.
        """
        return await self.signed(request, kind, self._cookies.ticket(request.scope))

    async def signed(self, request: Incoming, kind: type[T], ticket: Ticket | None) -> T:
        """Return a form that has the secret of this ticket."""
        pairs = await self._pairs(request)
        said = [value for name, value in pairs if name == SECRET]
        wanted = ticket.derived(FORM) if ticket is not None else ""
        held = len(said) == 1 and hmac.compare_digest(said[0].encode(), wanted.encode())
        if not wanted or not held:
            raise ForbiddenError
        return asked([pair for pair in pairs if pair[0] != SECRET], kind)

    async def harmless(self, request: Incoming, kind: type[T]) -> T:
        """Return a form of ours that changes nothing but how pages look."""
        return asked(await self._pairs(request), kind)

    async def _pairs(self, request: Incoming) -> list[tuple[str, str]]:
        self._require_own_page(request)
        said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if said != _KIND:
            raise MediaTypeError(f"send {_KIND}")
        try:
            return parse_qsl(
                (await request.body()).decode("ascii"),
                keep_blank_values=True,
                strict_parsing=True,
                errors="strict",
                max_num_fields=_MOST_FIELDS,
            )
        except ValueError:
            raise InvalidError("the form can't be read") from None

    def _require_own_page(self, request: Incoming) -> None:
        """Raise ForbiddenError for what does not come from a page of this gateway."""
        said = request.headers.getall("origin", [])
        if len(said) != 1 or not any(_fits(said[0], one) for one in self._origins):
            raise ForbiddenError


def _fits(origin: str, pattern: str) -> bool:
    """Return whether an origin is the one that is meant; `:*` stands for any port."""
    if not pattern.endswith(":*"):
        return origin == pattern
    host, _, port = origin.rpartition(":")
    return host == pattern[:-2] and port.isdigit()


def asked(pairs: Iterable[tuple[str, str]], kind: type[T]) -> T:
    """Return a form or query; a field that was left empty was not sent."""
    return wire.from_query([(name, value) for name, value in pairs if value.strip()], kind)
