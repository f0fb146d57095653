"""What was said in sessions, in SQL: sealed, and gone when it has expired."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.ports import SealedTurn, Window
from memory.types import SubjectId, TenantId, TurnId
from storage.database import Database
from storage.expiring import remove_expired
from storage.retrying import retried
from storage.rows import instant, micros, raw
from storage.tables import TURNS


class SqlTranscript:
    """Fulfils `guard.ports.Transcript`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self,
        tenant: TenantId,
        subject: SubjectId,
        session: str,
        turns: Sequence[SealedTurn],
        window: Window,
    ) -> None:
        """Add turns to a session durably, then remove its oldest as far as `window` asks for."""
        if not turns:
            return
        place = {"tenant": tenant, "subject": subject, "session": session}
        rows = [place | _columns(turn) for turn in turns]
        async with self._database.writing(tenant) as connection:
            await connection.execute(insert(TURNS), rows)
            outside = await _outside(connection, _of(tenant, subject, session), window)
            if outside:
                await connection.execute(
                    delete(TURNS).where(TURNS.c.tenant == tenant, TURNS.c.id.in_(outside))
                )

    @retried
    async def turns(
        self, tenant: TenantId, subject: SubjectId, session: str, now: datetime
    ) -> list[SealedTurn]:
        """Return the session's turns that have not expired, oldest first."""
        query = (
            select(TURNS)
            .where(*_of(tenant, subject, session), TURNS.c.expires_at > micros(now))
            .order_by(TURNS.c.at, TURNS.c.id)
        )
        async with self._database.reading(tenant) as connection:
            return [_turn(row) for row in await connection.execute(query)]

    @retried
    async def erase(
        self, tenant: TenantId, subject: SubjectId, sessions: Sequence[str] | None = None
    ) -> int:
        """Remove the turns of these sessions of a subject, by default of all; return how many."""
        where = [TURNS.c.tenant == tenant, TURNS.c.subject == subject]
        if sessions is not None:
            where.append(TURNS.c.session.in_(sessions))
        async with self._database.writing(tenant) as connection:
            return (await connection.execute(delete(TURNS).where(*where))).rowcount

    @retried
    async def expire(self, now: datetime) -> int:
        """Remove the turns of every tenant that have expired; return how many."""
        return await remove_expired(self._database, [TURNS], now)


async def _outside(
    connection: AsyncConnection, where: Sequence[ColumnElement[bool]], window: Window
) -> list[str]:
    """Return the ids of the session's turns that do not fit the window any more."""
    query = (
        select(TURNS.c.id, func.length(TURNS.c.token).label("size"))
        .where(*where)
        .order_by(TURNS.c.at.desc(), TURNS.c.id.desc())
    )
    kept, outside = 0, []
    for place, row in enumerate(await connection.execute(query)):
        kept += row.size
        if place >= window.turns or kept > window.bytes:
            outside.append(str(row.id))
    return outside


def _of(tenant: TenantId, subject: SubjectId, session: str) -> tuple[ColumnElement[bool], ...]:
    return TURNS.c.tenant == tenant, TURNS.c.subject == subject, TURNS.c.session == session


def _columns(turn: SealedTurn) -> dict[str, Any]:
    times = {"at": micros(turn.at), "expires_at": micros(turn.expires_at)}
    return {"id": turn.id, "token": turn.token} | times


def _turn(row: Any) -> SealedTurn:
    return SealedTurn(TurnId(row.id), instant(row.at), instant(row.expires_at), raw(row.token))
