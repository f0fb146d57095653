r"""Signed checkpoints: what a tenant's record was, in a form that others can check (Q6). Pure.

A checkpoint is a note as transparency logs write it (C2SP `tlog-checkpoint` and `signed-note`):

    <origin>
    <number of leaves>
    <base64 of the Merkle root>

    — <key name> <base64 of key hash (4 bytes) || Ed25519 signature over the lines above>

The origin is `<key name>/<tenant, percent-encoded>`. A verifier's key is one line,
`<key name>+<key hash, hex>+<base64 of 0x01 || public key>`; the signer's is the same behind
`PRIVATE+KEY+` and with the private key in it. The key hash is the beginning of
SHA-256(key name || "\n" || 0x01 || public key).
"""

import base64
import binascii
import hashlib
import re
from typing import Final, Self
from urllib.parse import quote, unquote

import msgspec

from guard.errors import InvalidError, UnreadableError
from memory.types import TenantId
from storage.hazmat import TamperedError, check_signature, new_ed25519, public_of, sign

_ED25519: Final = b"\x01"
_HASH_BYTES: Final = 4
_PRIVATE: Final = "PRIVATE+KEY+"
_NAME: Final = re.compile(r"[^\s+]{1,200}")
_DASH: Final = "\u2014"
_MOST_LEAVES: Final = 2**62


class Checkpoint(msgspec.Struct, frozen=True):
    """How many leaves a tenant's record had, and the Merkle root over them."""

    tenant: TenantId
    size: int
    root: bytes


class VerifierKey(msgspec.Struct, frozen=True):
    """Whose checkpoints are believed."""

    name: str
    public: bytes

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the key in its one line. Raises InvalidError, which quotes nothing."""
        name, public = _key(text)
        return cls(name, public)

    def __str__(self) -> str:
        """Return the key's one line."""
        return f"{self.name}+{self.hash.hex()}+{_base64(_ED25519 + self.public)}"

    @property
    def hash(self) -> bytes:
        """What a signature names the key by."""
        said = self.name.encode() + b"\n" + _ED25519 + self.public
        return hashlib.sha256(said).digest()[:_HASH_BYTES]

    def open(self, note: str) -> Checkpoint:
        """Return the checkpoint in a note that this key has signed. Raises UnreadableError."""
        head, _, signatures = note.partition("\n\n")
        text = head + "\n"
        for line in signatures.splitlines():
            dash, _, rest = line.partition(" ")
            name, _, encoded = rest.partition(" ")
            if (dash, name) != (_DASH, self.name):
                continue
            signature = _decoded(encoded)
            if signature[:_HASH_BYTES] != self.hash:
                continue
            try:
                check_signature(self.public, text.encode(), signature[_HASH_BYTES:])
            except TamperedError:
                break
            return _parsed(self.name, head)
        raise UnreadableError("checkpoint")


class SigningKey:
    """Signs checkpoints. Shows its verifier's key, never itself."""

    __slots__ = ("_private", "verifier")

    def __init__(self, name: str, private: bytes) -> None:
        self._private = private
        self.verifier: Final = VerifierKey(name, public_of(private))

    @classmethod
    def new(cls, name: str) -> Self:
        """Return a fresh key. Raises InvalidError for a name with spaces or a plus."""
        if not _NAME.fullmatch(name):
            raise InvalidError("audit key: a name of 1 to 200 characters, no space and no plus")
        return cls(name, new_ed25519()[0])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the key in its one line. Raises InvalidError, which quotes nothing."""
        if not text.startswith(_PRIVATE):
            raise InvalidError("audit key: not a signer's key")
        name, _, rest = text.removeprefix(_PRIVATE).partition("+")
        _, _, encoded = rest.partition("+")
        private = _raw_key(encoded)
        key = cls(name, private)
        if key.line() != text.strip():
            raise InvalidError("audit key: its parts do not fit each other")
        return key

    def line(self) -> str:
        """Return the secret line that `parse` reads."""
        verifier = self.verifier
        encoded = _base64(_ED25519 + self._private)
        return f"{_PRIVATE}{verifier.name}+{verifier.hash.hex()}+{encoded}"

    def note(self, checkpoint: Checkpoint) -> str:
        """Return the signed note of a checkpoint."""
        name = self.verifier.name
        origin = f"{name}/{quote(checkpoint.tenant, safe='')}"
        text = f"{origin}\n{checkpoint.size}\n{_base64(checkpoint.root)}\n"
        signature = self.verifier.hash + sign(self._private, text.encode())
        return f"{text}\n{_DASH} {name} {_base64(signature)}\n"


def _key(text: str) -> tuple[str, bytes]:
    name, _, rest = text.strip().partition("+")
    _, _, encoded = rest.partition("+")
    if not _NAME.fullmatch(name):
        raise InvalidError("audit key: not a verifier's key")
    public = _raw_key(encoded)
    if str(VerifierKey(name, public)) != text.strip():
        raise InvalidError("audit key: its parts do not fit each other")
    return name, public


def _raw_key(encoded: str) -> bytes:
    try:
        key = base64.b64decode(encoded.strip(), validate=True)
    except binascii.Error:
        raise InvalidError("audit key: not base64") from None
    if key[:1] != _ED25519 or len(key) != 33:  # noqa: PLR2004 - the kind, and 32 bytes
        raise InvalidError("audit key: not an Ed25519 key")
    return key[1:]


def _parsed(name: str, head: str) -> Checkpoint:
    """Return what the signed lines say; further lines are extensions, which we give no meaning."""
    origin, *rest = head.split("\n")
    prefix = f"{name}/"
    if len(rest) < 2 or not origin.startswith(prefix) or not rest[0].isascii():  # noqa: PLR2004
        raise UnreadableError("checkpoint")
    if not rest[0].isdecimal() or str(int(rest[0])) != rest[0] or int(rest[0]) > _MOST_LEAVES:
        raise UnreadableError("checkpoint")
    root = _decoded(rest[1])
    if len(root) != hashlib.sha256().digest_size:
        raise UnreadableError("checkpoint")
    return Checkpoint(TenantId(unquote(origin.removeprefix(prefix))), int(rest[0]), root)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise UnreadableError("checkpoint") from None


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
