"""Limits per address, before anything is known of who asks (E14).

The address is that of the connection, unless the connection comes from a configured proxy: then it
is the last one in the configured header that is no such proxy itself. Everything to the left of it
was written by somebody who may lie. An IPv6 caller usually has a whole /64, so that counts as one.
"""

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Send
from litestar.types import Scope as Connection

from gateway.problems import QuotaError
from gateway.rates import LONGEST_SECONDS, Allowance
from gateway.settings import ForwardedHeader, Http, Limits
from gateway.telemetry import LOGGER
from guard.errors import UnauthenticatedError
from guard.ports import Bucket, Buckets

Address = IPv4Address | IPv6Address

SIGNS_IN: Final = "signs_in"
"""In the `opt` of a route whose body has a token, not its header."""
FAILED: Final = "token_failed"
"""What such a route leaves in the request's state when the token was none."""
UNKNOWN: Final = "unknown"
"""Whom a connection without an address, such as one over a unix socket, is counted for."""
_SIXTY_FOUR: Final = 64
_MAX_HOPS: Final = 32
_BURST_SECONDS: Final = 60
_FOR: Final = re.compile(r'(?:\A|;)\s*for\s*=\s*(?:"([^"]*)"|([^;"\s]*))\s*(?=;|\Z)', re.IGNORECASE)
_PORT: Final = re.compile(r"\A(?:\[(?P<six>[^\]]+)\](?::\d+)?|(?P<four>[^:]+):\d+)\Z")


class Proxies:
    """Whose word on addresses is taken, and in which header."""

    def __init__(self, http: Http) -> None:
        self._networks = tuple(ip_network(one) for one in http.trusted_proxies)
        self._header = http.forwarded_header
        self._name = http.forwarded_header.value.encode()

    def trusts(self, host: str) -> bool:
        """Say whether this address is one of a configured proxy."""
        address = _parsed(host)
        return address is not None and self._trusted(address)

    def peer(self, host: str | None, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Return whom a request is counted for: an address, a /64, or nobody known."""
        address = _parsed(host) if host is not None else None
        if address is None:
            return UNKNOWN
        hops = reversed(self._hops(headers)) if self._trusted(address) else iter(())
        for hop in hops:
            before = _parsed(hop)
            if before is None:
                break  # obfuscated or malformed: the last one that is known answers for it
            address = before
            if not self._trusted(address):
                break
        return _counted(address)

    def unheard(self, host: str | None, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Say whether somebody passes an address on whose word is not taken."""
        return any(name == self._name for name, _ in headers) and not self.trusts(host or "")

    def _trusted(self, address: Address) -> bool:
        return any(address in network for network in self._networks)

    def _hops(self, headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
        values = [value.decode("latin-1") for name, value in headers if name == self._name]
        parts = [part.strip() for part in ",".join(values).split(",")][-_MAX_HOPS:]
        if self._header is ForwardedHeader.X_FORWARDED_FOR:
            return parts
        found = (_FOR.search(part) for part in parts)
        return [(one[1] or one[2] or "") if one is not None else "" for one in found]


def _parsed(text: str) -> Address | None:
    """Return the address, with or without a port; None for anything else."""
    bare = _PORT.match(text)
    try:
        address = ip_address((bare["six"] or bare["four"]) if bare is not None else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _counted(address: Address) -> str:
    if isinstance(address, IPv6Address):
        return str(IPv6Network((int(address), _SIXTY_FOUR), strict=False))
    return str(address)


class PeerLimits(ASGIMiddleware):
    """Bounds what one address may ask, and how often its tokens may fail.

    An address whose tokens failed too often is refused before its next one is looked at, a good
    one included: trying is what is bounded. A request without a token tries nothing.
    """

    scopes = (ScopeType.HTTP, ScopeType.ASGI)

    def __init__(self, buckets: Buckets, http: Http, limits: Limits) -> None:
        self._buckets = buckets
        self._proxies = Proxies(http)
        self._requests = Allowance.of(limits.peer_requests_per_minute, _BURST_SECONDS)
        self._failures = Allowance.of(limits.peer_failures_per_minute, _BURST_SECONDS)
        self._warned = False

    async def handle(
        self, scope: Connection, receive: Receive, send: Send, next_app: ASGIApp
    ) -> None:
        """Bound one request."""
        headers = scope["headers"]
        client = scope.get("client")
        host = client[0] if client else None
        self._warn(host, headers)
        peer = self._proxies.peer(host, headers)
        await self._charge("peer", peer, self._requests)
        attempts = SIGNS_IN in scope["route_handler"].opt or any(
            name == b"authorization" for name, _ in headers
        )
        if attempts:
            await self._charge("failures", peer, self._failures, look=True)
        try:
            await next_app(scope, receive, send)
        except UnauthenticatedError:
            if attempts:
                await self._fail(peer)
            raise
        if scope["state"].pop(FAILED, False):
            await self._fail(peer)

    async def _fail(self, peer: str) -> None:
        await self._buckets.take((_bucket("failures", peer, self._failures),), 1)

    async def _charge(
        self, policy: str, peer: str, allowance: Allowance, *, look: bool = False
    ) -> None:
        """Take one unit, or look whether there is one; raise QuotaError when there is none."""
        taken = await self._buckets.take((_bucket(policy, peer, allowance),), 0 if look else 1)
        missing = 1 - taken.left[0]
        if not taken.allowed or (look and missing > 0):
            wait = min(LONGEST_SECONDS, missing / allowance.refill)
            raise QuotaError(wait, violated=(policy,))

    def _warn(self, host: str | None, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Say once that all callers behind some proxy count as one."""
        if not self._warned and self._proxies.unheard(host, headers):
            self._warned = True
            LOGGER.warning("an address was forwarded by what is no trusted proxy; it is not heard")


def _bucket(policy: str, peer: str, allowance: Allowance) -> Bucket:
    return Bucket(policy, (peer,), allowance.capacity, allowance.refill)
