"""A flood that hides itself: texts of one origin that keep replacing each other (W8).

Only the last of them is ever active, so the stage `anomaly` never sees many beside each other. They
are found behind what a write is about to replace, in the ledger.
"""

from collections.abc import Iterable, Sequence

import msgspec

from guard.governing import policy_for
from guard.kin import Kin
from guard.nouns import Row, Screened, Tagged
from guard.ports import Filter
from guard.relating import Tie
from guard.rooms import Rooms
from guard.stages.anomaly import FLOOD, flood_of, is_lately_of
from memory.origin import TRUST_OF_SUBJECT
from memory.types import MemoryId, State
from policies.decide import decide, stricter
from policies.model import Decision


async def counted(screened: Screened, kin: Sequence[Kin], rooms: Rooms) -> Screened:
    """Return a screened draft with what policy says of a flood, when it would go on with one.

    What a subject says again and again of himself is none: he may change his mind. One more
    question to the ledger, and only for a write that contradicts a late one of its own origin.
    """
    tagged = screened.tagged
    flood = flood_of(tagged)
    if tagged.origin.trust >= TRUST_OF_SUBJECT or flood in screened.findings:
        return screened
    against = [one.row for one in kin if one.tie is Tie.AGAINST]
    if await _replaced(tagged, against, rooms) + 1 < FLOOD:
        return screened
    findings = (*screened.findings, flood)
    policy = policy_for(tagged.owner.tenant, rooms)
    fresh = decide(policy, tagged.origin.trust, screened.completions, findings)
    decision = _under(screened.decision, stricter(screened.decision, fresh))
    return msgspec.structs.replace(screened, findings=findings, decision=decision)


async def _replaced(tagged: Tagged, against: Sequence[Row], rooms: Rooms) -> int:
    """Return how many late memories of the draft's origin it would replace, directly or through
    others; no more are sought than make a flood.
    """
    owner = tagged.owner
    front = tuple(_ids(tagged, against))
    seen = set(front)
    while front and len(seen) + 1 < FLOOD:
        asked = Filter(states=(State.SUPERSEDED,), superseded_by=front)
        page = await rooms.ledger.page(owner.tenant, owner.subject, asked, None, FLOOD)
        front = tuple(id for id in _ids(tagged, page.rows) if id not in seen)
        seen.update(front)
    return len(seen)


def _ids(tagged: Tagged, rows: Iterable[Row]) -> Iterable[MemoryId]:
    return (row.sealed.label.id for row in rows if is_lately_of(tagged, row))


def _under(before: Decision, decision: Decision) -> Decision:
    """Return it as one by the policy that decided first: all of its rules count still."""
    return msgspec.structs.replace(decision, policy=before.policy)
