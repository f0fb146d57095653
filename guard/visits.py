"""A person's visits to the console: the token that somebody signed in with, kept for his browser.

The browser holds a ticket and nothing else: the name of the tenant, by which the row is found, and
256 random bits. The ledger holds a mark that only these bits make, and the token, sealed under the
visitor's own key. Neither a browser nor the ledger alone can speak for anybody. Who a visitor is
and what he may do is read from the token each time, by the same check as everywhere else.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, Protocol, Self

import msgspec

from guard.errors import ForbiddenError, UnauthenticatedError, UnreadableError
from guard.leaves import leaf_of
from guard.nouns import Leaf
from guard.ports import Clock, Envelopes, NewId, Record
from guard.principal import Principal
from memory.types import Owner, TenantId

SECRET_BYTES: Final = 32
_MOST_CHARS: Final = 2048
_MARK: Final = b"memguard/visit/mark"

NewSecret = Callable[[int], bytes]
"""Returns so many bytes that nobody can guess."""


class Ticket(msgspec.Struct, frozen=True):
    """What a browser holds. Its secret makes the mark and whatever else belongs to the visit."""

    tenant: TenantId
    secret: bytes

    def __repr__(self) -> str:
        """Show no secret."""
        return "Ticket(…)"

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Return the ticket that `text` is, None when it is none."""
        secret, _, tenant = text.partition(".")
        if len(text) > _MOST_CHARS:
            return None
        try:
            raw, name = _bytes(secret), _bytes(tenant).decode()
        except (binascii.Error, ValueError):
            return None
        return cls(TenantId(name), raw) if len(raw) == SECRET_BYTES and name else None

    def text(self) -> str:
        """Return what `read` reads."""
        return f"{_text(self.secret)}.{_text(self.tenant.encode())}"

    def derived(self, purpose: bytes) -> str:
        """Return what only the holder of the ticket can name, another for each purpose."""
        return _text(hmac.digest(self.secret, purpose, "sha256"))

    @property
    def mark(self) -> str:
        """The id of the visit in the ledger. It says nothing of the secret."""
        of = hashlib.sha256(self.tenant.encode()).digest()
        return hmac.digest(self.secret, _MARK + of, "sha256").hex()


class Visit(msgspec.Struct, frozen=True):
    """A visit as the ledger keeps it."""

    id: str
    owner: Owner
    expires_at: datetime
    token: bytes


class Visits(Protocol):
    """The visits that are on, for all replicas to see."""

    async def add(self, visit: Visit, leaf: Leaf, now: datetime) -> None:
        """Keep a visit and its audit leaf durably, and remove the tenant's that have expired."""
        ...

    async def find(self, tenant: TenantId, id: str, now: datetime) -> Visit | None:
        """Return a visit of the tenant that has not expired."""
        ...

    async def end(self, tenant: TenantId, id: str, leaf: Leaf) -> None:
        """Remove a visit, with its audit leaf in the same transaction."""
        ...


class Porch(msgspec.Struct, frozen=True):
    """What signing in and out needs."""

    visits: Visits
    envelopes: Envelopes
    clock: Clock
    new_id: NewId
    new_secret: NewSecret
    longest: timedelta
    """How long a visit lasts at most; never longer than its token."""


async def begin(principal: Principal, token: str, porch: Porch) -> Ticket:
    """Keep the token of a visitor, who was verified by it, and return a fresh ticket for it."""
    now = porch.clock()
    ends = min(principal.expires_at, now + porch.longest)
    if ends <= now:
        raise UnauthenticatedError
    ticket = Ticket(principal.owner.tenant, porch.new_secret(SECRET_BYTES))
    sealed = await porch.envelopes.wrap(
        principal.owner, Record.VISIT, _place(ticket), token.encode()
    )
    visit = Visit(ticket.mark, principal.owner, ends, sealed)
    await porch.visits.add(visit, _leaf(principal, "began", porch), now)
    return ticket


async def token_of(ticket: Ticket, porch: Porch) -> str:
    """Return the token of the visit. Raises UnauthenticatedError when there is none, or no more."""
    found = await porch.visits.find(ticket.tenant, ticket.mark, porch.clock())
    if found is None or found.owner.tenant != ticket.tenant:
        raise UnauthenticatedError
    try:
        plain = await porch.envelopes.unwrap(found.owner, Record.VISIT, _place(ticket), found.token)
    except UnreadableError:
        raise UnauthenticatedError from None
    return plain.decode()


async def end(principal: Principal, ticket: Ticket, porch: Porch) -> None:
    """Forget a visit: its ticket is worth nothing from now on."""
    if ticket.tenant != principal.owner.tenant:
        raise ForbiddenError
    await porch.visits.end(ticket.tenant, ticket.mark, _leaf(principal, "ended", porch))


def _leaf(principal: Principal, outcome: str, porch: Porch) -> Leaf:
    id = porch.new_id()
    return leaf_of(
        principal, id, porch.clock(), action="visit", object=principal.client, outcome=outcome
    )


def _place(ticket: Ticket) -> tuple[bytes]:
    return (ticket.mark.encode(),)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    raw = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), b"-_", validate=True)
    if _text(raw) != text:
        raise ValueError("not written as we write it")
    return raw
