"""The door back: what a subject's memories say to a question, each proved before it is shown."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import Final

import msgspec

from guard.again import Again
from guard.ahead import beginning
from guard.asking import Asked
from guard.barred import standing
from guard.checks import BARRED, OUTDATED
from guard.choosing import best_of
from guard.errors import UnavailableError
from guard.nouns import Row
from guard.outcomes import Memory, Query, Recalled, Recollection
from guard.past import known_at
from guard.ports import Filter, Found
from guard.principal import Principal
from guard.proof import Proof, Proved, record
from guard.rooms import Rooms
from guard.seeking import Sighted, seek
from guard.talk import Places, beside
from guard.trace import Trail, leave
from guard.understand import Understanding, joined, probes
from memory.assembly import Assembled, Excerpt, assemble
from memory.signals import Blinded
from memory.types import Epoch, MemoryId, Owner, State, TraceId

_NONCE_CHARACTERS: Final = 16
_INSTANT: Final = timedelta(microseconds=1)


class Answered(msgspec.Struct, frozen=True):
    """A question answered, with what it was answered by."""

    items: tuple[Recalled, ...]
    context: Assembled
    asked: Asked
    proof: Proof
    shown: Sequence[Proved]
    places: Places


class Asking(msgspec.Struct, frozen=True):
    """A question, when it was asked, and the subject's epoch since, where rows are kept for it."""

    query: Query
    epoch: Epoch | None
    now: datetime


async def recall(principal: Principal, query: Query, rooms: Rooms) -> Recollection:
    """Return at most `query.k` memories of the caller that answer the query, best first.

    Raises UnavailableError when the ledger or the embedder does not answer. A dead index only makes
    the answer degraded. The index nominates and decides nothing: every nominee is scored again by
    its sealed search material, so that a stale or forged index can hide a memory, never lift one.
    """
    now, trail, owner = rooms.clock(), Trail(), principal.owner
    with ExitStack() as begun:
        # Nothing takes as long as the embedding, which needs nothing of the ledger: all that can be
        # done meanwhile is. Only where an answer may be at hand, that is looked at first.
        seeking = None
        if not rooms.hot.holds(principal, query):
            seeking = begun.enter_context(beginning(seek(owner, query, now, rooms)))
        again = await Again.of(principal, query, now, rooms)
        items = None
        if again is not None:
            with rooms.watch.step("recall.again"):
                items = await again.answer(trail)
        if items is not None:
            context = fenced(items, now, rooms)
            trail.fenced(context)
            return recorded(principal, query, items, context, now, trail, rooms)
        if seeking is None:
            seeking = begun.enter_context(beginning(seek(owner, query, now, rooms)))
        found = await _found(principal, seeking, now, trail, rooms)
    answer = recorded(principal, query, found.items, found.context, now, trail, rooms)
    # What is told of a memory beside its score is not kept.
    if again is not None and not any(item.reasons for item in found.items):
        again.keep(trail, TraceId(answer.trace_id))
    return answer


def recorded(  # noqa: PLR0917 - all that an answer is made of
    principal: Principal,
    query: Query,
    items: tuple[Recalled, ...],
    context: Assembled,
    now: datetime,
    trail: Trail,
    rooms: Rooms,
) -> Recollection:
    """Record an answer, off the request's path, and return it."""
    rooms.watch.recalled(reliable=bool(items), degraded=trail.degraded)
    trace = leave(principal.owner, query, trail, now, rooms)
    for item in items:
        record(principal, item.memory.id, "shown", f"trace.{trace}", at=now, rooms=rooms)
    return Recollection(items, bool(items), context.context, trail.degraded, trace)


async def answered(
    principal: Principal, query: Query, now: datetime, trail: Trail, rooms: Rooms
) -> Answered:
    """Return what answers a question, unrecorded; `trail` takes note of how it came about."""
    with beginning(seek(principal.owner, query, now, rooms)) as seeking:
        return await _found(principal, seeking, now, trail, rooms)


async def _found(
    principal: Principal,
    seeking: Awaitable[Sighted],
    now: datetime,
    trail: Trail,
    rooms: Rooms,
) -> Answered:
    owner = principal.owner

    # (1) Understand: what the question means, and what it is found by. Beside it, the bans that
    # stand, and the rows that the index lacks; they are read before the index is asked, so that a
    # row which is being indexed just now is in one of the two answers (R13).
    watch = rooms.watch
    with watch.step("recall.understand"):
        fresh, bans = await asyncio.gather(
            rooms.ledger.unindexed(owner.tenant, owner.subject, rooms.bounds.unindexed_rows),
            standing(owner.tenant, rooms),
        )
        sighted = await seeking
        meant, blinded = sighted.meant, sighted.blinded
        query = meant.query
        trail.understood, trail.timed = query.text, bool(meant.times.spans)
        trail.unassisted = meant.unassisted

    # (2) Search: the index nominates. (3) Load what it named from the ledger.
    # Beside the index, the epoch: rows that were read at it before are those that would be read.
    with watch.step("recall.search"):
        found, epoch = await asyncio.gather(
            _searched(owner, blinded, meant, rooms), _present(owner, query, rooms)
        )
        trail.nominated(found)
    with watch.step("recall.load"):
        rows = loaded = await _loaded(owner, found, fresh, Asking(query, epoch, now), rooms)
        known = {row.sealed.label.id for row in loaded}
        if query.as_of is not None:
            rows = await known_at(owner, loaded, query.as_of, rooms)
            trail.unknown_then(known - {row.sealed.label.id for row in rows})

    # (4) Open and (5) check: whatever fails is dropped, audited, and never returned. What stands
    # beside the best in a session comes along, and passes the same checks.
    with watch.step("recall.open"):
        tokens = {} if found is None else found.tokens
        proof = Proof(principal, query, tokens, now, rooms, trail=trail, bans=bans)
        proved = await proof.of(rows)
        proof.missing(known)
        if epoch is not None and found is not None:
            sound = [memory.row for memory in proved if memory.doubt is None]
            rooms.lately.put(owner, epoch, sound, now)
    asked = Asked(sighted, trail, rooms)
    with watch.step("recall.beside"):
        places, more = await _beside(owner, asked, proved, known)
        proved += await proof.of(more)
    with watch.step("recall.rescreen"):
        shown = await _cleared(asked, proved, places, proof)

    # (6) Rank what may be shown and keep what is relied on; low trust is bounded.
    with watch.step("recall.rank"):
        items = await best_of(asked, shown, places, proof)

    # (7) Assemble the fenced block.
    context = fenced(items, now, rooms)
    trail.fenced(context)
    return Answered(items, context, asked, proof, shown, places)


