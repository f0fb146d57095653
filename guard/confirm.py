"""The subject vouches for what an agent relayed: besides a review, the one way trust rises."""

import msgspec

from guard.checks import REASON_CONFIRMED
from guard.errors import (
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    UnavailableError,
)
from guard.governing import policy_for, versioned
from guard.leaves import leaf_of
from guard.outcomes import Quarantined, Stored, Superseded, WriteOutcome
from guard.principal import Principal
from guard.relating import Tie
from guard.rescreen import looked_at
from guard.retire import (
    REASON_CONFLICT,
    REASON_NEWER,
    change_of,
    named,
    ranked,
    retire,
    teller,
)
from guard.revise import compared_again, next_revision, origin_of, prove, revised_by
from guard.rooms import Rooms
from memory.origin import RELAYED, TRUST_OF_SUBJECT, OriginClass
from memory.types import LeafId, MemoryId, State
from policies.decide import decide
from policies.model import Effect


async def confirm(principal: Principal, id: MemoryId, rooms: Rooms) -> WriteOutcome:
    """Turn what an agent relayed into the subject's own word (W3), if policy then allows it.

    Raises ForbiddenError for a client that can't speak for the subject, NotFoundError for an id
    that is not the caller's, InvalidError for a memory that did not come from an agent alone.
    """
    async with rooms.turns.of(principal.owner):
        for _ in range(rooms.bounds.commit_attempts):
            try:
                return await _attempt(principal, id, rooms)
            except ConflictError:
                continue
    raise UnavailableError("ledger")


async def _attempt(principal: Principal, id: MemoryId, rooms: Rooms) -> WriteOutcome:
    owner, at = principal.owner, rooms.clock()

    # (1) Only a client that speaks for the subject can confirm; an agent's channel never does.
    if principal.ceiling.trust < TRUST_OF_SUBJECT:
        raise ForbiddenError

    # (2) Read and open, in the caller's scope only.
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, [id])
    if not rows or rows[0].sealed.label.state not in (State.ACTIVE, State.HELD):
        raise NotFoundError
    memory = await prove(owner, rows[0], rooms)

    # (3) What came from a page or a document stays what it is: the subject can't vouch for it here.
    before = origin_of(memory.opened)
    if before.trust >= TRUST_OF_SUBJECT:
        return Stored(id, before.class_, before.trust)
    if before.class_ not in RELAYED or before.trust != before.class_.trust:
        raise InvalidError("only what an agent itself relayed or inferred can be confirmed")

    # (4) Decide again, as if the subject had said it.
    origin = msgspec.structs.replace(
        before,
        class_=OriginClass.USER_STATED,
        trust=TRUST_OF_SUBJECT,
        channel=principal.channel,
        client=principal.client,
        credential=principal.credential,
        at=at,
    )
    memory = await looked_at(memory, rooms) or memory
    policy, evidence = policy_for(owner.tenant, rooms), memory.evidence
    decision = decide(policy, origin.trust, evidence.completions, evidence.findings)
    if decision.effect in (Effect.QUARANTINE, Effect.REJECT):
        return Quarantined(id, before.class_, before.trust, decision.reasons)

    # (5) It is his word from now on: what can't hold beside it gives way, except more trust.
    kin = [one.row for one in await compared_again(memory, rooms) if one.tie is Tie.AGAINST]
    kin += await revised_by(memory, rooms)
    above = [row for row in kin if row.sealed.label.trust > origin.trust]
    if above:
        reasons = (*decision.reasons, REASON_CONFLICT, *named(above))
        return Quarantined(id, before.class_, before.trust, reasons)
    retired = ranked(kin)

    # (6) Seal the next revision and commit.
    newer = (REASON_NEWER, *named(retired)) if retired else ()
    decision = msgspec.structs.replace(
        decision,
        reasons=(*decision.reasons, REASON_CONFIRMED, *newer),
        policy=versioned(policy, evidence.models),
    )
    leaf_id = LeafId(rooms.new_id())
    sealed = await next_revision(memory, decision, origin, leaf_id, rooms)
    leaf = leaf_of(
        principal,
        leaf_id,
        at,
        action="confirm",
        object=id,
        outcome="superseding" if retired else "stored",
        version=sealed.label.version,
        policy=decision.policy,
        digest=sealed.label.digest,
        reasons=decision.reasons,
    )
    made = [(sealed, leaf), *await retire(retired, id, at, teller(principal, owner, id), rooms)]
    await rooms.ledger.commit(change_of(owner, epoch, made))
    if retired:
        first = retired[0].sealed.label.id
        return Superseded(id, origin.class_, origin.trust, first, decision.reasons)
    return Stored(id, origin.class_, origin.trust, decision.reasons)
