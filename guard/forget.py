"""The door out: a subject's own memory, gone at once on every path (S5), or counting for less."""

from collections.abc import Awaitable, Callable

from guard.browse import states_visible_to
from guard.errors import ConflictError, NotFoundError, UnavailableError
from guard.leaves import leaf_of
from guard.nouns import Cancelled, Change, Progress, Sealed
from guard.outcomes import Receipt
from guard.principal import Principal
from guard.rooms import Rooms
from memory.ranking import MOST_FADED
from memory.types import Epoch, LeafId, MemoryId, Owner, State

REMOVED = (
    "content",
    "vectors",
    "terms",
    "evidence",
    "first answers that name it",
    "turns of its session",
    "traces of its subject's recalls",
)
REMOVED_WAITING = ("content", "its place in the queue", "first answers that name it")
REMAINS_OF_WAITING = ("audit leaves", "backups of the ledger until they expire")
REMAINS = (
    "label",
    "keyed fingerprint",
    "audit leaves",
    "sealed bytes in the index's own log until its tenant is rebuilt",
    "turns of other sessions until they expire",
    "backups of the ledger until they expire",
)


async def forget(principal: Principal, id: MemoryId, rooms: Rooms) -> Receipt:
    """Erase one memory of the caller, and say what was removed and what stays.

    Held ones too, for a client that speaks for the subject, and writes that wait to be decided.
    Raises NotFoundError for any id that is not a living memory which this caller may see.
    """
    return await _repeated(_erase, principal, id, rooms)


async def fade(principal: Principal, id: MemoryId, rooms: Rooms) -> Receipt:
    """Let one active memory of the caller count for less in recall, and say how much is left of it.

    It stays as it is otherwise, and counts in full again once it is stated anew. Raises
    NotFoundError for any id that is not an active memory of the caller.
    """
    return await _repeated(_fade, principal, id, rooms)


_Attempt = Callable[[Principal, MemoryId, Rooms], Awaitable[Receipt]]


async def _repeated(attempt: _Attempt, principal: Principal, id: MemoryId, rooms: Rooms) -> Receipt:
    async with rooms.turns.of(principal.owner):
        for _ in range(rooms.bounds.commit_attempts):
            try:
                return await attempt(principal, id, rooms)
            except ConflictError:
                continue
    raise UnavailableError("ledger")


async def _erase(principal: Principal, id: MemoryId, rooms: Rooms) -> Receipt:
    owner, at = principal.owner, rooms.clock()

    # (1) Read, in the caller's scope only. What he may not see he can't erase either: an agent that
    # was made to write what is held must not be made to remove it before a person has looked.
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, [id])
    if not rows:
        return await _cancel(principal, id, epoch, rooms)
    seen = states_visible_to(principal)
    state = rows[0].sealed.label.state
    # What a reviewer rejected is kept while that can be undone: it is still the subject's to erase.
    kept = state is State.REJECTED and await rooms.undoing.last(owner.tenant, id, at) is not None
    if state not in seen and not (kept and State.HELD in seen):
        raise NotFoundError

    # (2) Empty the row. What remains is a tombstone: a label and a keyed fingerprint.
    leaf_id = LeafId(rooms.new_id())
    sealed = await rooms.vault.relabel(
        rows[0].sealed,
        state=State.FORGOTTEN,
        leaf=leaf_id,
        at=at,
        # Its place in the chain stays, or those before it would have no end.
        superseded_by=rows[0].sealed.label.superseded_by,
    )
    leaf = leaf_of(
        principal,
        leaf_id,
        at,
        action="forget",
        object=id,
        outcome="forgotten",
        version=sealed.label.version,
        policy=sealed.label.policy,
    )

    # (3) Commit. From here no recall returns it, whatever the index still says.
    await rooms.ledger.commit(Change(owner, epoch, (sealed,), (leaf,)))

    # (4) Its copies follow.
    if not await follow(owner, sealed, rooms):
        return Receipt(id, REMOVED, (*REMAINS, "index entry until the index answers"), at)
    return Receipt(id, REMOVED, REMAINS, at)


async def follow(owner: Owner, sealed: Sealed, rooms: Rooms) -> bool:
    """Remove the copies of a memory that is forgotten; return whether the index answered."""
    # (1) What was said in its session is another copy of it, for as long as that is kept.
    if sealed.label.session:
        await rooms.transcript.erase(owner.tenant, owner.subject, [sealed.label.session])

    # (2) A question that it answered may say what it said.
    await rooms.traces.erase(owner.tenant, owner.subject)

    # (3) Take it out of the index now; should that fail, the commit's outbox entry repeats it.
    try:
        await rooms.index.remove(owner.tenant, [sealed.label.id])
    except UnavailableError:
        return False
    return True


async def _cancel(principal: Principal, id: MemoryId, epoch: Epoch, rooms: Rooms) -> Receipt:
    """Erase a write that waits: it is never decided. Whoever was deciding it can't commit."""
    owner, at = principal.owner, rooms.clock()
    write = await rooms.answers.write(owner.tenant, owner.subject, id)
    if write is None or write.progress is Progress.DONE:
        raise NotFoundError
    leaf = leaf_of(principal, rooms.new_id(), at, action="forget", object=id, outcome="cancelled")
    await rooms.ledger.commit(Change(owner, epoch, (), (leaf,), later=Cancelled(id)))
    return Receipt(id, REMOVED_WAITING, REMAINS_OF_WAITING, at)


async def _fade(principal: Principal, id: MemoryId, rooms: Rooms) -> Receipt:
    owner, at = principal.owner, rooms.clock()

    # (1) Read, in the caller's scope only. What is not recalled has nothing to fade from.
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, [id])
    if not rows or rows[0].sealed.label.state is not State.ACTIVE:
        raise NotFoundError

    # (2) A step further, down to the last. That it was touched makes it no younger.
    old, leaf_id = rows[0].sealed.label, LeafId(rooms.new_id())
    sealed = await rooms.vault.relabel(
        rows[0].sealed,
        state=old.state,
        leaf=leaf_id,
        at=old.changed_at,
        superseded_by=old.superseded_by,
        faded=min(old.faded + 1, MOST_FADED),
    )
    leaf = leaf_of(
        principal,
        leaf_id,
        at,
        action="fade",
        object=id,
        outcome="faded",
        version=sealed.label.version,
        policy=sealed.label.policy,
        digest=sealed.label.digest,
    )

    # (3) Commit; ranking reads the label, so that the next recall counts it so.
    await rooms.ledger.commit(Change(owner, epoch, (sealed,), (leaf,)))
    weight = rooms.bounds.ranking.fading**sealed.label.faded
    return Receipt(id, (), (f"the memory, at {weight:g} of its weight in recall",), at)
