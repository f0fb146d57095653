"""What one recall looked at, and where each memory ended (R10): ids, numbers and names of checks.

No memory's text stands in a trace. The question does, and what it was understood as; that is why a
trace is sealed under the subject's key. `Trail` is filled while a question is answered.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from guard.governing import version_for
from guard.outcomes import Query
from guard.ports import Found
from guard.rooms import Rooms
from memory.assembly import Assembled
from memory.fusion import Routes
from memory.ranking import LOW_TRUST, Factors
from memory.types import Layer, MemoryId, Owner, TraceId

MOST: Final = 100
"""Memories that a trace tells of, those that came furthest first; how many more is counted."""

Place = tuple[int, float]
"""Where a route has a memory: its rank from 1, and the route's own score."""


class End(StrEnum):
    """Where a memory ended, from the furthest that it can come to the least."""

    CONTEXT = "context"
    """It is in the answer and in its block for a prompt."""
    ITEM = "item"
    """It is in the answer; the block had no more room."""
    BEYOND_K = "beyond_k"
    """Others were ranked before it, as many as were asked for."""
    LOW_TRUST = "low_trust"
    """Others of low trust came before it, as many as one answer may have."""
    UNREADABLE = "unreadable"
    """Its content did not open."""
    UNREAD = "unread"
    """Others were more relevant, as many as are read for their wording."""
    WEAK = "below_threshold"
    """Others may be relied on; it is not evidence enough."""
    UNRELIABLE = "no_reliable_memory"
    """Nothing that was found may be relied on."""
    OUTSIDE = "outside_time"
    """It was so outside of the bounds that the caller gave."""
    WITHHELD = "withheld"
    """A check failed: `check` names it."""
    UNKNOWN_THEN = "not_known_then"
    """It was not known at the instant that was asked for."""
    NOT_FOUND = "not_found"
    """No route named it. Only where somebody asks why not."""


_FURTHEST: Final = {end: place for place, end in enumerate(End)}


