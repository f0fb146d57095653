"""A security reviewer's doors: what is held, and the decisions on it."""

import msgspec

from guard.checks import REASON_RELEASED, is_current
from guard.errors import (
    ConflictError,
    ForbiddenError,
    NotFoundError,
    UnavailableError,
    UnreadableError,
)
from guard.governing import policy_for, versioned
from guard.leaves import leaf_of
from guard.nouns import Change, Row, Sealed
from guard.outcomes import Case, Cases
from guard.principal import Principal, Scope
from guard.rescreen import looked_at
from guard.revise import next_revision, origin_of, prove
from guard.rooms import Rooms
from memory.types import Epoch, LeafId, MemoryId, Owner, State, SubjectId, TenantId
from policies.decide import decide
from policies.model import Decision, Effect


async def held(principal: Principal, cursor: str | None, limit: int, rooms: Rooms) -> Cases:
    """Return one page of what the reviewer's tenant holds, newest first.

    The text is shown only with the right to reveal, and each text shown is audited. A row that
    fails its proof is listed with the reason `check.unreadable` or, when it was rolled back,
    `check.current`: a reviewer must see that it is there.
    """
    tenant = principal.owner.tenant
    page = await rooms.quarantine.held(tenant, cursor, limit)
    total = await rooms.quarantine.count(tenant)
    return Cases(
        tuple([await _case(principal, row, rooms) for row in page.rows]), page.cursor, total
    )


async def release(principal: Principal, id: MemoryId, rooms: Rooms) -> Case:
    """Let a held memory through, at its own trust; return it as released.

    Raises NotFoundError for an id that the tenant does not hold, ForbiddenError for the reviewer's
    own write and for what the policy in force rejects.
    """
    for _ in range(rooms.bounds.commit_attempts):
        try:
            return await _release(principal, id, rooms)
        except ConflictError:
            continue
    raise UnavailableError("ledger")


async def reject(principal: Principal, id: MemoryId, rooms: Rooms) -> Case:
    """Discard a held memory: its content goes, a tombstone stays.

    Raises NotFoundError for an id that the tenant does not hold, ForbiddenError for the reviewer's
    own write.
    """
    for _ in range(rooms.bounds.commit_attempts):
        try:
            return await _reject(principal, id, rooms)
        except ConflictError:
            continue
    raise UnavailableError("ledger")


async def _release(principal: Principal, id: MemoryId, rooms: Rooms) -> Case:
    at = rooms.clock()

    # (1) Find it in the tenant's quarantine and prove it: nothing forged may be released.
    row, owner = await _find(principal, id, rooms)
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    memory = await prove(owner, row, rooms)

    # (2) A release outlives a policy that holds, and none that rejects outright: the next revision
    # is sealed under the policy in force, so that recall would not ask again.
    memory = await looked_at(memory, rooms) or memory
    evidence, trust = memory.evidence, memory.opened.label.trust
    policy = policy_for(owner.tenant, rooms)
    fresh = decide(policy, trust, evidence.completions, evidence.findings)
    if fresh.effect is Effect.REJECT:
        raise ForbiddenError

    # (3) Seal it again as active; the release is part of the sealed evidence.
    reasons = tuple(dict.fromkeys((*evidence.reasons, REASON_RELEASED)))
    decision = Decision(Effect.ALLOW, (), reasons, versioned(policy, evidence.models))
    leaf_id = LeafId(rooms.new_id())
    origin = msgspec.structs.replace(origin_of(memory.opened), at=at)
    sealed = await next_revision(memory, decision, origin, leaf_id, rooms)

    # (4) Commit with its leaf.
    await _commit(principal, epoch, sealed, "release", rooms)
    return _plain_case(sealed, decision.reasons)


async def _reject(principal: Principal, id: MemoryId, rooms: Rooms) -> Case:
    row, owner = await _find(principal, id, rooms)
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    leaf_id = LeafId(rooms.new_id())
    try:
        sealed = await rooms.vault.relabel(
            row.sealed, state=State.REJECTED, leaf=leaf_id, at=rooms.clock()
        )
    except UnreadableError:
        raise NotFoundError from None
    await _commit(principal, epoch, sealed, "reject", rooms)
    return _plain_case(sealed, ())


async def _commit(
    principal: Principal, epoch: Epoch, sealed: Sealed, action: str, rooms: Rooms
) -> None:
    label = sealed.label
    owner = Owner(principal.owner.tenant, SubjectId(label.subject))
    leaf = leaf_of(
        principal,
        label.leaf,
        label.changed_at,
        action=action,
        object=label.id,
        outcome=label.state,
        owner=owner,
        version=label.version,
        policy=label.policy,
        digest=label.digest,
    )
    await rooms.ledger.commit(Change(owner, epoch, (sealed,), (leaf,)))


async def _find(principal: Principal, id: MemoryId, rooms: Rooms) -> tuple[Row, Owner]:
    """Return a held row of the reviewer's tenant and its owner, who is not the reviewer."""
    row = await rooms.quarantine.case(principal.owner.tenant, id)
    if row is None:
        raise NotFoundError
    owner = Owner(TenantId(row.sealed.label.tenant), SubjectId(row.sealed.label.subject))
    if owner.tenant != principal.owner.tenant:
        raise NotFoundError
    if owner.subject == principal.owner.subject:
        raise ForbiddenError
    return row, owner


async def _case(principal: Principal, row: Row, rooms: Rooms) -> Case:
    label = row.sealed.label
    owner = Owner(principal.owner.tenant, SubjectId(label.subject))
    try:
        opened = await rooms.vault.open(owner, row.sealed)
        evidence = await rooms.vault.open_evidence(owner, row.sealed)
    except UnreadableError:
        return Case(label, ("check.unreadable",), None)
    if not is_current(row):
        return Case(label, ("check.current",), None)
    if Scope.QUARANTINE_REVEAL not in principal.scopes:
        return Case(label, evidence.reasons, None)
    rooms.journal.record(
        leaf_of(
            principal,
            rooms.new_id(),
            rooms.clock(),
            action="reveal",
            object=label.id,
            outcome="shown",
            owner=owner,
        )
    )
    return Case(label, evidence.reasons, opened.body.text)


def _plain_case(sealed: Sealed, reasons: tuple[str, ...]) -> Case:
    return Case(sealed.label, reasons, None)
