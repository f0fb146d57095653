"""Wrapped tenant and subject keys, in a database apart from the ledger and its backups.

A destroyed key leaves its number behind with empty bytes, so that a number is never given twice and
data sealed under it can't come to mean something else. On SQLite the old bytes are overwritten in
the file (secure_delete) and the write-ahead log is emptied after each shredding; what the disk's
own controller or a snapshot of the volume keeps is beyond a database. On PostgreSQL the old bytes
are out of every query's reach at once, and stay in the files for a while:
`docs/guides/postgresql.md` says where and until when.
"""

import asyncio
from pathlib import Path
from typing import Final, Self

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.engine import URL

from guard.errors import ConflictError, UnavailableError
from memory.types import SubjectId, TenantId
from storage.database import Database
from storage.engine import (
    POOL,
    SYSTEM,
    Pool,
    claim_file,
    engine_for,
    is_sqlite,
    parse,
)
from storage.migrations.security import granting, secure, take_turn
from storage.ports import WrappedKey
from storage.retrying import retried

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

_ALONE: Final = Pool(size=1)
"""On SQLite: keys are read once and cached, and our own reader could keep the log busy."""


class KeyStoreSql:
    """Fulfils `storage.ports.KeyStore` in SQL. Raises UnavailableError when it is stuck."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._engine = database.engine

    @classmethod
    async def open(cls, where: str | Path, pool: Pool = POOL) -> Self:
        """Open the store at a path or URL.

        An SQLite file is made where there is none, with mode 0600; another database must have been
        prepared. Raises UnavailableError when it was not or does not answer, and InvalidError for
        one whose role or settings would break what is promised.
        """
        url = _url(where)
        if is_sqlite(url):
            await prepare(where)
        database = Database(engine_for(url, _ALONE if is_sqlite(url) else pool), "keys")
        try:
            await _refuse_unprepared(database)
            await database.refuse_unsafe()
        except BaseException:
            await database.close()
            raise
        return cls(database)

    async def close(self) -> None:
        """Close all connections."""
        await self._database.close()

    async def tenant_keys(self, tenant: TenantId) -> list[WrappedKey]:
        """Return the tenant's keys, oldest first, destroyed ones with empty bytes."""
        return await self._keys(tenant, _tenant_keys, {})

    async def subject_keys(self, tenant: TenantId, subject: SubjectId) -> list[WrappedKey]:
        """Return the subject's keys, oldest first, destroyed ones with empty bytes."""
        return await self._keys(tenant, _subject_keys, {"subject": subject})

    async def put_tenant(self, tenant: TenantId, key: WrappedKey) -> WrappedKey:
        """Durably add a key unless that number exists; return the one that stands."""
        return await self._put(tenant, _tenant_keys, {"number": key.number}, key)

    async def put_subject(
        self, tenant: TenantId, subject: SubjectId, key: WrappedKey
    ) -> WrappedKey:
        """Durably add a key unless that number exists; return the one that stands."""
        place = {"subject": subject, "number": key.number}
        return await self._put(tenant, _subject_keys, place, key)

    async def shred_subject(self, tenant: TenantId, subject: SubjectId) -> int:
        """Destroy all keys of a subject for good; return how many. Repeat it when it raises."""
        return await self._shred(tenant, [_subject_keys], {"subject": subject})

    async def shred_tenant(self, tenant: TenantId) -> int:
        """Destroy all keys of a tenant and its subjects for good. Repeat it when it raises."""
        return await self._shred(tenant, [_tenant_keys, _subject_keys], {})

    @retried
    async def _keys(
        self, tenant: TenantId, table: sa.Table, place: dict[str, object]
    ) -> list[WrappedKey]:
        query = sa.select(table.c.number, table.c.wrapped).filter_by(tenant=tenant, **place)
        async with self._database.reading(tenant) as connection:
            rows = (await connection.execute(query.order_by(table.c.number))).all()
        return [WrappedKey(number, bytes(wrapped)) for number, wrapped in rows]

    @retried
    async def _put(
        self, tenant: TenantId, table: sa.Table, place: dict[str, object], key: WrappedKey
    ) -> WrappedKey:
        new = sa.insert(table).values(tenant=tenant, **place, wrapped=key.wrapped)
        try:
            async with self._database.writing(tenant) as connection:
                await connection.execute(new)
        except ConflictError:
            # The number is taken; whoever took it first is right.
            standing = await self._keys(tenant, table, place)
            if not standing:
                raise
            return standing[0]
        return key

    @retried
    async def _shred(
        self, tenant: TenantId, tables: list[sa.Table], place: dict[str, object]
    ) -> int:
        count = 0
        async with self._database.writing(tenant) as connection:
            for table in tables:
                live = sa.update(table).filter_by(tenant=tenant, **place)
                live = live.where(table.c.wrapped != b"").values(wrapped=b"")
                count += (await connection.execute(live)).rowcount
        await self._empty_log()
        return count

    async def _empty_log(self) -> None:
        """Move the write-ahead log into the file and truncate it: old keys must not stay there."""
        if self._engine.dialect.name != "sqlite":
            return
        async with self._database.reading(SYSTEM) as connection:
            emptied = await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            if emptied.scalar_one():
                raise UnavailableError("keys")


async def prepare(where: str | Path, role: str | None = None) -> None:
    """Make what is missing of the store at a path or URL.

    On PostgreSQL the URL's role becomes the owner, and `role` is granted what a gateway needs.
    """
    url = _url(where)
    if is_sqlite(url):
        await asyncio.to_thread(_claim, url)
    database = Database(engine_for(url, _ALONE), "keys")
    try:
        async with database.writing(SYSTEM) as connection:
            await connection.run_sync(_create, role)
    finally:
        await database.close()


async def _refuse_unprepared(database: Database) -> None:
    async with database.reading(SYSTEM) as connection:
        prepared = await connection.run_sync(_is_prepared)
    if not prepared:
        raise UnavailableError("migrations")


def _create(connection: Connection, role: str | None) -> None:
    take_turn(connection, "keys")
    if not _is_prepared(connection):
        _metadata.create_all(connection)
        for table in _metadata.tables:
            secure(connection, table)
    granting(connection, role, _metadata.tables)


def _is_prepared(connection: Connection) -> bool:
    present = sa.inspect(connection)
    return all(present.has_table(table) for table in _metadata.tables)


def _claim(url: URL) -> None:
    try:
        claim_file(url)
    except OSError as error:
        raise UnavailableError("keys") from error


def _url(where: str | Path) -> URL:
    if isinstance(where, str) and "://" in where:
        return parse(where)
    return URL.create("sqlite+aiosqlite", database=str(where))
