"""How the gateway and a Qdrant server prove themselves to each other."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import jwt
import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from guard.errors import InvalidError, UnavailableError
from storage.index.connection import Server, _tls
from storage.index.credentials import ApiKey, CollectionTokens, NoCredential, Right
from storage.index.placement import Spread
from tests.contracts.index_builders import ACME, entry, id_of, rich
from tests.contracts.qdrant_double import QdrantDouble
from tests.unit.server_world import URL, ServerWorld, found

KEY: Final = "the-api-key-of-the-server-32-bytes"


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("spread", list(Spread))
async def test_tokens_open_one_collection_each(spread: Spread) -> None:
    """With them the server itself confines every request about points; the key is never sent."""
    world = ServerWorld(QdrantDouble(secret=KEY))
    tokens = CollectionTokens(KEY, world.now)
    index = world.gateway(spread, credential=tokens)
    await index.upsert(ACME, [entry(1, rich())])
    await index.begin_rebuild(ACME)
    await index.upsert(ACME, [entry(1, rich())])
    await index.end_rebuild(ACME)
    assert await found(index) == [id_of(1)]
    await index.remove(ACME, [id_of(2)])
    await index.drop(ACME)
    for request in world.double.requests:
        assert "api-key" not in request.headers
        if "/points" in request.url.path:
            claims = _claims(request.headers["authorization"])
            assert claims["access"] == [
                {
                    "collection": request.url.path.split("/")[2],
                    "access": "rw" if request.url.path.endswith("points/batch") else "r",
                }
            ]
            assert claims["exp"] == int(world.now().timestamp()) + 60


def _claims(header: str) -> dict[str, Any]:
    token = header.removeprefix("Bearer ")
    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT"}
    claims: dict[str, Any] = jwt.decode(
        token,
        KEY,
        ["HS256"],
        options={"verify_exp": False},
    )
    return claims


@pytest.mark.requirement("S2")
async def test_a_token_for_one_collection_does_not_open_another() -> None:
    """The control of the double: it does check what a token names, and the key opens all."""
    world = ServerWorld(QdrantDouble(secret=KEY))
    await world.gateway(credential=ApiKey(KEY)).upsert(ACME, [entry(1, rich())])
    first, other = (await world.double.names())[1:]
    tokens = CollectionTokens(KEY, world.now)
    async with httpx.AsyncClient(transport=world.double.wire, base_url=URL) as client:
        for method, name, expected in (
            ("GET", first, 200),
            ("GET", other, 403),
            ("DELETE", first, 403),
        ):
            headers = dict(tokens.headers(name, Right.WRITE))
            sent = await client.request(method, f"/collections/{first}", headers=headers)
            assert sent.status_code == expected, (method, name)
        assert (await client.get(f"/collections/{first}")).status_code == 401


@pytest.mark.requirement("S2")
async def test_a_wrong_key_is_unavailable_and_changes_nothing() -> None:
    """The gateway goes on without the index, as when it is down."""
    world = ServerWorld(QdrantDouble(secret="right"))
    index = world.gateway(credential=ApiKey("wrong"))
    with pytest.raises(UnavailableError):
        await index.upsert(ACME, [entry(1, rich())])
    assert await world.double.names() == []


def _certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate that vouches for itself as qdrant.test, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "qdrant.test")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("qdrant.test")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "cert.pem", folder / "key.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


def _shake(client: ssl.SSLContext, server: ssl.SSLContext, host: str) -> None:
    """Let both sides talk over memory until they agree, or raise."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [
        client.wrap_bio(back, there, server_hostname=host),
        server.wrap_bio(there, back, server_side=True),
    ]
    for _ in range(8):
        for side in tuple(sides):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            sides.remove(side)
    assert sides == []


@pytest.mark.requirement("S2")
def test_only_a_server_that_is_vouched_for_is_spoken_to(tmp_path: Path) -> None:
    """Its certificate must come from the named authority and bear its name; a client's is shown."""
    cert, key = _certificate(tmp_path)
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(cert, key)
    served.load_verify_locations(cert)
    served.verify_mode = ssl.CERT_REQUIRED
    known = Server(
        url="https://qdrant.test",
        credential=NoCredential(),
        timeout_seconds=1,
        ca_file=cert,
        cert_file=cert,
        key_file=key,
    )
    _shake(_tls(known), served, "qdrant.test")
    with pytest.raises(ssl.SSLCertVerificationError):
        _shake(_tls(known), served, "other.test")
    stranger = msgspec.structs.replace(known, ca_file=None)
    with pytest.raises(ssl.SSLCertVerificationError):
        _shake(_tls(stranger), served, "qdrant.test")


@pytest.mark.requirement("S2")
def test_certificates_that_cannot_be_read_stop_the_start(tmp_path: Path) -> None:
    """A missing or broken file is not taken for "no certificate asked for"."""
    (tmp_path / "broken.pem").write_text("no certificate")
    for name in ("absent.pem", "broken.pem"):
        server = Server(
            url="https://qdrant.test",
            credential=NoCredential(),
            timeout_seconds=1,
            ca_file=tmp_path / name,
        )
        with pytest.raises(InvalidError, match="certificates"):
            _tls(server)
