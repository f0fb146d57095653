"""A reviewer lets a held memory through (Q2). Its trust never rises by that."""

from collections.abc import Sequence

import msgspec

from guard.checks import REASON_LOWERED, REASON_REDACTED, REASON_RELEASED
from guard.deciding import Decision as Deciding
from guard.deciding import found, held_still, repeated, settle
from guard.errors import ForbiddenError, InvalidError
from guard.governing import policy_for, versioned
from guard.judging import judged
from guard.nouns import Evidence, Row
from guard.outcomes import Case
from guard.principal import Principal
from guard.relate import Conflict, Older, relate
from guard.relating import Tie
from guard.rescreen import LASTING, looked_at
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
    without,
)
from guard.rooms import Rooms
from guard.ruling import AS_IT_IS, UNSTATED, Manner, Ruling
from memory.origin import Origin
from memory.types import LeafId, MemoryId, State
from policies.decide import decide
from policies.model import Decision, Effect, Finding, Severity


async def release(
    principal: Principal,
    id: MemoryId,
    rooms: Rooms,
    ruling: Ruling = UNSTATED,
    manner: Manner = AS_IT_IS,
) -> Case:
    """Let a held memory through, at its own trust or less; return it as released.

    It takes the place of what can't hold beside it. What contradicts a memory of more trust that
    the case does not name stays held and names it; released again, it replaces that, too. Where
    something is cut out, the rest is judged like any write, and stays held when policy says so.

    Raises NotFoundError for an id that the tenant does not hold, ForbiddenError for the reviewer's
    own write and for what the policy in force rejects, InvalidError for more trust than it has and
    where there is nothing to cut.
    """
    return await repeated(lambda: _release(principal, id, rooms, ruling, manner), rooms)


async def _release(
    principal: Principal, id: MemoryId, rooms: Rooms, ruling: Ruling, manner: Manner
) -> Case:
    at = rooms.clock()

    # (1) Find it in the tenant's quarantine and prove it: nothing forged may be released.
    row, owner = await found(principal, id, ruling, rooms)
    epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
    deciding = Deciding(principal, owner, epoch, "release", ruling, before=row.sealed)
    memory = await prove(owner, row, rooms)
    said = _origin_in(manner, memory)
    origin = msgspec.structs.replace(said, at=at)

    # (2) A release outlives a policy that holds, and none that rejects outright: the next revision
    # is sealed under the policy in force, so that recall would not ask again. What is cut is
    # another text, which nobody has decided on.
    if manner.cuts:
        memory = await _cut(memory, said, manner, rooms)
    else:
        memory = await looked_at(memory, rooms) or memory
    evidence, policy = memory.evidence, policy_for(owner.tenant, rooms)
    fresh = decide(policy, origin.trust, evidence.completions, evidence.findings)
    if fresh.effect is Effect.REJECT:
        raise ForbiddenError
    reasons = (*evidence.reasons, *_told_of(manner, memory))
    version = versioned(policy, evidence.models)
    if manner.cuts and fresh.effect is Effect.QUARANTINE:
        decision = Decision(fresh.effect, (), reasons, version)
        return await _hold_rest(deciding, memory, origin, decision, rooms)

    # (3) What can't hold beside it gives way: what has no more trust, and what this very case named
    # to the reviewer. It may be history itself, when the like was said later.
    place = await _place_of(memory, said, rooms)
    if isinstance(place, Conflict):
        return await _hold_again(deciding, row, place.rows, rooms)
    retired, newer = place

    # (4) Seal it again; the release is part of the sealed evidence.
    told = (REASON_NEWER, *named(retired)) if retired else ()
    told = told if newer is None else (REASON_OLDER, *named([newer]))
    reasons = tuple(dict.fromkeys((*reasons, REASON_RELEASED, *told)))
    decision = Decision(Effect.ALLOW, (), reasons, version)
    by = None if newer is None else newer.sealed.label.id
    leaf_id = LeafId(rooms.new_id())
    sealed = await next_revision(memory, decision, origin, leaf_id, rooms, newer=by)

    # (5) Commit with its leaf, and with what gives way.
    made = await retire(retired, id, at, teller(principal, owner, id), rooms)
    await settle(deciding, sealed, rooms, made)
    return Case(sealed.label, decision.reasons)


