"""The primitives, and the only importer of `cryptography`. All above it speaks of keys by purpose.

Nonces are arguments here and no seal draws its own, so that stored formats can be pinned by byte.
A failed check is an exception, never a bool that a caller might forget to look at.

Keys are wrapped with AES-256-GCM and not with AES-KWP (RFC 5649): KWP takes no associated data, and
a wrapped key must not unwrap in another tenant's, subject's or number's place. The price is a
random 96-bit nonce, safe far beyond the number of keys one parent will ever wrap (2**32).
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from typing import Final

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
AEAD_TAG_BYTES: Final = 16
MAC_BYTES: Final = 32


class TamperedError(Exception):
    """A cipher text or tag does not fit its key and associated data. Says nothing more."""

    def __init__(self) -> None:
        super().__init__("tampered")


class Cipher:
    """AES-256-GCM under one key, set up once: for a short text that takes as long as the text."""

    __slots__ = ("_gcm",)

    def __init__(self, key: bytes) -> None:
        """Take a key of 32 bytes. Raises ValueError for any other."""
        if len(key) != KEY_BYTES:
            raise ValueError("only AES-256 is used")
        self._gcm = AESGCM(key)

    def encrypt(self, nonce: bytes, plain: bytes, associated: bytes) -> bytes:
        """Return cipher text and 16-byte tag. Never call twice with one nonce."""
        if len(nonce) != NONCE_BYTES:
            # The primitive would take other lengths and fold them, at a higher risk of collision.
            raise ValueError("nonce must be 12 bytes")
        return self._gcm.encrypt(nonce, plain, associated)

    def decrypt(self, nonce: bytes, sealed: bytes, associated: bytes) -> bytes:
        """Return the plain text. Raises TamperedError when a single bit of anything differs."""
        try:
            return self._gcm.decrypt(nonce, sealed, associated)
        except (InvalidTag, ValueError):
            raise TamperedError from None


def encrypt(key: bytes, nonce: bytes, plain: bytes, associated: bytes) -> bytes:
    """Return AES-256-GCM cipher text and 16-byte tag. Never call twice with one nonce."""
    return Cipher(key).encrypt(nonce, plain, associated)


def decrypt(key: bytes, nonce: bytes, sealed: bytes, associated: bytes) -> bytes:
    """Return the plain text. Raises TamperedError when a single bit of anything differs."""
    try:
        return Cipher(key).decrypt(nonce, sealed, associated)
    except ValueError:
        raise TamperedError from None


def wrap(parent: bytes, nonce: bytes, key: bytes, associated: bytes) -> bytes:
    """Return `key` encrypted under its parent and bound to `associated`."""
    if len(key) != KEY_BYTES:
        raise ValueError("only 32-byte keys are wrapped")
    return encrypt(parent, nonce, key, associated)


def unwrap(parent: bytes, nonce: bytes, wrapped: bytes, associated: bytes) -> bytes:
    """Return the key that `wrap` was given. Raises TamperedError."""
    key = decrypt(parent, nonce, wrapped, associated)
    if len(key) != KEY_BYTES:
        raise TamperedError
    return key


def derive(key: bytes, info: bytes) -> bytes:
    """Return the 32-byte key for the purpose that `info` names: HKDF-SHA256 without salt."""
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(key)


def mac(key: bytes, data: bytes) -> bytes:
    """Return HMAC-SHA256."""
    return hmac.digest(key, data, "sha256")


def macs(key: bytes, items: Iterable[bytes]) -> Iterator[bytes]:
    """Yield HMAC-SHA256 of each item; for many short ones, as the key is set up once."""
    keyed = hmac.new(key, digestmod="sha256")
    for item in items:
        one = keyed.copy()
        one.update(item)
        yield one.digest()


def check_mac(key: bytes, data: bytes, tag: bytes) -> None:
    """Return when `tag` is the HMAC of `data`, in constant time. Raises TamperedError."""
    if not hmac.compare_digest(mac(key, data), tag):
        raise TamperedError


def equal(one: bytes, other: bytes) -> bool:
    """Compare in time that does not depend on where the two differ."""
    return hmac.compare_digest(one, other)


def stream(key: bytes, context: bytes, length: int) -> bytes:
    """Return `length` bytes that look random without `key`: SHAKE-256(key ‖ context)."""
    if len(key) != KEY_BYTES:
        # With keys of one length the boundary between key and context is never in doubt.
        raise ValueError("stream keys are 32 bytes")
    return hashlib.shake_256(key + context).digest(length)


def new_ed25519() -> tuple[bytes, bytes]:
    """Return a fresh Ed25519 key pair (RFC 8032), private and public, 32 bytes each."""
    private = Ed25519PrivateKey.generate()
    return private.private_bytes_raw(), private.public_key().public_bytes_raw()


def public_of(private: bytes) -> bytes:
    """Return the public key of an Ed25519 private key. Raises ValueError for another length."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def sign(private: bytes, message: bytes) -> bytes:
    """Return the Ed25519 signature over `message`, 64 bytes."""
    return Ed25519PrivateKey.from_private_bytes(private).sign(message)


def check_signature(public: bytes, message: bytes, signature: bytes) -> None:
    """Return when `signature` is the key's over `message`; raise TamperedError when it is not."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        raise TamperedError from None
