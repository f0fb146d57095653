"""The ledger's database: one engine, three ways to talk to it, and what its errors mean."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, Self

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
from storage.engine import SNAPSHOT, WRITE, engine_for, is_sqlite, parse
from storage.migrations import head_revision, migrate, revision_of


class Database:
    """The one database of the ledger, at the schema this code knows."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine: Final = engine
        # SQLite has one writer. Ours queue here in order; its own busy handler polls, unfairly,
        # and is left for writers of other processes.
        self._writer: Final = asyncio.Lock()
        self._one_writer: Final = engine.dialect.name == "sqlite"

    @classmethod
    async def open(cls, url: str) -> Self:
        """Return the database at `url`, at the newest schema.

        A SQLite file is created for its owner alone, and migrated; another database must have been
        migrated before. Raises UnavailableError for one that is newer than this code.
        """
        parsed = parse(url)
        if is_sqlite(parsed):
            await migrate(url)
        database = cls(engine_for(parsed))
        try:
            await database.ping()
        except UnavailableError:
            await database.close()
            raise
        return database

    async def close(self) -> None:
        """Let go of every connection; on SQLite the last one folds the WAL into the file."""
        await self.engine.dispose()

    async def ping(self) -> None:
        """Return when the database answers and its schema is this code's.

        Raises UnavailableError naming `ledger` or `migrations`.
        """
        async with self.reading() as connection:
            revision = await connection.run_sync(revision_of)
        if revision != head_revision():
            raise UnavailableError("migrations")

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Lend a connection for single statements, each of which sees its own moment."""
        with _answering():
            async with self.engine.connect() as connection:
                yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """Lend a connection on which all reads see one moment."""
        with _answering():
            async with self.engine.connect() as connection:
                await connection.execution_options(**SNAPSHOT)
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Lend a connection inside one write transaction: all of it happens, or nothing.

        Raises ConflictError when a constraint refuses it and UnavailableError when the database
        does, in both cases with nothing written.
        """
        if self._one_writer:
            async with self._writer, self._transaction() as connection:
                yield connection
        else:
            async with self._transaction() as connection:
                yield connection

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[AsyncConnection]:
        with _answering():
            async with self.engine.connect() as connection:
                await connection.execution_options(**WRITE)
                async with connection.begin():
                    yield connection


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except IntegrityError as error:
        raise ConflictError("conflict") from error
    # Statements that the database calls wrong are this code's fault and pass as they are.
    except (DataError, ProgrammingError, NotSupportedError):
        raise
    except (DBAPIError, PoolTimeoutError, OSError) as error:
        raise UnavailableError("ledger") from error
