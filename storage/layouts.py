"""Byte layouts of what is stored sealed. `docs/formats.md` shows them; golden vectors pin them.

Envelope, version 1 (tokens, entries, evidence and wrapped keys)::

    0x01 | key number, 4 bytes BE | nonce, 12 bytes | cipher text | tag, 16 bytes

Associated data and MAC inputs are sequences of fields, each preceded by its length in 4 bytes BE,
so that no two different sequences have the same bytes. The first field names the format, so that no
sequence of one format can be taken for one of another.

Label tag, version 1::

    0x01 | tenant key number, 4 bytes BE | HMAC-SHA256, 32 bytes
"""

import hashlib
from collections.abc import Sequence
from typing import Final

import msgspec

from guard.nouns import Label
from memory.types import Owner

VERSION: Final = 1
_NUMBER: Final = 4
_HEADER: Final = 1 + _NUMBER
_NONCE: Final = 12
_AEAD_TAG: Final = 16
_MAC: Final = 32
_FIRST_LABEL: Final = 24
"""Fields of a label that are always written, up to its leaf."""

_encoder = msgspec.msgpack.Encoder()


class LayoutError(ValueError):
    """Bytes are not in a layout that this version knows."""


class Envelope(msgspec.Struct, frozen=True):
    """The parts of sealed bytes. `body` is cipher text with its tag."""

    number: int
    nonce: bytes
    body: bytes


def pack(envelope: Envelope) -> bytes:
    """Return the stored form of an envelope."""
    return _head(envelope.number) + envelope.nonce + envelope.body


def unpack(data: bytes) -> Envelope:
    """Return the parts of a stored envelope. Raises LayoutError."""
    if len(data) < _HEADER + _NONCE + _AEAD_TAG or data[0] != VERSION:
        raise LayoutError("envelope")
    body = _HEADER + _NONCE
    return Envelope(int.from_bytes(data[1:_HEADER], "big"), data[_HEADER:body], data[body:])


def pack_tag(number: int, mac: bytes) -> bytes:
    """Return the stored form of a label tag."""
    return _head(number) + mac


def unpack_tag(data: bytes) -> tuple[int, bytes]:
    """Return key number and MAC of a stored label tag. Raises LayoutError."""
    if len(data) != _HEADER + _MAC or data[0] != VERSION:
        raise LayoutError("label tag")
    return int.from_bytes(data[1:_HEADER], "big"), data[_HEADER:]


def fields(*parts: bytes) -> bytes:
    """Join fields so that boundaries can't move: injective over sequences of byte strings."""
    # Made for each memory of each recall, more than once.
    return b"".join([one for part in parts for one in (len(part).to_bytes(4, "big"), part)])


def info(scope: str, purpose: str) -> bytes:
    """Return what HKDF is told about a derived key: whose it is and what it is for."""
    return fields(b"memguard/derive/1", scope.encode(), purpose.encode())


def wrap_data(scope: str, number: int, parent: int, *path: str) -> bytes:
    """Return what binds a wrapped key to its place: scope, both numbers, tenant, subject."""
    names = (part.encode() for part in path)
    return fields(b"memguard/wrap/1", scope.encode(), _number(number), _number(parent), *names)


def token_data(purpose: str, number: int, owner: Owner, label: Label) -> bytes:
    """Return what binds a token to its memory, `owner` being the one who seals or asks."""
    return fields(
        b"memguard/token/1",
        purpose.encode(),
        _number(number),
        owner.tenant.encode(),
        owner.subject.encode(),
        label.id.encode(),
        label.layer.value.encode(),
        label.revision.to_bytes(8, "big"),
    )


def record_data(purpose: str, number: int, owner: Owner, place: Sequence[bytes]) -> bytes:
    """Return what binds a record that is no memory to its owner and place."""
    names = (owner.tenant.encode(), owner.subject.encode())
    return fields(b"memguard/record/1", purpose.encode(), _number(number), *names, *place)


def tag_data(
    number: int, label: Label, fingerprint: bytes, evidence: bytes, claim: bytes = b""
) -> bytes:
    """Return what a label tag covers: the whole label, the fingerprint, a digest of the evidence.

    The label has a digest of its own for content and entry; evidence has none there, and without it
    whoever writes to the ledger could drop the findings of a held memory unnoticed. A claim is
    covered where there is one; memories from before claims keep their tags.
    """
    # A database may hand back 1 for 1.0, which MessagePack writes differently.
    if not (type(label.importance) is type(label.confidence) is float):
        label = msgspec.structs.replace(
            label, importance=float(label.importance), confidence=float(label.confidence)
        )
    return fields(
        b"memguard/label/1",
        _number(number),
        label_bytes(label),
        fingerprint,
        digest(evidence),
        *((claim,) if claim else ()),
    )


def label_bytes(label: Label) -> bytes:
    """Return a label as its tag covers it: without what was added to labels later and is 0."""
    values = msgspec.structs.astuple(label)
    length = len(values)
    while length > _FIRST_LABEL and not values[length - 1]:
        length -= 1
    return _encoder.encode(values[:length])


def digest(sealed: bytes) -> bytes:
    """Return SHA-256 over sealed bytes; nothing for nothing, so that an emptied row says so."""
    return hashlib.sha256(sealed).digest() if sealed else b""


def utf8(text: str) -> bytes:
    """Return what a keyed id is made from. Lone surrogates neither fail nor fall together."""
    return text.encode("utf-8", "surrogatepass")


def _head(number: int) -> bytes:
    return bytes((VERSION,)) + _number(number)


def _number(number: int) -> bytes:
    return number.to_bytes(_NUMBER, "big")
