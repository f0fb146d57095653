"""The second lock: on PostgreSQL a query that forgets its tenant returns nothing."""

from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import Column, delete, insert, select, text, update
from sqlalchemy.exc import ProgrammingError

from guard.errors import InvalidError, UnavailableError
from guard.ports import Client, Tenant
from memory.origin import OriginClass
from memory.types import ClientId, Owner, TenantId
from storage.database import Database
from storage.engine import SYSTEM, Pool, Scope
from storage.keystore import KeyStoreSql
from storage.ports import WrappedKey
from storage.registry import SqlRegistry
from storage.tables import LEAVES, MEMORIES, METADATA, OUTBOX, SUBJECTS, TENANTS
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    GLOBEX,
    books_on,
    put,
    sealed,
)
from tests.postgres import GATEWAY, OWNER, SUPERUSER, Cluster, Place

WITHOUT_TENANT = {"embedders", "alembic_version"}
"""Tables that hold nothing of any tenant's."""
SECURED = sorted(METADATA.tables.keys() - WITHOUT_TENANT)
ACROSS = {"leaves", "outbox", "subjects", "tenants"}
"""Tables that background work sees across tenants."""
NOT_ACROSS = {"memories", "clients", "answers", "webhook_seals"}
HOSTILE = TenantId("acme') OR true; SELECT set_config('memguard.scope','system',true) --\\'李")


@pytest.fixture
async def database(ledger_place: Place) -> AsyncIterator[Database]:
    """Lend a ledger in which two tenants have something in every table."""
    opened = await Database.open(ledger_place.gateway)
    await fill(opened)
    fill_the_rest(ledger_place)
    yield opened
    await opened.close()


async def fill(database: Database, *tenants: TenantId) -> None:
    """Give tenants, by default two, something in every table."""
    books = books_on(database)
    registry = SqlRegistry(database)
    for tenant in tenants or (ACME, GLOBEX):
        owner = Owner(tenant, ANNA)
        await put(books, sealed(owner), sealed(owner))
        client = Client(ClientId("app"), tenant, OriginClass.WEB)
        await registry.register(Tenant(tenant, suspended=False), [client])


def fill_the_rest(place: Place) -> None:
    """Give both tenants a made-up row in every table that has none: also in one that is new."""
    with place.connect() as boss:
        boss.execute("SET session_replication_role = replica")
        for table in (METADATA.tables[name] for name in SECURED):
            if boss.execute(f"SELECT 1 FROM {table.name}".encode()).fetchall():  # noqa: S608
                continue
            names = [column.name for column in table.columns]
            places = ", ".join(["%s"] * len(names))
            statement = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({places})"  # noqa: S608
            for tenant in (ACME, GLOBEX):
                values = [tenant if c.name == "tenant" else _made_up(c, tenant) for c in table.c]
                boss.execute(statement.encode(), values)


def _made_up(column: Column[Any], tenant: str) -> object:
    kind = column.type.python_type
    return {bytes: tenant.encode(), str: tenant, bool: False}.get(kind, len(tenant))


def seen(url: str, table: str, *before: str) -> set[object]:
    """Return whose rows `SELECT` without a word of tenants sees, after these statements."""
    column = "id" if table == "tenants" else "tenant"
    with psycopg.connect(url) as connection:
        for statement in before:
            connection.execute(statement.encode())
        query = f"SELECT {column} FROM {table}"  # noqa: S608  # names of ours
        rows = connection.execute(query.encode()).fetchall()
    return {row[0] for row in rows}


def scoped(tenant: str) -> str:
    """Return the statement that the gateway's transactions begin with, written by hand."""
    return f"SELECT set_config('memguard.tenant', '={tenant}', true)"


@pytest.mark.requirement("S1")
@pytest.mark.parametrize("table", SECURED)
async def test_a_query_that_forgets_its_tenant_returns_nothing(
    database: Database, ledger_place: Place, table: str
) -> None:
    """Controls: with the tenant set it returns that tenant's rows, and without row security, as the
    superuser sees it, it would have returned everybody's.
    """
    del database
    assert seen(ledger_place.gateway, table) == set()
    assert seen(ledger_place.gateway, table, scoped("acme")) == {"acme"}
    assert seen(ledger_place.superuser, table) == {"acme", "globex"}
    with ledger_place.connect() as boss:
        boss.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY".encode())
        try:
            assert seen(ledger_place.gateway, table) == {"acme", "globex"}
        finally:
            boss.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY".encode())


