"""What is bounded before anybody is known: addresses, failed tokens, connections; and TLS (E14)."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Self

import httpx2
import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from litestar import Litestar
from litestar.testing import TestClient

from gateway.edge import server
from gateway.peers import UNKNOWN, Proxies
from gateway.settings import ForwardedHeader, Http, Limits
from tests.edges.world import World, bearer, ed25519_jwk, token

pytestmark = pytest.mark.requirement("E14")

LOCAL = Http(port=0, shutdown_seconds=1, trusted_proxies=("127.0.0.0/8",))


def _proxies(*networks: str, header: ForwardedHeader = ForwardedHeader.X_FORWARDED_FOR) -> Proxies:
    return Proxies(Http(trusted_proxies=networks, forwarded_header=header))


def _sent(*values: str, name: str = "x-forwarded-for") -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for value in values]


PROXY, FIRST, SECOND = "192.0.2.1", "198.51.100.7", "203.0.113.9"


@pytest.mark.parametrize(
    ("host", "headers", "counted"),
    [
        (FIRST, [], FIRST),
        (FIRST, _sent(SECOND), FIRST),
        (PROXY, [], PROXY),
        (PROXY, _sent(FIRST), FIRST),
        (PROXY, _sent(f"{SECOND}, {FIRST}"), FIRST),
        (PROXY, _sent(SECOND, FIRST), FIRST),
        (PROXY, _sent(f"{SECOND}, {FIRST}, 192.0.2.77"), FIRST),
        (PROXY, _sent(f"{FIRST}:4711"), FIRST),
        (PROXY, _sent("192.0.2.8, 192.0.2.9"), "192.0.2.8"),
        (PROXY, _sent(f"{FIRST}, unknown"), PROXY),
        (PROXY, _sent(f"{FIRST}, "), PROXY),
        (PROXY, _sent("a" * 10_000), PROXY),
        (PROXY, _sent(f"for={FIRST}", name="forwarded"), PROXY),
        (f"::ffff:{PROXY}", _sent(FIRST), FIRST),
        ("2001:db8:1:2:3:4:5:6", [], "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", [], "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", [], "2001:db8:1:3::/64"),
        (PROXY, _sent("[2001:db8:1:2::9]:443"), "2001:db8:1:2::/64"),
        (PROXY, _sent("2001:db8:1:2::9"), "2001:db8:1:2::/64"),
        (f"::ffff:{FIRST}", [], FIRST),
        (None, [], UNKNOWN),
        ("testclient", _sent(FIRST), UNKNOWN),
    ],
)
def test_an_address_is_believed_from_trusted_proxies_alone(
    host: str | None, headers: list[tuple[bytes, bytes]], counted: str
) -> None:
    """The last address that no trusted proxy has counts; what stands left of it may be a lie."""
    assert _proxies("192.0.2.0/24").peer(host, headers) == counted


@pytest.mark.parametrize(
    ("value", "counted"),
    [
        (f"for={FIRST}", FIRST),
        (f"For={FIRST};proto=https;by={PROXY}", FIRST),
        (f"proto=https; for={FIRST}", FIRST),
        (f'for="{FIRST}:4711"', FIRST),
        ('for="[2001:db8:1:2::9]:443"', "2001:db8:1:2::/64"),
        (f"for={SECOND}, for={FIRST}", FIRST),
        (f'for="{SECOND}, for={FIRST}', FIRST),
        ("for=_hidden", PROXY),
        (f"by={FIRST}", PROXY),
        (f"x-for={FIRST}", PROXY),
    ],
)
def test_the_standard_header_is_read_where_it_is_configured(value: str, counted: str) -> None:
    """RFC 7239 in its forms; the other header, which the client may send itself, is not read."""
    proxies = _proxies("192.0.2.0/24", header=ForwardedHeader.FORWARDED)
    headers = _sent(value, name="forwarded") + _sent(SECOND)
    assert proxies.peer(PROXY, headers) == counted


@pytest.fixture
def narrow(world: World) -> World:
    """Return an edge that takes three failed tokens and twenty requests of an address a minute."""
    limits = Limits(peer_failures_per_minute=3, peer_requests_per_minute=20)
    world.settings = msgspec.structs.replace(world.settings, limits=limits, http=LOCAL)
    return world


@pytest.fixture
def client(narrow: World) -> Iterator[TestClient[Litestar]]:
    """Yield a client of that edge."""
    with TestClient(narrow.app(), raise_server_exceptions=False) as opened:
        yield opened


def _status(client: TestClient[Litestar], value: str | None) -> int:
    headers = {} if value is None else bearer(value)
    return client.get("/v1/memories", headers=headers).status_code


def test_an_address_whose_tokens_fail_is_refused_before_the_next_is_read(
    client: TestClient[Litestar], narrow: World, signing_key: dict[str, Any]
) -> None:
    """After three failures even a good token is not looked at; a third of a minute later it is."""
    good, forged = token(signing_key), token(ed25519_jwk())
    assert _status(client, good) == 200
    assert [_status(client, forged) for _ in range(5)] == [401, 401, 401, 429, 429]
    refused = client.get("/v1/memories", headers=bearer(good))
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "20"
    assert refused.json()["violated-policies"] == ["failures"]
    assert client.get("/healthz").status_code == 200
    narrow.clock.seconds += 20
    assert _status(client, good) == 200
    assert [_status(client, forged) for _ in range(2)] == [401, 429]


def test_a_request_without_a_token_tries_nothing(
    client: TestClient[Litestar], signing_key: dict[str, Any]
) -> None:
    """A client that asks first where to get a token is no attacker."""
    assert [_status(client, None) for _ in range(10)] == [401] * 10
    assert _status(client, token(signing_key)) == 200


def test_good_tokens_and_refusals_of_other_kinds_are_no_failures(
    client: TestClient[Litestar], signing_key: dict[str, Any]
) -> None:
    """A missing scope or a wrong body costs no trust in the address."""
    scopeless = token(signing_key, scope="")
    assert [_status(client, scopeless) for _ in range(5)] == [403] * 5
    assert _status(client, token(signing_key)) == 200


def test_requests_of_an_address_are_bounded(
    client: TestClient[Litestar], narrow: World, signing_key: dict[str, Any]
) -> None:
    """The twenty-first in a minute is refused, whatever it asks and whoever it is."""
    statuses = [client.get("/healthz").status_code for _ in range(21)]
    assert statuses == [200] * 20 + [429]
    assert _status(client, token(signing_key)) == 429
    narrow.clock.seconds += 3
    assert _status(client, token(signing_key)) == 200


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("path", ["/v1/memories", "/mcp", "/sse"])
async def test_addresses_behind_a_trusted_proxy_are_told_apart(
    live_narrow: str, signing_key: dict[str, Any], path: str
) -> None:
    """One caller's failures close the door to him, on each transport, and to nobody else."""
    forged = bearer(token(ed25519_jwk()))
    async with httpx2.AsyncClient(base_url=live_narrow) as http:
        bad = forged | {"X-Forwarded-For": f"{SECOND}, {FIRST}"}
        assert [(await http.get(path, headers=bad)).status_code for _ in range(4)] == [
            *(401, 401, 401, 429)
        ]
        other = bearer(token(signing_key)) | {"X-Forwarded-For": f"{FIRST}, {SECOND}"}
        assert (await http.get("/v1/memories", headers=other)).status_code == 200


