"""A reviewer lets a held memory through (Q2). Its trust never rises by that."""

from collections.abc import Sequence

import msgspec

from guard.checks import REASON_RELEASED
from guard.deciding import Decision as Deciding
from guard.deciding import found, repeated, settle
from guard.errors import ForbiddenError
from guard.governing import policy_for, versioned
from guard.nouns import Decided, Row
from guard.outcomes import Case
from guard.principal import Principal
from guard.relate import Conflict, Older, relate
from guard.relating import Tie
from guard.rescreen import looked_at
from guard.retire import (
    REASON_CONFLICT,
    REASON_NEWER,
    REASON_OLDER,
    named,
    named_in,
    ranked,
    retire,
    teller,
)
from guard.revise import (
    Proven,
    compared_again,
    next_revision,
    origin_of,
    prove,
    revised_by,
    tag_stored,
)
from guard.rooms import Rooms
from guard.ruling import UNSTATED, Ruling
from memory.types import LeafId, MemoryId, State
from policies.decide import decide
from policies.model import Decision, Effect


async def release(
    principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling = UNSTATED
) -> Case:
    """Let a held memory through, at its own trust; return it as released.

    It takes the place of what can't hold beside it. What contradicts a memory of more trust that
    the case does not name stays held and names it; released again, it replaces that, too.

    Raises NotFoundError for an id that the tenant does not hold, ForbiddenError for the reviewer's
    own write and for what the policy in force rejects.
    """
    return await repeated(lambda: _release(principal, id, rooms, ruling), rooms)


async def _release(principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling) -> Case:
    at = rooms.clock()

    # (1) Find it in the tenant's quarantine and prove it: nothing forged may be released.
    row, owner = await found(principal, id, rooms)
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    deciding = Deciding(principal, owner, epoch, "release", ruling)
    memory = await prove(owner, row, rooms)

    # (2) A release outlives a policy that holds, and none that rejects outright: the next revision
    # is sealed under the policy in force, so that recall would not ask again.
    memory = await looked_at(memory, rooms) or memory
    evidence, trust = memory.evidence, memory.opened.label.trust
    policy = policy_for(owner.tenant, rooms)
    fresh = decide(policy, trust, evidence.completions, evidence.findings)
    if fresh.effect is Effect.REJECT:
        raise ForbiddenError

    # (3) What can't hold beside it gives way: what has no more trust, and what this very case named
    # to the reviewer. It may be history itself, when the like was said later.
    place = await _place_of(memory, rooms)
    if isinstance(place, Conflict):
        return await _hold_again(deciding, memory, place.rows, rooms)
    retired, newer = place

    # (4) Seal it again; the release is part of the sealed evidence.
    told = (REASON_NEWER, *named(retired)) if retired else ()
    told = told if newer is None else (REASON_OLDER, *named([newer]))
    reasons = tuple(dict.fromkeys((*evidence.reasons, REASON_RELEASED, *told)))
    decision = Decision(Effect.ALLOW, (), reasons, versioned(policy, evidence.models))
    leaf_id = LeafId(rooms.new_id())
    origin = msgspec.structs.replace(origin_of(memory.opened), at=at)
    by = None if newer is None else newer.sealed.label.id
    sealed = await next_revision(memory, decision, origin, leaf_id, rooms, newer=by)

    # (5) Commit with its leaf, and with what gives way.
    made = await retire(retired, id, at, teller(principal, owner, id), rooms)
    await settle(deciding, sealed, rooms, made)
    return Case(sealed.label, decision.reasons)


async def _place_of(memory: Proven, rooms: Rooms) -> Conflict | tuple[tuple[Row, ...], Row | None]:
    """Return what a released memory replaces, and what replaced it already; a conflict with more
    trust, when the case did not name it.
    """
    shown = named_in(memory.evidence.reasons)
    kin = await compared_again(memory, rooms)
    against = [one.row for one in kin if one.tie is Tie.AGAINST]
    decided = [row for row in against if row.sealed.label.id in shown]
    rest = [one for one in kin if one.row.sealed.label.id not in shown]
    tagged = tag_stored(memory, origin_of(memory.opened))
    match relate(tagged, State.ACTIVE, (), rest):
        case Conflict() as conflict:
            return conflict
        case Older(row) if not decided:
            return (), row
        case _:
            return ranked([*against, *await revised_by(memory, rooms)]), None


async def _hold_again(
    deciding: Deciding, memory: Proven, above: Sequence[Row], rooms: Rooms
) -> Case:
    """Keep a case held and name in it the more trusted memories that it contradicts.

    Nobody decides against the subject's own word without having been told of it.
    """
    evidence, label = memory.evidence, memory.opened.label
    reasons = tuple(dict.fromkeys((*evidence.reasons, REASON_CONFLICT, *named(above))))
    decided = Decided(
        msgspec.structs.replace(evidence, reasons=reasons), label.policy, label.confidence
    )
    sealed = await rooms.vault.relabel(
        memory.sealed,
        state=State.HELD,
        leaf=LeafId(rooms.new_id()),
        at=rooms.clock(),
        decided=decided,
    )
    await settle(deciding, sealed, rooms)
    return Case(sealed.label, reasons)
