"""How the ledger's database is opened, migrated and watched."""

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import bindparam, insert, select, text
from sqlalchemy.exc import OperationalError

from guard.errors import ConflictError, UnavailableError
from storage.database import Database
from storage.engine import SYSTEM
from storage.migrations import head_revision, migrate
from storage.reading import Query
from storage.tables import METADATA, TENANTS
from tests.contracts.ledger_builders import new_file, url_of

ROW = {"id": "acme", "suspended": False}


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """Lend an open ledger."""
    opened = await Database.open(url_of(await new_file(tmp_path)))
    yield opened
    await opened.close()


def edit(file: Path, statement: str) -> None:
    """Change the file behind the ledger's back."""
    with sqlite3.connect(file) as raw:
        raw.execute(statement)
    raw.close()


def modes(folder: Path) -> dict[str, int]:
    """Return the permissions of each file."""
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


@pytest.mark.requirement("S1")
async def test_opening_creates_a_migrated_file_for_its_owner_alone(tmp_path: Path) -> None:
    """The WAL and its index, which hold the same content, as well."""
    file = tmp_path / "ledger.db"
    database = await Database.open(url_of(file))
    async with database.writing(SYSTEM) as connection:
        await connection.execute(insert(TENANTS), ROW)
    assert modes(tmp_path) == dict.fromkeys(("ledger.db", "ledger.db-shm", "ledger.db-wal"), 0o600)
    await database.close()


@pytest.mark.requirement("S1")
async def test_opening_takes_other_users_rights_away(tmp_path: Path) -> None:
    """A ledger that someone made readable is made private again."""
    file = await new_file(tmp_path)
    file.chmod(0o644)
    database = await Database.open(url_of(file))
    await database.close()
    assert modes(tmp_path) == {"ledger.db": 0o600}


@pytest.mark.requirement("S1")
async def test_every_connection_is_durable_and_strict(database: Database) -> None:
    """Settings that SQLite keeps per connection hold on several at once."""
    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
        "busy_timeout": 5000,
        "trusted_schema": 0,
    }
    async with database.reading(SYSTEM) as one, database.reading(SYSTEM) as other:
        for connection in (one, other):
            found = {name: await connection.scalar(text(f"PRAGMA {name}")) for name in expected}
            assert found == expected


@pytest.mark.requirement("S1")
async def test_a_transaction_holds_the_write_lock_from_its_start(
    database: Database, tmp_path: Path
) -> None:
    """Begun at the first write only, a read before it could be of a state that is gone."""
    outsider = sqlite3.connect(tmp_path / "ledger.db", timeout=0, isolation_level=None)
    async with database.writing(SYSTEM):
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            outsider.execute("BEGIN IMMEDIATE")
    outsider.execute("BEGIN IMMEDIATE")
    outsider.execute("ROLLBACK")
    outsider.close()


@pytest.mark.requirement("S1")
async def test_a_transaction_that_raises_writes_nothing(database: Database) -> None:
    """Whatever was raised; one that ends is in the file."""

    async def write_and_fail() -> None:
        async with database.writing(SYSTEM) as connection:
            await connection.execute(insert(TENANTS), ROW)
            raise LookupError

    with pytest.raises(LookupError):
        await write_and_fail()
    async with database.reading(SYSTEM) as connection:
        assert (await connection.execute(select(TENANTS))).all() == []
    async with database.writing(SYSTEM) as connection:
        await connection.execute(insert(TENANTS), ROW)
    async with database.reading(SYSTEM) as connection:
        assert len((await connection.execute(select(TENANTS))).all()) == 1


@pytest.mark.requirement("S1")
async def test_a_snapshot_shows_one_moment(database: Database) -> None:
    """What is committed meanwhile shows to others and not within."""
    query = select(TENANTS)
    async with database.snapshot(SYSTEM) as before:
        assert (await before.execute(query)).all() == []
        async with database.writing(SYSTEM) as connection:
            await connection.execute(insert(TENANTS), ROW)
        async with database.reading(SYSTEM) as after:
            assert len((await after.execute(query)).all()) == 1
        assert (await before.execute(query)).all() == []


