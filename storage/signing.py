"""A signing key for development tokens; production brings keys of its own."""

import base64
import hashlib

from storage.hazmat import new_ed25519


def generate_signing_jwk() -> dict[str, str]:
    """Return a fresh private Ed25519 JWK (RFC 8037) whose `kid` is derived from the public key."""
    private, public = new_ed25519()
    return {
        "kty": "OKP",
        "crv": "Ed25519",
        "alg": "EdDSA",
        "use": "sig",
        "kid": hashlib.sha256(public).hexdigest()[:16],
        "x": _base64url(public),
        "d": _base64url(private),
    }


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
