"""Which embedder made the vectors of a ledger: written down once, asked at every start (S7).

Vectors of two models in one index compare as noise, and nothing in them tells. So the first start
records the model, and whoever serves with another one must not.
"""

from typing import Final

import msgspec
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.errors import ConflictError, UnreadableError
from guard.ports import EmbedderId
from storage.database import Database
from storage.engine import SYSTEM
from storage.retrying import retried
from storage.tables import EMBEDDERS

_CURRENT: Final = "current"


class SqlEmbedders:
    """Remembers the embedder of one ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    async def recorded(self) -> EmbedderId | None:
        """Return the embedder that made the vectors, None before the first start.

        Raises UnreadableError for a record that is none.
        """
        async with self._database.reading(SYSTEM) as connection:
            return await _recorded(connection)

    async def adopt(self, embedder: EmbedderId) -> EmbedderId:
        """Record `embedder` if none is recorded, and return the one that is.

        Of several processes that start at once, one records and all return the same.
        """
        try:
            return await self._adopt(embedder)
        except ConflictError:
            return await self._adopt(embedder)

    @retried
    async def _adopt(self, embedder: EmbedderId) -> EmbedderId:
        async with self._database.writing(SYSTEM) as connection:
            found = await _recorded(connection)
            if found is not None:
                return found
            dimensions = msgspec.json.encode(dict(embedder.dimensions), order="sorted").decode()
            row = {"place": _CURRENT, "name": embedder.name, "dimensions": dimensions}
            await connection.execute(insert(EMBEDDERS), row)
            return embedder


async def _recorded(connection: AsyncConnection) -> EmbedderId | None:
    query = select(EMBEDDERS).where(EMBEDDERS.c.place == _CURRENT)
    row = (await connection.execute(query)).first()
    if row is None:
        return None
    try:
        return EmbedderId(row.name, msgspec.json.decode(row.dimensions, type=dict[str, int]))
    except msgspec.MsgspecError:
        raise UnreadableError("unreadable") from None
