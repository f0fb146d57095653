"""Webhooks of a tenant: where its findings are posted, how it is signed, and what is kept of them.

A post carries one finding. It is signed as Standard Webhooks has it, with each secret that counts:

    webhook-id         the id of the audit leaf, the same however often it is sent
    webhook-timestamp  seconds since 1970, of this attempt
    webhook-signature  for each secret "v1," and the base64 of HMAC-SHA256(secret,
                       id "." timestamp "." body), with a space between two

Pure. `guard.webhooks` has the doors; what posts is the composition root's.
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, Protocol
from urllib.parse import urlsplit

import msgspec

from guard.errors import InvalidError
from guard.findings import Event
from guard.nouns import Leaf
from memory.types import TenantId

PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32
GONE: Final = "gone"
"""Why a webhook is paused: its endpoint said that it is there no more."""
_MAX_URL: Final = 2048
_PORTS: Final = {"https": 443, "http": 80}
_CARRIES_OTHERS: Final = tuple(
    # Addresses that lead to an IPv4 address within them: mapped, compatible, NAT64, 6to4, Teredo.
    map(ip_network, ("::ffff:0:0/96", "::/96", "64:ff9b::/32", "2002::/16", "2001::/32"))
)
_BUT_NOT_PUBLIC: Final = tuple(
    # Special (IANA), and not told as such by every Python that we run on; a cloud's metadata are at
    # 192.0.0.192, and another's, without being special, at the one address of 168.63.
    map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "3fff::/20"))
)
Address = IPv4Address | IPv6Address


class Secrets(msgspec.Struct, frozen=True, array_like=True):
    """What is sealed of a webhook. Fields may only be appended.

    `former` counts beside `secret` until `former_until`.
    """

    url: str
    secret: bytes
    former: bytes | None = None
    former_until: datetime | None = None

    def counting(self, now: datetime) -> tuple[bytes, ...]:
        """Return the secrets that posts are signed with now, the newest first."""
        if self.former is None or self.former_until is None or now >= self.former_until:
            return (self.secret,)
        return self.secret, self.former

    def __repr__(self) -> str:
        """Show nothing: a URL may be a secret, too."""
        return "Secrets(…)"


class Hook(msgspec.Struct, frozen=True):
    """A webhook as the ledger knows it in the clear.

    `position` is the number of the audit leaf up to which its posts are written down. A `paused`
    one says why; nothing is lost meanwhile.
    """

    tenant: TenantId
    id: str
    events: tuple[Event, ...]
    position: int
    paused: str
    changed_at: datetime


class SealedHook(msgspec.Struct, frozen=True):
    """A webhook with its sealed part, `Secrets`."""

    hook: Hook
    token: bytes


class DeadPost(msgspec.Struct, frozen=True):
    """A finding that was given up for one webhook: its leaf's number, and why in vain."""

    hook: str
    sequence: int
    attempts: int
    reason: str
    at: datetime


class Hooks(Protocol):
    """The webhooks of tenants. Every change is one transaction with its audit leaf."""

    async def all(self, tenant: TenantId) -> list[SealedHook]:
        """Return the tenant's webhooks in the order of their ids."""
        ...

    async def put(self, hook: SealedHook, leaf: Leaf) -> None:
        """Add or replace a webhook, paused no longer. One that is there keeps its position."""
        ...

    async def remove(self, tenant: TenantId, id: str, leaf: Leaf) -> None:
        """Remove a webhook with all that waits for it. Raises NotFoundError."""
        ...

    async def dead(self, tenant: TenantId, limit: int) -> list[DeadPost]:
        """Return what was given up, longest dead first."""
        ...

    async def replay(
        self, tenant: TenantId, id: str, sequence: int | None, at: datetime, leaf: Leaf
    ) -> int:
        """Make what is dead of a webhook due at `at`, one or all; return how many that were.

        Where there is none nothing changes, and no leaf is kept.
        """
        ...


class Place(msgspec.Struct, frozen=True):
    """Where a URL leads, before any name is looked up. The operator named what is `allowed`."""

    scheme: str
    host: str
    port: int
    allowed: bool

    @property
    def netloc(self) -> str:
        """Return host and port as a `Host` field has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def place_of(url: str, allowed: frozenset[str]) -> Place:
    """Return where a URL leads. `allowed` are `host:port` that the operator vouches for.

    Raises InvalidError, which does not quote it: for anything but https to a public place, unless
    it is allowed.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise InvalidError("url: not a URL") from None
    scheme = parts.scheme
    if len(url) > _MAX_URL or not host or scheme not in _PORTS or not url.isascii():
        raise InvalidError("url: an https URL in ASCII, of at most 2048 characters")
    if any(character <= " " or character == "\x7f" for character in url) or "\\" in url:
        raise InvalidError("url: not a URL")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise InvalidError("url: without a user, a password and a fragment")
    place = Place(scheme, host, port or _PORTS[scheme], allowed=False)
    named = f"[{host}]:{place.port}" if ":" in host else f"{host}:{place.port}"
    if named in allowed:
        return msgspec.structs.replace(place, allowed=True)
    if scheme != "https":
        raise InvalidError("url: https is required")
    literal = _literal(host)
    if literal is not None and not is_public(literal):
        raise InvalidError("url: not to a private address")
    return place


def is_public(address: Address) -> bool:
    """Return whether an address is one of the public internet, and leads to no other."""
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    if any(address in net for net in _BUT_NOT_PUBLIC):
        return False
    if isinstance(address, IPv4Address):
        return True
    return not address.is_site_local and not any(address in net for net in _CARRIES_OTHERS)


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def shown(secret: bytes) -> str:
    """Return a secret as its owner keeps it."""
    return PREFIX + base64.b64encode(secret).decode()


def signed(id: str, at: datetime, body: bytes, secrets: Sequence[bytes]) -> dict[str, str]:
    """Return the head fields that prove to a receiver who sent a body, and when."""
    timestamp = str(int(at.timestamp()))
    said = b".".join((id.encode(), timestamp.encode(), body))
    macs = (hmac.digest(secret, said, hashlib.sha256) for secret in secrets)
    return {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{base64.b64encode(mac).decode()}" for mac in macs),
    }
