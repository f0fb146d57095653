"""What is kept on disk, opened and proved to fit together; and the keys that open it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec

from gateway.app.starting import start_keys
from gateway.settings import Secret, Settings, SettingsError
from guard.errors import UnreadableError
from memory.types import SubjectId, TenantId
from storage.audit import SqlAudit
from storage.database import Database
from storage.engine import Pool, parse, same_database
from storage.envelopes import SealingEnvelopes
from storage.history import SqlHistory
from storage.keyring import Keyring
from storage.keystore import KeyStoreSql
from storage.outbox import SqlOutbox
from storage.ready import Ready
from storage.rootkey import RootKey, check_private
from storage.vault import SealingVault

__all__ = [
    "Keep",
    "index_dir",
    "keys_url",
    "ledger_url",
    "models_dir",
    "opened_keep",
    "pool_of",
    "root_key",
    "start_keys",
]


class Keep(msgspec.Struct, frozen=True):
    """Everything that is kept on disk but the index, opened and proved to fit together."""

    database: Database
    keyring: Keyring
    vault: SealingVault
    envelopes: SealingEnvelopes
    outbox: SqlOutbox
    audit: SqlAudit


@asynccontextmanager
async def opened_keep(settings: Settings) -> AsyncIterator[Keep]:
    """Open the key store, prove the root key against it, and open the ledger."""
    source = start_keys(settings).root_key
    async with AsyncExitStack() as stack:
        store = await KeyStoreSql.open(keys_url(settings), pool_of(settings))
        stack.push_async_callback(store.close)

        async def written(tenant: TenantId, subject: SubjectId | None) -> bool:
            return await history(tenant, subject)

        keyring = Keyring(root_key(source), store, written=written)
        await _prove_root(keyring)
        database = await Database.open(ledger_url(settings), pool_of(settings))
        stack.push_async_callback(database.close)
        history = SqlHistory(database)
        yield Keep(
            database=database,
            keyring=keyring,
            vault=SealingVault(keyring, ready=Ready(settings.storage.ready_megabytes << 20)),
            envelopes=SealingEnvelopes(keyring),
            outbox=SqlOutbox(database),
            audit=SqlAudit(database),
        )


async def _prove_root(keyring: Keyring) -> None:
    try:
        await keyring.prove_root()
    except UnreadableError:
        raise SettingsError(
            "the root key is not the one that the key store was made with"
        ) from None


def root_key(source: Path | Secret) -> RootKey:
    """Return the root key. Raises InvalidError for one that others can read."""
    if isinstance(source, Secret):
        return RootKey.from_bytes(source.reveal().encode())
    check_private(source)
    return RootKey.from_file(source)


def ledger_url(settings: Settings) -> str:
    """Return where the ledger is. Raises SettingsError when the key store is there too."""
    storage = settings.storage
    url = _configured("ledger_url", storage.ledger_url, storage.ledger_url_file)
    if url is None:
        return _in_data_dir(settings, "ledger.db")
    if same_database(parse(url), parse(keys_url(settings))):
        # A backup of the ledger would hold the keys that open it, and outlive their destruction.
        raise SettingsError("storage.keys_url must name another database than storage.ledger_url")
    return url


def keys_url(settings: Settings) -> str:
    """Return where the key store is."""
    storage = settings.storage
    url = _configured("keys_url", storage.keys_url, storage.keys_url_file)
    return _in_data_dir(settings, "keys.db") if url is None else url


def pool_of(settings: Settings) -> Pool:
    """Return the bounds of connections to a database."""
    storage = settings.storage
    return Pool(
        size=storage.pool_size,
        wait_seconds=storage.pool_wait_seconds,
        statement_seconds=storage.statement_seconds,
        lock_seconds=storage.lock_seconds,
    )


def _in_data_dir(settings: Settings, name: str) -> str:
    return f"sqlite+aiosqlite:///{(settings.storage.data_dir / name).resolve()}"


def _configured(name: str, secret: Secret | None, file: Path | None) -> str | None:
    if file is not None:
        check_private(file)
        secret = Secret(file.read_text("utf-8").strip())
    if secret is None:
        return None
    try:
        parse(secret.reveal())
    except ValueError as error:
        raise SettingsError(f"storage.{name}: {error}") from None
    return secret.reveal()


def models_dir(settings: Settings) -> Path:
    """Return where the prepared models are."""
    return settings.storage.data_dir / "models"


def index_dir(settings: Settings) -> Path:
    """Return where the embedded index is."""
    return settings.storage.data_dir / "index"
