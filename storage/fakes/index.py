"""The Index port in memory: exact, quick to start, gone with the process."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

import numpy as np

from guard.errors import UnavailableError
from guard.ports import Entry, Found, Hit, Probe
from memory.types import MemoryId, SubjectMark, TenantId
from storage.index import entries as accepted
from storage.index import wire

_Scores = dict[MemoryId, float]


class MemoryIndex:
    """Finds by looking at every point of the subject."""

    def __init__(self, dimensions: Mapping[str, int]) -> None:
        self._dimensions = dimensions
        self._points: dict[TenantId, dict[MemoryId, wire.Point]] = {}
        self._incomplete: set[TenantId] = set()
        self.down = False
        """Set by tests: every call fails as when the engine does not answer."""

    async def upsert(self, tenant: TenantId, entries: Sequence[Entry]) -> None:
        """Store or replace entries by id, each in the collection of its layer. Idempotent."""
        self._answer()
        points = [accepted.point(entry, self._dimensions) for entry in entries]
        self._points.setdefault(tenant, {}).update({point.id: point for point in points})

    async def remove(self, tenant: TenantId, ids: Sequence[MemoryId]) -> None:
        """Remove entries from every layer. Idempotent."""
        self._answer()
        for id in ids:
            self._points.get(tenant, {}).pop(accepted.memory_id(id), None)

    async def search(self, tenant: TenantId, subject: SubjectMark, probe: Probe) -> Found:
        """Run all routes of `probe`, each filtered by subject and layer."""
        ask = accepted.search(tenant, subject, probe, self._dimensions)
        self._answer()
        if tenant in self._incomplete:
            raise UnavailableError("index")
        names = accepted.routes(ask)
        merged: dict[str, _Scores] = {name: {} for name in names}
        points = self._points.get(tenant, {})
        for layer in ask.layers:
            corpus = [p for p in points.values() if p.subject == subject and p.layer is layer]
            for name, scores in _routes(ask, corpus).items():
                merged[name].update(scores)
        found = {name: _best(scores, points, ask.limit) for name, scores in merged.items()}
        ids = {hit.id for hits in found.values() for hit in hits} if ask.contents else ()
        return Found(found, {id: points[id].token for id in ids})

    async def inventory(
        self, tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        """Return ids in order with the SHA-256 of the content stored, for reconciliation."""
        self._answer()
        points = self._points.get(tenant, {})
        ids = sorted(id for id in points if after is None or id > after)[:limit]
        return [(id, sha256(points[id].token).digest()) for id in ids]

    async def drop(self, tenant: TenantId) -> None:
        """Remove everything of a tenant. Idempotent."""
        self._answer()
        self._points.pop(tenant, None)
        self._incomplete.discard(tenant)

    async def ping(self) -> None:
        """Return when the engine answers; raise UnavailableError when it does not."""
        self._answer()

    async def begin_rebuild(self, tenant: TenantId) -> None:
        """Empty the tenant and refuse its searches until `end_rebuild`."""
        self._answer()
        self._points.pop(tenant, None)
        self._incomplete.add(tenant)

    async def end_rebuild(self, tenant: TenantId) -> None:
        """Serve the tenant's searches again."""
        self._answer()
        self._incomplete.discard(tenant)

    def incomplete(self) -> frozenset[TenantId]:
        """Return the tenants that need a rebuild: their searches are refused until then."""
        return frozenset(self._incomplete)

    def _answer(self) -> None:
        if self.down:
            raise UnavailableError("index")


def _routes(ask: wire.Search, corpus: Sequence[wire.Point]) -> dict[str, _Scores]:
    within = [point for point in corpus if _in_time(ask, point.when)]
    routes: dict[str, _Scores] = {}
    for name, raw in ask.vectors.items():
        routes[f"dense.{name}"] = {
            point.id: _cosine(raw, point.vectors[name]) for point in within if name in point.vectors
        }
    if ask.term_ids:
        routes["keyword"] = _keyword(ask, corpus, within)
    if ask.entities:
        shared = {point.id: len(set(ask.entities) & set(point.entities)) for point in within}
        routes["entity"] = {id: float(count) for id, count in shared.items() if count}
    if ask.since is not None or ask.until is not None:
        routes["time"] = {point.id: point.when / 1e6 for point in within}
    return routes


def _keyword(
    ask: wire.Search, corpus: Sequence[wire.Point], within: Sequence[wire.Point]
) -> _Scores:
    """Score by weights and rarity, where rarity counts among the subject's own points."""
    documents = sum(bool(point.term_ids) for point in corpus)
    frequency = Counter(term for point in corpus for term in point.term_ids)
    asked = dict(zip(ask.term_ids, ask.term_weights, strict=True))
    scores: _Scores = {}
    for point in within:
        shared = [
            (term, weight)
            for term, weight in zip(point.term_ids, point.term_weights, strict=True)
            if term in asked
        ]
        if shared:
            scores[point.id] = sum(
                asked[term] * weight * _idf(documents, frequency[term]) for term, weight in shared
            )
    return scores


def _idf(documents: int, frequency: int) -> float:
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def _cosine(left: bytes, right: bytes) -> float:
    a, b = np.frombuffer(left, dtype="<f4"), np.frombuffer(right, dtype="<f4")
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths else 0.0


def _in_time(ask: wire.Search, when: int) -> bool:
    return (ask.since is None or when >= ask.since) and (ask.until is None or when < ask.until)


def _best(scores: _Scores, points: Mapping[MemoryId, wire.Point], limit: int) -> tuple[Hit, ...]:
    def order(id: MemoryId) -> tuple[float, int, MemoryId]:
        return (-scores[id], -points[id].when, id)

    return tuple(Hit(id, scores[id]) for id in sorted(scores, key=order)[: max(limit, 0)])