@pytest.mark.requirement("S1")
@pytest.mark.parametrize("table", SECURED)
async def test_the_owner_of_a_table_is_held_to_it_too(
    database: Database, ledger_place: Place, table: str
) -> None:
    """A gateway that runs as the owner has the second lock as well."""
    del database
    assert seen(ledger_place.owner, table) == set()
    assert seen(ledger_place.owner, table, scoped("globex")) == {"globex"}


@pytest.mark.requirement("S1")
async def test_every_table_of_a_tenant_is_secured(ledger_place: Place, keys_place: Place) -> None:
    """Enabled, forced, with a policy for every command: a table added without fails here, and so
    does a text whose order is a locale's.
    """
    tables = "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class"
    public = "relnamespace = 'public'::regnamespace AND relkind = 'r'"
    policies = "SELECT DISTINCT tablename FROM pg_policies WHERE cmd = 'ALL'"
    texts = (
        "SELECT table_name || '.' || column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND data_type IN ('text', 'character varying')"
        " AND collation_name IS DISTINCT FROM 'C'"
    )
    for place, expected in (
        (ledger_place, set(SECURED)),
        (keys_place, {"tenant_keys", "subject_keys"}),
    ):
        with place.connect() as boss:
            rows = boss.execute(f"{tables} WHERE {public}".encode()).fetchall()
            found = {str(row[0]): bool(row[1]) for row in rows}
            with_policy = {row[0] for row in boss.execute(policies).fetchall()}
            locale = {str(row[0]) for row in boss.execute(texts.encode()).fetchall()}
        assert {name for name, secured in found.items() if secured} == expected
        assert found.keys() - expected <= WITHOUT_TENANT
        assert with_policy == expected
        assert {name.split(".")[0] for name in locale} <= WITHOUT_TENANT


@pytest.mark.requirement("E5")
@pytest.mark.parametrize("scope", [ACME, GLOBEX])
async def test_our_own_forgetful_queries_see_one_tenant(
    database: Database, scope: TenantId
) -> None:
    """Through the gateway's own connections, reading, writing and in a snapshot."""
    for lend in (database.reading, database.writing, database.snapshot):
        async with lend(scope) as connection:
            for table in (MEMORIES, LEAVES, OUTBOX, SUBJECTS):
                found = (await connection.execute(select(table.c.tenant))).scalars().all()
                assert set(found) == {scope}


@pytest.mark.requirement("E5")
async def test_a_forgetful_change_touches_one_tenant(
    database: Database, ledger_place: Place
) -> None:
    """And a row can't be moved to another tenant, nor written for it."""
    async with database.writing(ACME) as connection:
        changed = await connection.execute(update(MEMORIES).values(trust=0))
        gone = await connection.execute(delete(OUTBOX))
        assert (changed.rowcount, gone.rowcount) == (2, 2)
    with ledger_place.connect() as boss:
        trusts = boss.execute("SELECT DISTINCT tenant, trust FROM memories ORDER BY 1").fetchall()
    assert trusts == [("acme", 0), ("globex", 3)]
    for statement in (
        update(MEMORIES).values(tenant="globex"),
        insert(SUBJECTS).values(tenant="globex", subject="new", epoch=1),
    ):
        with pytest.raises(ProgrammingError, match="row-level security"):
            async with database.writing(ACME) as connection:
                await connection.execute(statement)


