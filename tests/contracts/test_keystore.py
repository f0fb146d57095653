"""What every key store does: the one in memory, and the one in SQL on SQLite and PostgreSQL."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from guard.errors import UnavailableError
from memory.types import SubjectId, TenantId
from storage.fakes.keystore import MemoryKeyStore
from storage.keystore import KeyStoreSql
from storage.ports import KeyStore, WrappedKey
from tests.postgres import Place

ACME, GLOBEX = TenantId("acme"), TenantId("globex")
ALICE, BOB = SubjectId("alice"), SubjectId("bob")
ONE, TWO = WrappedKey(1, b"first wrapped key"), WrappedKey(2, b"second wrapped key")


@pytest.fixture
async def store(keys_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[KeyStore]:
    """Return an empty key store of each kind."""
    adapter, place = keys_at
    if adapter == "memory":
        yield MemoryKeyStore()
        return
    opened = await KeyStoreSql.open(place.gateway if place else tmp_path / "keys.db")
    yield opened
    await opened.close()


def on_disk(needle: bytes, folder: Path) -> bool:
    """Tell whether any file of the store holds these bytes."""
    return any(needle in file.read_bytes() for file in folder.iterdir())


def modes_in(folder: Path) -> dict[str, int]:
    """Return the access rights of each file by name."""
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}


@pytest.mark.requirement("S3")
async def test_keys_come_back_oldest_first(store: KeyStore) -> None:
    """Keys put in any order are listed by number, each under its own tenant and subject."""
    await store.put_tenant(ACME, TWO)
    await store.put_tenant(ACME, ONE)
    await store.put_subject(ACME, ALICE, TWO)
    await store.put_subject(ACME, ALICE, ONE)

    assert await store.tenant_keys(ACME) == [ONE, TWO]
    assert await store.subject_keys(ACME, ALICE) == [ONE, TWO]
    assert await store.tenant_keys(GLOBEX) == []
    assert await store.subject_keys(ACME, BOB) == []
    assert await store.subject_keys(GLOBEX, ALICE) == []


@pytest.mark.requirement("S3")
async def test_the_first_of_two_keys_with_one_number_stands(store: KeyStore) -> None:
    """Whoever comes second is told which key stands, and changes nothing."""
    late = WrappedKey(1, b"came too late")
    assert await store.put_tenant(ACME, ONE) == ONE
    assert await store.put_tenant(ACME, late) == ONE
    assert await store.put_subject(ACME, ALICE, ONE) == ONE
    assert await store.put_subject(ACME, ALICE, late) == ONE

    assert await store.tenant_keys(ACME) == [ONE]
    assert await store.subject_keys(ACME, ALICE) == [ONE]


@pytest.mark.requirement("S3")
async def test_concurrent_puts_agree_on_one_key(store: KeyStore) -> None:
    """Of many that race for a number all are answered with the same key."""
    racers = [WrappedKey(1, b"racer %d" % n) for n in range(12)]
    stands = await asyncio.gather(*(store.put_subject(ACME, ALICE, key) for key in racers))
    assert {key.wrapped for key in stands} == {(await store.subject_keys(ACME, ALICE))[0].wrapped}


@pytest.mark.requirement("S5")
async def test_shredding_a_subject_leaves_only_numbers(store: KeyStore) -> None:
    """A shredded subject's keys are empty, count once, and nobody else loses any."""
    for key in (ONE, TWO):
        await store.put_subject(ACME, ALICE, key)
    await store.put_subject(ACME, BOB, ONE)
    await store.put_subject(GLOBEX, ALICE, ONE)
    await store.put_tenant(ACME, ONE)

    assert await store.shred_subject(ACME, ALICE) == 2
    assert await store.shred_subject(ACME, ALICE) == 0

    assert await store.subject_keys(ACME, ALICE) == [WrappedKey(1, b""), WrappedKey(2, b"")]
    assert await store.subject_keys(ACME, BOB) == [ONE]
    assert await store.subject_keys(GLOBEX, ALICE) == [ONE]
    assert await store.tenant_keys(ACME) == [ONE]


@pytest.mark.requirement("S5")
async def test_a_destroyed_number_is_never_given_again(store: KeyStore) -> None:
    """A put on a destroyed number returns the destroyed key; the next number is free."""
    await store.put_subject(ACME, ALICE, ONE)
    await store.shred_subject(ACME, ALICE)

    assert await store.put_subject(ACME, ALICE, ONE) == WrappedKey(1, b"")
    assert await store.put_subject(ACME, ALICE, TWO) == TWO
    assert await store.shred_subject(ACME, ALICE) == 1


