"""What the stages and the policy make of a draft, before anything is written."""

from typing import Final

import msgspec

from guard.detect import detect
from guard.gather import gather, tag
from guard.governing import policy_for, stamped
from guard.nouns import Draft, Facts, Screened, Tagged
from guard.pipeline import screen_within
from guard.principal import Principal
from guard.relate import echo, equal_in
from guard.rooms import Rooms

REASON_QUOTED: Final = "origin.quoted"
REASON_ECHO: Final = "origin.echo"


async def judge(principal: Principal, draft: Draft, rooms: Rooms) -> tuple[Screened, Facts]:
    """Return what policy makes of a draft, with the facts it rested on. Writes nothing."""
    return await judged(await tag(principal, draft, rooms), rooms)


async def judged(
    tagged: Tagged, rooms: Rooms, recent_writes: int | None = None
) -> tuple[Screened, Facts]:
    """Gather the facts, ask the models, screen and decide.

    It is counted as one write, unless `recent_writes` says what was counted before.
    """
    # (1) Gather the facts in one round, at the subject's epoch.
    bounds = rooms.bounds
    with rooms.watch.step("remember.gather"):
        facts = await gather(tagged, rooms, recent_writes)
        tagged, echoes = echo(tagged, equal_in(facts))

    # (2) Ask the models; what they say is a fact like the others.
    with rooms.watch.step("remember.detect"):
        heard = await detect(tagged, facts, rooms.detectors, bounds.detector_seconds, rooms.watch)
        facts = msgspec.structs.replace(facts, detected=heard)

    # (3) Screen and decide; pure, and in a thread for the same reason as the views.
    with rooms.watch.step("remember.screen"):
        policy = policy_for(tagged.owner.tenant, rooms)
        screened = await screen_within(bounds.stages_seconds, tagged, facts, rooms.stages, policy)
    return _noted(stamped(screened, policy, rooms), echoes), facts


def _noted(screened: Screened, echoes: bool) -> Screened:  # noqa: FBT001
    """Return it with what made its trust among the reasons: seen by the caller, and sealed."""
    vouched = screened.tagged.origin.quoted
    said = () if vouched is None else (REASON_QUOTED, f"turn.{vouched.turn}")
    reasons = (*screened.decision.reasons, *said, *((REASON_ECHO,) if echoes else ()))
    decision = msgspec.structs.replace(screened.decision, reasons=reasons)
    return msgspec.structs.replace(screened, decision=decision)
