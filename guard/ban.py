"""A bad origin put under quarantine in one step, with all that came of it, and let out again (Q5).

The ban comes first: from then on recall withholds what it reaches and writes from there are held,
on every replica. That the memories themselves are held follows in batches; whoever calls again goes
on. Lifting releases exactly what the ban held, and nothing that was held for another reason.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from guard.barred import barred, standing
from guard.blast import followed, keyed, read_lineages
from guard.checks import is_current, lets_stay
from guard.errors import (
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    UnavailableError,
    UnreadableError,
)
from guard.governing import policy_for
from guard.leaves import leaf_of
from guard.nouns import Barred, Change, Decided, Label, Leaf, Row, Sealed
from guard.origins import REASON_BARRED, Ban, Place, Reach, Tally
from guard.principal import Principal, Scope
from guard.relate import New, relate
from guard.revise import Proven, compared_again, next_revision, origin_of, prove, tag_stored
from guard.rooms import Rooms
from memory.types import LeafId, MemoryId, Owner, State, SubjectId
from policies.decide import decide, to_redact
from policies.model import Decision, Effect

MOST_BANS: Final = 500
"""Bans that may stand in one tenant: each is looked at whenever a memory is shown."""
MOST_AT_ONCE: Final = 500
"""Memories that one call holds, or looks at to release them."""
_STRETCH: Final = 64
SAMPLES: Final = 10


class Impact(msgspec.Struct, frozen=True):
    """What quarantining an origin does, or would do.

    `ban` is None for a dry run. `held` counts what this call held, `remaining` what still has to
    be: it is withheld already, and held by the next call. `samples` are some that stood before.
    Not `complete`, there may be more of what was derived before derivations were kept.
    """

    place: Place
    ban: Ban | None
    held: int
    remaining: int
    tally: Tally
    samples: tuple[Label, ...]
    complete: bool


class _Into(msgspec.Struct, frozen=True):
    """What a memory is to become, and from when that counts."""

    state: State
    reasons: tuple[str, ...]
    at: datetime


class Lifted(msgspec.Struct, frozen=True):
    """What lifting a ban released, and what it left to reviewers, in this call.

    `more` says that another call has something to do; `own` counts the reviewer's own memories,
    which somebody else must release.
    """

    ban: Ban
    released: int
    left: int
    own: int
    more: bool


async def preview(principal: Principal, place: Place, rooms: Rooms) -> Impact:
    """Return what quarantining an origin would hold. Changes no memory."""
    principal.require(Scope.QUARANTINE_DECIDE)
    tenant = principal.owner.tenant
    place = await keyed(tenant, place, rooms)
    complete = await read_lineages(tenant, place, rooms)
    return await _impact(principal, place, None, 0, rooms, complete=complete)


async def quarantine(principal: Principal, place: Place, rooms: Rooms) -> Impact:
    """Bar an origin of the reviewer's tenant, and hold all that stands of it; again, go on with it.

    Raises InvalidError when the tenant has as many bans as there may be.
    """
    principal.require(Scope.QUARANTINE_DECIDE)
    tenant = principal.owner.tenant
    place = await keyed(tenant, place, rooms)
    bans = await standing(tenant, rooms)
    ban = next((one for one in bans if one.place == place), None)
    samples = await _samples(principal, place, rooms)

    # (1) The ban: what it reaches is withheld from now on, and what comes from there is held.
    if ban is None:
        if len(bans) >= MOST_BANS:
            raise InvalidError("origin: too many are quarantined; lift some first")
        ban = Ban(rooms.new_id(), tenant, place, rooms.clock())
        await rooms.bans.put(ban, _leaf(principal, ban, "origin.quarantine", rooms))

    # (2) Find out what was derived before anybody kept it, then (3) hold what stands.
    complete = await read_lineages(tenant, place, rooms)
    held = await _hold_all(principal, ban, rooms)
    impact = await _impact(principal, place, ban, held, rooms, complete=complete)
    return msgspec.structs.replace(impact, samples=samples)


async def lift(principal: Principal, id: str, rooms: Rooms) -> Lifted:
    """Let an origin out of quarantine, and release what that held; again, go on with it.

    What policy in force would hold, or can't stand beside what came meanwhile, is left to reviewers
    as any other case. Raises NotFoundError for a ban that the tenant has not, ForbiddenError while
    memories of the reviewer's own have yet to be held by it: nobody lets out what is his own.
    """
    principal.require(Scope.QUARANTINE_DECIDE)
    tenant, me = principal.owner.tenant, principal.owner.subject
    ban = await _found(principal, id, rooms)
    if ban.lifted_at is None:
        own = Reach(ban.place, (State.ACTIVE, State.SUPERSEDED), subject=me)
        if await followed(rooms).reached(tenant, own, 1):
            raise ForbiddenError
        ban = msgspec.structs.replace(ban, lifted_at=rooms.clock())
        await rooms.bans.put(ban, _leaf(principal, ban, "origin.lift", rooms))
    released, left, own_ones, after = 0, 0, 0, None
    while released + left < MOST_AT_ONCE:
        stretch = await rooms.bans.holds(tenant, ban.id, after, _STRETCH)
        if not stretch:
            return Lifted(ban, released, left, own_ones, more=False)
        after = stretch[-1][0].memory
        leaves: list[MemoryId] = []
        for hold, row in stretch:
            if row.sealed.label.subject == me:
                own_ones += 1
            elif await _released(principal, ban, (hold, row), rooms):
                released += 1
            else:
                leaves.append(hold.memory)
        if leaves:
            await rooms.bans.left(tenant, ban.id, leaves)
        left += len(leaves)
    return Lifted(ban, released, left, own_ones, more=True)


async def bans(principal: Principal, after: str | None, limit: int, rooms: Rooms) -> list[Ban]:
    """Return the bans of the reviewer's tenant, lifted ones too, in the order they were made."""
    principal.require(Scope.QUARANTINE_READ)
    return await rooms.bans.every(principal.owner.tenant, after, limit)