@asynccontextmanager
async def _serving(world: World) -> AsyncIterator[int]:
    running = server(world.app(), world.settings)
    task = asyncio.create_task(running.serve())
    while not running.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    try:
        yield running.servers[0].sockets[0].getsockname()[1]
    finally:
        running.should_exit = True
        await task


@pytest.fixture
async def live_narrow(narrow: World) -> AsyncIterator[str]:
    """Yield the address of that edge behind a real server."""
    async with _serving(narrow) as port:
        yield f"http://127.0.0.1:{port}"


HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


class Connections:
    """Bare connections of one test, closed in the end."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Self:
        """Begin without any."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all of them."""
        for writer in self._writers:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open one more."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers.append(writer)
        return reader, writer

    async def answer(self) -> bytes:
        """Return the first line that a fresh connection is answered, nothing if it is closed."""
        reader, writer = await self.open()
        writer.write(HEALTH)
        line = b""
        with contextlib.suppress(ConnectionError):
            line = await reader.readline()
        writer.close()
        return line


async def test_connections_of_an_address_are_bounded(world: World) -> None:
    """The third is closed at once and the first two are served; a closed one makes room."""
    http = Http(port=0, shutdown_seconds=1)
    limits = Limits(peer_connections=2)
    world.settings = msgspec.structs.replace(world.settings, http=http, limits=limits)
    async with (
        _serving(world) as port,
        asyncio.timeout(20),
        Connections(port) as connections,
    ):
        (reader, writer), _ = [await connections.open() for _ in range(2)]
        assert [await connections.answer() for _ in range(3)] == [b""] * 3
        writer.write(HEALTH)
        assert b"200" in await reader.readline()
        await reader.read()  # to its end: the server has closed it
        assert b"200" in await connections.answer()


