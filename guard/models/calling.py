"""Connections to endpoints that are sent texts: whom they trust, and what is read of an answer.

Certificates are always verified; plain http is for the loopback address alone. Redirects are not
followed, since one would carry texts to where nobody configured, and proxies of the environment are
not used.
"""

import ssl
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from guard.errors import InvalidError


def connected(url: str, ca_file: Path | None, deadline: float, section: str) -> httpx2.AsyncClient:
    """Return a client for the endpoint at `url`.

    Raises InvalidError, naming `section`, when others could read what is sent.
    """
    if not is_private(url):
        raise InvalidError(f"{section}url: plain http is for the loopback address alone")
    return httpx2.AsyncClient(
        headers={"User-Agent": "memguard", "Accept": "application/json"},
        timeout=deadline,
        verify=_authorities(ca_file, section),
        follow_redirects=False,
        trust_env=False,
    )


def is_private(url: str) -> bool:
    """Say whether nobody on the way can read what is sent to `url`: https, or this machine."""
    parts = urlsplit(url)
    if parts.scheme == "https":
        return True
    host = parts.hostname or ""
    try:
        return parts.scheme == "http" and (host == "localhost" or ip_address(host).is_loopback)
    except ValueError:
        return False


async def read_up_to(response: httpx2.Response, most: int) -> bytes | None:
    """Return the body, None when it is longer than `most` bytes."""
    read = bytearray()
    async for chunk in response.aiter_bytes():
        read += chunk
        if len(read) > most:
            return None
    return bytes(read)


def retry_after(header: str | None) -> float | None:
    """Return the seconds that the endpoint asks to be left alone, None when it asks for nothing."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    # NaN compares false and infinity outlasts every deadline, so both are no promise.
    return max(0.0, seconds) if seconds < float("inf") else None


def _authorities(ca_file: Path | None, section: str) -> ssl.SSLContext | bool:
    """Return whose certificates are believed: the system's, or those in a file instead."""
    if ca_file is None:
        return True
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError:  # an SSLError is one, too
        raise InvalidError(f"{section}ca_file: not readable as certificates") from None
