"""Ledger and key store as the gateway opens them: configured, migrated as owner, used as itself."""

from pathlib import Path

import pytest

from gateway.app.chores import migrate
from gateway.app.keep import keys_url, ledger_url, opened_keep, pool_of
from gateway.settings import Secret, Settings, SettingsError, Storage, load
from guard.errors import InvalidError, UnavailableError
from memory.types import Owner
from storage.engine import Pool, parse
from storage.keystore import KeyStoreSql
from storage.ledger import SqlLedger
from storage.migrations import head_revision
from storage.ports import WrappedKey
from tests.contracts.ledger_builders import ACME, ANNA, START, change
from tests.contracts.vault_builders import admitted
from tests.postgres import GATEWAY, Cluster, Place

DOOMED = WrappedKey(1, b"a wrapped key that is to be destroyed")
KEPT = WrappedKey(1, b"a wrapped key that is to be kept")


def settings_for(folder: Path, ledger: str, keys: str, **storage: object) -> Settings:
    """Return development settings over two databases."""
    return Settings(
        storage=Storage(
            data_dir=folder / "data",
            ledger_url=Secret(ledger),
            keys_url=Secret(keys),
            **storage,  # type: ignore[arg-type]
        )
    )


@pytest.mark.requirement("S1", "S3")
async def test_a_keep_is_migrated_by_its_owner_and_used_by_the_gateway(
    cluster: Cluster, tmp_path: Path
) -> None:
    """Through the settings alone: before the migration it says so, after it a sealed memory comes
    back in another process's keep, and nothing of it is in the data directory.
    """
    ledger, keys = cluster.database(), cluster.database()
    ours = settings_for(tmp_path, ledger.gateway, keys.gateway)
    with pytest.raises(UnavailableError, match="migrations"):
        async with opened_keep(ours):
            pass
    owners = settings_for(tmp_path, ledger.owner, keys.owner, gateway_role=GATEWAY)
    for _ in range(2):
        assert await migrate(owners) == head_revision()
    owner = Owner(ACME, ANNA)
    async with opened_keep(ours) as keep:
        sealed = await keep.vault.seal(admitted(owner))
        await SqlLedger(keep.database).commit(change(0, sealed, owner=owner))
    async with opened_keep(ours) as keep:
        (row,) = await SqlLedger(keep.database).rows(ACME, ANNA, [sealed.label.id])
        opened = await keep.vault.open(owner, row.sealed)
        assert opened.label == sealed.label
        assert (await keep.outbox.claim(9, START, 30.0))[0].id == sealed.label.id
    assert not list((tmp_path / "data").glob("*.db*"))
    for place in (ledger, keys):
        cluster.drop(place)


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    ("ledger", "keys"),
    [
        ("postgresql://a:x@host/memguard", "postgresql://b:y@host:5432/memguard"),
        ("postgresql:///memguard", "postgres://localhost/memguard"),
        (
            "postgresql:///one?host=/run/pg",
            "postgresql+psycopg:///one?host=/run/pg&sslmode=disable",
        ),
        ("sqlite:////srv/one.db", "sqlite+aiosqlite:////srv/one.db"),
    ],
)
def test_keys_in_the_ledgers_own_database_are_refused(
    tmp_path: Path, ledger: str, keys: str
) -> None:
    """Whoever it is that connects, and however the URL is written; another database is accepted."""
    with pytest.raises(SettingsError, match="another database"):
        ledger_url(settings_for(tmp_path, ledger, keys))
    for other in ("postgresql://b:y@host/keys", "postgresql://b:y@else/memguard"):
        assert ledger_url(settings_for(tmp_path, ledger, other)) == ledger


@pytest.mark.requirement("S3")
def test_a_url_in_a_file_is_read_if_it_is_its_owners_alone(tmp_path: Path) -> None:
    """It holds a password: a file that others can read is refused, as the root key's is."""
    files = {name: tmp_path / name for name in ("ledger", "keys")}
    for name, file in files.items():
        file.write_text(f"postgresql://me@host/{name}\n")
        file.chmod(0o600)
    storage = Storage(ledger_url_file=files["ledger"], keys_url_file=files["keys"])
    settings = Settings(storage=storage)
    assert ledger_url(settings) == "postgresql://me@host/ledger"
    assert keys_url(settings) == "postgresql://me@host/keys"
    files["keys"].chmod(0o644)
    with pytest.raises(InvalidError):
        keys_url(settings)