@pytest.mark.requirement("S1")
async def test_a_constraint_refuses_as_a_conflict(database: Database) -> None:
    """The message says nothing of the row."""
    async with database.writing(SYSTEM) as connection:
        await connection.execute(insert(TENANTS), ROW)
    with pytest.raises(ConflictError) as refusal:
        async with database.writing(SYSTEM) as connection:
            await connection.execute(insert(TENANTS), ROW)
    assert str(refusal.value) == "conflict"


@pytest.mark.requirement("E9")
async def test_database_errors_do_not_carry_parameters(database: Database) -> None:
    """Not even in their causes, which end up in logs."""
    with pytest.raises(UnavailableError) as refusal:
        async with database.reading(SYSTEM) as connection:
            await connection.execute(text("SELECT * FROM nowhere WHERE x = :x"), {"x": "secret"})
    assert isinstance(refusal.value.__cause__, OperationalError)
    assert "nowhere" in str(refusal.value.__cause__)
    assert "secret" not in str(refusal.value.__cause__)


@pytest.mark.requirement("E11")
async def test_ping_names_what_is_wrong(database: Database, tmp_path: Path) -> None:
    """Nothing, an old schema, a file that is none."""
    file = tmp_path / "ledger.db"
    await database.ping()
    edit(file, "UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(UnavailableError) as refusal:
        await database.ping()
    assert refusal.value.what == "migrations"
    edit(file, "DROP TABLE alembic_version")
    with pytest.raises(UnavailableError) as refusal:
        await database.ping()
    assert refusal.value.what == "migrations"
    await database.close()
    file.write_bytes(b"this is no database" * 1000)
    with pytest.raises(UnavailableError) as refusal:
        await database.ping()
    assert refusal.value.what == "ledger"


@pytest.mark.requirement("S1")
async def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    """Data stay, and the revision is the one that the code works with."""
    url = url_of(tmp_path / "ledger.db")
    assert await migrate(url) == head_revision()
    edit(
        tmp_path / "ledger.db",
        "INSERT INTO tenants (id, suspended, ceiling) VALUES ('acme', 0, 'web')",
    )
    assert await migrate(url) == head_revision()
    database = await Database.open(url)
    async with database.reading(SYSTEM) as connection:
        assert await connection.scalar(select(TENANTS.c.id)) == "acme"
    await database.close()


@pytest.mark.requirement("S1")
async def test_migrations_at_once_do_no_harm(tmp_path: Path) -> None:
    """Of one file by several callers, and of several files in one process."""
    urls = [url_of(tmp_path / f"{name}.db") for name in ("a", "a", "b", "c")]
    assert await asyncio.gather(*map(migrate, urls)) == [head_revision()] * 4
    for url in set(urls):
        database = await Database.open(url)
        await database.close()


@pytest.mark.requirement("S1")
async def test_migrations_make_exactly_the_tables_of_the_code(database: Database) -> None:
    """A column added to one and not to the other fails here."""
    async with database.reading(SYSTEM) as connection:
        differences = await connection.run_sync(
            lambda sync: compare_metadata(MigrationContext.configure(sync), METADATA)
        )
        assert differences == []
        await connection.execute(text("ALTER TABLE tenants ADD COLUMN extra TEXT"))
        differences = await connection.run_sync(
            lambda sync: compare_metadata(MigrationContext.configure(sync), METADATA)
        )
        assert len(differences) == 1


@pytest.mark.requirement("S1")
async def test_a_newer_ledger_is_refused_and_left_alone(tmp_path: Path) -> None:
    """Older code could destroy what it does not know."""
    file = await new_file(tmp_path)
    edit(file, "UPDATE alembic_version SET version_num = '9999'")
    before = file.read_bytes()
    for open_ in (migrate, Database.open):
        with pytest.raises(UnavailableError, match="newer version of Memguard"):
            await open_(url_of(file))
    assert file.read_bytes() == before


@pytest.mark.requirement("S1")
async def test_a_migration_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """A table of that name is in the way: none of the others is made."""
    file = tmp_path / "ledger.db"
    edit(file, "CREATE TABLE outbox (x)")
    with pytest.raises(UnavailableError):
        await migrate(url_of(file))
    with sqlite3.connect(file) as raw:
        assert raw.execute("SELECT name FROM sqlite_master").fetchall() == [("outbox",)]
    raw.close()


@pytest.mark.requirement("S1")
async def test_a_ledger_that_cannot_be_reached_is_unavailable(tmp_path: Path) -> None:
    """A folder that is not there, a file that is no database."""
    with pytest.raises(UnavailableError) as refusal:
        await Database.open(url_of(tmp_path / "nowhere" / "ledger.db"))
    assert refusal.value.what == "ledger"
    (tmp_path / "ledger.db").write_bytes(b"this is no database" * 1000)
    with pytest.raises(UnavailableError) as refusal:
        await Database.open(url_of(tmp_path / "ledger.db"))
    assert refusal.value.what == "ledger"


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(
    "url",
    ["sqlite+aiosqlite://", "sqlite+aiosqlite:///:memory:", "sqlite+aiosqlite:///file:x?uri=true"],
)
async def test_a_ledger_in_memory_is_refused(url: str) -> None:
    """It would lose everything that was acknowledged."""
    with pytest.raises(ValueError, match="needs a file"):
        await Database.open(url)


@pytest.mark.requirement("E9")
async def test_a_malformed_url_is_not_quoted() -> None:
    """It may hold a password."""
    with pytest.raises(ValueError, match="malformed") as refusal:
        await Database.open("p4ssw0rd@nowhere")
    assert "p4ssw0rd" not in str(refusal.value)
    assert refusal.value.__cause__ is None


@pytest.mark.requirement("S1")
async def test_what_is_fetched_is_told_statement_by_statement(database: Database) -> None:
    """As of what is committed; the settings are those of every connection."""
    tenants = select(TENANTS.c.id).where(TENANTS.c.id == bindparam("id"))
    assert await database.fetch(SYSTEM, (tenants, {"id": "acme"})) == [[]]
    async with database.writing(SYSTEM) as connection:
        await connection.execute(insert(TENANTS), ROW)
    found = await database.fetch(SYSTEM, (tenants, {"id": "acme"}), (tenants, {"id": "other"}))
    assert [[tuple(row) for row in rows] for rows in found] == [[("acme",)], []]
    settings: list[Query] = [
        (text(f"PRAGMA {name}"), {}) for name in ("journal_mode", "secure_delete")
    ]
    journal, erasing = await database.fetch(SYSTEM, *settings)
    assert (journal[0][0], erasing[0][0]) == ("wal", 1)


@pytest.mark.requirement("S1")
async def test_what_fetches_can_not_write(database: Database) -> None:
    """Refused by SQLite itself; the control is the same statement where writing is meant."""
    with pytest.raises(UnavailableError):
        await database.fetch(SYSTEM, (insert(TENANTS), ROW))
    async with database.writing(SYSTEM) as connection:
        await connection.execute(insert(TENANTS), ROW)


async def test_a_closed_ledger_fetches_nothing(tmp_path: Path) -> None:
    """Closing twice is harmless, and no file of SQLite's own is left behind."""
    file = await new_file(tmp_path)
    database = await Database.open(url_of(file))
    await database.fetch(SYSTEM, (select(TENANTS), {}))
    await database.close()
    await database.close()
    assert set(modes(tmp_path)) == {file.name}
    with pytest.raises(UnavailableError):
        await database.fetch(SYSTEM, (select(TENANTS), {}))
