"""Keys are read again while the gateway serves: from a file, or from where an issuer publishes."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gateway.app.token_keys import opened_keys, refuse_wrong_keys
from gateway.auth import Verifier
from gateway.keysets import KeySet, LiveKeys, published_keys
from gateway.resources import Resource
from gateway.settings import Auth, Settings, SettingsError, load
from guard.errors import InvalidError, UnauthenticatedError, UnavailableError
from tests.edges.world import ed25519_jwk, p256_jwk, rsa_jwk, token

ONE, TWO = ed25519_jwk("one"), ed25519_jwk("two")


def public(key: dict[str, Any]) -> dict[str, Any]:
    """Return what an issuer publishes of a key."""
    return {
        name: value for name, value in key.items() if name not in {"d", "p", "q", "dp", "dq", "qi"}
    }


def published(*keys: dict[str, Any]) -> bytes:
    """Return a JWK Set."""
    return json.dumps({"keys": [public(key) for key in keys]}).encode()


class Issuer:
    """Publishes keys at a loopback address, and can be made to answer with anything."""

    def __init__(self) -> None:
        self.answer: tuple[int, bytes] = (200, published(ONE))
        self.asked = 0
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked += 1
                status, body = issuer.answer
                self.send_response(status)
                if status == 302:
                    self.send_header("location", f"{issuer.url}/elsewhere")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/jwks"


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    """Lend an issuer that publishes key `one`."""
    issuer = Issuer()
    thread = threading.Thread(target=issuer.server.serve_forever, args=(0.01,))
    thread.start()
    yield issuer
    issuer.server.shutdown()
    issuer.server.server_close()
    thread.join()


def settings_of(folder: Path, **auth: object) -> Settings:
    """Return a development gateway's settings."""
    overrides = {f"auth.{name}": str(value) for name, value in auth.items()}
    return load(environ={}, overrides=overrides | {"storage.data_dir": str(folder)})


async def accepts(keys: LiveKeys, key: dict[str, Any]) -> bool:
    """Say whether a token of this key is believed."""
    try:
        await Verifier(keys, Auth(), Settings().url).verify(token(key), Resource.REST)
    except UnauthenticatedError:
        return False
    return True


@pytest.mark.requirement("E2")
async def test_an_issuer_rotates_its_keys_without_a_restart(issuer: Issuer, tmp_path: Path) -> None:
    """After the next reading the new key counts, and one that is withdrawn counts no longer."""
    settings = settings_of(tmp_path, keys_url=issuer.url)
    async with opened_keys(settings) as keys:
        assert await accepts(keys, ONE)
        assert not await accepts(keys, TWO)
        issuer.answer = (200, published(TWO))
        await keys.run_once()
        assert await accepts(keys, TWO)
        assert not await accepts(keys, ONE)
    assert issuer.asked == 2


class Source:
    """Loads what it is told, and counts."""

    def __init__(self) -> None:
        self.now = 0.0
        self.loaded = 0
        self.next: Callable[[], KeySet | None] = lambda: None

    async def __call__(self) -> KeySet | None:
        """Load once."""
        self.loaded += 1
        await asyncio.sleep(0)
        return self.next()

    def keys(self) -> LiveKeys:
        """Return keys that read from here, of which `one` is known."""
        first = published_keys(published(ONE), Auth())
        return LiveKeys(first, self, every_seconds=3600, floor_seconds=10, now=lambda: self.now)


@pytest.mark.requirement("E2")
async def test_made_up_keys_make_it_read_once_within_the_floor() -> None:
    """A flood of tokens of unknown keys is one reading, and known keys never cause any."""
    source = Source()
    keys = source.keys()
    source.now = 11
    flood = [ed25519_jwk(f"made-up-{number}") for number in range(20)]
    assert not any(await asyncio.gather(*(accepts(keys, key) for key in flood)))
    assert source.loaded == 1
    source.now = 20.9
    assert not await accepts(keys, TWO)
    assert source.loaded == 1
    source.now = 21
    source.next = lambda: published_keys(published(ONE, TWO), Auth())
    assert await accepts(keys, TWO)
    assert await accepts(keys, ONE)
    assert source.loaded == 2


