"""Four eyes: what a reviewer may only propose, and another one decides (Q2).

To raise the trust of a memory, or to erase what is another's, takes two reviewers. The first says
what and why; nothing happens. The second approves, and it happens in one commit, whose audit leaf
names both; or he refuses. Neither is ever the subject, and nobody approves what he proposed. To
lower trust takes one.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import msgspec

from guard.checks import REASON_LOWERED, REASON_RAISED
from guard.deciding import Decision as Deciding
from guard.errors import (
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    UnavailableError,
)
from guard.forget import follow
from guard.governing import policy_for, versioned
from guard.leaves import leaf_of
from guard.nouns import Change, Row, Sealed
from guard.principal import Principal
from guard.proposal import Proposal, Wish, seal, unseal
from guard.revise import Proven, next_revision, origin_of, prove
from guard.rooms import Rooms
from guard.ruling import Ruling, remarks_of
from memory.origin import TRUST_OF_SUBJECT
from memory.types import LeafId, MemoryId, Owner, State, SubjectId
from policies.decide import decide
from policies.model import Decision, Effect

_WEIGHED: Final = (State.ACTIVE, State.HELD)
_KEPT: Final = (*_WEIGHED, State.SUPERSEDED)
_BY: Final = "proposed."


class Settled(msgspec.Struct, frozen=True):
    """A memory as a decision left it."""

    memory: MemoryId
    state: State
    trust: int


async def change_trust(
    principal: Principal, id: MemoryId, trust: int, ruling: Ruling, rooms: Rooms
) -> Settled | Proposal:
    """Give a memory of the tenant less trust at once, or propose more.

    Raises NotFoundError for an id that the tenant has not, ForbiddenError for the reviewer's own,
    InvalidError for the trust that it has and for more than a subject's own word.
    """
    if not 0 <= trust <= TRUST_OF_SUBJECT:
        raise InvalidError("trust: at most that of the subject's own word")
    row, owner = await _found(principal, id, _WEIGHED, rooms)
    has = row.sealed.label.trust
    if trust == has:
        raise InvalidError("trust: it has that")
    if trust > has:
        return await _propose(principal, (row, owner), (Wish.RAISE, trust), ruling, rooms)
    return await _repeated(principal, id, trust, ruling, rooms)


async def propose_erasure(
    principal: Principal, id: MemoryId, ruling: Ruling, rooms: Rooms
) -> Proposal:
    """Propose that a memory of the tenant goes for good. Raises like `change_trust`."""
    found = await _found(principal, id, _KEPT, rooms)
    return await _propose(principal, found, (Wish.ERASE, None), ruling, rooms)


async def proposed(
    principal: Principal, after: str | None, limit: int, rooms: Rooms
) -> list[Proposal]:
    """Return what waits for a second reviewer of the tenant, oldest first, after `after`.

    Fewer than `limit` are all that there are: what does not open takes no place on a page.
    """
    now, found = rooms.clock(), list[Proposal]()
    while len(found) < limit:
        kept = await rooms.proposals.open(principal.owner.tenant, after, limit, now)
        opened = [await unseal(one, rooms) for one in kept]
        found += [one for one in opened if one is not None]
        if len(kept) < limit:
            break
        after = kept[-1].id
    return found[:limit]


async def approve(principal: Principal, id: str, ruling: Ruling, rooms: Rooms) -> Settled:
    """Do what another reviewer proposed.

    Raises NotFoundError for what is not there or no longer open, ForbiddenError for one's own
    proposal, one's own memory and what policy rejects, InvalidError when the memory is another one
    by now.
    """
    for _ in range(rooms.bounds.commit_attempts):
        proposal = await _open(principal, id, rooms)
        if proposal.by == principal.owner.subject:
            raise ForbiddenError
        try:
            return await _approve(principal, proposal, ruling, rooms)
        except ConflictError:
            continue
    raise UnavailableError("ledger")


async def refuse(principal: Principal, id: str, ruling: Ruling, rooms: Rooms) -> Proposal:
    """Let a proposal fall; whoever made it may, too. Raises like `approve`."""
    for _ in range(rooms.bounds.commit_attempts):
        proposal = await _open(principal, id, rooms)
        owner = proposal.owner
        epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
        leaf = leaf_of(
            principal,
            rooms.new_id(),
            rooms.clock(),
            action="refuse",
            object=proposal.memory,
            outcome="refused",
            owner=owner,
            reasons=(*ruling.reasons, _BY + proposal.by),
        )
        remarks = tuple(await remarks_of(ruling, leaf, owner, rooms))
        change = Change(owner, epoch, (), (leaf,), remarks=remarks, settled=(proposal.id,))
        try:
            await rooms.ledger.commit(change)
        except ConflictError:
            continue
        return proposal
    raise UnavailableError("ledger")


async def _propose(
    principal: Principal,
    found: tuple[Row, Owner],
    wish: tuple[Wish, int | None],
    ruling: Ruling,
    rooms: Rooms,
) -> Proposal:
    row, owner = found
    await prove(owner, row, rooms)
    label, at = row.sealed.label, rooms.clock()
    for _ in range(rooms.bounds.commit_attempts):
        leaf = leaf_of(
            principal,
            rooms.new_id(),
            at,
            action="propose",
            object=label.id,
            outcome=wish[0],
            owner=owner,
            reasons=ruling.reasons,
        )
        until = at + timedelta(days=rooms.bounds.proposal_days)
        by, because = principal.owner.subject, ruling.because
        made = Proposal(leaf.id, owner, label.id, label.version, *wish, by, because, at, until)
        epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
        remarks = tuple(await remarks_of(ruling, leaf, owner, rooms))
        kept = (await seal(made, rooms),)
        try:
            await rooms.ledger.commit(
                Change(owner, epoch, (), (leaf,), remarks=remarks, proposed=kept)
            )
        except ConflictError:
            continue
        return made
    raise UnavailableError("ledger")


async def _open(principal: Principal, id: str, rooms: Rooms) -> Proposal:
    kept = await rooms.proposals.one(principal.owner.tenant, id, rooms.clock())
    proposal = None if kept is None else await unseal(kept, rooms)
    if proposal is None or proposal.owner.tenant != principal.owner.tenant:
        raise NotFoundError
    if proposal.owner.subject == principal.owner.subject:
        raise ForbiddenError
    return proposal


async def _approve(
    principal: Principal, proposal: Proposal, ruling: Ruling, rooms: Rooms
) -> Settled:
    owner = proposal.owner
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    states = _KEPT if proposal.wish is Wish.ERASE else _WEIGHED
    row, _ = await _found(principal, proposal.memory, states, rooms)
    if row.sealed.label.version != proposal.version:
        raise InvalidError("it has changed since it was proposed")
    memory = await prove(owner, row, rooms)
    if proposal.wish is Wish.ERASE:
        sealed = await rooms.vault.relabel(
            row.sealed,
            state=State.FORGOTTEN,
            leaf=LeafId(rooms.new_id()),
            at=rooms.clock(),
            superseded_by=row.sealed.label.superseded_by,
        )
        deciding = Deciding(principal, owner, epoch, "erase", ruling)
        await _settle(deciding, sealed, proposal, rooms)
        await follow(owner, sealed, rooms)
    else:
        sealed = await _weighed(memory, proposal.trust or 0, REASON_RAISED, rooms)
        deciding = Deciding(principal, owner, epoch, "trust", ruling)
        await _settle(deciding, sealed, proposal, rooms)
    return Settled(sealed.label.id, sealed.label.state, sealed.label.trust)


async def _repeated(
    principal: Principal, id: MemoryId, trust: int, ruling: Ruling, rooms: Rooms
) -> Settled:
    for _ in range(rooms.bounds.commit_attempts):
        row, owner = await _found(principal, id, _WEIGHED, rooms)
        if trust >= row.sealed.label.trust:
            raise InvalidError("trust: it has no more than that by now")
        epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
        memory = await prove(owner, row, rooms)
        sealed = await _weighed(memory, trust, REASON_LOWERED, rooms)
        try:
            await _settle(Deciding(principal, owner, epoch, "trust", ruling), sealed, None, rooms)
        except ConflictError:
            continue
        return Settled(sealed.label.id, sealed.label.state, sealed.label.trust)
    raise UnavailableError("ledger")


async def _weighed(memory: Proven, trust: int, reason: str, rooms: Rooms) -> Sealed:
    """Return the memory at another trust. Policy decides again: what it rejects stays as it is, and
    what it holds at that trust is held.
    """
    evidence, label = memory.evidence, memory.opened.label
    policy = policy_for(memory.owner.tenant, rooms)
    fresh = decide(policy, trust, evidence.completions, evidence.findings)
    if fresh.effect is Effect.REJECT:
        raise ForbiddenError
    holds = fresh.effect is Effect.QUARANTINE and label.state is State.ACTIVE
    origin = msgspec.structs.replace(origin_of(memory.opened), trust=trust, at=rooms.clock())
    reasons = tuple(dict.fromkeys((*evidence.reasons, *fresh.reasons, reason)))
    version = versioned(policy, evidence.models)
    decision = Decision(fresh.effect, (), reasons, version, fresh.lowered)
    state = State.HELD if holds and reason == REASON_LOWERED else label.state
    leaf = LeafId(rooms.new_id())
    return await next_revision(memory, decision, origin, leaf, rooms, state=state)


async def _settle(
    deciding: Deciding, sealed: Sealed, proposal: Proposal | None, rooms: Rooms
) -> None:
    label, owner, ruling = sealed.label, deciding.owner, deciding.ruling
    both = () if proposal is None else (_BY + proposal.by,)
    leaf = leaf_of(
        deciding.principal,
        label.leaf,
        label.changed_at,
        action=deciding.action,
        object=label.id,
        outcome=label.state,
        owner=owner,
        version=label.version,
        policy=label.policy,
        digest=label.digest,
        reasons=(*ruling.reasons, *both),
    )
    remarks = tuple(await remarks_of(ruling, leaf, owner, rooms))
    settled = () if proposal is None else (proposal.id,)
    await rooms.ledger.commit(
        Change(owner, deciding.epoch, (sealed,), (leaf,), remarks=remarks, settled=settled)
    )


async def _found(
    principal: Principal, id: MemoryId, states: Sequence[State], rooms: Rooms
) -> tuple[Row, Owner]:
    """Return a memory of the reviewer's tenant and its owner, who is not the reviewer."""
    tenant = principal.owner.tenant
    for state in states:
        row = await rooms.quarantine.case(tenant, id, state)
        if row is not None:
            owner = Owner(tenant, SubjectId(row.sealed.label.subject))
            if owner.subject == principal.owner.subject:
                raise ForbiddenError
            return row, owner
    raise NotFoundError
