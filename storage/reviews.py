"""What a reviewer's decision keeps beside its memory, as part of the ledger's own transaction."""

from sqlalchemy import ColumnElement, delete, exists, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.nouns import Change
from memory.types import State, TenantId
from storage.review_tables import ESCALATIONS
from storage.tables import MEMORIES


async def keep_reviews(connection: AsyncConnection, change: Change) -> None:
    """Mark what is escalated; whatever a change touches otherwise is escalated no more."""
    tenant = change.owner.tenant
    marked = [*change.escalated]
    over = [row.label.id for row in change.rows if row.label.state is not State.HELD]
    if over or marked:
        named = ESCALATIONS.c.memory.in_([*over, *marked])
        await connection.execute(delete(ESCALATIONS).where(ESCALATIONS.c.tenant == tenant, named))
    if marked:
        values = [{"tenant": tenant, "memory": id} for id in marked]
        await connection.execute(insert(ESCALATIONS), values)


def is_escalated(tenant: TenantId) -> ColumnElement[bool]:
    """Return the condition that a memory of the tenant is marked."""
    return exists().where(ESCALATIONS.c.tenant == tenant, ESCALATIONS.c.memory == MEMORIES.c.id)
