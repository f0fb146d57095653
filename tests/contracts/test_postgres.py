"""What only a server can suffer: several processes, broken connections, time-outs, restarts."""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Update, insert, select, text, update

from guard.errors import ConflictError, UnavailableError
from guard.ports import Filter, Tenant
from memory.types import State, TenantId
from storage.chain import Flaw
from storage.database import UNDECIDED, Database
from storage.engine import SYSTEM, Pool
from storage.keystore import KeyStoreSql
from storage.ledger import SqlLedger
from storage.migrations import head_revision, migrate
from storage.registry import SqlRegistry
from storage.retrying import PAUSES, retried
from storage.rows import columns_of
from storage.tables import MEMORIES, METADATA, TENANTS
from tests.contracts.hammer import COUNTER, Deeds
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    GLOBEX,
    START,
    Books,
    books_on,
    change,
    get,
    noted,
    put,
    relabelled,
    sealed,
)
from tests.lossy import Loss, Network, lossy
from tests.postgres import GATEWAY, Cluster, Place

ROOT = Path(__file__).parent.parent.parent
PROCESSES, ROUNDS = 3, 10
COMMIT = b"COMMIT\0"
"""As a message of its own; every BEGIN of ours says READ COMMITTED."""
HASTY = Pool(size=4, wait_seconds=0.1, statement_seconds=0.3, lock_seconds=0.1)


@pytest.fixture
async def database(ledger_place: Place) -> AsyncIterator[Database]:
    """Lend an open ledger on PostgreSQL."""
    opened = await Database.open(ledger_place.gateway)
    yield opened
    await opened.close()


@pytest.fixture
def books(database: Database) -> Books:
    """Return the adapters over it."""
    return books_on(database)


@pytest.fixture
async def network(cluster: Cluster) -> AsyncIterator[Network]:
    """Lend a lossy network before the server."""
    async with lossy(cluster.port) as lent:
        yield lent


@pytest.fixture
async def afar(
    cluster: Cluster, ledger_place: Place, network: Network
) -> AsyncIterator[tuple[Network, Books]]:
    """Lend books on the far side of a lossy network."""
    url = cluster.url(GATEWAY, ledger_place.name, network.port)
    opened = await Database.open(url, Pool(size=2))
    yield network, books_on(opened)
    await opened.close()


def cut(place: Place) -> int:
    """End every connection of the gateway's from the server's side; return how many."""
    with place.connect() as boss:
        ended = boss.execute(
            "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
            " WHERE usename = 'gateway' AND datname = current_database()"
        ).fetchone()
    assert ended is not None
    return int(str(ended[0]))


# ── several processes ────────────────────────────────────────────────────────────────────────────


async def _hammers(url: str) -> list[Deeds]:
    """Run processes that all begin at once, and return what each did."""
    command = [sys.executable, "-m", "tests.contracts.hammer", url, str(ROUNDS)]
    pipe = asyncio.subprocess.PIPE
    processes = [
        await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe)
        for _ in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    said = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    assert [process.returncode for process in processes] == [0] * PROCESSES
    return [msgspec.json.decode(out, type=Deeds) for out, _ in said]


@pytest.mark.requirement("R13", "S9", "Q6")
async def test_processes_that_hammer_one_subject_lose_nothing(
    ledger_place: Place, books: Books
) -> None:
    """No update is lost, no task is done twice, and the audit is one chain that verifies, though
    every process writes, follows the outbox and chains leaves at once, and they did collide.
    """
    await put(books, sealed(id=COUNTER))
    deeds = await _hammers(ledger_place.gateway)
    total = PROCESSES * ROUNDS
    written = [id for one in deeds for id in one.written]
    assert sum(one.conflicts for one in deeds) > 0
    assert len(set(written)) == len(written) == sum(one.counted for one in deeds) == total

    assert await books.ledger.epoch(ACME, ANNA) == total + 1
    (counter,) = await books.ledger.rows(ACME, ANNA, [COUNTER])
    assert counter.sealed.label.version == total + 1
    page = await books.ledger.page(ACME, ANNA, Filter(), None, 10 * total)
    assert {row.sealed.label.id for row in page.rows} == {*written, COUNTER}
    assert all(row.indexed for row in page.rows)

    followed = Counter(task for one in deeds for task in one.followed)
    assert set(followed.values()) == {1}
    assert len(followed) == 2 * total + 1
    assert await books.outbox.waiting() == 0

    assert await books.audit.integrate() == 0
    assert sum(one.placed for one in deeds) == 2 * total + 1
    report = await books.audit.verify(ACME)
    assert (report.ok, report.leaves) == (True, 2 * total + 1)


