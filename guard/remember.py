"""The door in: every write of every edge passes here and is decided here (W1)."""

from guard.errors import ConflictError, UnavailableError
from guard.gather import at_of, refreshed, tag
from guard.judging import judged
from guard.kin import compared
from guard.nouns import Draft, Tagged
from guard.outcomes import WriteOutcome
from guard.principal import Principal
from guard.relate import equal_in, relate
from guard.relating import Said
from guard.rooms import Rooms
from guard.settle import Beside, Work, settle
from memory.types import State
from policies.model import Effect


async def remember(principal: Principal, draft: Draft, rooms: Rooms) -> WriteOutcome:
    """Screen, decide, relate, seal and commit one draft; return what became of it.

    Raises InvalidError for a parent that is not the caller's, UnavailableError when nothing could
    be written. A draft is never half written.
    """
    # (1) Tag: who says so, over which channel, derived from what.
    return await decided(await tag(principal, draft, rooms), rooms)


async def decided(
    tagged: Tagged, rooms: Rooms, beside: Beside | None = None, recent_writes: int | None = None
) -> WriteOutcome:
    """Take a tagged draft through the rest of the pipeline; the one way to the ledger (W1)."""
    outcome = await _decided(tagged, rooms, beside, recent_writes)
    rooms.watch.wrote(outcome)
    return outcome


async def _decided(
    tagged: Tagged, rooms: Rooms, beside: Beside | None, recent_writes: int | None
) -> WriteOutcome:
    # (2) Gather, (3) screen and decide. From here to the commit no fact changes.
    screened, facts = await judged(tagged, rooms, recent_writes)
    tagged = screened.tagged
    owner = tagged.owner

    async with rooms.turns.of(owner):
        for _ in range(rooms.bounds.commit_attempts):
            # (4) Relate to what the subject already has.
            held = screened.decision.effect is Effect.QUARANTINE
            state = State.HELD if held else State.ACTIVE
            kin = await compared(owner, Said(tagged.draft.text, at_of(tagged)), facts.kin, rooms)
            relation = relate(tagged, state, equal_in(facts), kin, facts.twins)

            # (5) Seal and (6) commit; (7) answer.
            try:
                return await settle(Work(screened, facts, rooms, beside), relation)
            except ConflictError:
                # Another write of this subject came between, or this same one was made elsewhere.
                stands = None if beside is None else await beside.standing()
                if stands is not None:
                    return stands
                # Look again, then relate again (R13).
                facts = await refreshed(tagged, facts, rooms)
    raise UnavailableError("ledger")
