"""Exact search within the process, over rows whose search material is at hand. Pure.

Serves three uses: rows that the index does not have yet (R13), all rows when the index is down
(R11), and the exact scores of what an index nominated, so that a stale or forged index can hide a
memory and never lift one.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain
from types import MappingProxyType
from typing import Final

import numpy as np

from memory.fusion import DENSE, ENTITY, KEYWORD, TIME
from memory.signals import Blinded, Sparse, Vector
from memory.types import MemoryId

Candidate = tuple[MemoryId, Blinded, datetime]
"""A memory, its search material under the same keys as the query, and when it was so."""
Hits = list[tuple[MemoryId, float]]

NOTHING_BEFORE: Final[Mapping[MemoryId, Blinded]] = MappingProxyType({})
"""No memory is read together with the turn before it."""
WORDS_BEFORE: Final = 0.7
MEANING_BEFORE: Final = 0.4
NAMES_BEFORE: Final = 0.5
"""What words, meaning and entities of the turn before count, as a part of the memory's own. An
answer names what it is about in the question before it. Measured: docs/adr/0020."""
_SHORTEST: Final = 1e-6
"""Two turns that mean exact opposites have no direction together; none is divided by nothing."""
_PRIOR: Final = 5
"""Rows assumed beside those given when a term's rarity is judged: of two rows none is typical."""


def local_routes(
    query: Blinded,
    rows: Sequence[Candidate],
    limit: int,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    before: Mapping[MemoryId, Blinded] = NOTHING_BEFORE,
) -> dict[str, Hits]:
    """Return what each route finds among `rows`, best first, at most `limit` per route.

    `before` is what a memory is read together with, where there is something: the turn before it.

    `dense.<vector>` scores are cosines; `keyword` is the share of the query's terms, weighted by
    rarity within `rows`, that the memory holds (1 when all, less in a long text); `entity` is the
    share of the query's entities; `time` is 1 within [since, until). A row outside the range is in
    no route. A route whose part of `query` is empty does not run.
    """
    rows = [row for row in rows if _within(row[2], since, until)]
    routes: dict[str, Hits] = {}
    for name, vector in query.vectors.items():
        routes[DENSE + name] = _dense(name, vector, rows, before)
    if query.sparse.ids:
        routes[KEYWORD] = _keyword(query.sparse, rows, before)
    if query.entities:
        routes[ENTITY] = _named(frozenset(query.entities), rows, before)
    if since is not None or until is not None:
        newest = sorted(rows, key=lambda row: row[2], reverse=True)
        routes[TIME] = [(id, 1.0) for id, _, _ in newest]
    return {name: sorted(hits, key=lambda hit: -hit[1])[:limit] for name, hits in routes.items()}


def _within(at: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or at >= since) and (until is None or at < until)


def _comparable(blinded: Blinded, name: str, shape: tuple[int, ...]) -> bool:
    """Say whether the row has this vector: another model's lacks it or has another dimension."""
    vector = blinded.vectors.get(name)
    return vector is not None and vector.shape == shape


def _dense(
    name: str, asked: Vector, rows: Sequence[Candidate], before: Mapping[MemoryId, Blinded]
) -> Hits:
    known = [row for row in rows if _comparable(row[1], name, asked.shape)]
    if not known:
        return []
    stack = np.array([blinded.vectors[name] for _, blinded, _ in known], dtype=np.float32)
    for place, (id, _, _) in enumerate(known if before else ()):
        turn = before.get(id)
        if turn is not None and _comparable(turn, name, asked.shape):
            stack[place] += MEANING_BEFORE * turn.vectors[name]
            stack[place] /= max(float(np.linalg.norm(stack[place])), _SHORTEST)
    return [(row[0], score) for row, score in zip(known, (stack @ asked).tolist(), strict=True)]


def _named(
    wanted: frozenset[str], rows: Sequence[Candidate], before: Mapping[MemoryId, Blinded]
) -> Hits:
    hits = []
    for id, blinded, _ in rows:
        own = wanted.intersection(blinded.entities)
        turn = before.get(id)
        added = wanted.intersection(turn.entities) - own if turn is not None else ()
        share = (len(own) + NAMES_BEFORE * len(added)) / len(wanted)
        if share:
            hits.append((id, share))
    return hits


def _keyword(query: Sparse, rows: Sequence[Candidate], before: Mapping[MemoryId, Blinded]) -> Hits:
    wanted = dict(zip(query.ids, query.weights, strict=True))
    held = [(id, _held(wanted, blinded)) for id, blinded, _ in rows]
    counts = Counter(chain.from_iterable(terms for _, terms in held))
    worth = {term: weight * _rarity(counts[term], len(held)) for term, weight in wanted.items()}
    total = sum(worth.values())
    if total <= 0:
        return []
    hits = []
    for id, own in held:
        turn = before.get(id)
        terms = own if turn is None else _with(own, _held(wanted, turn))
        if terms:
            hits.append((id, sum(worth[term] * weight for term, weight in terms.items()) / total))
    return hits


def _held(wanted: Mapping[int, float], blinded: Blinded) -> dict[int, float]:
    """Return the wanted terms that a memory has.

    Held to 1 each, so that a text which repeats the words of a question gains nothing by it.
    """
    sparse = blinded.sparse
    # Of a memory's terms a question has few: they are found at once, and only they are looked at.
    shared = wanted.keys() & sparse.ids
    if not shared:
        return {}
    # In the order of the question's terms: sums of floats depend on it.
    return {
        term: min(1.0, sparse.weights[sparse.ids.index(term)]) for term in wanted if term in shared
    }


def _with(own: Mapping[int, float], turn: Mapping[int, float]) -> dict[int, float]:
    added = {term: min(1.0, own.get(term, 0.0) + WORDS_BEFORE * turn[term]) for term in turn}
    return {**own, **added}


def _rarity(count: int, among: int) -> float:
    """Return what a term is worth that so many of some rows have."""
    return math.log(1.0 + (among + _PRIOR - count + 0.5) / (count + 0.5))