@pytest.mark.requirement("S9")
async def test_claimants_take_what_no_other_is_taking(database: Database, books: Books) -> None:
    """Without waiting: a task that a transaction under way has locked is passed over."""
    rows = [sealed() for _ in range(3)]
    await put(books, *rows)
    async with database.writing(SYSTEM) as connection:
        await connection.execute(
            text("SELECT 1 FROM outbox WHERE id = :id FOR UPDATE"), {"id": rows[0].label.id}
        )
        claimed = await books.outbox.claim(9, START, 30.0)
    assert [task.id for task in claimed] == [row.label.id for row in rows[1:]]
    assert [task.id for task in await books.outbox.claim(9, START, 30.0)] == [rows[0].label.id]


@pytest.mark.requirement("S1")
async def test_gateways_that_first_meet_a_tenant_at_once_both_register_it(
    ledger_place: Place,
) -> None:
    """The second finds what the first put there."""
    opened = [await Database.open(ledger_place.gateway) for _ in range(6)]
    tenant = Tenant(ACME, suspended=False)
    await asyncio.gather(*(SqlRegistry(one).register(tenant, []) for one in opened))
    assert await SqlRegistry(opened[0]).tenant(ACME) == tenant
    for one in opened:
        await one.close()


# ── migrations ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("S1")
async def test_processes_that_migrate_at_once_do_it_once(cluster: Cluster) -> None:
    """Each waits for the one at work, finds all done, and the ledger serves."""
    place = cluster.database()
    code = (
        "import asyncio, sys; from storage.migrations import migrate;"
        "print(asyncio.run(migrate(sys.argv[1], sys.argv[2])))"
    )
    pipe = asyncio.subprocess.PIPE
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, place.owner, GATEWAY, cwd=ROOT, stdout=pipe
        )
        for _ in range(3)
    ]
    said = await asyncio.gather(*(process.communicate() for process in processes))
    assert [out.decode().strip() for out, _ in said] == [head_revision()] * 3
    database = await Database.open(place.gateway)
    row = sealed()
    await put(books_on(database), row)
    assert (await get(books_on(database), row)).sealed == row
    await database.close()


@pytest.mark.requirement("S1")
async def test_migrations_make_the_tables_of_the_code_here_too(database: Database) -> None:
    """No column, index or constraint is only SQLite's."""
    async with database.reading(SYSTEM) as connection:
        differences = await connection.run_sync(
            lambda sync: compare_metadata(MigrationContext.configure(sync), METADATA)
        )
    assert differences == []


@pytest.mark.requirement("S1")
async def test_a_gateway_migrates_no_server(cluster: Cluster) -> None:
    """Its role may not: it says that `migrations` is what it waits for, and works after them."""
    place = cluster.database()
    for open_ in (Database.open, KeyStoreSql.open):
        with pytest.raises(UnavailableError) as refusal:
            await open_(place.gateway)
        assert refusal.value.what == "migrations"
    await migrate(place.owner, GATEWAY)
    await (await Database.open(place.gateway)).close()


@pytest.mark.requirement("S1")
async def test_missing_rights_are_named_and_waited_for(cluster: Cluster) -> None:
    """A role that was granted nothing, or not all, says so, and works once it has its rights."""
    place = cluster.database()
    await migrate(place.owner)
    with pytest.raises(UnavailableError) as refusal:
        await Database.open(place.gateway)
    assert refusal.value.what == "ledger rights"

    await migrate(place.owner, GATEWAY)
    database = await Database.open(place.gateway)
    try:
        await books_on(database).ledger.epoch(ACME, ANNA)
        with place.connect() as boss:
            boss.execute("REVOKE SELECT ON subjects FROM gateway")
        with pytest.raises(UnavailableError) as refusal:
            await books_on(database).ledger.epoch(ACME, ANNA)
        assert refusal.value.what == "ledger rights"
    finally:
        await database.close()


