"""Verification keys are read strictly: each bound to one algorithm, public, and long enough."""

import json
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from gateway.auth import Verifier
from gateway.keysets import KeySet, read_keys
from gateway.minting import mint
from gateway.resources import Resource
from gateway.settings import Algorithm, Auth, Mode, Settings, SettingsError
from guard.errors import UnauthenticatedError
from tests.edges.world import ed25519_jwk, p256_jwk, rsa_jwk, token

EVERY = Auth(algorithms=(Algorithm.EDDSA, Algorithm.ES256, Algorithm.RS256, Algorithm.HS256))


def _public(key: dict[str, Any]) -> dict[str, Any]:
    private = {"d", "p", "q", "dp", "dq", "qi"}
    return {name: value for name, value in key.items() if name not in private}


def _secret(octets: int, kid: str = "hs") -> dict[str, Any]:
    material = jwt.utils.base64url_encode(b"s" * octets).decode()
    return {"kty": "oct", "kid": kid, "alg": "HS256", "k": material}


def _read(
    tmp_path: Path, content: object, auth: Auth = EVERY, mode: Mode = Mode.DEVELOPMENT
) -> KeySet:
    path = tmp_path / "keys"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return read_keys(path, auth, mode)


@pytest.mark.requirement("E1")
@pytest.mark.parametrize("make", [ed25519_jwk, p256_jwk, rsa_jwk])
@pytest.mark.parametrize("form", ["set", "jwk", "pem"])
async def test_public_keys_verify_in_production(tmp_path: Path, make: Any, form: str) -> None:
    """Each asymmetric kind is read from a set, a single JWK and PEM, and verifies its tokens."""
    key = make("k1")
    pem = (
        jwt.PyJWK(key)
        .key.public_key()
        .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    content = {"set": {"keys": [_public(key)]}, "jwk": _public(key), "pem": pem}[form]
    auth = Auth(key_id="k1")
    verifier = Verifier(_read(tmp_path, content, auth, Mode.PRODUCTION), auth, Settings().url)
    assert (await verifier.verify(token(key), Resource.REST)).tenant == "acme"
    with pytest.raises(UnauthenticatedError):
        await verifier.verify(token(make("k1")), Resource.REST)


@pytest.mark.requirement("E1")
async def test_a_development_token_is_accepted_and_expires(tmp_path: Path) -> None:
    """What `mint` makes verifies with the same key file, whatever the claims are called."""
    key = ed25519_jwk()
    auth = Auth(tenant_claim="org")
    verifier = Verifier(_read(tmp_path, key, auth), auth, Settings().url)
    made = mint(key, auth, tenant="acme", subject="bob", scopes=["memory:read", "memory:write"])
    claims = await verifier.verify(made, Resource.REST)
    assert (claims.tenant, claims.subject, claims.client) == ("acme", "bob", "dev-app")
    assert claims.scope == "memory:read memory:write"
    over = mint(key, auth, tenant="acme", subject="bob", scopes=[], ttl_seconds=-60)
    with pytest.raises(UnauthenticatedError):
        await verifier.verify(over, Resource.REST)


@pytest.mark.requirement("E1")
async def test_a_single_key_needs_no_id_and_a_wrong_id_is_refused(tmp_path: Path) -> None:
    """With one key a token may leave out the id; an id that nobody has is refused all the same."""
    key = ed25519_jwk(None)
    verifier = Verifier(_read(tmp_path, key), EVERY, Settings().url)
    assert (await verifier.verify(token(key), Resource.REST)).subject == "alice"
    with pytest.raises(UnauthenticatedError):
        await verifier.verify(token(key, headers={"kid": "another"}), Resource.REST)


@pytest.mark.requirement("E1")
async def test_a_shared_secret_works_in_development_when_configured(tmp_path: Path) -> None:
    """HS256 is off by default, works when asked for, and is bound to its own key."""
    secret, ours = _secret(32), ed25519_jwk()
    verifier = Verifier(_read(tmp_path, {"keys": [secret, ours]}), EVERY, Settings().url)
    assert (await verifier.verify(token(secret), Resource.REST)).tenant == "acme"
    assert (await verifier.verify(token(ours), Resource.REST)).tenant == "acme"
    with pytest.raises(UnauthenticatedError):
        await verifier.verify(token(secret, headers={"kid": "one"}), Resource.REST)
    with pytest.raises(SettingsError, match="not configured"):
        _read(tmp_path, secret, Auth())


def _private_pem() -> bytes:
    pem: bytes = jwt.PyJWK(ed25519_jwk()).key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    return pem


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("content", "mode"),
    [
        (b"", Mode.DEVELOPMENT),
        (b"noise", Mode.DEVELOPMENT),
        (b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", Mode.DEVELOPMENT),
        ({}, Mode.DEVELOPMENT),
        ({"keys": []}, Mode.DEVELOPMENT),
        ({"keys": "x"}, Mode.DEVELOPMENT),
        ({"keys": ["x"]}, Mode.DEVELOPMENT),
        ({"kty": "OKP", "crv": "Ed25519", "x": "AA"}, Mode.DEVELOPMENT),
        ({"kty": "OKP", "crv": "X25519", "x": "AA"}, Mode.DEVELOPMENT),
        ({"keys": [ed25519_jwk("one"), ed25519_jwk("one")]}, Mode.DEVELOPMENT),
        ({"keys": [ed25519_jwk("one"), ed25519_jwk(None)]}, Mode.DEVELOPMENT),
        ({**ed25519_jwk(), "kid": 7}, Mode.DEVELOPMENT),
        ({**ed25519_jwk(), "use": "enc"}, Mode.DEVELOPMENT),
        (rsa_jwk(bits=1024), Mode.DEVELOPMENT),
        (_secret(31), Mode.DEVELOPMENT),
        (ed25519_jwk(), Mode.PRODUCTION),
        (rsa_jwk(), Mode.PRODUCTION),
        (_secret(64), Mode.PRODUCTION),
        (_private_pem(), Mode.PRODUCTION),
    ],
    ids=[
        "nothing",
        "noise",
        "a torn PEM",
        "no field",
        "no keys",
        "keys no list",
        "a key no object",
        "a short key",
        "a key for agreement",
        "one id twice",
        "an id missing",
        "an id no text",
        "a key for encryption",
        "a short modulus",
        "a short secret",
        "a private key",
        "a private RSA key",
        "a secret",
        "a private PEM",
    ],
)
def test_unfit_key_files_are_refused(tmp_path: Path, content: object, mode: Mode) -> None:
    """Malformed, short, doubtful and, in production, private keys stop the start, unquoted."""
    with pytest.raises(SettingsError) as refused:
        _read(tmp_path, content, EVERY, mode)
    for member in ("x", "d", "k", "n"):
        if isinstance(content, dict) and len(str(content.get(member, ""))) > 4:
            assert str(content[member]) not in str(refused.value)


async def test_a_key_does_not_show_its_material(tmp_path: Path) -> None:
    """A key in a log or a traceback names itself and nothing else."""
    found = await _read(tmp_path, _secret(32)).find("hs")
    assert repr(found) == "Key('hs', HS256)"