async def _found(principal: Principal, id: str, rooms: Rooms) -> Ban:
    after: str | None = None
    while True:
        page = await rooms.bans.every(principal.owner.tenant, after, MOST_BANS)
        for ban in page:
            if ban.id == id:
                return ban
        if len(page) < MOST_BANS:
            raise NotFoundError
        after = page[-1].id


async def _samples(principal: Principal, place: Place, rooms: Rooms) -> tuple[Label, ...]:
    reach = Reach(place, (State.ACTIVE,))
    rows = await followed(rooms).reached(principal.owner.tenant, reach, SAMPLES)
    return tuple(row.sealed.label for row in rows)


async def _impact(
    principal: Principal,
    place: Place,
    ban: Ban | None,
    held: int,
    rooms: Rooms,
    *,
    complete: bool,
) -> Impact:
    tally = await followed(rooms).tally(principal.owner.tenant, place)
    samples = await _samples(principal, place, rooms)
    return Impact(place, ban, held, tally.count(State.ACTIVE), tally, samples, complete)


async def _hold_all(principal: Principal, ban: Ban, rooms: Rooms) -> int:
    """Hold what stands of a barred origin, as many as one call may; return how many."""
    tenant, where = principal.owner.tenant, followed(rooms)
    held, seen, after = 0, 0, None
    while seen < MOST_AT_ONCE:
        reach = Reach(ban.place, (State.ACTIVE,), after)
        rows = await where.reached(tenant, reach, _STRETCH)
        if not rows:
            break
        after = rows[-1].sealed.label.id
        seen += len(rows)
        subjects: defaultdict[SubjectId, list[MemoryId]] = defaultdict(list)
        for row in rows:
            subjects[SubjectId(row.sealed.label.subject)].append(row.sealed.label.id)
        for subject, ids in subjects.items():
            held += await _hold(principal, ban, Owner(tenant, subject), ids, rooms)
    return held


async def _hold(
    principal: Principal, ban: Ban, owner: Owner, ids: Sequence[MemoryId], rooms: Rooms
) -> int:
    """Hold a subject's memories in one change; return how many. What fails its proof is left out:
    recall shows none of that.
    """
    async with rooms.turns.of(owner):
        for _ in range(rooms.bounds.commit_attempts):
            epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
            rows = await rooms.ledger.rows(owner.tenant, owner.subject, ids)
            at = rooms.clock()
            made = [one for row in rows if (one := await _held(ban, owner, row, rooms))]
            if not made:
                return 0
            change = Change(
                owner,
                epoch,
                tuple(sealed for sealed, _ in made),
                tuple(_leaf_of(principal, ban, one, "quarantine", at) for one, _ in made),
                barred=tuple(record for _, record in made),
            )
            try:
                await rooms.ledger.commit(change)
            except ConflictError:
                continue
            return len(made)
    raise UnavailableError("ledger")


async def _held(ban: Ban, owner: Owner, row: Row, rooms: Rooms) -> tuple[Sealed, Barred] | None:
    label = row.sealed.label
    if label.state is not State.ACTIVE or not is_current(row):
        return None
    try:
        evidence = await rooms.vault.open_evidence(owner, row.sealed)
        reasons = tuple(dict.fromkeys((*evidence.reasons, REASON_BARRED, ban.reason)))
        # What is held waits from now on.
        into = _Into(State.HELD, reasons, rooms.clock())
        sealed = await _relabelled(owner, row.sealed, into, rooms)
    except UnreadableError:
        return None
    return sealed, Barred(ban.id, label.id, sealed.label.version, label.changed_at)


