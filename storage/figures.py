"""How much waits and how much is held, for whoever watches the gateway."""

import msgspec
from sqlalchemy import func, select

from guard.ports import Clock
from memory.types import State, TenantId
from storage.database import Database
from storage.engine import SYSTEM
from storage.retrying import retried
from storage.tables import MEMORIES, OUTBOX, QUEUE, TENANTS


class Standing(msgspec.Struct, frozen=True):
    """What waits in one ledger at one moment, of all tenants together.

    `queue_seconds` is how long ago the oldest write that waits was accepted.
    """

    tenants: int
    held: int
    outbox: int
    queue: int
    queue_seconds: float
    dead: int


class SqlFigures:
    """Counts. Dear with many tenants: held memories are counted in the scope of each."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def standing(self) -> Standing:
        """Return what waits and is held now. Raises UnavailableError."""
        now = self._clock()
        ids = await self._tenants()
        outbox, queue, oldest, dead = await self._queues()
        return Standing(
            tenants=len(ids),
            held=sum([await self._held(tenant) for tenant in ids]),
            outbox=outbox,
            queue=queue,
            queue_seconds=0.0 if oldest is None else max(0.0, now.timestamp() - made_at(oldest)),
            dead=dead,
        )

    @retried
    async def _tenants(self) -> list[TenantId]:
        async with self._database.reading(SYSTEM) as connection:
            return [TenantId(id) for id in await connection.scalars(select(TENANTS.c.id))]

    @retried
    async def _queues(self) -> tuple[int, int, str | None, int]:
        waits = QUEUE.c.dead_at.is_(None)
        in_outbox = select(func.count()).select_from(OUTBOX)
        # Ids begin with the time of their making, so the least is the oldest.
        in_queue = select(func.count(), func.min(QUEUE.c.id)).where(waits)
        given_up = select(func.count()).select_from(QUEUE).where(~waits)
        async with self._database.reading(SYSTEM) as connection:
            outbox = await connection.scalar(in_outbox)
            queue, oldest = (await connection.execute(in_queue)).one()
            dead = await connection.scalar(given_up)
        return outbox or 0, queue, oldest, dead or 0

    @retried
    async def _held(self, tenant: TenantId) -> int:
        query = (
            select(func.count())
            .select_from(MEMORIES)
            .where(MEMORIES.c.tenant == tenant, MEMORIES.c.state == State.HELD.value)
        )
        async with self._database.reading(tenant) as connection:
            return await connection.scalar(query) or 0


def made_at(id: str) -> float:
    """Return when a version 7 UUID was made, in seconds since 1970."""
    return int(id.replace("-", "")[:12], 16) / 1000
