"""Cursors: a position in a listing, bound to the listing it came from.

Layout: base64url, unpadded, of the MessagePack array [listing, recorded_at in microseconds, id,
gravity].
It is not secret and not signed: a made-up one can only skip within its maker's own listing.
"""

import base64
import binascii
import hashlib
from typing import Annotated, Any, Final

import msgspec

from guard.errors import InvalidError

_DIGEST_BYTES: Final = 12
_MAX_LENGTH: Final = 512


class Position(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """After which row to go on, by (recorded_at, id), or by gravity before that."""

    listing: bytes
    recorded_at: Annotated[int, msgspec.Meta(ge=0, le=2**62)]
    id: Annotated[str, msgspec.Meta(pattern=r"\A[^\x00]*\Z")]
    """Without NUL, which PostgreSQL refuses even to compare with."""
    gravity: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] = 0


def listing(*scope: Any) -> bytes:
    """Return a short digest of what is listed: owner, filter and kind of listing."""
    return hashlib.sha256(msgspec.msgpack.encode(scope)).digest()[:_DIGEST_BYTES]


def encode(position: Position) -> str:
    """Return the position as an opaque URL-safe text."""
    packed = msgspec.msgpack.encode(position)
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode("ascii")


def decode(cursor: str, listing: bytes) -> Position:
    """Return the position. Raises InvalidError for a cursor of another listing, or none at all."""
    if len(cursor) > _MAX_LENGTH:
        raise InvalidError("cursor")
    try:
        packed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        position = msgspec.msgpack.decode(packed, type=Position)
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        raise InvalidError("cursor") from None
    if position.listing != listing:
        raise InvalidError("cursor")
    return position