async def _released(principal: Principal, ban: Ban, hold: tuple[Barred, Row], rooms: Rooms) -> bool:
    """Release one memory that a ban held; False when it is left to reviewers."""
    owner = Owner(principal.owner.tenant, SubjectId(hold[1].sealed.label.subject))
    async with rooms.turns.of(owner):
        for _ in range(rooms.bounds.commit_attempts):
            try:
                return await _release(principal, ban, owner, hold, rooms)
            except ConflictError:
                continue
    raise UnavailableError("ledger")


async def _release(
    principal: Principal, ban: Ban, owner: Owner, hold: tuple[Barred, Row], rooms: Rooms
) -> bool:
    record, row = hold
    id, tenant = record.memory, owner.tenant
    # (1) As it is now, proved; nothing has become of it since it was held.
    epoch = await rooms.ledger.epoch(tenant, owner.subject)
    found = await rooms.ledger.rows(tenant, owner.subject, [id])
    if not found or found[0].sealed.label.version != record.version:
        return False
    row = found[0]
    try:
        memory = await prove(owner, row, rooms)
    except NotFoundError:
        return False
    reasons = tuple(
        one for one in memory.evidence.reasons if one not in (REASON_BARRED, ban.reason)
    )

    # (2) Another ban may stand on it: it stays held, and goes with that one.
    others = await standing(tenant, rooms)
    by = (await barred(tenant, [row], others, rooms)).get(id)
    if by is not None:
        other = next(one for one in others if one.id == by)
        why = (*reasons, REASON_BARRED, other.reason)
        into = _Into(State.HELD, why, row.sealed.label.changed_at)
        sealed = await _relabelled(owner, row.sealed, into, rooms)
        kept = Barred(by, id, sealed.label.version, record.changed_at)
        leaf = _leaf_of(principal, other, sealed, "quarantine", rooms.clock())
        await rooms.ledger.commit(Change(owner, epoch, (sealed,), (leaf,), barred=(kept,)))
        return True

    # (3) The world has moved on: policy is asked again, and what stands by now.
    out = await _let_out(memory, record, reasons, rooms)
    if out is None:
        return False
    leaf = _leaf_of(principal, ban, out, "release", rooms.clock())
    await rooms.ledger.commit(Change(owner, epoch, (out,), (leaf,)))
    return True


async def _let_out(
    memory: Proven, record: Barred, reasons: tuple[str, ...], rooms: Rooms
) -> Sealed | None:
    """Return the next version of a memory, active as it was; None when that can't be."""
    label, evidence = memory.opened.label, memory.evidence
    policy = policy_for(memory.owner.tenant, rooms)
    decision = decide(policy, label.trust, evidence.completions, evidence.findings)
    if not lets_stay(decision.effect, reasons):
        return None
    origin = origin_of(memory.opened)
    kin = await compared_again(memory, rooms)
    if not isinstance(relate(tag_stored(memory, origin), State.ACTIVE, (), kin), New):
        return None
    if to_redact(policy, label.trust, evidence.findings):
        why = Decision(Effect.ALLOW, (), reasons, label.policy)
        origin = msgspec.structs.replace(origin, at=record.changed_at)
        return await next_revision(memory, why, origin, LeafId(rooms.new_id()), rooms)
    # It is as old as it was.
    into = _Into(State.ACTIVE, reasons, record.changed_at)
    return await _relabelled(memory.owner, memory.sealed, into, rooms)


async def _relabelled(
    owner: Owner,
    sealed: Sealed,
    into: _Into,
    rooms: Rooms,
) -> Sealed:
    """Return the next version of a memory, decided as it was but for state and reasons."""
    evidence = await rooms.vault.open_evidence(owner, sealed)
    label = sealed.label
    return await rooms.vault.relabel(
        sealed,
        state=into.state,
        leaf=LeafId(rooms.new_id()),
        at=into.at,
        decided=Decided(
            msgspec.structs.replace(evidence, reasons=into.reasons), label.policy, label.confidence
        ),
    )


def _leaf_of(principal: Principal, ban: Ban, sealed: Sealed, action: str, at: datetime) -> Leaf:
    label = sealed.label
    return leaf_of(
        principal,
        label.leaf,
        at,
        action=action,
        object=label.id,
        outcome=label.state,
        owner=Owner(principal.owner.tenant, SubjectId(label.subject)),
        version=label.version,
        policy=label.policy,
        digest=label.digest,
        reasons=(REASON_BARRED, ban.reason),
    )


def _leaf(principal: Principal, ban: Ban, action: str, rooms: Rooms) -> Leaf:
    leaf = leaf_of(
        principal,
        rooms.new_id(),
        ban.lifted_at or ban.at,
        action=action,
        object=ban.id,
        outcome="done",
        reasons=(f"origin.{ban.place.kind}", f"name.{ban.place.name}"),
    )
    return msgspec.structs.replace(leaf, subject="")