def fenced(items: Sequence[Recalled], now: datetime, rooms: Rooms) -> Assembled:
    """Return the block for a prompt, with a fresh nonce."""
    return assemble(
        [_excerpt(item.memory) for item in items],
        nonce=rooms.new_id().replace("-", "")[-_NONCE_CHARACTERS:],
        now=now,
        bounds=rooms.bounds.context,
        count=rooms.count,
    )


async def _searched(
    owner: Owner, blinded: Blinded, meant: Understanding, rooms: Rooms
) -> Found | None:
    """Return what the index found, None when it does not answer."""
    asked = probes(meant, blinded, rooms.bounds.route_hits)
    try:
        search = rooms.index.search
        every = [search(owner.tenant, blinded.subject, probe) for probe in asked]
        return joined(await asyncio.gather(*every))
    except UnavailableError:
        return None


async def _present(owner: Owner, query: Query, rooms: Rooms) -> Epoch | None:
    """Return the subject's epoch, None where no row is kept: of the past none ever is."""
    if not rooms.lately.is_open or query.as_of is not None:
        return None
    return await rooms.ledger.epoch(owner.tenant, owner.subject)


async def _loaded(
    owner: Owner, found: Found | None, fresh: list[Row], asking: Asking, rooms: Rooms
) -> list[Row]:
    """Return the rows to look at, each once: nominees, unindexed rows, newest rows if degraded.

    What was superseded is in no index: a question about the past reads it in the ledger.
    """
    query = asking.query
    past = () if query.as_of is None else (State.SUPERSEDED,)
    states = past if found is not None else (State.ACTIVE, *past)
    listed: list[Row] = []
    if states:
        until = None if query.as_of is None else query.as_of + _INSTANT
        filter = Filter(states=states, layers=query.layers, until=until)
        page = await rooms.ledger.page(
            owner.tenant, owner.subject, filter, None, rooms.bounds.degraded_rows
        )
        listed = list(page.rows)
    if found is None:
        return listed
    fresh_ids = {row.sealed.label.id for row in fresh}
    nominees = [hit.id for hits in found.routes.values() for hit in hits if hit.id not in fresh_ids]
    named = await _nominated(owner, list(dict.fromkeys(nominees)), asking, rooms)
    loaded = {row.sealed.label.id: row for row in (*listed, *fresh, *named)}
    return list(loaded.values())


async def _nominated(
    owner: Owner, ids: Sequence[MemoryId], asking: Asking, rooms: Rooms
) -> list[Row]:
    """Return the owner's rows of these ids: those at hand, and all others from the ledger."""
    kept: Mapping[MemoryId, Row] = {}
    if asking.epoch is not None:
        kept = rooms.lately.find(owner, asking.epoch, ids, asking.now)
    missing = [id for id in ids if id not in kept]
    read = await rooms.ledger.rows(owner.tenant, owner.subject, missing) if missing else []
    every = {**kept, **{row.sealed.label.id: row for row in read}}
    return [every[id] for id in ids if id in every]


async def _beside(
    owner: Owner, asked: Asked, proved: Sequence[Proved], known: set[MemoryId]
) -> tuple[Places, list[Row]]:
    """Return where the best stand in their sessions, and the rows beside them, as far as asked."""
    query, rooms = asked.query, asked.rooms
    if not any(memory.row.sealed.label.session for memory in proved):
        return {}, []
    best = asked.nearest(proved)[: rooms.bounds.session_neighbours]
    places, rows = await beside(owner, best, known, query, rooms)
    if query.as_of is not None:
        rows = await known_at(owner, rows, query.as_of, rooms)
    return places, rows


async def _cleared(
    asked: Asked, proved: Sequence[Proved], places: Places, proof: Proof
) -> Sequence[Proved]:
    """Return what may be shown of what was proved; what is in doubt is judged again, best first.

    What today's models have not seen, and would not be part of the answer, is left as it is.
    """
    sure = [memory for memory in proved if memory.doubt is None]
    if len(sure) == len(proved):
        return sure
    by_id = {memory.id: memory for memory in proved}
    relevant = asked.relevant(proved, places)
    wanted = [by_id[id] for id in relevant if by_id[id].doubt == OUTDATED]
    barred = [memory for memory in proved if memory.doubt == BARRED]
    return [*sure, *await proof.again([*wanted, *barred])]


def _excerpt(memory: Memory) -> Excerpt:
    return Excerpt(
        id=memory.id,
        text=memory.text,
        origin=memory.origin,
        trust=memory.trust,
        confidence=memory.confidence,
        stored_at=memory.stored_at,
        occurred_at=memory.occurred_at,
    )