@pytest.mark.requirement("E2")
@pytest.mark.parametrize(
    "answer",
    [
        (500, b""),
        (404, published(TWO)),
        (302, b""),
        (200, b"noise"),
        (200, b'{"keys": []}'),
        (200, b'{"keys": [1]}'),
        (200, json.dumps({"keys": [{**public(TWO), "use": "enc"}]}).encode()),
        (200, published(TWO) + b" " * 300_000),
    ],
    ids=["error", "missing", "redirect", "noise", "empty", "no keys", "not to sign with", "huge"],
)
async def test_an_issuer_that_breaks_leaves_the_keys_that_were_read_last(
    issuer: Issuer, tmp_path: Path, answer: tuple[int, bytes]
) -> None:
    """Tokens go on to be believed; at the start there is nothing to go on with, and it waits."""
    settings = settings_of(tmp_path, keys_url=issuer.url, keys_seconds=1)
    async with opened_keys(settings) as keys:
        issuer.answer = answer
        await keys.run_once()
        assert issuer.asked == 2
        assert await accepts(keys, ONE)
        assert not await accepts(keys, TWO)
    with pytest.raises(UnavailableError, match="issuer"):
        async with opened_keys(settings):
            pass


@pytest.mark.requirement("E2")
def test_what_an_issuer_publishes_for_others_is_passed_over() -> None:
    """Keys to encrypt with, of unknown kinds, too short, without an id, and secrets are none."""
    foreign = [
        {**public(rsa_jwk("enc")), "use": "enc"},
        {**public(rsa_jwk("oaep")), "alg": "RSA-OAEP"},
        public(rsa_jwk("short", bits=1024)),
        {"kty": "AKP", "kid": "new", "alg": "ML-DSA-65", "pub": "AAAA"},
        {"kty": "oct", "kid": "secret", "k": "c" * 64},
        {name: value for name, value in public(ONE).items() if name != "kid"},
        ed25519_jwk("private"),
    ]
    ours = [public(ONE), public(p256_jwk("two")), public(rsa_jwk("three"))]
    found = published_keys(json.dumps({"keys": [*foreign, *ours]}).encode(), Auth())
    ids = {"one", "two", "three", "enc", "oaep", "short", "new", "secret", None, "private"}
    assert {id for id in ids if found.known(id) is not None} == {"one", "two", "three"}
    with pytest.raises(SettingsError):
        published_keys(json.dumps({"keys": foreign}).encode(), Auth())


@pytest.mark.requirement("E2")
async def test_a_key_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    """Its next content counts; one that is no key file is as if it had not been written."""
    file = tmp_path / "keys.json"
    file.write_bytes(published(ONE))
    settings = settings_of(tmp_path / "data", keys_file=file)
    async with opened_keys(settings) as keys:
        file.write_bytes(published(TWO))
        await keys.run_once()
        assert await accepts(keys, TWO)
        assert not await accepts(keys, ONE)
        file.write_bytes(b"half a fi")
        await keys.run_once()
        assert await accepts(keys, TWO)


@pytest.mark.requirement("E2")
@pytest.mark.parametrize(
    "auth",
    [
        {"keys_url": "http://keys.example/jwks"},
        {"keys_url": "ftp://127.0.0.1/jwks"},
        {"keys_url": "https://keys.example/jwks", "keys_file": "keys.json"},
        {"keys_url": "https://keys.example/jwks", "key_id": "one"},
        {"keys_url": "https://keys.example/jwks", "algorithms": "EdDSA,HS256"},
        {"keys_url": "https://keys.example/jwks", "keys_ca_file": "/does/not/exist"},
        {"keys_ca_file": "ca.pem"},
    ],
    ids=str,
)
def test_a_source_that_others_could_answer_for_is_refused(
    tmp_path: Path, auth: dict[str, str]
) -> None:
    """Plain http across a network, two sources at once, or a shared secret that is published."""
    with pytest.raises((SettingsError, InvalidError)):
        refuse_wrong_keys(settings_of(tmp_path, **auth), None)


def test_a_source_that_is_fit_is_not_refused(tmp_path: Path) -> None:
    """That is https anywhere, and http on the loopback address."""
    for url in ("https://keys.example/jwks", "http://127.0.0.1:1/jwks"):
        refuse_wrong_keys(settings_of(tmp_path, keys_url=url), None)