@pytest.mark.requirement("E5")
async def test_background_work_sees_queues_and_names_and_no_memory(
    database: Database, ledger_place: Place
) -> None:
    """Its scope opens four tables for looking, and of those only the outbox for changing."""
    system = "SELECT set_config('memguard.scope', 'system', true)"
    for table in ACROSS:
        assert seen(ledger_place.gateway, table, system) == {"acme", "globex"}
    for table in NOT_ACROSS & set(SECURED):
        assert seen(ledger_place.gateway, table, system) == set()
    async with database.writing(SYSTEM) as connection:
        for statement, touched in (
            (update(OUTBOX).values(attempts=9), 4),
            (delete(OUTBOX), 0),
            (update(SUBJECTS).values(epoch=9), 0),
            (update(TENANTS).values(suspended=True), 0),
        ):
            assert (await connection.execute(statement)).rowcount == touched
    for forbidden in (
        insert(TENANTS).values(id="new", suspended=False),
        insert(OUTBOX).values(
            tenant="acme", subject="anna", id="x", version=1, due_at=0, attempts=0
        ),
    ):
        with pytest.raises(ProgrammingError, match="row-level security"):
            async with database.writing(SYSTEM) as connection:
                await connection.execute(forbidden)


@pytest.mark.requirement("E5")
async def test_a_scope_ends_with_its_transaction(database: Database, ledger_place: Place) -> None:
    """The next user of the connection inherits nothing, after commit and rollback alike."""
    with psycopg.connect(ledger_place.gateway, autocommit=True) as connection:
        for end in ("COMMIT", "ROLLBACK"):
            connection.execute("BEGIN")
            connection.execute(scoped("acme").encode())
            assert connection.execute("SELECT count(*) FROM memories").fetchall() == [(2,)]
            connection.execute(end.encode())
            assert connection.execute("SELECT count(*) FROM memories").fetchall() == [(0,)]
    alone = await Database.open(ledger_place.gateway, Pool(size=1))
    for lend in (alone.reading, alone.writing):
        async with lend(ACME) as scoped_one:
            assert len((await scoped_one.execute(select(MEMORIES.c.id))).all()) == 2
        async with alone.engine.connect() as handed_on:
            driver: Any = (await handed_on.get_raw_connection()).driver_connection
            for setting in ("memguard.tenant", "memguard.scope"):
                found = await driver.execute(f"SELECT current_setting('{setting}', true)")
                assert (await found.fetchone())[0] in ("", None)
    await alone.close()
    async with database.engine.connect() as connection_without:
        with pytest.raises(RuntimeError, match="names its scope"):
            await connection_without.execute(select(MEMORIES.c.id))


@pytest.mark.requirement("E5")
@pytest.mark.parametrize("scope", [HOSTILE, TenantId("%s %(x)s :x"), TenantId("system")])
async def test_no_name_of_a_tenant_says_more_than_a_name(
    database: Database, scope: TenantId
) -> None:
    """Quotes, placeholders and what looks like the other scope: it is a tenant's, and sees its own
    rows alone.
    """
    async with database.reading(scope) as connection:
        assert (await connection.execute(select(LEAVES.c.tenant))).all() == []
    await fill(database, scope)
    async with database.reading(scope) as connection:
        assert set((await connection.execute(select(LEAVES.c.tenant))).scalars()) == {scope}
        assert len((await connection.execute(select(MEMORIES.c.id))).all()) == 2


@pytest.mark.requirement("E5")
async def test_no_scope_is_not_the_platforms_own(database: Database, ledger_place: Place) -> None:
    """What is nobody's has an empty name; an empty setting, which an ended scope leaves behind,
    fits not even that.
    """
    with ledger_place.connect() as boss:
        boss.execute("INSERT INTO tenants (id, suspended, ceiling) VALUES ('', false, 'web')")
    assert seen(ledger_place.gateway, "tenants") == set()
    empty = "SELECT set_config('memguard.tenant', '', true)"
    assert seen(ledger_place.gateway, "tenants", empty) == set()
    assert seen(ledger_place.gateway, "tenants", scoped("")) == {""}
    async with database.reading(TenantId("")) as connection:
        assert (await connection.execute(select(TENANTS.c.id))).scalars().all() == [""]