@pytest.mark.requirement("S5")
async def test_shredding_a_tenant_takes_its_subjects_along(store: KeyStore) -> None:
    """All keys of a tenant go, those of its subjects included, and no other tenant's."""
    await store.put_tenant(ACME, ONE)
    await store.put_subject(ACME, ALICE, ONE)
    await store.put_subject(ACME, BOB, ONE)
    await store.put_tenant(GLOBEX, ONE)
    await store.put_subject(GLOBEX, ALICE, ONE)

    assert await store.shred_tenant(ACME) == 3

    assert await store.tenant_keys(ACME) == [WrappedKey(1, b"")]
    assert await store.subject_keys(ACME, BOB) == [WrappedKey(1, b"")]
    assert await store.tenant_keys(GLOBEX) == [ONE]
    assert await store.subject_keys(GLOBEX, ALICE) == [ONE]


@pytest.mark.requirement("S3")
async def test_the_file_and_its_log_are_private(tmp_path: Path) -> None:
    """A new or loosely kept file ends up readable by its owner alone, write-ahead log included."""
    path = tmp_path / "keys.db"
    path.touch(mode=0o644)
    store = await KeyStoreSql.open(path)
    await store.put_tenant(ACME, ONE)
    modes = modes_in(tmp_path)
    await store.close()

    assert modes["keys.db"] == 0o600
    assert modes["keys.db-wal"] == 0o600


@pytest.mark.requirement("S3")
async def test_keys_outlive_the_process(tmp_path: Path) -> None:
    """A store opened again, by path or by URL, has the keys and the destroyed numbers."""
    store = await KeyStoreSql.open(tmp_path / "keys.db")
    await store.put_subject(ACME, ALICE, ONE)
    await store.put_subject(ACME, BOB, ONE)
    await store.shred_subject(ACME, BOB)
    await store.close()

    again = await KeyStoreSql.open(f"sqlite+aiosqlite:///{tmp_path / 'keys.db'}")
    alice, bob = await again.subject_keys(ACME, ALICE), await again.subject_keys(ACME, BOB)
    await again.close()
    assert (alice, bob) == ([ONE], [WrappedKey(1, b"")])


@pytest.mark.requirement("S5")
async def test_no_byte_of_a_shredded_key_stays_in_any_file(tmp_path: Path) -> None:
    """After shredding, neither the database nor its log holds the wrapped key; before, they do."""
    store = await KeyStoreSql.open(tmp_path / "keys.db")
    kept = b"a wrapped key that remains"
    await store.put_subject(ACME, ALICE, WrappedKey(1, b"a wrapped key to be destroyed"))
    await store.put_subject(ACME, BOB, WrappedKey(1, kept))

    assert on_disk(b"to be destroyed", tmp_path)
    await store.shred_subject(ACME, ALICE)
    assert not on_disk(b"to be destroyed", tmp_path)
    assert on_disk(kept, tmp_path)
    await store.close()


async def test_each_commit_reaches_the_disk(tmp_path: Path) -> None:
    """The database runs in WAL mode with synchronous FULL and secure_delete on."""
    store = await KeyStoreSql.open(tmp_path / "keys.db")
    async with store._engine.connect() as connection:
        pragmas = [
            (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar_one()
            for name in ("journal_mode", "synchronous", "secure_delete")
        ]
    await store.close()
    assert pragmas == ["wal", 2, 1]


async def test_a_locked_database_is_unavailable(tmp_path: Path) -> None:
    """When another process holds the write lock the store says so, and works again afterwards."""
    path = tmp_path / "keys.db"
    store = await KeyStoreSql.open(f"sqlite+aiosqlite:///{path}?timeout=0.05")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(UnavailableError) as caught:
        await store.put_tenant(ACME, ONE)
    assert ONE.wrapped.decode() not in str(caught.value.__cause__)

    holder.execute("ROLLBACK")
    holder.close()
    assert await store.put_tenant(ACME, ONE) == ONE
    await store.close()


@pytest.mark.requirement("S5")
async def test_shredding_is_not_done_while_a_reader_holds_the_log(tmp_path: Path) -> None:
    """While old bytes must stay in the log shredding raises; repeated afterwards it succeeds."""
    path = tmp_path / "keys.db"
    store = await KeyStoreSql.open(f"sqlite+aiosqlite:///{path}?timeout=0.05")
    await store.put_subject(ACME, ALICE, ONE)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM subject_keys").fetchone()
    with pytest.raises(UnavailableError):
        await store.shred_subject(ACME, ALICE)

    reader.execute("COMMIT")
    reader.close()
    await store.shred_subject(ACME, ALICE)
    assert not on_disk(ONE.wrapped, tmp_path)
    await store.close()


async def test_a_file_that_is_no_database_is_unavailable(tmp_path: Path) -> None:
    """Something else in the place of the database is refused, not overwritten."""
    path = tmp_path / "keys.db"
    path.write_bytes(b"this is not a database, and long enough to be looked at" * 40)
    with pytest.raises(UnavailableError):
        await KeyStoreSql.open(path)
    assert path.read_bytes().startswith(b"this is not a database")
