"""Exact search within the process, over rows whose search material is at hand. Pure.

Serves three uses: rows that the index does not have yet (R13), all rows when the index is down
(R11), and the exact scores of what an index nominated, so that a stale or forged index can hide a
memory and never lift one.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np

from memory.fusion import DENSE, ENTITY, KEYWORD, TIME
from memory.signals import Blinded, Sparse
from memory.types import MemoryId

Candidate = tuple[MemoryId, Blinded, datetime]
"""A memory, its search material under the same keys as the query, and when it was so."""
Hits = list[tuple[MemoryId, float]]

_PRIOR: Final = 5
"""Rows assumed beside those given when a term's rarity is judged: of two rows none is typical."""


def local_routes(
    query: Blinded,
    rows: Sequence[Candidate],
    limit: int,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> dict[str, Hits]:
    """Return what each route finds among `rows`, best first, at most `limit` per route.

    `dense.<vector>` scores are cosines; `keyword` is the share of the query's terms, weighted by
    rarity within `rows`, that the memory holds (1 when all, less in a long text); `entity` is the
    share of the query's entities; `time` is 1 within [since, until). A row outside the range is in
    no route. A route whose part of `query` is empty does not run.
    """
    rows = [row for row in rows if _within(row[2], since, until)]
    routes: dict[str, Hits] = {}
    for name, vector in query.vectors.items():
        known = [row for row in rows if _comparable(row[1], name, vector.shape)]
        stack = np.array([row[1].vectors[name] for row in known], dtype=np.float32)
        cosines = stack.reshape(len(known), vector.shape[0]) @ vector
        routes[DENSE + name] = [
            (row[0], float(score)) for row, score in zip(known, cosines, strict=True)
        ]
    if query.sparse.ids:
        routes[KEYWORD] = _keyword(query.sparse, rows)
    if query.entities:
        wanted = frozenset(query.entities)
        shares = ((id, len(wanted.intersection(row.entities))) for id, row, _ in rows)
        routes[ENTITY] = [(id, count / len(wanted)) for id, count in shares if count]
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


def _keyword(query: Sparse, rows: Sequence[Candidate]) -> Hits:
    wanted = dict(zip(query.ids, query.weights, strict=True))
    held: list[tuple[MemoryId, Mapping[int, float]]] = []
    for id, blinded, _ in rows:
        terms = zip(blinded.sparse.ids, blinded.sparse.weights, strict=True)
        held.append((id, {term: weight for term, weight in terms if term in wanted}))
    worth = {term: weight * _rarity(term, held) for term, weight in wanted.items()}
    total = sum(worth.values())
    # Held to 1 each, so that a text which repeats the words of a question gains nothing by it.
    return [
        (id, sum(worth[term] * min(1.0, weight) for term, weight in terms.items()) / total)
        for id, terms in held
        if terms and total > 0
    ]


def _rarity(term: int, held: Sequence[tuple[MemoryId, Mapping[int, float]]]) -> float:
    count = sum(term in terms for _, terms in held)
    return math.log(1.0 + (len(held) + _PRIOR - count + 0.5) / (count + 0.5))