def _origin_in(manner: Manner, memory: Proven) -> Origin:
    origin = origin_of(memory.opened)
    if manner.trust is None:
        return origin
    if not 0 <= manner.trust <= origin.trust:
        raise InvalidError("trust: at most what the memory has; nobody raises it by a release")
    return msgspec.structs.replace(origin, trust=manner.trust)


def _told_of(manner: Manner, memory: Proven) -> tuple[str, ...]:
    lowered = manner.trust is not None and manner.trust < memory.opened.label.trust
    return (
        *((REASON_REDACTED,) if manner.cuts else ()),
        *((REASON_LOWERED,) if lowered else ()),
    )


async def _cut(memory: Proven, origin: Origin, manner: Manner, rooms: Rooms) -> Proven:
    """Return the memory without these places, with what today's stages and models find in the rest.

    What contradicts another memory still does: the case goes on naming that one.
    """
    if any(not 0 <= s.start < s.end <= len(memory.opened.body.text) for s in manner.spans):
        raise InvalidError("spans: outside the text")
    cut = [Finding("review", "reviewer", Severity.INFO, spans=manner.spans)]
    if manner.redact:
        cut += memory.evidence.findings
    if not any(finding.spans for finding in cut):
        raise InvalidError("nothing was found at a place: say what to cut in `spans`")
    rest = without(memory, cut)
    screened, _ = await judged(tag_stored(rest, origin), rooms, recent_writes=1)
    lasting = (r for r in memory.evidence.reasons if r.partition(".")[0] in LASTING)
    evidence = Evidence(
        screened.findings,
        screened.completions,
        tuple(dict.fromkeys((*screened.decision.reasons, *lasting))),
        screened.models,
    )
    return msgspec.structs.replace(rest, evidence=evidence)


async def _hold_rest(
    deciding: Deciding, memory: Proven, origin: Origin, decision: Decision, rooms: Rooms
) -> Case:
    """Keep what is left of a text held: policy would not let that through either."""
    reasons = tuple(dict.fromkeys(decision.reasons))
    decision = msgspec.structs.replace(decision, reasons=reasons)
    leaf = LeafId(rooms.new_id())
    sealed = await next_revision(memory, decision, origin, leaf, rooms, state=State.HELD)
    await settle(deciding, sealed, rooms)
    return Case(sealed.label, reasons)


async def _place_of(
    memory: Proven, origin: Origin, rooms: Rooms
) -> Conflict | tuple[tuple[Row, ...], Row | None]:
    """Return what a released memory replaces, and what replaced it already; a conflict with more
    trust, when the case did not name it.
    """
    shown = named_in(memory.evidence.reasons)
    kin = await compared_again(memory, rooms)
    against = [one.row for one in kin if one.tie is Tie.AGAINST]
    decided = [row for row in against if row.sealed.label.id in shown]
    rest = [one for one in kin if one.row.sealed.label.id not in shown]
    tagged = tag_stored(memory, origin)
    match relate(tagged, State.ACTIVE, (), rest):
        case Conflict() as conflict:
            return conflict
        case Older(row) if not decided:
            return (), row
        case _:
            return ranked([*against, *await revised_by(memory, rooms)]), None


async def _hold_again(deciding: Deciding, row: Row, above: Sequence[Row], rooms: Rooms) -> Case:
    """Keep a case held as it is and name in it the more trusted memories that it contradicts.

    Nobody decides against the subject's own word without having been told of it.
    """
    memory = await prove(deciding.owner, row, rooms)
    reasons = (*memory.evidence.reasons, REASON_CONFLICT, *named(above))
    reasons = tuple(dict.fromkeys(reasons))
    sealed = await held_still(memory, reasons, rooms)
    await settle(deciding, sealed, rooms)
    return Case(sealed.label, reasons)
