"""Keys and revocations: where they are read, and that they are read again while serving."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import httpx2
import msgspec

from gateway.app.keep import start_keys
from gateway.keysets import KeySet, LiveKeys, Load, ReadAgain, published_keys
from gateway.revoked import Revoked
from gateway.settings import Auth, Settings, SettingsError
from guard.errors import UnavailableError
from guard.models.calling import connected, read_up_to
from storage.database import Database
from storage.revocations import SqlRevocations

ISSUER: Final = "issuer"
"""What a gateway waits for while its issuer does not answer."""
_MOST_BYTES: Final = 262_144
_FILE_SECONDS: Final = 5.0
"""A file costs nothing to look at, so a rotated key counts within seconds."""
_OK: Final = 200


def refuse_wrong_keys(settings: Settings, keys_file: Path | None) -> None:
    """Raise SettingsError or InvalidError for what no waiting can mend."""
    if keys_file is not None:
        ReadAgain(keys_file, settings.auth, settings.mode).read()
    elif settings.auth.keys_url is not None:
        _client(settings.auth, settings.auth.keys_url)


@asynccontextmanager
async def opened_keys(settings: Settings) -> AsyncIterator[LiveKeys]:
    """Lend the verification keys, kept fresh meanwhile.

    Raises UnavailableError while the issuer does not answer, SettingsError for a file of no use.
    """
    auth = settings.auth
    if auth.keys_url is None:
        keys_file = start_keys(settings).keys_file
        if keys_file is None:
            raise SettingsError("no verification keys are configured")
        load = ReadAgain(keys_file, auth, settings.mode)
        async with _kept(load, min(_FILE_SECONDS, auth.keys_seconds), auth) as keys:
            yield keys
        return
    async with (
        _client(auth, auth.keys_url) as client,
        _kept(Published(client, auth.keys_url, auth), auth.keys_seconds, auth) as keys,
    ):
        yield keys


@asynccontextmanager
async def _kept(load: Load, seconds: float, auth: Auth) -> AsyncIterator[LiveKeys]:
    first = await load()
    if first is None:
        raise UnavailableError(ISSUER)
    keys = LiveKeys(
        first,
        load,
        every_seconds=seconds,
        floor_seconds=min(seconds, auth.keys_floor_seconds),
    )
    running = asyncio.create_task(keys.run(), name="token keys")
    try:
        yield keys
    finally:
        running.cancel()
        await asyncio.wait((running,))


@asynccontextmanager
async def opened_revoked(settings: Settings, database: Database) -> AsyncIterator[Revoked]:
    """Lend what was taken back, read, and read again meanwhile. Raises UnavailableError."""
    auth = settings.auth
    revoked = Revoked(
        SqlRevocations(database), auth.revocation_seconds, auth.revocation_stale_seconds
    )
    await revoked.look()
    running = asyncio.create_task(revoked.run(), name="revocations")
    try:
        yield revoked
    finally:
        running.cancel()
        await asyncio.wait((running,))


class Published:
    """Loads the JWK Set that an issuer publishes at a URL."""

    def __init__(self, client: httpx2.AsyncClient, url: str, auth: Auth) -> None:
        self._client, self._url, self._auth = client, url, auth

    async def __call__(self) -> KeySet:
        """Return the keys. Raises UnavailableError when there is no answer that is of any use.

        An issuer that publishes nothing usable for a moment is one that does not answer: what was
        read before goes on to serve.
        """
        try:
            async with self._client.stream("GET", self._url) as response:
                content = await read_up_to(response, _MOST_BYTES)
        except (httpx2.HTTPError, httpx2.InvalidURL):
            raise UnavailableError(ISSUER) from None
        if response.status_code != _OK or content is None:
            raise UnavailableError(ISSUER)
        try:
            return published_keys(content, self._auth)
        except (SettingsError, msgspec.MsgspecError):
            raise UnavailableError(ISSUER) from None


def _client(auth: Auth, url: str) -> httpx2.AsyncClient:
    return connected(url, auth.keys_ca_file, auth.keys_timeout_seconds, "auth.keys_")