@pytest.mark.requirement("S1")
async def test_a_newer_ledger_on_a_server_is_refused(own_ledger: Place) -> None:
    """By the gateway and by the migration, and it is left as it is."""
    with own_ledger.connect() as boss:
        boss.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(UnavailableError, match="newer version of Memguard"):
        await migrate(own_ledger.owner)
    with pytest.raises(UnavailableError, match="migrations"):
        await Database.open(own_ledger.gateway)
    with own_ledger.connect() as boss:
        rows = boss.execute("SELECT version_num FROM alembic_version").fetchall()
    assert rows == [("9999",)]


# ── connections that break ───────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("S1")
async def test_connections_that_broke_in_the_pool_are_not_noticed(
    ledger_place: Place, books: Books
) -> None:
    """All of them at once, before a read and before a write."""
    row, other = sealed(), sealed()
    await put(books, row)
    await asyncio.gather(*(books.ledger.epoch(ACME, ANNA) for _ in range(4)))
    assert cut(ledger_place) >= 1
    assert (await get(books, row)).sealed == row
    assert cut(ledger_place) >= 1
    await books.ledger.commit(change(1, other))
    assert await books.ledger.epoch(ACME, ANNA) == 2


@pytest.mark.requirement("S1")
async def test_a_transaction_begins_on_a_connection_that_lives(ledger_place: Place) -> None:
    """Also for what is not tried again: beginning is the question whether anybody is there."""
    alone = await Database.open(ledger_place.gateway, Pool(size=1))
    for lend in (alone.reading, alone.writing, alone.snapshot):
        assert cut(ledger_place) == 1
        async with lend(ACME) as connection:
            assert await connection.scalar(text("SELECT 1")) == 1
    await alone.close()


@pytest.mark.requirement("S1")
async def test_a_read_whose_connection_breaks_is_asked_again(
    ledger_place: Place, books: Books
) -> None:
    """While it waits for an answer: the caller sees the answer and not the break."""
    row = sealed()
    await put(books, row)
    with ledger_place.connect() as boss:
        boss.execute("BEGIN")
        boss.execute("LOCK TABLE memories IN ACCESS EXCLUSIVE MODE")
        asked = asyncio.create_task(get(books, row))
        await _until_somebody_waits(ledger_place)
        cut(ledger_place)
        boss.execute("COMMIT")
    assert (await asked).sealed == row


async def _until_somebody_waits(place: Place) -> None:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    async with asyncio.timeout(5):
        with place.connect() as boss:
            while boss.execute(query).fetchall() == [(0,)]:  # noqa: ASYNC110  # it tells nobody
                await asyncio.sleep(0)


@pytest.mark.requirement("S1")
@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.ANSWER, Loss.LATE])
async def test_a_commit_whose_answer_is_lost_stands_once_and_says_so(
    afar: tuple[Network, Books], loss: Loss, before: int
) -> None:
    """Whether it never arrived, took effect unheard, or takes effect while it is tried again: the
    caller is told that it stands, and it does, once.
    """
    network, books = afar
    await put(books, *(sealed() for _ in range(before)))
    row = sealed()
    network.lose(loss, COMMIT, again=b"subjects")
    await books.ledger.commit(change(before, row))
    assert network.lost == 1
    assert (await get(books, row)).sealed == row
    assert await books.ledger.epoch(ACME, ANNA) == before + 1
    assert await books.outbox.waiting() == before + 1
    assert await books.audit.integrate() == before + 1


@pytest.mark.requirement("S1")
async def test_a_commit_lost_to_somebody_elses_is_a_conflict(
    afar: tuple[Network, Books], books: Books
) -> None:
    """The request never arrived, and another writer came first: what is told is that nothing of it
    stands.
    """
    network, far = afar
    row, theirs = sealed(), sealed()
    network.lose(Loss.REQUEST, COMMIT)
    ours = asyncio.create_task(far.ledger.commit(change(0, row)))
    await network.losing.wait()
    await books.ledger.commit(change(0, theirs))
    with pytest.raises(ConflictError):
        await ours
    assert await books.ledger.rows(ACME, ANNA, [row.label.id]) == []
    assert await books.ledger.epoch(ACME, ANNA) == 1


