"""What the stages and the policy make of a draft, before anything is written."""

import asyncio
from functools import partial
from typing import Final

import msgspec

from guard.ahead import Ahead, ahead_of, beginning
from guard.detect import detect
from guard.gather import gather, read_of, tag
from guard.governing import policy_for, stamped
from guard.nouns import Draft, Facts, Screened, Tagged
from guard.pipeline import Run, screen_within
from guard.principal import Principal
from guard.relate import echo, equal_in
from guard.rooms import Rooms
from memory.signals import Vectors

REASON_QUOTED: Final = "origin.quoted"
REASON_ECHO: Final = "origin.echo"

_HEAD_START: Final = 0.001
"""Seconds in which the models' threads get hold of the interpreter and let go of it again. Without
them they would wait for it until the text is read. All of them have more to do than that: of what a
write takes it is no part."""


async def judge(principal: Principal, draft: Draft, rooms: Rooms) -> tuple[Screened, Facts]:
    """Return what policy makes of a draft, with the facts it rested on. Writes nothing."""
    return await judged(await tag(principal, draft, rooms), rooms)


async def judged(
    tagged: Tagged, rooms: Rooms, recent_writes: int | None = None
) -> tuple[Screened, Facts]:
    """Gather the facts, ask the models, screen and decide.

    It is counted as one write, unless `recent_writes` says what was counted before.
    """
    draft, bounds, watch = tagged.draft, rooms.bounds, rooms.watch

    # (1) Ask the models first: they take longest, and leave the interpreter to others meanwhile.
    with (
        ahead_of(draft, rooms.detectors, bounds.detector_seconds) as ahead,
        beginning(rooms.embedder.embed([draft.text])) as embedding,
    ):
        # (2) Read the text, and find what needs nothing but the text, while they are at it; then
        # gather the facts in one round, at the subject's epoch.
        with watch.step("remember.gather"):
            await asyncio.wait({embedding}, timeout=_HEAD_START)
            text = await read_of(tagged, rooms)
            await ahead.show(text.views)
            embedding.add_done_callback(partial(_known, ahead))
            run = Run(rooms.stages)
            run.read(draft, text.views)
            facts = await gather(tagged, text, embedding, rooms, recent_writes)
            tagged, echoes = echo(tagged, equal_in(facts))

        # (3) What the models say is a fact like the others.
        with watch.step("remember.detect"):
            heard = await detect(tagged, facts, ahead.detectors, bounds.detector_seconds, watch)
            facts = msgspec.structs.replace(facts, detected=heard)

    # (4) Screen and decide; pure, and a long text in a thread for the same reason as the views.
    with watch.step("remember.screen"):
        policy = policy_for(tagged.owner.tenant, rooms)
        screened = await screen_within(bounds.stages_seconds, tagged, facts, run, policy)
    return _noted(stamped(screened, policy, rooms), echoes), facts


def _known(ahead: Ahead, embedding: asyncio.Task[list[Vectors]]) -> None:
    """Tell the detectors the vectors of the draft, where there are any."""
    if not embedding.cancelled() and embedding.exception() is None:
        for vectors in embedding.result()[:1]:
            ahead.know(vectors)


def _noted(screened: Screened, echoes: bool) -> Screened:  # noqa: FBT001
    """Return it with what made its trust among the reasons: seen by the caller, and sealed."""
    vouched = screened.tagged.origin.quoted
    said = () if vouched is None else (REASON_QUOTED, f"turn.{vouched.turn}")
    reasons = (*screened.decision.reasons, *said, *((REASON_ECHO,) if echoes else ()))
    decision = msgspec.structs.replace(screened.decision, reasons=reasons)
    return msgspec.structs.replace(screened, decision=decision)
