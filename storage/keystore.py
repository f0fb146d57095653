"""Wrapped tenant and subject keys, in a database apart from the ledger and its backups.

A destroyed key leaves its number behind with empty bytes, so that a number is never given twice and
data sealed under it can't come to mean something else. On SQLite the old bytes are overwritten in
the file (secure_delete) and the write-ahead log is emptied after each shredding; what the disk's
own controller or a snapshot of the volume keeps is beyond a database.
"""

import asyncio
import os
from pathlib import Path
from typing import Self

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from guard.errors import UnavailableError
from memory.types import SubjectId, TenantId
from storage.ports import WrappedKey

_BUSY_SECONDS = 5

_metadata = sa.MetaData()
_tenant_keys = sa.Table(
    "tenant_keys",
    _metadata,
    sa.Column("tenant", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("wrapped", sa.LargeBinary, nullable=False),
)
_subject_keys = sa.Table(
    "subject_keys",
    _metadata,
    sa.Column("tenant", sa.Text, primary_key=True),
    sa.Column("subject", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("wrapped", sa.LargeBinary, nullable=False),
)


class KeyStoreSql:
    """Fulfils `storage.ports.KeyStore` on SQLite. Raises UnavailableError when it is stuck."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @classmethod
    async def open(cls, where: str | Path) -> Self:
        """Open the store at a path or SQLAlchemy URL; a new file gets mode 0600."""
        url = make_url(where) if isinstance(where, str) and "://" in where else _sqlite(where)
        if url.get_backend_name() == "sqlite" and url.database:
            await asyncio.to_thread(_make_private, Path(url.database))
        store = cls(_engine(url))
        try:
            async with store._engine.begin() as connection:
                await connection.run_sync(_metadata.create_all)
        except SQLAlchemyError as error:
            await store.close()
            raise UnavailableError("keys") from error
        return store

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()

    async def tenant_keys(self, tenant: TenantId) -> list[WrappedKey]:
        """Return the tenant's keys, oldest first, destroyed ones with empty bytes."""
        return await self._keys(_tenant_keys, {"tenant": tenant})

    async def subject_keys(self, tenant: TenantId, subject: SubjectId) -> list[WrappedKey]:
        """Return the subject's keys, oldest first, destroyed ones with empty bytes."""
        return await self._keys(_subject_keys, {"tenant": tenant, "subject": subject})

    async def put_tenant(self, tenant: TenantId, key: WrappedKey) -> WrappedKey:
        """Durably add a key unless that number exists; return the one that stands."""
        return await self._put(_tenant_keys, {"tenant": tenant, "number": key.number}, key)

    async def put_subject(
        self, tenant: TenantId, subject: SubjectId, key: WrappedKey
    ) -> WrappedKey:
        """Durably add a key unless that number exists; return the one that stands."""
        place = {"tenant": tenant, "subject": subject, "number": key.number}
        return await self._put(_subject_keys, place, key)

    async def shred_subject(self, tenant: TenantId, subject: SubjectId) -> int:
        """Destroy all keys of a subject for good; return how many. Repeat it when it raises."""
        return await self._shred([_subject_keys], {"tenant": tenant, "subject": subject})

    async def shred_tenant(self, tenant: TenantId) -> int:
        """Destroy all keys of a tenant and its subjects for good. Repeat it when it raises."""
        return await self._shred([_tenant_keys, _subject_keys], {"tenant": tenant})

    async def _keys(self, table: sa.Table, place: dict[str, object]) -> list[WrappedKey]:
        query = sa.select(table.c.number, table.c.wrapped).filter_by(**place)
        try:
            async with self._engine.connect() as connection:
                rows = (await connection.execute(query.order_by(table.c.number))).all()
        except SQLAlchemyError as error:
            raise UnavailableError("keys") from error
        return [WrappedKey(number, bytes(wrapped)) for number, wrapped in rows]

    async def _put(self, table: sa.Table, place: dict[str, object], key: WrappedKey) -> WrappedKey:
        try:
            async with self._engine.begin() as connection:
                await connection.execute(sa.insert(table).values(**place, wrapped=key.wrapped))
        except IntegrityError:
            # The number is taken; whoever took it first is right.
            (standing,) = await self._keys(table, place)
            return standing
        except SQLAlchemyError as error:
            raise UnavailableError("keys") from error
        return key

    async def _shred(self, tables: list[sa.Table], place: dict[str, object]) -> int:
        count = 0
        try:
            async with self._engine.begin() as connection:
                for table in tables:
                    live = sa.update(table).filter_by(**place).where(table.c.wrapped != b"")
                    count += (await connection.execute(live.values(wrapped=b""))).rowcount
            await self._empty_log()
        except SQLAlchemyError as error:
            raise UnavailableError("keys") from error
        return count

    async def _empty_log(self) -> None:
        """Move the write-ahead log into the file and truncate it: old keys must not stay there."""
        if self._engine.dialect.name != "sqlite":
            return
        async with self._engine.connect() as connection:
            outside = await connection.execution_options(isolation_level="AUTOCOMMIT")
            busy = (await outside.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")).scalar_one()
        if busy:
            raise UnavailableError("keys")


def _sqlite(path: str | Path) -> URL:
    return URL.create("sqlite+aiosqlite", database=str(path))


def _engine(url: URL) -> AsyncEngine:
    if url.get_backend_name() != "sqlite":
        return create_async_engine(url, hide_parameters=True)
    # One connection: keys are read once and cached, and our own reader could keep the log busy.
    engine = create_async_engine(
        url,
        hide_parameters=True,
        pool_size=1,
        max_overflow=0,
        connect_args={} if "timeout" in url.query else {"timeout": _BUSY_SECONDS},
    )
    sa.event.listen(engine.sync_engine, "connect", _configure)
    return engine


def _configure(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _make_private(path: Path) -> None:
    """Create the file before SQLite would, so that it and its log are never readable by others."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)
