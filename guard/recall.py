"""The door back: what a subject's memories say to a question, each proved before it is shown."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from guard.again import Again
from guard.asking import Asked
from guard.browse import memory_of
from guard.checks import BARRED, OUTDATED
from guard.consensus import Voice, agreed, behind, reasons_of
from guard.errors import UnavailableError
from guard.gather import search_material
from guard.nouns import Draft, Label, Opened, Row
from guard.outcomes import Memory, Query, Recalled, Recollection
from guard.past import known_at
from guard.ports import Filter, Found, Purpose
from guard.principal import Principal
from guard.proof import Proof, Proved, record
from guard.rooms import Rooms
from guard.talk import Places, beside
from guard.trace import End, Trail, leave
from guard.understand import Understanding, joined, probes, understand
from memory.answering import fit
from memory.assembly import Assembled, Excerpt, assemble
from memory.bearing import Read
from memory.ranking import Standing, bound_low_trust, rank
from memory.signals import Blinded
from memory.timely import in_order, told, within
from memory.types import MemoryId, Owner, State, TraceId

_NONCE_CHARACTERS: Final = 16
_INSTANT: Final = timedelta(microseconds=1)
_READ_LOW: Final = 4
"""Low-trust memories that are read for one that may be shown."""


class Answered(msgspec.Struct, frozen=True):
    """A question answered, with what it was answered by."""

    items: tuple[Recalled, ...]
    context: Assembled
    asked: Asked
    proof: Proof
    shown: Sequence[Proved]
    places: Places


async def recall(principal: Principal, query: Query, rooms: Rooms) -> Recollection:
    """Return at most `query.k` memories of the caller that answer the query, best first.

    Raises UnavailableError when the ledger or the embedder does not answer. A dead index only makes
    the answer degraded. The index nominates and decides nothing: every nominee is scored again by
    its sealed search material, so that a stale or forged index can hide a memory, never lift one.
    """
    now, trail = rooms.clock(), Trail()
    again = await Again.of(principal, query, now, rooms)
    items = None
    if again is not None:
        with rooms.watch.step("recall.again"):
            items = await again.answer(trail)
    if items is not None:
        context = fenced(items, now, rooms)
        trail.fenced(context)
        return recorded(principal, query, items, context, now, trail, rooms)
    found = await answered(principal, query, now, trail, rooms)
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
    owner = principal.owner

    # (1) Understand: what the question means, and what it is found by, under the subject's keys.
    # Beside it, the rows that the index lacks; they are read before the index is asked, so that a
    # row which is being indexed just now is in one of the two answers (R13).
    watch = rooms.watch
    with watch.step("recall.understand"):
        meant = await understand(owner, query, now, rooms)
        query = meant.query
        trail.understood, trail.timed = query.text, bool(meant.times.spans)
        trail.unassisted = meant.unassisted
        (_, blinded), fresh = await asyncio.gather(
            search_material(owner, Draft(query.text), rooms, Purpose.QUESTION),
            rooms.ledger.unindexed(owner.tenant, owner.subject, rooms.bounds.unindexed_rows),
        )

    # (2) Search: the index nominates. (3) Load what it named from the ledger.
    with watch.step("recall.search"):
        found = await _searched(owner, blinded, meant, rooms)
        trail.nominated(found)
    with watch.step("recall.load"):
        rows = loaded = await _loaded(owner, found, fresh, query, rooms)
        known = {row.sealed.label.id for row in loaded}
        if query.as_of is not None:
            rows = await known_at(owner, loaded, query.as_of, rooms)
            trail.unknown_then(known - {row.sealed.label.id for row in rows})

    # (4) Open and (5) check: whatever fails is dropped, audited, and never returned. What stands
    # beside the best in a session comes along, and passes the same checks.
    with watch.step("recall.open"):
        tokens = {} if found is None else found.tokens
        proof = Proof(principal, query, tokens, now, rooms, trail=trail)
        proved = await proof.of(rows)
        proof.missing(known)
    asked = Asked(meant, blinded, trail, rooms)
    with watch.step("recall.beside"):
        places, more = await _beside(owner, asked, proved, known)
        proved += await proof.of(more)
    with watch.step("recall.rescreen"):
        shown = await _cleared(asked, proved, places, proof)

    # (6) Rank what may be shown and keep what is relied on; low trust is bounded.
    with watch.step("recall.rank"):
        items = await _best(asked, shown, places, proof)

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


async def _loaded(
    owner: Owner, found: Found | None, fresh: list[Row], query: Query, rooms: Rooms
) -> list[Row]:
    """Return the rows to look at, each once: nominees, unindexed rows, newest rows if degraded.

    What was superseded is in no index: a question about the past reads it in the ledger.
    """
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
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, list(dict.fromkeys(nominees)))
    loaded = {row.sealed.label.id: row for row in (*listed, *fresh, *rows)}
    return list(loaded.values())


async def _beside(
    owner: Owner, asked: Asked, proved: Sequence[Proved], known: set[MemoryId]
) -> tuple[Places, list[Row]]:
    """Return where the best stand in their sessions, and the rows beside them, as far as asked."""
    query, rooms = asked.query, asked.rooms
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


async def _best(
    asked: Asked, shown: Sequence[Proved], places: Places, proof: Proof
) -> tuple[Recalled, ...]:
    """Return the first `k`, opened, with no more of low trust among them than configured.

    The most relevant are opened and read once more: how their wording fits the question (R3).
    """
    query, rooms, times = asked.query, asked.rooms, asked.meant.times
    by_id = {memory.id: memory for memory in shown}
    relevant = asked.relevant(shown, places)
    read: dict[MemoryId, Opened] = {}
    relevance: dict[MemoryId, float] = {}
    told_at: dict[MemoryId, datetime] = {}
    seen: dict[MemoryId, Read] = {}
    count, most = max(query.k, rooms.bounds.rerank_items), rooms.bounds.low_trust_items
    # However many pages say it, they don't crowd out what is read.
    first = bound_low_trust(relevant, count, _READ_LOW * most, lambda id: _trust(by_id[id]))
    asked.trail.bounded(
        list(relevant), first, count, beyond=End.UNREAD, trust=lambda id: _trust(by_id[id])
    )
    for id in first:
        opened = await proof.content(by_id[id].row)
        if opened is not None:
            read[id] = opened
            text, at = opened.body.text, opened.body.occurred_at or opened.label.recorded_at
            wording = fit(query.text, text)
            when = told(text, at, times.spans, asked.meant.zone)
            asked.trail.worded(id, wording, when)
            relevance[id] = relevant[id] + wording + when
            told_at[id] = at
            seen[id] = Read(text, when > 0.0 or within(at, times.spans))
    if not asked.answered(seen, max(told_at.values(), default=None)):
        return ()
    # Who asks about a time does not want what is newest.
    used = rooms.clock() if times.spans or times.order else None
    against = await agreed([_voice(by_id[id], opened) for id, opened in read.items()], rooms)
    for id in [id for id, verdict in against.items() if verdict.withheld]:
        del read[id]
        proof.outvoted(id)
    relevance = await asked.closer(relevance, {id: one.body.text for id, one in read.items()})
    relevance = in_order(relevance, told_at, times.order)
    standings = {id: _standing(opened.label, used) for id, opened in read.items()}
    ranked = behind(rank(relevance, standings, rooms.clock(), rooms.bounds.ranking), against)
    kept = bound_low_trust(ranked, query.k, most, lambda one: read[one[0]].label.trust)
    asked.trail.ranked(dict(ranked))
    asked.trail.bounded(
        [id for id, _ in ranked],
        [id for id, _ in kept],
        query.k,
        beyond=End.BEYOND_K,
        trust=lambda id: _trust(by_id[id]),
    )
    return tuple(
        Recalled(memory_of(read[id]), factors.score, reasons_of(against.get(id)))
        for id, factors in kept
    )


def _voice(memory: Proved, opened: Opened) -> Voice:
    return Voice(memory.row, opened, frozenset(memory.blinded.entities))


def _trust(memory: Proved) -> int:
    return memory.row.sealed.label.trust


def _standing(label: Label, used: datetime | None) -> Standing:
    return Standing(
        label.layer,
        label.importance,
        label.confidence,
        used or label.changed_at,
        faded=label.faded,
    )


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
