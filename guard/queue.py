"""Writes that are taken in now and decided later (W14), by the very same pipeline.

Acceptance fixes what only the caller's request can tell: who says so, over which channel, at which
trust, and how many writes there were lately. All of it is sealed under the subject's key, durable
before the answer, and neither the token's expiry nor a client's later rise or fall changes it.
"""

from datetime import timedelta
from typing import Final

import msgspec

from guard.errors import (
    ConflictError,
    LimitedError,
    NotFoundError,
    UnavailableError,
    UnreadableError,
)
from guard.gather import count, tag, tag_again
from guard.leaves import leaf_of, leaf_of_write
from guard.nouns import Accepted, Answer, Change, Deferred, Draft, Ended, Later, Progress, Write
from guard.once import Asked, Once, memory_in, outcome_in
from guard.outcomes import Queued, Told, WriteOutcome, WriteStatus
from guard.ports import Dead, Due, Record
from guard.principal import Principal, Scope
from guard.remember import decided
from guard.rooms import Rooms
from memory.types import LeafId, MemoryId, Owner

_FULL_SECONDS: Final = 10.0
"""What a caller is told to wait when its tenant's queue is full."""

MOST_DEAD: Final = 1000
"""Dead writes of a tenant among which one is looked for."""

_deferred: Final = msgspec.msgpack.Decoder(Deferred)


async def accept(principal: Principal, draft: Draft, once: Once | None, rooms: Rooms) -> Told:
    """Take a draft in durably, to be decided later; return its id before that.

    Raises InvalidError as `remember` does, LimitedError when too many of the tenant wait.
    """
    owner = principal.owner
    # (1) Has it been answered?
    asked = None if once is None else await Asked.of(principal, draft, once, rooms)
    told = None if asked is None else await asked.told()
    if told is not None:
        return told

    # (2) Fix what only this request can tell.
    if await rooms.answers.waiting(owner.tenant, rooms.bounds.queued_writes) >= (
        rooms.bounds.queued_writes
    ):
        raise LimitedError(_FULL_SECONDS)
    tagged = await tag(principal, draft, rooms)
    deferred = Deferred(draft, tagged.origin, await count(tagged, rooms))

    # (3) Seal it. Plaintext stops here.
    plain = msgspec.msgpack.encode(deferred)
    token = await rooms.envelopes.wrap(owner, Record.WRITE, _place(tagged.id), plain)
    queued = Queued(tagged.id, tagged.origin.class_, tagged.origin.trust)
    answer = None if asked is None else await asked.answer(queued)
    leaf = leaf_of_write(tagged, LeafId(rooms.new_id()), object=tagged.id, outcome="queued")

    # (4) Commit it with its leaf and its first answer.
    async with rooms.turns.of(owner):
        for _ in range(rooms.bounds.commit_attempts):
            epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
            later = Accepted(tagged.id, tagged.at, token)
            try:
                await rooms.ledger.commit(Change(owner, epoch, (), (leaf,), answer, later))
            except ConflictError:
                told = None if asked is None else await asked.told()
                if told is not None:
                    return told
            else:
                return Told(queued, replayed=False)
    raise UnavailableError("ledger")


async def carry_out(due: Due, rooms: Rooms) -> WriteOutcome:
    """Decide a write that waits, and store what is to be stored, under the id it was given.

    Raises NotFoundError when it does not wait any more, UnreadableError when it does not open, and
    UnavailableError when it must be tried again.
    """
    owner = due.owner
    # (1) What was accepted, if it still waits.
    write = await rooms.answers.write(owner.tenant, owner.subject, due.id)
    if write is None or write.progress is not Progress.QUEUED:
        raise NotFoundError
    deferred = await _opened(owner, write, rooms)

    # (2) The pipeline, which ends the wait in the transaction that it ends in.
    tagged = tag_again(owner, due.id, deferred, rooms)
    return await decided(tagged, rooms, _Promised(owner, due.id, rooms), deferred.recent_writes)


async def status(principal: Principal, id: MemoryId, rooms: Rooms) -> WriteStatus:
    """Return how far a write of the caller is. Raises NotFoundError for any id that is none."""
    owner = principal.owner
    write = await rooms.answers.write(owner.tenant, owner.subject, id)
    if write is None:
        raise NotFoundError
    outcome: WriteOutcome
    try:
        if write.progress is Progress.DONE:
            outcome = await outcome_in(owner, Record.OUTCOME, _place(id), write.outcome, rooms)
        else:
            origin = (await _opened(owner, write, rooms)).origin
            outcome = Queued(id, origin.class_, origin.trust)
    except UnreadableError:
        raise NotFoundError from None
    return WriteStatus(id, write.progress, write.accepted_at, outcome)


async def given_up(principal: Principal, limit: int, rooms: Rooms) -> list[Dead]:
    """Return accepted writes of the caller's tenant that were given up, longest dead first.

    What they say is not shown: only whose they are, how often they were tried, and why in vain.
    """
    principal.require(Scope.TENANT_ADMIN)
    return await rooms.queue.dead(limit, principal.owner.tenant)


async def replay(principal: Principal, id: MemoryId, rooms: Rooms) -> None:
    """Have one of them tried again as if never tried. Raises NotFoundError for any other id."""
    principal.require(Scope.TENANT_ADMIN)
    tenant, at = principal.owner.tenant, rooms.clock()
    dead = await rooms.queue.dead(MOST_DEAD, tenant)
    if (one := next((one for one in dead if one.id == id), None)) is None:
        raise NotFoundError
    leaf = leaf_of(
        principal,
        rooms.new_id(),
        at,
        action="queue",
        object=id,
        outcome="replayed",
        owner=one.owner,
    )
    # Noted first: a replay that nobody knows of must not be possible.
    await rooms.audit.note([leaf])
    if not await rooms.queue.replay(tenant, id, at):
        raise NotFoundError


class _Promised:
    """One write that waits: fulfils `guard.remember.Beside` by ending the wait."""

    def __init__(self, owner: Owner, id: MemoryId, rooms: Rooms) -> None:
        self._owner = owner
        self._id = id
        self._rooms = rooms

    async def standing(self) -> WriteOutcome | None:
        """Return None while it waits. Raises NotFoundError when it does not."""
        owner = self._owner
        write = await self._rooms.answers.write(owner.tenant, owner.subject, self._id)
        if write is None or write.progress is Progress.DONE:
            raise NotFoundError
        return None

    async def along(self, outcome: WriteOutcome) -> tuple[Answer | None, Later | None]:
        """Return the end of the wait, with the sealed outcome."""
        rooms, place = self._rooms, _place(self._id)
        plain = msgspec.msgpack.encode(outcome)
        token = await rooms.envelopes.wrap(self._owner, Record.OUTCOME, place, plain)
        until = rooms.clock() + timedelta(hours=rooms.bounds.answer_hours)
        return None, Ended(self._id, memory_in(outcome), until, token)


async def _opened(owner: Owner, write: Write, rooms: Rooms) -> Deferred:
    plain = await rooms.envelopes.unwrap(owner, Record.WRITE, _place(write.id), write.token)
    try:
        return _deferred.decode(plain)
    except msgspec.MsgspecError:
        raise UnreadableError from None


def _place(id: MemoryId) -> tuple[bytes]:
    return (id.encode(),)
