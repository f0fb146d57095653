"""Opens the index that the settings name: embedded in this machine, or on a Qdrant server."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from gateway.app.keep import Keep, index_dir
from gateway.recent import RecentRegistry
from gateway.settings import Index, IndexCredential, IndexKind, Settings, SettingsError
from gateway.telemetry import LOGGER
from guard.ports import Indexing, Registry
from memory.ids import RANDOM_BYTES, uuid7
from memory.types import TenantId
from storage.index.divided import DividedIndex, IsSealed
from storage.index.embedded import EmbeddedIndex
from storage.ready import Ready
from storage.registry import SqlRegistry
from storage.sealed import SealedIndex
from storage.sealed_shelves import LedgerShelves

if TYPE_CHECKING:
    from storage.index.credentials import Credential
    from storage.index.server import ServerIndex

_PLATFORM: Final = TenantId("")
"""No tenant's name: under its key tenants are marked, so that marks outlive a tenant's keys."""
_GRACE_SECONDS: Final = 5.0
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


@asynccontextmanager
async def opened_index(
    settings: Settings,
    keep: Keep,
    dimensions: Mapping[str, int],
    *,
    grace_seconds: float = _GRACE_SECONDS,
) -> AsyncIterator[DividedIndex]:
    """Lend the index: an engine, and process memory for sealed tenants.

    An embedded engine must be free within `grace_seconds`, else UnavailableError is raised; a
    server need not be there yet.
    """
    registry = SqlRegistry(keep.database)
    sealed = SealedIndex(
        LedgerShelves(keep.database, keep.vault),
        dimensions,
        bytes_limit=settings.storage.sealed_megabytes << 20,
    )
    opened: ServerIndex | EmbeddedIndex
    if settings.index.kind is IndexKind.SERVER:
        opened = await asyncio.to_thread(_on_server, settings.index, keep, dimensions)
    else:
        opened = await EmbeddedIndex.open(
            index_dir(settings),
            dimensions,
            workers=settings.storage.index_workers,
            grace_seconds=grace_seconds,
        )
    lately = RecentRegistry(registry, settings.auth.registry_seconds)
    try:
        yield DividedIndex(
            opened,
            sealed,
            _sealed_in(registry, keep.vault.ready),
            _sealed_in(lately, keep.vault.ready),
        )
    finally:
        await sealed.close()
        await opened.close()


def _sealed_in(registry: Registry, ready: Ready) -> IsSealed:
    """Return how to ask a registry; a tenant that it does not know has nothing to hide yet.

    Nothing of a sealed one stays at hand: it is asked before any of its memories is opened.
    """

    async def is_sealed(tenant: TenantId) -> bool:
        found = await registry.tenant(tenant)
        sealed = found is not None and found.indexing is not Indexing.OPEN
        ready.keep_apart(tenant, apart=sealed)
        return sealed

    return is_sealed


def _on_server(index: Index, keep: Keep, dimensions: Mapping[str, int]) -> "ServerIndex":
    # Its client takes a second and 60 MB to load, which an embedded index has no use for.
    from storage.index import connection, credentials, placement  # noqa: PLC0415

    url, key = index.url or "", _key(index)
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        LOGGER.warning("index is reached without TLS", extra={"address": parts.netloc})
    credential: Credential
    if key is None:
        credential = credentials.NoCredential()
    elif index.credential is IndexCredential.TOKENS:
        credential = credentials.CollectionTokens(key, _now)
    else:
        credential = credentials.ApiKey(key)

    async def mark_of(tenant: TenantId) -> str:
        return await keep.vault.source(_PLATFORM, f"index:{tenant}")

    return connection.connect(
        connection.Server(
            url=url,
            credential=credential,
            timeout_seconds=index.timeout_seconds,
            ca_file=index.ca_file,
            cert_file=index.cert_file,
            key_file=index.key_file,
        ),
        (placement.Spread(index.placement), index.prefix, mark_of),
        dimensions,
        keep.outbox.tenants,
        clock=_now,
        new_id=lambda: uuid7(_now(), secrets.token_bytes(RANDOM_BYTES)),
    )


def _key(index: Index) -> str | None:
    if index.api_key is not None or index.api_key_file is None:
        return None if index.api_key is None else index.api_key.reveal()
    try:
        key = index.api_key_file.read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read index.api_key_file: {type(error).__name__}") from None
    if not key:
        raise SettingsError("index.api_key_file is empty")
    return key


def _now() -> datetime:
    return datetime.now(UTC)
