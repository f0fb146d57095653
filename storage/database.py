"""A database in SQL: one engine, four ways to talk to it, and what its errors mean."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, Self

from sqlalchemy import text
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from guard.errors import ConflictError, UnavailableError
from storage.engine import (
    POOL,
    SYSTEM,
    Begin,
    Pool,
    Scope,
    beginning,
    engine_for,
    is_sqlite,
    parse,
    scoping,
)
from storage.migrations import head_revision, migrate, revision_of
from storage.postgres import is_beaten, is_denied, is_lost, refuse_unsafe
from storage.reading import Found, Query, Reader

UNDECIDED: Final = "commit"
"""What is unavailable when the answer to a commit was lost: it may stand or not."""
_TURN: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")


class Database:
    """One database. Every transaction names whose rows it may touch: a tenant's, or `SYSTEM`."""

    def __init__(self, engine: AsyncEngine, name: str = "ledger") -> None:
        """`name` is what is said to be unavailable when it does not answer."""
        self.engine: Final = engine
        self._name: Final = name
        # SQLite has one writer. Ours queue here in order; its own busy handler polls, unfairly,
        # and is left for writers of other processes.
        self._writer: Final = asyncio.Lock()
        self._one_writer: Final = engine.dialect.name == "sqlite"
        self._reader: Final = Reader(engine.url) if self._one_writer else None

    @classmethod
    async def open(cls, url: str, pool: Pool = POOL) -> Self:
        """Return the ledger's database at `url`, at the newest schema.

        A SQLite file is created for its owner alone, and migrated; another database must have been
        migrated before. Raises UnavailableError for one that does not answer or is newer than this
        code, and InvalidError for one whose role or settings would break what is promised.
        """
        parsed = parse(url)
        if is_sqlite(parsed):
            await migrate(url)
        database = cls(engine_for(parsed, pool))
        try:
            await database.ping()
            await database.refuse_unsafe()
        except BaseException:
            await database.close()
            raise
        return database

    async def close(self) -> None:
        """Let go of every connection; on SQLite the last one folds the WAL into the file."""
        if self._reader is not None:
            await self._reader.close()
        await self.engine.dispose()

    async def ping(self) -> None:
        """Return when the database answers and its schema is this code's.

        Raises UnavailableError naming `ledger` or `migrations`.
        """
        async with self.reading(SYSTEM) as connection:
            revision = await connection.run_sync(revision_of)
        if revision != head_revision():
            raise UnavailableError("migrations")

    async def refuse_unsafe(self) -> None:
        """Raise InvalidError when the database would not keep what is promised of it."""
        if not self._one_writer:
            async with self.reading(SYSTEM) as connection:
                await refuse_unsafe(connection)

    async def fetch(self, scope: Scope, *queries: Query) -> Found:
        """Return the rows of single statements, each of which sees its own moment.

        For what is read all the time: on SQLite it costs a part of what `reading` does.
        """
        with _answering(self._name):
            if self._reader is not None:
                return await self._reader.fetch(queries)
            async with self._begun(Begin.READ, scope) as connection:
                return [
                    (await connection.execute(query, dict(asked))).all() for query, asked in queries
                ]

    @asynccontextmanager
    async def reading(self, scope: Scope) -> AsyncIterator[AsyncConnection]:
        """Lend a connection for single statements, each of which sees its own moment."""
        with _answering(self._name):
            async with self._begun(Begin.READ, scope) as connection:
                yield connection

    @asynccontextmanager
    async def snapshot(self, scope: Scope) -> AsyncIterator[AsyncConnection]:
        """Lend a connection on which all reads see one moment."""
        with _answering(self._name):
            async with self._begun(Begin.SNAPSHOT, scope) as connection:
                yield connection

    @asynccontextmanager
    async def writing(self, scope: Scope) -> AsyncIterator[AsyncConnection]:
        """Lend a connection inside one write transaction: all of it happens, or nothing.

        Raises ConflictError when a constraint or another transaction refuses it and
        UnavailableError when the database does, in both cases with nothing written; except that
        one naming `commit` means that the answer was lost and what became of it is not known.
        """
        if self._one_writer:
            async with self._writer, self._transaction(scope) as connection:
                yield connection
        else:
            async with self._transaction(scope) as connection:
                yield connection

    async def enter(self, connection: AsyncConnection, scope: Scope) -> None:
        """Put the rest of the transaction into another scope: for a batch of several tenants."""
        if not self._one_writer:
            await connection.exec_driver_sql(scoping(scope))

    async def turn(self, connection: AsyncConnection, name: str) -> None:
        """Wait until no other transaction has the turn of this name, and take it to the end.

        On SQLite every writer has it anyway.
        """
        if not self._one_writer:
            await connection.execute(_TURN, {"name": name})

    @asynccontextmanager
    async def _transaction(self, scope: Scope) -> AsyncIterator[AsyncConnection]:
        with _answering(self._name):
            async with self._begun(Begin.WRITE, scope) as connection:
                yield connection
                await _commit(connection)

    @asynccontextmanager
    async def _begun(self, begin: Begin, scope: Scope) -> AsyncIterator[AsyncConnection]:
        """Lend a connection in a transaction; what was not committed is rolled back."""
        options = beginning(begin, scope)
        try:
            connection = await self._connected(options)
        except DBAPIError as error:
            if not is_lost(error):
                raise
            # It broke while it lay in the pool, which by now has dropped all of its age.
            connection = await self._connected(options)
        try:
            yield connection
        finally:
            await _close(connection)

    async def _connected(self, options: dict[str, Any]) -> AsyncConnection:
        connection = await self.engine.connect()
        try:
            await connection.execution_options(**options)
            await connection.begin()
        except BaseException:
            await _close(connection)
            raise
        return connection


async def _close(connection: AsyncConnection) -> None:
    """Give the connection back, whoever has given up waiting for it meanwhile."""
    await asyncio.shield(asyncio.create_task(connection.close()))


async def _commit(connection: AsyncConnection) -> None:
    try:
        await connection.commit()
    except DBAPIError as error:
        if is_lost(error):
            raise UnavailableError(UNDECIDED) from error
        raise


@contextmanager
def _answering(name: str) -> Iterator[None]:
    try:
        yield
    except IntegrityError as error:
        raise ConflictError("conflict") from error
    # Statements that the database calls wrong are this code's fault and pass as they are.
    except (DataError, ProgrammingError, NotSupportedError) as error:
        if is_denied(error):
            # Not this code's fault: `migrate --role` grants them, and may be doing it just now.
            raise UnavailableError(f"{name} rights") from error
        raise
    except (DBAPIError, PoolTimeoutError, OSError) as error:
        if is_beaten(error):
            raise ConflictError("conflict") from error
        raise UnavailableError(name) from error
