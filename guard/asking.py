"""A question held against the memories that were found: the order in which they answer it."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from guard.nouns import Opened
from guard.proof import Proved
from guard.rooms import Rooms
from guard.seeking import Sighted
from guard.talk import Places, turns_before
from guard.trace import Trail
from memory.bearing import Read, any_bears, near, sought
from memory.exact import NOTHING_BEFORE, Candidate, local_routes
from memory.fusion import ENTITY, Fusion, Routes, fuse, fuse_by_rank, route_weights
from memory.ranking import evidence, put_first
from memory.signals import Blinded
from memory.timely import WHEN, WHEN_WEIGHT, hits
from memory.types import MemoryId, TenantId


class Asked:
    """A question with what it is found by, and the order in which memories answer it."""

    def __init__(self, sighted: Sighted, trail: Trail, rooms: Rooms) -> None:
        self.meant = sighted.meant
        self.trail = trail
        self.query = query = sighted.meant.query
        self.rooms = rooms
        self._sighted = sighted
        self._blinded = sighted.blinded
        self._weights = route_weights(query.text, rooms.bounds.weights, self._blinded.vectors)
        self._weights |= {WHEN: WHEN_WEIGHT}
        self._evidence: Mapping[MemoryId, float] = {}

    def nearest(self, memories: Sequence[Proved]) -> list[MemoryId]:
        """Return the ids of memories by their own relevance alone, the most relevant first."""
        relevance = self._fused(self._routes(memories))
        return sorted(relevance, key=lambda id: (-relevance[id], id))

    def relevant(self, memories: Sequence[Proved], places: Places) -> dict[MemoryId, float]:
        """Return the relevance of the memories that may be relied on, the most relevant first."""
        bounds = self.rooms.bounds
        routes = self._routes(memories, turns_before(memories, places))
        strength = evidence(routes, self._weights, bounds.thresholds, bounds.ramps)
        # Of the time that is spoken of, or with a code that is named: near or not, it is read.
        asked_for = [id for name in (WHEN, ENTITY) for id, _ in routes.get(name, ())]
        relied = frozenset(near(strength, bounds.thresholds.kept, asked_for))
        fused = self._fused(routes)
        self.trail.scored((one.id for one in memories), routes, fused, strength, relied)
        self._evidence = strength
        found = {id: value for id, value in fused.items() if id in relied}
        return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))

    def beside_others(self, memories: Sequence[Proved], places: Places) -> Trail:
        """Return how these would be scored together: for whoever asks why one was not."""
        alone = Asked(self._sighted, Trail(), self.rooms)
        alone.relevant(memories, places)
        return alone.trail

    def answered(self, read: Mapping[MemoryId, Read], newest: datetime | None) -> bool:
        """Say whether any memory that was read bears on the question, and not only lies near it."""
        asked = self._sighted.wanted
        if asked is None:
            text, times, zone = self.query.text, self.meant.times, self.meant.zone
            now = self.query.reference_time or self.rooms.clock()
            asked = sought(text, times, now, zone, newest)
        if any_bears(asked, self._evidence, read, self.rooms.bounds.thresholds.reliable):
            return True
        self.trail.unreliable(read)
        return False

    async def closer(
        self, relevance: Mapping[MemoryId, float], texts: Mapping[MemoryId, str]
    ) -> dict[MemoryId, float]:
        """Return the relevance with what a cross-encoder adds to the best of `texts`.

        They stay before the others, which it does not read. Without one, or when it does not
        answer, all stays as it is.
        """
        closely = self.rooms.closely
        best = sorted(texts, key=lambda id: (-relevance[id], id))
        if closely is None or not best:
            return dict(relevance)
        best = best[: closely.items]
        with self.rooms.watch.step("recall.closer"):
            scores = await closely.scores(self.query.text, [texts[id] for id in best])
        if scores is None:
            self.trail.unassisted = True
            return dict(relevance)
        found = dict(zip(best, scores, strict=True))
        self.trail.crossed(found)
        return dict(relevance) | {id: relevance[id] + closely.weight * found[id] for id in best}

    async def ordered(
        self, relevance: Mapping[MemoryId, float], read: Mapping[MemoryId, Opened]
    ) -> dict[MemoryId, float]:
        """Return the relevance after a language model said which of the best of `read` come first.

        Without one, or when it does not answer, all stays as it is.
        """
        ordering = self.rooms.ordering
        best = sorted(read, key=lambda id: (-relevance[id], id))
        if ordering is None or len(best) <= 1:
            return dict(relevance)
        best = best[: ordering.items]
        tenant = TenantId(read[best[0]].label.tenant)
        with self.rooms.watch.step("recall.order"):
            texts = [read[id].body.text for id in best]
            first = await ordering.first(tenant, self.query.text, texts)
        if first is None:
            self.trail.unassisted = True
            return dict(relevance)
        chosen = [best[place] for place in first]
        self.trail.picked(chosen)
        held = {id: relevance[id] for id in best}
        return dict(relevance) | put_first(held, chosen, lambda id: read[id].label.trust)

    def _fused(self, routes: Routes) -> dict[MemoryId, float]:
        if self.rooms.bounds.fusion is Fusion.RANK:
            return fuse_by_rank(routes, self._weights)
        return fuse(routes, self._weights, self.rooms.bounds.ramps)

    def _routes(
        self, memories: Sequence[Proved], before: Mapping[MemoryId, Blinded] = NOTHING_BEFORE
    ) -> Routes:
        rows: list[Candidate] = [(memory.id, memory.blinded, memory.at) for memory in memories]
        query = self.query
        routes = local_routes(
            self._blinded, rows, len(rows), since=query.since, until=query.until, before=before
        )
        then = hits(rows, self.meant.times.spans)
        return {**routes, WHEN: then} if then else routes