async def test_a_trusted_proxy_opens_as_many_as_it_likes(world: World) -> None:
    """All callers come through its connections."""
    limits = Limits(peer_connections=1)
    world.settings = msgspec.structs.replace(world.settings, http=LOCAL, limits=limits)
    async with (
        _serving(world) as port,
        asyncio.timeout(20),
        Connections(port) as connections,
    ):
        for _ in range(5):
            await connections.open()
        assert b"200" in await connections.answer()


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (b"", b""),
        (b"", b"GET /healthz HTTP/1.1\r\nHost"),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"G"),
    ],
    ids=["silence", "half a head", "half a second head"],
)
async def test_a_head_that_does_not_end_is_not_waited_for(
    world: World, before: bytes, said: bytes
) -> None:
    """Silence or half a head closes the connection in time, also one that was used before."""
    http = Http(port=0, shutdown_seconds=1, head_seconds=0.4)
    world.settings = msgspec.structs.replace(world.settings, http=http)
    async with (
        _serving(world) as port,
        asyncio.timeout(20),
        Connections(port) as connections,
    ):
        reader, writer = await connections.open()
        if before:
            writer.write(before)
            assert b"200" in await reader.readline()
            await reader.readuntil(b"}")
        writer.write(said)
        with contextlib.suppress(ConnectionError):  # a reset is closed as well
            assert await reader.read() == b""
        assert b"200" in await connections.answer()


def _certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for this machine, signed by its own key."""
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gateway")])
    now = datetime.now(UTC)
    local = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(local, critical=False)
        .sign(key, SHA256())
    )
    cert, private = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(Encoding.PEM))
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return cert, private


async def test_the_gateway_speaks_tls_by_certificate_files(world: World, tmp_path: Path) -> None:
    """Who trusts the certificate is served; who does not breaks off, and plain HTTP fails."""
    cert, key = _certificate(tmp_path)
    world.settings = msgspec.structs.replace(
        world.settings, http=Http(port=0, shutdown_seconds=1, tls_cert=cert, tls_key=key)
    )
    assert world.settings.url.startswith("https://")
    async with _serving(world) as port:
        trusting = ssl.create_default_context(cafile=str(cert))
        async with httpx2.AsyncClient(verify=trusting) as http:
            answer = await http.get(f"https://127.0.0.1:{port}/healthz")
            assert answer.json() == {"status": "ok"}
        async with httpx2.AsyncClient(trust_env=False) as http:
            with pytest.raises(httpx2.ConnectError):
                await http.get(f"https://127.0.0.1:{port}/healthz")
            with pytest.raises(httpx2.TransportError):
                await http.get(f"http://127.0.0.1:{port}/healthz")
