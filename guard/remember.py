"""The door in: every write of every edge passes here and is decided here (W1)."""

import msgspec

from guard.barred import ban_on_draft, held_by, standing, without_barred
from guard.checks import is_alive, misfit
from guard.errors import ConflictError, NotFoundError, UnavailableError
from guard.extract import extracted
from guard.flood import counted
from guard.gather import at_of, refreshed, tag
from guard.judging import judged
from guard.kin import Kin, compared
from guard.nouns import Draft, Facts, Screened, Tagged
from guard.outcomes import WriteOutcome
from guard.principal import Principal
from guard.relate import Conflict, equal_in, relate
from guard.relating import Said, Tie
from guard.reread import reread
from guard.retire import REASON_REVISION, name_of
from guard.rooms import Rooms
from guard.settle import Beside, Work, settle
from memory.types import MemoryId, State
from policies.model import Effect


async def remember(principal: Principal, draft: Draft, rooms: Rooms) -> WriteOutcome:
    """Screen, decide, relate, seal and commit one draft; return what became of it.

    Raises InvalidError for a parent that is not the caller's, UnavailableError when nothing could
    be written. A draft is never half written.
    """
    # (1) Tag: who says so, over which channel, derived from what.
    return await decided(await tag(principal, draft, rooms), rooms)


async def decided(
    tagged: Tagged,
    rooms: Rooms,
    beside: Beside | None = None,
    recent_writes: int | None = None,
    replaces: MemoryId | None = None,
) -> WriteOutcome:
    """Take a tagged draft through the rest of the pipeline; the one way to the ledger (W1).

    It takes the place of the active memory `replaces`, whatever both say, as far as trust allows.
    Raises NotFoundError when there is none.
    """
    outcome, kin = await _decided(tagged, rooms, beside, recent_writes, replaces)
    rooms.watch.wrote(outcome)
    # (8) What an older reader read is found by its slots from now on.
    outdated = [one.row.sealed.label.id for one in kin if one.outdated]
    await reread(tagged.owner, outdated, rooms)
    return outcome


async def _decided(
    tagged: Tagged,
    rooms: Rooms,
    beside: Beside | None,
    recent_writes: int | None,
    replaces: MemoryId | None,
) -> tuple[WriteOutcome, tuple[Kin, ...]]:
    # (2) Gather, (3) screen and decide. From here to the commit no fact changes.
    screened, facts = await judged(tagged, rooms, recent_writes)
    facts = await extracted(screened, facts, rooms)
    tagged = screened.tagged

    # What comes from an origin that is barred is held, whatever it says.
    bans = await standing(tagged.owner.tenant, rooms)
    ban = await ban_on_draft(tagged, bans, rooms)
    barred = None
    if ban is not None:
        screened, alone = held_by(screened, ban)
        barred = ban.id if alone else None

    async with rooms.turns.of(tagged.owner):
        for _ in range(rooms.bounds.commit_attempts):
            facts = await without_barred(tagged, facts, bans, rooms)
            # (4) Relate to what the subject already has; who replaces again and again is held.
            kin = await _kin(tagged, facts, replaces, rooms)
            screened = await counted(screened, kin, rooms)
            held = screened.decision.effect is Effect.QUARANTINE
            state = State.HELD if held else State.ACTIVE
            relation = relate(tagged, state, equal_in(facts), kin, facts.twins)

            waits = held or isinstance(relation, Conflict)
            noted = screened if replaces is None or not waits else _naming(screened, replaces)

            # (5) Seal and (6) commit; (7) answer.
            try:
                doubtful = tuple(one.row for one in kin if one.tie is Tie.DOUBT)
                work = Work(noted, facts, rooms, beside, doubtful=doubtful, barred=barred)
                return await settle(work, relation), kin
            except ConflictError:
                # Another write of this subject came between, or this same one was made elsewhere.
                stands = None if beside is None else await beside.standing()
                if stands is not None:
                    return stands, ()
                # Look again, then relate again (R13).
                facts = await refreshed(tagged, facts, rooms)
    raise UnavailableError("ledger")


async def _kin(
    tagged: Tagged, facts: Facts, replaces: MemoryId | None, rooms: Rooms
) -> tuple[Kin, ...]:
    """Return what the draft is to its kin, and to the memory whose place it is to take."""
    owner, said = tagged.owner, Said(tagged.draft.text, at_of(tagged), facts.reading)
    if replaces is None:
        return await compared(owner, said, facts.kin, rooms)
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, [replaces])
    if not rows or not is_alive(rows[0], tagged.at) or misfit(owner, rows[0]) is not None:
        raise NotFoundError
    others = [row for row in facts.kin if row.sealed.label.id != replaces]
    kin = await compared(owner, said, others, rooms)
    # What was said of it before is not later: it is this very memory that is said otherwise.
    return (*kin, Kin(rows[0], Tie.AGAINST, tagged.draft.occurred_at, revised=True))


def _naming(screened: Screened, replaces: MemoryId) -> Screened:
    """Return it with what it is to replace among the reasons, for when somebody lets it through."""
    decision = screened.decision
    reasons = (*decision.reasons, REASON_REVISION, name_of(replaces))
    decision = msgspec.structs.replace(decision, reasons=reasons)
    return msgspec.structs.replace(screened, decision=decision)
