"""Which memories stand beside each other in a session, in SQL."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Select, bindparam, select, tuple_

from guard.ports import Beside
from memory.types import MemoryId, State, SubjectId, TenantId
from storage.database import Database
from storage.rows import storable
from storage.tables import MEMORIES

_MOST: Final = 500
"""Databases bound the parameters of one statement."""


async def beside(
    database: Database, tenant: TenantId, subject: SubjectId, ids: Sequence[MemoryId]
) -> Mapping[MemoryId, Beside]:
    """Return what stands beside those of `ids` that this subject has in a session."""
    wanted = [id for id in dict.fromkeys(ids) if storable(id)]
    owned = {"tenant": tenant, "subject": subject}
    queries = [
        (_BESIDE, owned | {"ids": wanted[start : start + _MOST]})
        for start in range(0, len(wanted), _MOST)
    ]
    every = await database.fetch(tenant, *queries) if queries else []
    return {
        MemoryId(row.id): Beside(_id(row.before), _id(row.after)) for some in every for row in some
    }


def _id(value: object) -> MemoryId | None:
    """Return an id as one; SQLite lets someone who writes to the file put anything there."""
    return MemoryId(value) if isinstance(value, str) else None


def _next(*, older: bool) -> Any:
    """Return the id of the active memory that is next to a row in its session, on one side."""
    other = MEMORIES.alias("older" if older else "newer")
    # Compared as pairs, so that the index leads to the place and the session is not read through.
    place = tuple_(other.c.recorded_at, other.c.id)
    own = tuple_(MEMORIES.c.recorded_at, MEMORIES.c.id)
    ordered = (other.c.recorded_at, other.c.id)
    order = [column.desc() for column in ordered] if older else [*ordered]
    return (
        select(other.c.id)
        .where(
            other.c.tenant == MEMORIES.c.tenant,
            other.c.subject == MEMORIES.c.subject,
            other.c.session == MEMORIES.c.session,
            other.c.state == State.ACTIVE.value,
            place < own if older else place > own,
        )
        .order_by(*order)
        .limit(1)
        .correlate(MEMORIES)
        .scalar_subquery()
    )


_BESIDE: Final[Select[Any]] = select(
    MEMORIES.c.id, _next(older=True).label("before"), _next(older=False).label("after")
).where(
    MEMORIES.c.tenant == bindparam("tenant"),
    MEMORIES.c.subject == bindparam("subject"),
    MEMORIES.c.id.in_(bindparam("ids", expanding=True)),
    MEMORIES.c.session != "",
)
"""Built once: putting a query together costs as much as running it."""