@pytest.mark.requirement("S1")
async def test_what_nobody_can_know_is_said_to_be_unknown(
    afar: tuple[Network, Books], books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is lost and the database stays away: not "nothing was written", for it was."""
    monkeypatch.setattr("storage.ledger._SETTLE_SECONDS", 0.3)
    network, far = afar
    row = sealed()
    network.lose(Loss.ANSWER, COMMIT)
    ours = asyncio.create_task(far.ledger.commit(change(0, row)))
    await network.losing.wait()
    network.down = True
    with pytest.raises(UnavailableError) as refusal:
        await ours
    assert refusal.value.what == UNDECIDED
    assert (await get(books, row)).sealed == row
    network.down = False
    assert (await get(far, row)).sealed == row


@pytest.mark.requirement("S1")
async def test_a_break_before_the_commit_is_tried_again(afar: tuple[Network, Books]) -> None:
    """Nothing had happened yet, so nothing is in doubt."""
    network, books = afar
    row = sealed()
    network.lose(Loss.REQUEST, b"outbox")
    await books.ledger.commit(change(0, row))
    assert network.lost == 1
    assert (await get(books, row)).sealed == row
    assert await books.ledger.epoch(ACME, ANNA) == 1


@pytest.mark.requirement("S9", "Q6", "E13")
@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.ANSWER])
async def test_background_work_is_done_again_without_harm(
    afar: tuple[Network, Books], loss: Loss
) -> None:
    """Noting, placing leaves and finishing tasks: each breaks once at its commit."""
    network, books = afar
    row, recall = sealed(), noted()
    await put(books, row)
    tasks = await books.outbox.claim(9, START, 30.0)
    for work in (
        lambda: books.audit.note([recall]),
        lambda: books.outbox.done(tasks),
        books.audit.integrate,
    ):
        network.lose(loss, COMMIT)
        await work()
    assert network.lost == 3
    assert await books.audit.integrate() == 0
    assert [one.leaf.id for one in await books.audit.leaves(ACME, 0, 9)] == [
        row.label.leaf,
        recall.id,
    ]
    assert (await books.audit.verify(ACME)).ok
    assert (await get(books, row)).indexed
    assert await books.outbox.waiting() == 0


@pytest.mark.requirement("S1")
async def test_a_cancelled_commit_leaves_a_server_usable(books: Books) -> None:
    """At whatever step: all of it is there or nothing, and no lock is left behind."""
    stood = 0
    for steps in range(0, 60, 4):
        row, after = sealed(), sealed()
        before = await books.ledger.epoch(ACME, ANNA)
        doomed = asyncio.create_task(books.ledger.commit(change(before, row)))
        for _ in range(steps):
            await asyncio.sleep(0)
        doomed.cancel()
        await asyncio.gather(doomed, return_exceptions=True)
        epoch = await books.ledger.epoch(ACME, ANNA)
        assert len(await books.ledger.rows(ACME, ANNA, [row.label.id])) == epoch - before
        stood += epoch - before
        await books.ledger.commit(change(epoch, after))
        assert (await get(books, after)).sealed == after
    assert stood < 15


@pytest.mark.requirement("E11")
async def test_a_server_that_is_away_is_unavailable_and_comes_back(
    cluster: Cluster, ledger_place: Place, keys_place: Place, database: Database, books: Books
) -> None:
    """At the start as later; the same objects work again, without a restart of ours, and nothing
    acknowledged is gone, though the server was killed.
    """
    row, later = sealed(), sealed()
    await put(books, row)
    cluster.kill()
    try:
        for open_, place in ((Database.open, ledger_place), (KeyStoreSql.open, keys_place)):
            with pytest.raises(UnavailableError) as refusal:
                await open_(place.gateway)
            assert refusal.value.what in ("ledger", "keys")
            assert "only" not in str(refusal.value.__cause__)
        for _ in range(2):
            with pytest.raises(UnavailableError, match="ledger"):
                await books.ledger.epoch(ACME, ANNA)
            with pytest.raises(UnavailableError, match="ledger"):
                await books.ledger.commit(change(1, later))
            with pytest.raises(UnavailableError, match="ledger"):
                await database.ping()
    finally:
        cluster.start()
    await database.ping()
    assert (await get(books, row)).sealed == row
    await books.ledger.commit(change(1, later))
    assert (await get(books, later)).sealed == later


# ── limits ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("S1")
async def test_every_connection_has_its_time_outs(database: Database) -> None:
    """A statement, a lock and a silent transaction each end; nobody waits for ever."""
    async with database.reading(ACME) as connection:
        found = [
            await connection.scalar(text(f"SHOW {name}"))
            for name in (
                "statement_timeout",
                "lock_timeout",
                "idle_in_transaction_session_timeout",
                "transaction_isolation",
            )
        ]
    assert found == ["10s", "3s", "15s", "read committed"]


@pytest.mark.requirement("S1")
async def test_a_locked_row_is_unavailable_after_its_time(
    ledger_place: Place, books: Books
) -> None:
    """The write gives up with nothing written, reads go on, and later it works."""
    await put(books, sealed())
    hasty = await Database.open(ledger_place.gateway, HASTY)
    ours, row = books_on(hasty), sealed()
    with ledger_place.connect() as boss:
        boss.execute("BEGIN")
        boss.execute("SELECT 1 FROM subjects FOR UPDATE")
        with pytest.raises(UnavailableError, match="ledger"):
            await ours.ledger.commit(change(1, row))
        assert await ours.ledger.epoch(ACME, ANNA) == 1
        boss.execute("COMMIT")
    await ours.ledger.commit(change(1, row))
    assert (await get(ours, row)).sealed == row
    await hasty.close()


@pytest.mark.requirement("S1")
async def test_a_slow_statement_is_unavailable_and_its_connection_serves_on(
    ledger_place: Place,
) -> None:
    """So does a pool whose connections are all out: it says so, and serves when one is back."""
    hasty = await Database.open(ledger_place.gateway, msgspec.structs.replace(HASTY, size=1))
    with pytest.raises(UnavailableError, match="ledger"):
        async with hasty.reading(ACME) as connection:
            await connection.execute(text("SELECT pg_sleep(30)"))
    async with hasty.reading(ACME):
        with pytest.raises(UnavailableError, match="ledger"):
            async with hasty.reading(ACME):
                pass
    await hasty.ping()
    await hasty.close()


@pytest.mark.requirement("R13")
async def test_a_deadlock_is_tried_again(database: Database, books: Books) -> None:
    """Two transactions take the same rows in opposite order: one is chosen to give way, tries
    again, and both have happened.
    """
    rows = [sealed(), sealed()]
    await put(books, *rows)
    met = asyncio.Barrier(2)
    attempts = 0

    @retried
    async def touch(first: int, second: int) -> None:
        nonlocal attempts
        attempts += 1
        async with database.writing(ACME) as connection:
            await connection.execute(_up(rows[first].label.id))
            if attempts <= 2:
                await met.wait()
            await connection.execute(_up(rows[second].label.id))

    await asyncio.gather(touch(0, 1), touch(1, 0))
    assert attempts > 2
    for row in rows:
        async with database.reading(ACME) as connection:
            trust = select(MEMORIES.c.trust).where(MEMORIES.c.id == row.label.id)
            assert await connection.scalar(trust) == row.label.trust + 2


def _up(id: str) -> Update:
    return update(MEMORIES).where(MEMORIES.c.id == id).values(trust=MEMORIES.c.trust + 1)


@pytest.mark.requirement("R13")
@pytest.mark.parametrize(
    ("state", "attempts"), [("40001", len(PAUSES) + 1), ("40P01", len(PAUSES) + 1), ("23505", 1)]
)
async def test_giving_way_is_a_conflict_and_tried_a_few_times(
    database: Database, state: str, attempts: int
) -> None:
    """Serialisation failures and deadlocks, and nothing that a constraint refuses."""
    made = 0

    @retried
    async def beaten() -> None:
        nonlocal made
        made += 1
        async with database.writing(ACME) as connection:
            await connection.exec_driver_sql(
                f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}'; END $$"
            )

    with pytest.raises(ConflictError):
        await beaten()
    assert made == attempts


@pytest.mark.requirement("E9")
async def test_errors_of_a_server_carry_no_parameters(database: Database) -> None:
    """Not even a refused row's values, which the server itself would quote in its detail."""
    async with database.writing(ACME) as connection:
        await connection.execute(insert(TENANTS).values(id="acme", suspended=False))
    with pytest.raises(ConflictError) as refusal:
        async with database.writing(ACME) as connection:
            await connection.execute(insert(TENANTS).values(id="acme", suspended=False))
    assert str(refusal.value) == "conflict"


# ── spoilt from outside ──────────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("Q6")
@pytest.mark.parametrize(
    ("tampering", "flaw"),
    [
        ("UPDATE leaves SET body = 'x' WHERE tenant = 'acme' AND sequence = 1", Flaw.LEAF_CHANGED),
        ("DELETE FROM leaves WHERE tenant = 'acme' AND sequence = 1", Flaw.LEAF_MISSING),
        ("UPDATE leaves SET object = 'x' WHERE tenant = 'acme'", Flaw.LEAF_MISPLACED),
        ("UPDATE memories SET state = 'held' WHERE tenant = 'acme'", Flaw.ROW_CHANGED),
        ("UPDATE memories SET kind = 'bogus' WHERE tenant = 'acme'", Flaw.ROW_UNREADABLE),
        ("UPDATE memories SET token = 'x' WHERE tenant = 'acme'", Flaw.ROW_CHANGED),
        ("UPDATE memories SET tenant = 'globex' WHERE tenant = 'acme'", Flaw.ROW_MISSING),
        ("DELETE FROM memories WHERE tenant = 'acme'", Flaw.ROW_MISSING),
    ],
)
async def test_tampering_by_a_superuser_is_found(
    ledger_place: Place, books: Books, tampering: str, flaw: Flaw
) -> None:
    """Row security does not bind him; the audit tells. Before, as control, it verified."""
    await put(books, sealed(), sealed())
    await books.audit.integrate()
    assert (await books.audit.verify(ACME)).ok
    with ledger_place.connect() as boss:
        boss.execute("SET session_replication_role = replica")
        assert boss.execute(tampering.encode()).rowcount > 0
    assert flaw in {problem.flaw for problem in (await books.audit.verify(ACME)).problems}


@pytest.mark.requirement("R5")
async def test_a_row_rolled_back_by_a_superuser_names_an_old_leaf(
    ledger_place: Place, books: Books
) -> None:
    """As on SQLite: the leaf of the newer version tells."""
    row = sealed()
    changed = relabelled(row, state=State.FORGOTTEN)
    await put(books, row, changed)
    columns = columns_of(row)
    places = ", ".join(f"{name} = %s" for name in columns)
    with ledger_place.connect() as boss:
        boss.execute(f"UPDATE memories SET {places}".encode(), [*columns.values()])  # noqa: S608
    found = await get(books, row)
    assert found.sealed == row
    assert found.newest_leaf == changed.label.leaf != found.sealed.label.leaf


@pytest.mark.requirement("E5")
async def test_an_id_that_no_database_can_hold_is_not_found(books: Books) -> None:
    """A NUL in it is an id that nobody has, and no error."""
    row = sealed()
    await put(books, row)
    nul = type(row.label.id)("a\0b")
    assert len(await books.ledger.rows(ACME, ANNA, [nul, row.label.id])) == 1
    assert await books.quarantine.case(ACME, nul) is None


@pytest.mark.requirement("E5")
async def test_a_turn_is_held_per_name(database: Database) -> None:
    """Whoever takes a turn waits for nobody of another name."""
    order: list[TenantId] = []
    inside = asyncio.Event()

    async def chain(tenant: TenantId, until: asyncio.Event | None) -> None:
        async with database.writing(tenant) as connection:
            await database.turn(connection, f"test {tenant}")
            inside.set()
            if until is not None:
                await until.wait()
            order.append(tenant)

    release = asyncio.Event()
    first = asyncio.create_task(chain(ACME, release))
    await inside.wait()
    second = asyncio.create_task(chain(ACME, None))
    await chain(GLOBEX, None)
    assert order == [GLOBEX]
    release.set()
    await asyncio.gather(first, second)
    assert order == [GLOBEX, ACME, ACME]


@pytest.mark.requirement("S9")
async def test_only_a_commit_that_stands_wakes_those_who_follow_here_too(
    afar: tuple[Network, Books], ledger_place: Place, cluster: Cluster
) -> None:
    """Once, also when the answer had to be found out."""
    network, _ = afar
    told: list[str] = []
    url = cluster.url(GATEWAY, ledger_place.name, network.port)
    database = await Database.open(url)
    ledger = SqlLedger(database, committed=lambda: told.append("committed"))
    network.lose(Loss.ANSWER, COMMIT)
    await ledger.commit(change(0, sealed()))
    assert told == ["committed"]
    with pytest.raises(ConflictError):
        await ledger.commit(change(0, sealed()))
    assert told == ["committed"]
    await database.close()
