"""The doors of whoever wants to know why: what a recall looked at, and where a memory was lost."""

import msgspec

from guard.browse import states_visible_to
from guard.checks import verdict, verdict_on_past
from guard.errors import NotFoundError
from guard.leaves import leaf_of
from guard.nouns import Row
from guard.outcomes import Query
from guard.past import known_at
from guard.principal import Principal, Scope
from guard.recall import Answered, answered
from guard.rooms import Rooms
from guard.trace import Considered, Decided, End, Place, Trace, Trail, decided_by, unpacked
from memory.types import MemoryId, State, TraceId


class WhyNot(msgspec.Struct, frozen=True):
    """Where one memory ended when the question was asked just now.

    `would_be` is its rank by relevance, and by each route, among all that might have been shown:
    for a memory that no route named.
    """

    considered: Considered
    state: State
    decided: Decided
    reliable: bool
    degraded: bool
    understood: str
    would_be: Place | None = None


async def traced(principal: Principal, id: TraceId, rooms: Rooms) -> Trace:
    """Return what one recall of the caller looked at.

    Raises NotFoundError for any id that is none of his traces: another's, expired, or erased.
    """
    principal.require(Scope.MEMORY_TRACE)
    now = rooms.clock()
    plain = await rooms.traces.read(principal.owner, id, now)
    trace = None if plain is None else unpacked(plain)
    if trace is None:
        raise NotFoundError
    await _noted(principal, id, "read", rooms)
    return trace


async def why_not(principal: Principal, id: MemoryId, query: Query, rooms: Rooms) -> WhyNot:
    """Ask the question again and return where one of the caller's memories ended.

    Raises NotFoundError for any id that is not a memory which this caller may list.
    """
    principal.require(Scope.MEMORY_TRACE)
    owner = principal.owner
    # (1) The memory itself: of what is not his, or was forgotten, there is nothing to tell.
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, [id])
    if not rows or rows[0].sealed.label.state not in _tellable(principal):
        raise NotFoundError
    await _noted(principal, id, "why", rooms)

    # (2) The question, asked as ever; nothing of the answer leaves.
    now, trail = rooms.clock(), Trail()
    found = await answered(principal, query, now, trail, rooms)

    # (3) Where it ended, or why it was not among what was looked at.
    considered, would_be = trail.of(id), None
    if considered is None:
        considered, would_be = await _unseen(principal, rows[0], found, rooms)
    return WhyNot(
        considered=considered,
        state=rows[0].sealed.label.state,
        decided=decided_by(owner, trail, rooms),
        reliable=bool(found.items),
        degraded=trail.degraded,
        understood=trail.understood,
        would_be=would_be,
    )


async def _unseen(
    principal: Principal, row: Row, found: Answered, rooms: Rooms
) -> tuple[Considered, Place | None]:
    """Return why a memory was not looked at; and the rank and relevance that it would have had."""
    owner, query, id = principal.owner, found.asked.query, row.sealed.label.id
    if row.sealed.label.layer not in query.layers:
        return Considered(id=id, end=End.WITHHELD, check="layer"), None
    if query.as_of is not None and not await known_at(owner, [row], query.as_of, rooms):
        return Considered(id=id, end=End.UNKNOWN_THEN), None
    judge = verdict if query.as_of is None else verdict_on_past
    failed = await judge(owner, row, rooms.clock(), rooms)
    proved = [] if failed is not None else await found.proof.of([row])
    if not proved:
        # Whatever the vault found, the proof has noted by name.
        noted = found.asked.trail.of(id)
        check = failed or (None if noted is None else noted.check)
        return Considered(id=id, end=End.WITHHELD, check=check), None

    # Nothing speaks against it: no route named it. Put it beside the others and look.
    trail = found.asked.beside_others([*found.shown, *proved], found.places)
    outside = trail.of(id)
    end = End.OUTSIDE if outside is not None and outside.end is End.OUTSIDE else End.NOT_FOUND
    return trail.ended(id, end), trail.place_of(id)


def _tellable(principal: Principal) -> frozenset[State]:
    """Return the states of memories that a caller may ask about: those of lists and histories."""
    return states_visible_to(principal) | {State.SUPERSEDED}


async def _noted(principal: Principal, object: str, outcome: str, rooms: Rooms) -> None:
    """Put it into the audit before anything is told."""
    leaf = leaf_of(
        principal, rooms.new_id(), rooms.clock(), action="trace", object=object, outcome=outcome
    )
    await rooms.audit.note([leaf])
