"""A language model asked once, in one fixed form, and gone without when it does not answer.

What is sent leaves the process: texts stand between marks that nobody can guess, what is private
in them is cut out before, and of a sealed tenant nothing is sent. What it answers is data and no
more.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol, TypeVar

import msgspec

from guard.errors import UnavailableError
from guard.nouns import View
from guard.redact import redact
from guard.views import views_of
from memory.types import TenantId
from policies.model import Finding

T = TypeVar("T")
Cover = Callable[[Sequence[View]], Iterable[Finding]]
"""Finds in the readings of a text what is cut out of it."""
Allows = Callable[[TenantId], Awaitable[bool]]
"""Says whether the texts of a tenant may leave the process, by the ledger's word of that moment.
Raises UnavailableError."""


class Chat(Protocol):
    """A language model that answers one message."""

    @property
    def version(self) -> str:
        """What decides its answers, at most 28 characters."""
        ...

    async def ask(self, system: str, message: str) -> str:
        """Return what it says. Raises UnavailableError."""
        ...


def new_mark() -> str:
    """Return a mark for the lines around a text that nobody can guess."""
    return secrets.token_hex(16)


class Consulted:
    """Asks once, and waits `seconds` for all of it."""

    def __init__(
        self,
        chat: Chat,
        cover: Cover,
        allows: Allows,
        *,
        seconds: float,
        nonce: Callable[[], str] = new_mark,
    ) -> None:
        self._chat, self._cover, self._nonce = chat, cover, nonce
        self._allows = allows
        self._seconds = seconds
        self.asked = 0
        """What it was asked about."""
        self.failed = 0
        """What of that it did not answer in the one form, or not in time."""

    async def _answer(
        self,
        tenant: TenantId,
        system: str,
        message: Callable[[], str],
        decoded: Callable[[str], T],
        unasked: T,
    ) -> T | None:
        """Return the answer, None when there is none. `decoded` raises UnavailableError for one
        that has not the form. Of a tenant whose texts stay here nobody is asked: `unasked` it is.
        """
        self.asked += 1
        try:
            async with asyncio.timeout(self._seconds):
                if not await self._allows(tenant):
                    self.asked -= 1
                    return unasked
                # In a thread: the readings of a long text take a while.
                shown = await asyncio.to_thread(message)
                return decoded(await self._chat.ask(system, shown))
        except (UnavailableError, TimeoutError):
            self.failed += 1
            return None

    def _covered(self, text: str) -> str:
        return redact(text, self._cover(views_of(text)))


def read_as(kind: type[T], said: str, most: int, name: str) -> T:
    """Return an answer of at most `most` characters in the form of `kind`.

    Raises UnavailableError for any other, with the name of who was asked and nothing of the answer.
    """
    if len(said) > most:
        raise UnavailableError(name)
    try:
        return msgspec.json.decode(said, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        # The exception may quote what was said.
        raise UnavailableError(name) from None