@pytest.mark.requirement("E9")
@pytest.mark.parametrize("url", ["p4ssw0rd@nowhere", "mysql://me:p4ssw0rd@host/x"])
def test_a_url_that_is_none_of_ours_is_refused_unquoted(tmp_path: Path, url: str) -> None:
    """It may hold a password; the field is named instead."""
    with pytest.raises(SettingsError, match=r"storage\.keys_url") as refusal:
        keys_url(settings_for(tmp_path, "postgresql://me@host/ledger", url))
    assert "p4ssw0rd" not in str(refusal.value)


@pytest.mark.requirement("S3")
def test_ledger_and_keys_are_configured_together_and_each_once(tmp_path: Path) -> None:
    """Gateways that share a ledger share its keys; two places for one thing are none."""
    ledger = {"MEMGUARD_STORAGE_LEDGER_URL": "postgresql://me@host/ledger"}
    keys = {"MEMGUARD_STORAGE_KEYS_URL": "postgresql://me@host/keys"}
    for alone in (ledger, keys):
        with pytest.raises(SettingsError, match="go together"):
            load(environ=alone)
        (name,) = alone
        with pytest.raises(SettingsError, match="exclude each other"):
            load(environ={**ledger, **keys, f"{name}_FILE": "/run/secrets/url"})
    settings = load(environ={**ledger, **keys, "MEMGUARD_STORAGE_POOL_SIZE": "3"})
    assert ledger_url(settings) == "postgresql://me@host/ledger"
    assert pool_of(settings) == Pool(size=3)
    assert "host" not in repr(settings.storage)
    config = tmp_path / "memguard.toml"
    config.write_text('[storage]\nledger_url = "postgresql://me@host/ledger"\n')
    with pytest.raises(SettingsError, match="environment"):
        load(environ={}, config=config)


def test_the_url_names_the_driver_that_is_used() -> None:
    """As operators write it; and what it says of options is kept beside our time-outs."""
    for url in ("postgres://h/x", "postgresql://h/x", "postgresql+psycopg://h/x"):
        assert parse(url).drivername == "postgresql+psycopg"
    assert parse("sqlite:////x.db").drivername == "sqlite+aiosqlite"
    with pytest.raises(ValueError, match="neither"):
        parse("postgresql+asyncpg://h/x")


def _in_tables(cluster: Cluster, place: Place, needle: bytes) -> bool:
    """Tell whether the files of a database hold these bytes, once memory is written out."""
    with place.connect() as boss:
        boss.execute("CHECKPOINT")
        rows = boss.execute("SELECT oid FROM pg_database WHERE datname = current_database()")
        folder = cluster.folder / "data" / "base" / str(rows.fetchall()[0][0])
    return any(needle in file.read_bytes() for file in folder.iterdir() if file.is_file())


def _in_log(cluster: Cluster, needle: bytes) -> bool:
    return any(needle in file.read_bytes() for file in (cluster.folder / "data/pg_wal").glob("0*"))


@pytest.mark.requirement("S5")
async def test_what_remains_of_a_destroyed_key_is_what_the_guide_says(
    cluster: Cluster, keys_place: Place
) -> None:
    """No query finds it at once, not even a superuser's; its bytes leave the tables' files with the
    owner's VACUUM FULL and are in the write-ahead log until that is recycled.
    """
    store = await KeyStoreSql.open(keys_place.gateway)
    await store.put_subject(ACME, ANNA, DOOMED)
    await store.put_tenant(ACME, KEPT)
    assert _in_tables(cluster, keys_place, DOOMED.wrapped)

    assert await store.shred_subject(ACME, ANNA) == 1
    assert await store.subject_keys(ACME, ANNA) == [WrappedKey(1, b"")]
    with keys_place.connect() as boss:
        assert boss.execute("SELECT wrapped FROM subject_keys").fetchall() == [(b"",)]
    assert _in_tables(cluster, keys_place, DOOMED.wrapped)

    with keys_place.connect() as boss:
        boss.execute("SET ROLE owner")
        boss.execute("VACUUM FULL tenant_keys")
        boss.execute("VACUUM FULL subject_keys")
    assert not _in_tables(cluster, keys_place, DOOMED.wrapped)
    assert _in_tables(cluster, keys_place, KEPT.wrapped)
    assert _in_log(cluster, DOOMED.wrapped)
    assert await store.tenant_keys(ACME) == [KEPT]
    await store.close()
