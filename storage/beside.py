"""What a change keeps beside memories, as part of the ledger's own transaction.

First answers, writes that are taken in, and writes that end: each becomes true with the change that
it belongs to, or not at all.
"""

from typing import Any, Final, assert_never

from sqlalchemy import delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from guard.errors import ConflictError
from guard.nouns import Accepted, Answer, Cancelled, Change, Ended
from memory.types import MemoryId, Owner, State
from storage.origins import keep_origins
from storage.proposals import keep_proposals
from storage.remarks import columns_of_remark
from storage.reviews import keep_reviews
from storage.rows import micros
from storage.tables import ANSWERS, DOUBTS, QUEUE, REMARKS, WRITES

_AT_ONCE: Final = 0


async def keep_beside(connection: AsyncConnection, change: Change) -> None:
    """Apply all of a change but its rows and leaves. Raises ConflictError."""
    tenant = change.owner.tenant
    # (1) What is forgotten is named nowhere any more.
    gone = [row.label.id for row in change.rows if row.label.state is State.FORGOTTEN]
    if gone:
        await _forget(connection, tenant, gone)
    # (2) A write that waited ends, or begins to wait.
    match change.later:
        case None:
            pass
        case Accepted() as accepted:
            await _accept(connection, change.owner, accepted)
        case Ended() as ended:
            await _leave_queue(connection, change.owner, ended.id)
            await _end(connection, tenant, ended)
        case Cancelled(id):
            await _leave_queue(connection, change.owner, id)
            await _forget(connection, tenant, [id])
        case _ as never:
            assert_never(never)
    # (3) What stands in doubt beside another, as long as both are active.
    await _doubt(connection, change)
    # (4) What it was derived from, and what a ban on its origin holds.
    await keep_origins(connection, change)
    # (5) What a reviewer made of it, and remarked on his decision.
    await keep_reviews(connection, change)
    await keep_proposals(connection, change)
    if change.remarks:
        await connection.execute(insert(REMARKS), [columns_of_remark(r) for r in change.remarks])
    # (6) The first answer; another one of this mark is a conflict, unless it has expired.
    if change.answer is not None:
        await _answer(connection, change, change.answer)


async def _doubt(connection: AsyncConnection, change: Change) -> None:
    tenant = change.owner.tenant
    over = [row.label.id for row in change.rows if row.label.state is not State.ACTIVE]
    if over:
        named = or_(DOUBTS.c.memory.in_(over), DOUBTS.c.other.in_(over))
        await connection.execute(delete(DOUBTS).where(DOUBTS.c.tenant == tenant, named))
    if change.doubts:
        # One that was dismissed stays so as long as both are active.
        news = (DOUBTS.c.tenant == tenant, DOUBTS.c.memory.in_({one for one, _ in change.doubts}))
        known = await connection.execute(select(DOUBTS.c.memory, DOUBTS.c.other).where(*news))
        pairs = sorted({*change.doubts} - {(one, other) for one, other in known})
        values = [{"tenant": tenant, "memory": one, "other": other} for one, other in pairs]
        if values:
            await connection.execute(insert(DOUBTS), values)


async def _answer(connection: AsyncConnection, change: Change, answer: Answer) -> None:
    key = {"tenant": change.owner.tenant, "mark": answer.mark}
    now = micros(change.leaves[0].at)
    await connection.execute(
        delete(ANSWERS).where(
            ANSWERS.c.tenant == key["tenant"],
            ANSWERS.c.mark == answer.mark,
            ANSWERS.c.expires_at <= now,
        )
    )
    values = {
        "subject": change.owner.subject,
        "request": answer.request,
        "memory": answer.memory,
        "expires_at": micros(answer.expires_at),
        "token": answer.token,
    }
    await connection.execute(insert(ANSWERS), key | values)


async def _accept(connection: AsyncConnection, owner: Owner, accepted: Accepted) -> None:
    write: dict[str, Any] = {"tenant": owner.tenant, "subject": owner.subject, "id": accepted.id}
    content = {"expires_at": None, "memory": None, "token": accepted.token, "outcome": b""}
    await connection.execute(insert(WRITES), write | {"accepted_at": micros(accepted.at)} | content)
    due = {"due_at": _AT_ONCE, "attempts": 0, "dead_at": None, "reason": ""}
    await connection.execute(insert(QUEUE), write | due)


async def _leave_queue(connection: AsyncConnection, owner: Owner, id: MemoryId) -> None:
    left = await connection.execute(
        delete(QUEUE).where(
            QUEUE.c.tenant == owner.tenant, QUEUE.c.subject == owner.subject, QUEUE.c.id == id
        )
    )
    if left.rowcount != 1:
        raise ConflictError("conflict")


async def _end(connection: AsyncConnection, tenant: str, ended: Ended) -> None:
    await connection.execute(
        update(WRITES)
        .where(WRITES.c.tenant == tenant, WRITES.c.id == ended.id)
        .values(
            token=b"",
            outcome=ended.outcome,
            memory=ended.memory,
            expires_at=micros(ended.expires_at),
        )
    )


async def _forget(connection: AsyncConnection, tenant: str, ids: list[MemoryId]) -> None:
    """Remove every answer and outcome that names one of `ids`, and every remark on one."""
    await connection.execute(
        delete(ANSWERS).where(ANSWERS.c.tenant == tenant, ANSWERS.c.memory.in_(ids))
    )
    await connection.execute(
        delete(WRITES).where(
            WRITES.c.tenant == tenant,
            or_(WRITES.c.memory.in_(ids), WRITES.c.id.in_(ids)),
        )
    )
    await connection.execute(
        delete(REMARKS).where(REMARKS.c.tenant == tenant, REMARKS.c.memory.in_(ids))
    )
