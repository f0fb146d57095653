"""How the gateway shows itself to a Qdrant server, request by request.

A collection token is a JWT as Qdrant reads it: signed with the server's API key by HMAC-SHA-256,
naming one collection and one right, and short-lived. It needs no more than the standard library,
and nothing here ever verifies one.
"""

import base64
import hmac
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final, Protocol

import msgspec

from guard.ports import Clock

_HEADER: Final = {"alg": "HS256", "typ": "JWT"}
_LIFE: Final = timedelta(seconds=60)
"""Long enough for one call with its retries and for clocks that differ a little."""


class Right(StrEnum):
    """What a request does: read or write points of a collection, or make and remove collections."""

    READ = "r"
    WRITE = "rw"
    MANAGE = "m"


class Credential(Protocol):
    """Gives the headers that a request is allowed by."""

    def headers(self, collection: str, right: Right) -> Mapping[str, str]:
        """Return the headers for one request."""
        ...


class NoCredential:
    """For a server that asks for none."""

    def headers(self, collection: str, right: Right) -> Mapping[str, str]:
        """Return no headers."""
        del collection, right
        return {}


class ApiKey:
    """Shows the server's API key, which opens everything on it."""

    def __init__(self, key: str) -> None:
        self._key = key

    def headers(self, collection: str, right: Right) -> Mapping[str, str]:
        """Return the key."""
        del collection, right
        return {"api-key": self._key}


class CollectionTokens:
    """Shows a token for the one collection that a request is about; the key stays here.

    A request that names another collection, by mistake or by an intermediary's hand, is refused by
    the server. Making and removing collections is a right over the server: it can't be confined.
    """

    def __init__(self, key: str, clock: Clock) -> None:
        self._key = key.encode()
        self._clock = clock

    def headers(self, collection: str, right: Right) -> Mapping[str, str]:
        """Return a fresh token."""
        one = {"collection": collection, "access": right.value}
        access: Any = right.value if right is Right.MANAGE else [one]
        expires = int((self._clock() + _LIFE).timestamp())
        return {"authorization": f"Bearer {self._signed({'access': access, 'exp': expires})}"}

    def _signed(self, claims: Mapping[str, Any]) -> str:
        body = f"{_part(msgspec.json.encode(_HEADER))}.{_part(msgspec.json.encode(claims))}"
        return f"{body}.{_part(hmac.digest(self._key, body.encode(), 'sha256'))}"


def _part(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")
