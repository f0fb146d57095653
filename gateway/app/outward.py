"""Posts to where tenants say: an address is looked up once, looked at, and held to (Q7).

The gateway stands inside a network that its tenants don't. So whatever a name leads to must be
public, unless the operator named host and port; all addresses of a name must be, and the connection
goes to the one that was looked at, whatever the name leads to a moment later. Certificates are
verified for the name. No redirect is followed, no proxy of the environment used, no connection kept
(one to the same address may be another name's), and of an answer nothing but its head is read.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx2
import msgspec

from gateway.settings import SettingsError
from guard.errors import InvalidError
from guard.hooks import Address, Place, is_public, place_of
from guard.models.calling import retry_after

Resolve = Callable[[str, int], Awaitable[list[Address]]]
"""Looks a name up. Raises OSError."""
_REDIRECTS: Final = range(300, 400)


class Answer(msgspec.Struct, frozen=True):
    """How an attempt ended: an HTTP status, or 0 and why there was none.

    `again_in` is how many seconds the endpoint wants to be left alone, where it says so.
    """

    status: int
    reason: str = ""
    again_in: float | None = None

    @property
    def taken(self) -> bool:
        """Whether the endpoint took it."""
        return 200 <= self.status < 300  # noqa: PLR2004 - as RFC 9110 has it


async def looked_up(host: str, port: int) -> list[Address]:
    """Return the addresses of a name, as the system knows them. Raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ip_address(str(one[4][0]).partition("%")[0]) for one in found]


class Outward:
    """Posts bodies to URLs that others chose."""

    def __init__(
        self,
        allowed: frozenset[str],
        seconds: float,
        ca_file: Path | None = None,
        resolve: Resolve = looked_up,
    ) -> None:
        self._allowed, self._seconds, self._resolve = allowed, seconds, resolve
        self._trusted = _authorities(ca_file)

    async def post(self, url: str, fields: Mapping[str, str], body: bytes) -> Answer:
        """Post once; never raises for what the endpoint or the network does."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._post(url, fields, body)
        except InvalidError:
            return Answer(0, "refused.url")
        except TimeoutError:
            return Answer(0, "timeout")
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError):
            return Answer(0, "unreachable")

    async def _post(self, url: str, fields: Mapping[str, str], body: bytes) -> Answer:
        # (1) Where does it lead? What the operator allows may have changed since it was put.
        place = place_of(url, self._allowed)
        address = await self._address_of(place)
        if address is None:
            return Answer(0, "refused.address")

        # (2) Go to that very address, in the name of the host.
        host = f"[{address}]" if address.version == 6 else str(address)  # noqa: PLR2004
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        head = {**fields, "Host": place.netloc, "Content-Type": "application/json"}
        async with (
            self._client() as client,
            client.stream(
                "POST",
                f"{place.scheme}://{host}:{place.port}{path}",
                content=body,
                headers=head,
                extensions={"sni_hostname": place.host},
            ) as response,
        ):
            # (3) The head is the answer; what follows it is not read.
            return _answer(response.status_code, response.headers.get("retry-after"))

    async def _address_of(self, place: Place) -> Address | None:
        found = await self._resolve(place.host, place.port)
        if not found or not (place.allowed or all(map(is_public, found))):
            return None
        return found[0]

    def _client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            headers={"User-Agent": "memguard", "Accept": "*/*"},
            timeout=self._seconds,
            verify=self._trusted,
            follow_redirects=False,
            trust_env=False,
            limits=httpx2.Limits(max_keepalive_connections=0),
        )


def _answer(status: int, wish: str | None) -> Answer:
    if status in _REDIRECTS:
        return Answer(status, "refused.redirect")
    return Answer(status, f"status.{status}", retry_after(wish))


def _authorities(ca_file: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError:  # an SSLError is one, too
        raise SettingsError("webhooks.ca_file: not readable as certificates") from None
