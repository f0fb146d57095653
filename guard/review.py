"""A security reviewer's doors: what is held, and the decisions on it."""

from collections.abc import Sequence

import msgspec

from guard.checks import REASON_RELEASED, is_current
from guard.docket import EVERYTHING, MOST_COUNTED, MOST_LOOKED_AT, Search, answers, docket_of
from guard.errors import (
    ConflictError,
    ForbiddenError,
    NotFoundError,
    UnavailableError,
    UnreadableError,
)
from guard.governing import policy_for, versioned
from guard.leaves import leaf_of
from guard.nouns import Decided, Row, Sealed
from guard.outcomes import Case, Cases, Doubts
from guard.principal import Principal
from guard.relate import Conflict, Older, relate
from guard.relating import Tie
from guard.rescreen import looked_at
from guard.retire import (
    REASON_CONFLICT,
    REASON_NEWER,
    REASON_OLDER,
    Made,
    change_of,
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
from memory.types import Epoch, LeafId, MemoryId, Owner, State, SubjectId, TenantId
from policies.decide import decide
from policies.model import Decision, Effect


async def held(
    principal: Principal,
    cursor: str | None,
    limit: int,
    rooms: Rooms,
    search: Search = EVERYTHING,
) -> Cases:
    """Return one page of what the reviewer's tenant holds and the search asks for.

    No text is shown: see `guard.reveal`. A row that fails its proof is listed with the reason
    `check.unreadable` or, when it was rolled back, `check.current`: a reviewer must see that it is
    there. Reasons are sealed: where some are asked for, cases are opened until a page has one, or
    enough were looked at; so a page may be short or empty before the end, and nobody knows how many
    there are.
    """
    tenant = principal.owner.tenant
    docket = await docket_of(tenant, search, rooms)
    found: list[Case] = []
    looked = 0
    while True:
        page = await rooms.quarantine.held(tenant, cursor, limit, docket)
        cases = [await _case(principal, row, rooms, search.reasons) for row in page.rows]
        found += [case for case in cases if case is not None]
        looked, cursor = looked + len(cases), page.cursor
        if found or cursor is None or looked >= MOST_LOOKED_AT:
            break
    if search.reasons:
        return Cases(tuple(found), cursor, None)
    total = await rooms.quarantine.count(tenant, docket, MOST_COUNTED)
    return Cases(tuple(found), cursor, total)


async def doubted(principal: Principal, cursor: str | None, limit: int, rooms: Rooms) -> Doubts:
    """Return one page of the active memories that a person should look at, newest first.

    Whether each can hold beside those that its reasons name is not known, and both stay; one that
    is replaced or forgotten is in no doubt any more. No text is shown: see `guard.reveal`.
    """
    page = await rooms.quarantine.doubted(principal.owner.tenant, cursor, limit)
    cases = [await _case(principal, row, rooms) for row in page.rows]
    return Doubts(tuple(case for case in cases if case is not None), page.cursor)


async def release(principal: Principal, id: MemoryId, rooms: Rooms) -> Case:
    """Let a held memory through, at its own trust; return it as released.

    It takes the place of what can't hold beside it. What contradicts a memory of more trust that
    the case does not name stays held and names it; released again, it replaces that, too.

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

    # (3) What can't hold beside it gives way: what has no more trust, and what this very case named
    # to the reviewer. It may be history itself, when the like was said later.
    place = await _place_of(memory, rooms)
    if isinstance(place, Conflict):
        return await _hold_again(principal, epoch, memory, place.rows, rooms)
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
    await _commit(principal, epoch, sealed, "release", rooms, along=made)
    return _plain_case(sealed, decision.reasons)


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
    principal: Principal, epoch: Epoch, memory: Proven, above: Sequence[Row], rooms: Rooms
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
    await _commit(principal, epoch, sealed, "release", rooms)
    return _plain_case(sealed, reasons)


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
    principal: Principal,
    epoch: Epoch,
    sealed: Sealed,
    action: str,
    rooms: Rooms,
    *,
    along: Sequence[Made] = (),
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
    await rooms.ledger.commit(change_of(owner, epoch, [(sealed, leaf), *along]))


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


async def _case(
    principal: Principal, row: Row, rooms: Rooms, wanted: Sequence[str] = ()
) -> Case | None:
    """Return a row as a case, None when none of its reasons is a wanted one."""
    case = await _unfiltered(principal, row, rooms)
    return case if answers(case.reasons, wanted) else None


async def _unfiltered(principal: Principal, row: Row, rooms: Rooms) -> Case:
    label = row.sealed.label
    owner = Owner(principal.owner.tenant, SubjectId(label.subject))
    try:
        await rooms.vault.open(owner, row.sealed)
        evidence = await rooms.vault.open_evidence(owner, row.sealed)
    except UnreadableError:
        return Case(label, ("check.unreadable",))
    if not is_current(row):
        return Case(label, ("check.current",))
    return Case(label, evidence.reasons)


def _plain_case(sealed: Sealed, reasons: tuple[str, ...]) -> Case:
    return Case(sealed.label, reasons)
