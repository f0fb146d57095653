"""Tenants' own rules by version, and which of them hold, in SQL. Nothing of it is ever changed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, insert, select

from guard.errors import UnreadableError
from guard.nouns import Leaf
from guard.statutes import Enactment, Ruleset
from memory.types import ClientId, SubjectId, TenantId
from storage.database import Database
from storage.engine import SYSTEM
from storage.retrying import retried
from storage.rows import check_changeless, instant, leaf_columns, micros
from storage.statute_tables import ENACTMENTS, RULESETS
from storage.tables import LEAVES


class SqlStatutes:
    """Fulfils `guard.statutes.Statutes`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, ruleset: Ruleset, leaf: Leaf) -> None:
        """Keep a version durably, with its audit leaf in the same transaction."""
        check_statute(ruleset, leaf)
        async with self._database.writing(ruleset.tenant) as connection:
            await connection.execute(insert(RULESETS), _columns_of_ruleset(ruleset))
            await connection.execute(insert(LEAVES), leaf_columns([leaf], {}))

    @retried
    async def one(self, tenant: TenantId, number: int) -> Ruleset | None:
        """Return a version of the tenant."""
        query = select(RULESETS).where(RULESETS.c.tenant == tenant, RULESETS.c.number == number)
        async with self._database.reading(tenant) as connection:
            found = (await connection.execute(query)).first()
        return None if found is None else _ruleset(found)

    @retried
    async def of(self, tenant: TenantId, below: int | None, limit: int) -> list[Ruleset]:
        """Return versions of the tenant with numbers below `below`, newest first."""
        query = select(RULESETS).where(RULESETS.c.tenant == tenant)
        if below is not None:
            query = query.where(RULESETS.c.number < below)
        query = query.order_by(RULESETS.c.number.desc()).limit(limit)
        async with self._database.reading(tenant) as connection:
            return [_ruleset(row) for row in await connection.execute(query)]

    async def enact(self, enactment: Enactment, leaf: Leaf) -> None:
        """Have a version hold, with its audit leaf in the same transaction."""
        check_statute(enactment, leaf)
        async with self._database.writing(enactment.tenant) as connection:
            await connection.execute(insert(ENACTMENTS), _columns_of_enactment(enactment))
            await connection.execute(insert(LEAVES), leaf_columns([leaf], {}))

    @retried
    async def enacted(self, tenant: TenantId, below: int | None, limit: int) -> list[Enactment]:
        """Return what held for the tenant, at places below `below`, newest first."""
        query = select(ENACTMENTS).where(ENACTMENTS.c.tenant == tenant)
        if below is not None:
            query = query.where(ENACTMENTS.c.place < below)
        query = query.order_by(ENACTMENTS.c.place.desc()).limit(limit)
        async with self._database.reading(tenant) as connection:
            return [_enactment(row) for row in await connection.execute(query)]

    @retried
    async def current(self, since: datetime | None) -> Sequence[Enactment]:
        """Return each tenant's newest enactment, of those that were made at `since` or later."""
        made = select(ENACTMENTS.c.tenant, func.max(ENACTMENTS.c.place).label("place"))
        if since is not None:
            made = made.where(ENACTMENTS.c.at >= micros(since))
        newest = made.group_by(ENACTMENTS.c.tenant).subquery()
        query = select(ENACTMENTS).join(
            newest,
            (ENACTMENTS.c.tenant == newest.c.tenant) & (ENACTMENTS.c.place == newest.c.place),
        )
        async with self._database.reading(SYSTEM) as connection:
            found = await connection.execute(query.order_by(ENACTMENTS.c.tenant))
            return [_enactment(row) for row in found]


def check_statute(statute: Ruleset | Enactment, leaf: Leaf) -> None:
    """Raise ValueError when the two do not belong together: a programming error, not an event."""
    check_changeless([leaf])
    if leaf.tenant != statute.tenant:
        raise ValueError("a leaf is of another tenant")
    if leaf.digest != statute.digest:
        raise ValueError("a leaf is of another text")


def _columns_of_ruleset(one: Ruleset) -> dict[str, Any]:
    return {
        "tenant": one.tenant,
        "number": one.number,
        "author": one.author,
        "client": one.client,
        "at": micros(one.at),
        "comment": one.comment,
        "body": one.text,
        "digest": one.digest,
    }


def _columns_of_enactment(one: Enactment) -> dict[str, Any]:
    return {
        "tenant": one.tenant,
        "place": one.place,
        "number": one.number,
        "digest": one.digest,
        "back": one.back,
        "author": one.author,
        "at": micros(one.at),
    }


def _ruleset(row: Row[Any]) -> Ruleset:
    try:
        return Ruleset(
            tenant=TenantId(row.tenant),
            number=int(row.number),
            author=SubjectId(row.author),
            client=ClientId(row.client),
            at=instant(row.at),
            comment=str(row.comment),
            text=str(row.body),
            digest=bytes(row.digest),
        )
    except (TypeError, ValueError, OverflowError):
        raise UnreadableError from None


def _enactment(row: Row[Any]) -> Enactment:
    try:
        return Enactment(
            tenant=TenantId(row.tenant),
            place=int(row.place),
            number=int(row.number),
            digest=bytes(row.digest),
            back=int(row.back),
            author=SubjectId(row.author),
            at=instant(row.at),
        )
    except (TypeError, ValueError, OverflowError):
        raise UnreadableError from None