class Considered(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One memory on its way through a recall; what it did not come to is left out.

    `index` is where the index's routes named it, `routes` where it stands by its own sealed
    material; `relevance` is their fusion and `evidence` what is held against the threshold. To the
    relevance come `wording` and `told`, and `cross`, times its weight: what a cross-encoder makes
    of question and memory together. `picked` is the place from 1 that a language model gave it, by
    which relevance then changed hands. `factors` make the score.
    """

    id: MemoryId
    end: End
    check: str | None = None
    index: Mapping[str, Place] = {}
    routes: Mapping[str, Place] = {}
    relevance: float | None = None
    evidence: float | None = None
    wording: float | None = None
    told: float | None = None
    cross: float | None = None
    picked: int | None = None
    factors: Factors | None = None


class Question(msgspec.Struct, frozen=True):
    """What was asked, and what it was understood as."""

    text: str
    understood: str
    k: int
    layers: tuple[Layer, ...]
    since: datetime | None
    until: datetime | None
    as_of: datetime | None


class Decided(msgspec.Struct, frozen=True):
    """By what it was decided which memories may be shown: versions, bounds, and the best found."""

    policy: str
    embedder: str
    reliable_from: float
    kept_from: float
    best_evidence: float
    low_trust_items: int
    rerank_items: int
    cross_encoder: str | None = None
    ordering: str | None = None


class Trace(msgspec.Struct, frozen=True):
    """One recall. `repeats` is the trace of an earlier recall of the same question, whose answer
    was checked again and given again: what it was understood as and what else there was stands
    there. `unassisted`: a model that is configured to help did not answer; it went by rule alone.
    """

    id: TraceId
    at: datetime
    question: Question
    decided: Decided
    reliable: bool
    degraded: bool
    considered: tuple[Considered, ...]
    left_out: int
    context: tuple[MemoryId, ...]
    tokens: int
    repeats: TraceId | None = None
    unassisted: bool = False


_decoder: Final = msgspec.msgpack.Decoder(Trace)


def packed(trace: Trace) -> bytes:
    """Return the bytes of a trace, to be sealed."""
    return msgspec.msgpack.encode(trace)


def unpacked(plain: bytes) -> Trace | None:
    """Return the trace in opened bytes, None when they hold none that this version knows."""
    try:
        return _decoder.decode(plain)
    except msgspec.MsgspecError:
        return None


class Trail:
    """Takes note while one question is answered. Costs a few assignments; decides nothing."""

    def __init__(self) -> None:
        self.understood = ""
        self.timed = False
        """Whether the question speaks of a time that its words alone give."""
        self.degraded = False
        self.unassisted = False
        """Whether a model that is configured to help did not, so that it went by rule alone."""
        self.repeats: TraceId | None = None
        self.context = Assembled("", (), 0)
        self.evidence: dict[MemoryId, float] = {}
        self._index: dict[MemoryId, dict[str, Place]] = {}
        self._routes: dict[MemoryId, dict[str, Place]] = {}
        self._relevance: dict[MemoryId, float] = {}
        self._wording: dict[MemoryId, tuple[float, float]] = {}
        self._cross: dict[MemoryId, float] = {}
        self._picked: dict[MemoryId, int] = {}
        self.factors: dict[MemoryId, Factors] = {}
        self._checks: dict[MemoryId, str] = {}
        self._ends: dict[MemoryId, End] = {}

    def nominated(self, found: Found | None) -> None:
        """Note what the index named, None when it did not answer."""
        self.degraded = found is None
        self._index = (
            {}
            if found is None
            else _placed(
                {name: [(hit.id, hit.score) for hit in hits] for name, hits in found.routes.items()}
            )
        )

    def unknown_then(self, ids: Iterable[MemoryId]) -> None:
        """Note what was not known yet, or no more, at the instant that was asked for."""
        self._ends |= dict.fromkeys(ids, End.UNKNOWN_THEN)

    def withheld(self, id: MemoryId, check: str) -> None:
        """Note the check on which a memory failed."""
        self._ends[id], self._checks[id] = End.WITHHELD, check

    def scored(
        self,
        every: Iterable[MemoryId],
        routes: Routes,
        relevance: Mapping[MemoryId, float],
        evidence: Mapping[MemoryId, float],
        relied: frozenset[MemoryId],
    ) -> None:
        """Note how all that may be shown was scored, and what of it is relied on."""
        placed = _placed(routes)
        self._routes |= placed
        self._relevance |= relevance
        self.evidence |= evidence
        weak = End.WEAK if relied else End.UNRELIABLE
        for id in every:
            if id not in relied:
                self._ends[id] = weak if id in placed else End.OUTSIDE

    def unreliable(self, ids: Iterable[MemoryId]) -> None:
        """Note that none of the memories that were read bears on the question."""
        self._ends |= dict.fromkeys(ids, End.UNRELIABLE)

    def repeated(self, trace: TraceId, factors: Mapping[MemoryId, Factors]) -> None:
        """Note that it took the order of an earlier recall, whose trace has the rest."""
        self.repeats, self.factors = trace, dict(factors)
        self._ends = dict.fromkeys(factors, End.ITEM)

    def worded(self, id: MemoryId, wording: float, told: float) -> None:
        """Note what reading a memory added to its relevance."""
        self._wording[id] = (wording, told)

    def crossed(self, scores: Mapping[MemoryId, float]) -> None:
        """Note what a cross-encoder made of the best."""
        self._cross |= scores

    def picked(self, chosen: Sequence[MemoryId]) -> None:
        """Note which of the best a language model put first."""
        self._picked = {id: place for place, id in enumerate(chosen, 1)}

    def ranked(self, factors: Mapping[MemoryId, Factors]) -> None:
        """Note the final factors."""
        self.factors = dict(factors)

    @property
    def items(self) -> list[MemoryId]:
        """What is in the answer, best first."""
        return [id for id in self.factors if self._ends.get(id) in (End.ITEM, End.CONTEXT)]

    def bounded(
        self,
        order: Sequence[MemoryId],
        kept: Sequence[MemoryId],
        most: int,
        *,
        beyond: End,
        trust: Callable[[MemoryId], int],
    ) -> None:
        """Note which of `order` a bound left out: of low trust, or beyond the `most` there may be.

        What is left out before the last one kept, or although there was room, is of low trust.
        """
        inside = set(kept)
        last = order.index(kept[-1]) if len(kept) >= most else len(order)
        for place, id in enumerate(order):
            if id in inside:
                self._ends[id] = End.ITEM
            elif place < last and trust(id) <= LOW_TRUST:
                self._ends[id] = End.LOW_TRUST
            else:
                self._ends[id] = beyond

    def unreadable(self, id: MemoryId) -> None:
        """Note that the content of a memory did not open."""
        self._ends[id] = End.UNREADABLE

    def fenced(self, context: Assembled) -> None:
        """Note what the block for a prompt holds."""
        self.context = context
        self._ends |= dict.fromkeys(context.ids, End.CONTEXT)

    def place_of(self, id: MemoryId) -> Place | None:
        """Return the rank by relevance of what was scored, before any bound."""
        if id not in self._relevance:
            return None
        mine = self._relevance[id]
        ahead = sum((-value, one) < (-mine, id) for one, value in self._relevance.items())
        return ahead + 1, mine

    def of(self, id: MemoryId) -> Considered | None:
        """Return what is known of one memory, None when it was never looked at."""
        end = self._ends.get(id)
        return None if end is None else self.ended(id, end)

    def ended(self, id: MemoryId, end: End) -> Considered:
        """Return what is known of a memory that ended there."""
        wording, told = self._wording.get(id, (None, None))
        return Considered(
            id=id,
            end=end,
            check=self._checks.get(id) if end is End.WITHHELD else None,
            index=self._index.get(id, {}),
            routes=self._routes.get(id, {}),
            relevance=self._relevance.get(id),
            evidence=self.evidence.get(id),
            wording=wording,
            told=told,
            cross=self._cross.get(id),
            picked=self._picked.get(id),
            factors=self.factors.get(id),
        )

    def considered(self) -> tuple[tuple[Considered, ...], int]:
        """Return the memories that came furthest, best first, and how many more there were."""
        ids = sorted(
            self._ends,
            key=lambda id: (
                _FURTHEST[self._ends[id]],
                -(self.factors[id].score if id in self.factors else 0.0),
                -self._relevance.get(id, 0.0),
                id,
            ),
        )
        found = [one for id in ids[:MOST] if (one := self.of(id)) is not None]
        return tuple(found), max(0, len(ids) - MOST)


def leave(owner: Owner, asked: Query, trail: Trail, at: datetime, rooms: Rooms) -> TraceId:
    """Have the trace of one recall kept, off its path; return its id.

    It is put together as soon as the loop is free again, when the answer has been handed out:
    whoever reads, erases or writes traces lets the loop come to that first.
    """
    id = TraceId(rooms.new_id())
    # Who can't be told by what it was decided gets no answer.
    decided = decided_by(owner, trail, rooms)

    # A closure: what is scheduled may be named in a log, and a question must not be.
    def put_together() -> None:
        trace = _trace(id, asked, trail, at, decided)
        rooms.traces.record(owner, id, at, packed(trace))

    asyncio.get_running_loop().call_soon(put_together)
    return id


def _trace(id: TraceId, asked: Query, trail: Trail, at: datetime, decided: Decided) -> Trace:
    considered, left_out = trail.considered()
    return Trace(
        id=id,
        at=at,
        question=Question(
            asked.text,
            trail.understood,
            asked.k,
            asked.layers,
            asked.since,
            asked.until,
            asked.as_of,
        ),
        decided=decided,
        reliable=bool(trail.items),
        degraded=trail.degraded,
        considered=considered,
        left_out=left_out,
        context=trail.context.ids,
        tokens=trail.context.tokens,
        repeats=trail.repeats,
        unassisted=trail.unassisted,
    )


def decided_by(owner: Owner, trail: Trail, rooms: Rooms) -> Decided:
    """Return by what a recall was decided."""
    bounds = rooms.bounds
    return Decided(
        policy=version_for(owner.tenant, rooms),
        embedder=rooms.embedder.id.name,
        reliable_from=bounds.thresholds.reliable,
        kept_from=bounds.thresholds.kept,
        best_evidence=max(trail.evidence.values(), default=0.0),
        low_trust_items=bounds.low_trust_items,
        rerank_items=bounds.rerank_items,
        cross_encoder=None if rooms.closely is None else rooms.closely.version,
        ordering=None if rooms.ordering is None else rooms.ordering.version,
    )


def _placed(routes: Routes) -> dict[MemoryId, dict[str, Place]]:
    placed: dict[MemoryId, dict[str, Place]] = {}
    for name, hits in routes.items():
        for rank, (id, score) in enumerate(hits, start=1):
            placed.setdefault(id, {})[name] = (rank, score)
    return placed
