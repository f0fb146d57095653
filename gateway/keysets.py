"""Verification keys: which may vouch for a token, and how they stay those of today (E1, E2).

Each key is bound to one algorithm, so that a token has no say in how it is verified. Keys come from
a file or from a URL that the issuer publishes them at (RFC 7517), and are read again while the
gateway serves, so that an issuer may rotate its keys without a word to anybody.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Final, Protocol

import jwt
import msgspec

from gateway.settings import Algorithm, Auth, Mode, SettingsError
from gateway.telemetry import LOGGER
from guard.errors import UnauthenticatedError, UnavailableError

_PRIVATE_MEMBERS: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth"})


class Keys(Protocol):
    """Where a token's key is looked up."""

    async def find(self, kid: object) -> "Key":
        """Return the key, or raise UnauthenticatedError for one that nobody knows."""
        ...


class Key(msgspec.Struct, frozen=True):
    """One verification key, and the only algorithm it verifies with."""

    id: str | None
    algorithm: Algorithm
    material: Any

    def __repr__(self) -> str:
        """Name the key and hide its material."""
        return f"Key({self.id!r}, {self.algorithm.value})"


class KeySet:
    """The keys that may vouch for a token. A token must name its key unless there is only one."""

    def __init__(self, keys: Iterable[Key]) -> None:
        kept = tuple(keys)
        self._by_id = {key.id: key for key in kept}
        if not kept:
            raise SettingsError("no usable verification key")
        if len(self._by_id) != len(kept) or (len(kept) > 1 and None in self._by_id):
            raise SettingsError("each verification key needs a key id of its own")

    async def find(self, kid: object) -> Key:
        """Return the key, or raise UnauthenticatedError for one that nobody knows."""
        key = self.known(kid)
        if key is None:
            raise UnauthenticatedError
        return key

    def known(self, kid: object) -> Key | None:
        """Return the key that a token names, None for one that is not in the set."""
        if kid is None and len(self._by_id) == 1:
            return next(iter(self._by_id.values()))
        return self._by_id.get(kid) if isinstance(kid, str) else None


def read_keys(path: Path, auth: Auth, mode: Mode) -> KeySet:
    """Return the verification keys of a JWK Set, JWK or PEM file, or raise SettingsError.

    No message quotes the file: it may hold a secret.
    """
    try:
        content = path.read_bytes()
    except OSError:
        raise SettingsError(f"cannot read {path}") from None
    return _parsed(content, path, auth, mode)


def _parsed(content: bytes, path: Path, auth: Auth, mode: Mode) -> KeySet:
    if content.lstrip().startswith(b"-----BEGIN"):
        return KeySet([_from_pem(content, auth, mode)])
    try:
        document = msgspec.json.decode(content, type=dict[str, Any])
    except msgspec.MsgspecError:
        raise SettingsError(f"{path} is neither PEM nor JWK") from None
    members = document.get("keys", [document])
    if not isinstance(members, list) or not all(isinstance(one, dict) for one in members):
        raise SettingsError(f"{path} is not a JWK Set")
    return KeySet(_from_jwk(one, auth, mode) for one in members if one.get("use", "sig") == "sig")


def published_keys(content: bytes, auth: Auth) -> KeySet:
    """Return the keys of a JWK Set that an issuer publishes, or raise SettingsError.

    What is not for us is left out, as RFC 7517 (5) asks: keys to encrypt with, of unknown kinds,
    for algorithms that are not configured, or too short. So are secrets and keys without an id,
    which nobody publishes on purpose.
    """
    try:
        members = msgspec.json.decode(content, type=_Published).keys
    except msgspec.MsgspecError:
        raise SettingsError("what is published is not a JWK Set") from None
    return KeySet(key for one in members if (key := _usable(one, auth)) is not None)


class _Published(msgspec.Struct):
    keys: list[dict[str, Any]]


def _usable(document: dict[str, Any], auth: Auth) -> Key | None:
    if document.get("use", "sig") != "sig" or not isinstance(document.get("kid"), str):
        return None
    try:
        return _from_jwk(document, auth, Mode.PRODUCTION)
    except SettingsError:
        return None


