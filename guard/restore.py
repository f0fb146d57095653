"""A wrong supersede undone: the older memory stands again, and what can't hold beside it gives way.

Nothing is deleted and nothing rises in trust: the two change places, in one transaction.
"""

from collections.abc import Sequence

import msgspec

from guard.checks import is_current
from guard.errors import (
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    UnavailableError,
)
from guard.leaves import leaf_of
from guard.nouns import Row
from guard.outcomes import Case, Stored, Superseded, WriteOutcome
from guard.principal import Principal
from guard.relating import Tie
from guard.retire import REASON_RESTORED, Made, change_of, named, ranked, retire, teller
from guard.revise import Proven, compared_again, prove
from guard.rooms import Rooms
from guard.settle import Beside
from memory.origin import TRUST_OF_SUBJECT
from memory.types import LeafId, MemoryId, Owner, State, SubjectId


async def restore(
    principal: Principal, id: MemoryId, rooms: Rooms, beside: Beside | None = None
) -> WriteOutcome:
    """Make a superseded memory of the caller active again, for a client that speaks for him.

    Raises ForbiddenError for any other client and where the operator's own word would give way,
    NotFoundError for an id that is not a superseded memory of the caller, InvalidError for one that
    has expired.
    """
    if principal.ceiling.trust < TRUST_OF_SUBJECT:
        raise ForbiddenError
    owner = principal.owner
    async with rooms.turns.of(owner):
        for _ in range(rooms.bounds.commit_attempts):
            rows = await rooms.ledger.rows(owner.tenant, owner.subject, [id])
            try:
                made = await _attempt(principal, owner, rows[0] if rows else None, rooms, beside)
            except ConflictError:
                stands = None if beside is None else await beside.standing()
                if stands is not None:
                    return stands
                continue
            return _outcome(made)
    raise UnavailableError("ledger")


async def restore_for(principal: Principal, id: MemoryId, rooms: Rooms) -> Case:
    """Do the same for a subject of the reviewer's tenant; return the memory as it stands then.

    Raises NotFoundError for an id that is no superseded memory of the tenant, ForbiddenError for
    the reviewer's own.
    """
    tenant = principal.owner.tenant
    for _ in range(rooms.bounds.commit_attempts):
        row = await rooms.quarantine.case(tenant, id, State.SUPERSEDED)
        if row is None:
            raise NotFoundError
        owner = Owner(tenant, SubjectId(row.sealed.label.subject))
        if owner.subject == principal.owner.subject:
            raise ForbiddenError
        try:
            (sealed, leaf), *_ = await _attempt(principal, owner, row, rooms)
        except ConflictError:
            continue
        return Case(sealed.label, leaf.reasons)
    raise UnavailableError("ledger")


def _outcome(made: Sequence[Made]) -> Stored | Superseded:
    (sealed, leaf), *gone = made
    label = sealed.label
    if not gone:
        return Stored(label.id, label.origin, label.trust, leaf.reasons)
    return Superseded(label.id, label.origin, label.trust, gone[0][0].label.id, leaf.reasons)


async def _attempt(
    principal: Principal,
    owner: Owner,
    found: Row | None,
    rooms: Rooms,
    beside: Beside | None = None,
) -> list[Made]:
    """Return what was committed, the restored memory first."""
    at = rooms.clock()
    # (1) Prove it: nothing forged or rolled back is brought back. The row is read once more, behind
    # the epoch.
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    if found is None:
        raise NotFoundError
    id = found.sealed.label.id
    row = next(iter(await rooms.ledger.rows(owner.tenant, owner.subject, [id])), found)
    if row.sealed.label.state is not State.SUPERSEDED:
        raise NotFoundError
    memory = await prove(owner, row, rooms)
    expires = memory.opened.label.expires_at
    if expires is not None and expires <= at:
        raise InvalidError("it has expired")

    # (2) What took its place, and all else that can't hold beside it.
    retired = ranked([*await _successors(memory, rooms), *await _against(memory, rooms)])
    if any(one.sealed.label.trust > TRUST_OF_SUBJECT for one in retired):
        raise ForbiddenError

    # (3) Both change places at once.
    sealed = await rooms.vault.relabel(
        row.sealed, state=State.ACTIVE, leaf=LeafId(rooms.new_id()), at=at
    )
    leaf = leaf_of(
        principal,
        sealed.label.leaf,
        at,
        action="restore",
        object=id,
        outcome=sealed.label.state,
        owner=owner,
        version=sealed.label.version,
        policy=sealed.label.policy,
        digest=sealed.label.digest,
        reasons=(REASON_RESTORED, *named(retired)),
    )
    made = [(sealed, leaf), *await retire(retired, id, at, teller(principal, owner, id), rooms)]
    change = change_of(owner, epoch, made)
    if beside is not None:
        answer, later = await beside.along(_outcome(made))
        change = msgspec.structs.replace(change, answer=answer, later=later)
    await rooms.ledger.commit(change)
    return made


async def _against(memory: Proven, rooms: Rooms) -> list[Row]:
    """Return what can't stand beside it, or would only repeat it with no more trust."""
    kin, trust = await compared_again(memory, rooms), memory.opened.label.trust
    return [
        one.row
        for one in kin
        if one.tie is Tie.AGAINST or (one.tie is Tie.SAME and one.row.sealed.label.trust <= trust)
    ]


async def _successors(memory: Proven, rooms: Rooms) -> Sequence[Row]:
    """Return the active memory at the end of the chain that this one is in, if there is one."""
    owner, seen = memory.owner, {memory.opened.label.id}
    after = memory.opened.label.superseded_by
    while after is not None and after not in seen:
        seen.add(after)
        rows = await rooms.ledger.rows(owner.tenant, owner.subject, [after])
        if not rows:
            break
        label = rows[0].sealed.label
        if label.state is State.ACTIVE and is_current(rows[0]):
            return rows
        after = label.superseded_by
    return ()