@pytest.mark.requirement("Q6")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE leaves SET body = 'x'",
        "DELETE FROM leaves",
        "DELETE FROM memories",
        "DELETE FROM subjects",
        "TRUNCATE memories CASCADE",
        "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE memories NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY memories_tenant ON memories",
        "CREATE POLICY mine ON memories USING (true)",
        "UPDATE alembic_version SET version_num = '0001'",
        "SET ROLE owner",
        "ALTER ROLE gateway BYPASSRLS",
    ],
)
async def test_a_gateways_role_can_neither_lift_the_lock_nor_rewrite_the_record(
    database: Database, ledger_place: Place, statement: str
) -> None:
    """Not even with SQL of someone else's making; the owner, as control, may."""
    del database
    with psycopg.connect(ledger_place.gateway) as connection:
        connection.execute(scoped("acme").encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement.encode())
    if "ROLE" not in statement:
        with psycopg.connect(ledger_place.owner) as connection:
            connection.execute(statement.encode())
            connection.rollback()


@pytest.mark.requirement("S1")
async def test_turning_row_security_off_is_an_error_and_no_way_in(
    database: Database, ledger_place: Place
) -> None:
    """PostgreSQL then refuses what a policy would have filtered."""
    del database
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        seen(ledger_place.gateway, "memories", "SET row_security = off")


@pytest.mark.requirement("S1")
async def test_a_role_that_bypasses_row_security_is_refused(
    ledger_place: Place, keys_place: Place, cluster: Cluster
) -> None:
    """A superuser, and one with that right alone; the owner and the gateway's role are served."""
    with ledger_place.connect() as boss:
        boss.execute(f"ALTER ROLE {OWNER} BYPASSRLS".encode())
    try:
        for role in (SUPERUSER, OWNER):
            for place, open_ in ((ledger_place, Database.open), (keys_place, KeyStoreSql.open)):
                with pytest.raises(InvalidError, match="row-level security"):
                    await open_(cluster.url(role, place.name))
    finally:
        with ledger_place.connect() as boss:
            boss.execute(f"ALTER ROLE {OWNER} NOBYPASSRLS".encode())
    for role in (OWNER, GATEWAY):
        await (await Database.open(cluster.url(role, ledger_place.name))).close()
        await (await KeyStoreSql.open(cluster.url(role, keys_place.name))).close()


@pytest.mark.requirement("S1")
async def test_a_database_that_forgets_commits_is_refused(own_ledger: Place) -> None:
    """With synchronous_commit off, what was acknowledged can be lost."""
    with own_ledger.connect() as boss:
        boss.execute(f"ALTER DATABASE {own_ledger.name} SET synchronous_commit = off".encode())
    with pytest.raises(InvalidError, match="synchronous_commit"):
        await Database.open(own_ledger.gateway)


@pytest.mark.requirement("S3")
async def test_wrapped_keys_have_the_second_lock_too(keys_place: Place) -> None:
    """Of both tables: nothing without a tenant, one's own with it, nothing for background work."""
    store = await KeyStoreSql.open(keys_place.gateway)
    key = WrappedKey(1, b"wrapped")
    for tenant in (ACME, GLOBEX):
        await store.put_tenant(tenant, key)
        await store.put_subject(tenant, ANNA, key)
    await store.close()
    for table in ("tenant_keys", "subject_keys"):
        assert seen(keys_place.gateway, table) == set()
        assert seen(keys_place.gateway, table, scoped("acme")) == {"acme"}
        across = "SELECT set_config('memguard.scope', 'system', true)"
        assert seen(keys_place.gateway, table, across) == set()
        assert seen(keys_place.superuser, table) == {"acme", "globex"}


@pytest.mark.requirement("S1")
@pytest.mark.parametrize("scope", [ACME, SYSTEM])
async def test_what_only_reads_cannot_write(database: Database, scope: Scope) -> None:
    """A read that turns out to write is stopped by the database."""
    async with database.writing(ACME) as connection:
        await connection.execute(text("UPDATE subjects SET epoch = epoch"))
    for lend in (database.reading, database.snapshot):
        with pytest.raises(UnavailableError, match="ledger"):
            async with lend(scope) as connection:
                await connection.execute(text("UPDATE subjects SET epoch = epoch"))


def test_the_tables_of_this_test_are_those_of_the_code() -> None:
    """Or a new table would be forgotten here."""
    assert {"memories", "leaves", "subjects", "outbox", "tenants", "clients"} <= set(SECURED)