def _from_jwk(document: dict[str, Any], auth: Auth, mode: Mode) -> Key:
    if mode is Mode.PRODUCTION and (document.get("kty") == "oct" or _PRIVATE_MEMBERS & {*document}):
        raise SettingsError("production: verification keys are public keys")
    public = {name: value for name, value in document.items() if name not in _PRIVATE_MEMBERS}
    try:
        loaded = jwt.PyJWK(public)
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        raise SettingsError("a verification key is malformed") from None
    kid = public.get("kid")
    if kid is not None and not isinstance(kid, str):
        raise SettingsError("a key id must be a string")
    return _bound(kid, loaded.algorithm_name, loaded.key, auth)


def _from_pem(content: bytes, auth: Auth, mode: Mode) -> Key:
    if mode is Mode.PRODUCTION and b"PRIVATE KEY" in content:
        raise SettingsError("production: verification keys are public keys")
    for name in (Algorithm.EDDSA, Algorithm.ES256, Algorithm.RS256):
        try:
            material = jwt.get_algorithm_by_name(name).prepare_key(content)
        except (jwt.PyJWTError, ValueError, TypeError):
            continue  # of another kind: the three kinds exclude each other
        return _bound(auth.key_id, name, material, auth)
    raise SettingsError("the PEM file holds no Ed25519, P-256 or RSA key")


def _bound(kid: str | None, name: str, material: Any, auth: Auth) -> Key:
    if name not in auth.algorithms:
        raise SettingsError("a verification key is for an algorithm that is not configured")
    if jwt.get_algorithm_by_name(name).check_key_length(material) is not None:
        raise SettingsError(f"a verification key is too short for {name}")
    return Key(kid, Algorithm(name), material)


Load = Callable[[], Awaitable[KeySet | None]]
"""Reads the keys anew: None when they are as they were. Raises SettingsError or UnavailableError
when there is nothing to be read; the keys that were read last go on to serve then.
"""


class LiveKeys:
    """The keys of today: read again every so often, and at once for a key that is not known yet.

    Whoever sends tokens with made-up keys makes it read once in `floor_seconds` and no oftener.
    When nothing can be read, the keys that were read last stay.
    """

    def __init__(
        self,
        first: KeySet,
        load: Load,
        *,
        every_seconds: float,
        floor_seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._set = first
        self._load = load
        self._every_seconds, self._floor_seconds = every_seconds, floor_seconds
        self._now = now
        self._tried_at = now()
        self._reading: asyncio.Task[None] | None = None

    async def find(self, kid: object) -> Key:
        """Return the key, or raise UnauthenticatedError for one that nobody knows."""
        key = self._set.known(kid)
        if key is None and self._may_read():
            await self.run_once()
            key = self._set.known(kid)
        if key is None:
            raise UnauthenticatedError
        return key

    async def run(self) -> None:
        """Read again and again until cancelled."""
        while True:
            await asyncio.sleep(self._every_seconds)
            await self.run_once()

    async def run_once(self) -> None:
        """Read now, or wait for the reading that is under way."""
        if self._reading is None:
            self._reading = asyncio.create_task(self._read(), name="token keys")
        # One who goes away must not take the reading from those who wait for it.
        await asyncio.shield(self._reading)

    def _may_read(self) -> bool:
        return self._reading is not None or self._now() - self._tried_at >= self._floor_seconds

    async def _read(self) -> None:
        self._tried_at = self._now()
        try:
            fresh = await self._load()
        except (SettingsError, UnavailableError) as error:
            LOGGER.warning("token keys were not read again", extra={"error": type(error).__name__})
        else:
            if fresh is not None:
                self._set = fresh
        finally:
            self._reading = None


class ReadAgain:
    """Loads a key file whenever its content is another one than before."""

    def __init__(self, path: Path, auth: Auth, mode: Mode) -> None:
        self._path, self._auth, self._mode = path, auth, mode
        self._seen: bytes | None = None

    async def __call__(self) -> KeySet | None:
        """Return the keys when the content differs from what was read before, else None."""
        return await asyncio.to_thread(self.read)

    def read(self) -> KeySet | None:
        """Do it here and now. Raises SettingsError."""
        try:
            content = self._path.read_bytes()
        except OSError:
            raise SettingsError(f"cannot read {self._path}") from None
        if content == self._seen:
            return None
        keys = _parsed(content, self._path, self._auth, self._mode)
        self._seen = content
        return keys
