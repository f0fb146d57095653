"""One subject's search material in process memory, searched exactly. Pure.

Arrays and no objects: ten thousand memories are some 40 MB, nearly all of it vectors. Rows lie in
the order of their ids; terms and entities lie sorted beside the number of the row that has them, so
that one is found by halving. What is no longer needed is overwritten, not just let go of.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from guard.ports import Found, Hit
from memory.types import INDEXED_LAYERS, MemoryId
from storage.index import wire
from storage.sealed_columns import Postings, Rows, Scores, Vectors

_EXTRA: Final = 4
"""Hits looked at for one that is returned, before ties are broken."""
_ROW_BYTES: Final = 256
"""What a row's id and token cost beside its bytes, about."""


class Matrix:
    """The points of one subject and the version that each was read at. Immutable until wiped."""

    def __init__(self, points: Sequence[wire.Point], versions: Mapping[MemoryId, int]) -> None:
        points = sorted(points, key=lambda point: point.id)
        self.ids = [point.id for point in points]
        self.versions = {id: versions[id] for id in self.ids}
        self.tokens = [point.token for point in points]
        self.layers = np.array([INDEXED_LAYERS.index(p.layer) for p in points], np.int8)
        self.whens = np.array([point.when for point in points], np.int64)
        names = sorted({name for point in points for name in point.vectors})
        self.vectors = {name: Vectors.of(name, points) for name in names}
        self.terms = Postings.of_terms(points)
        self.entities = Postings.of_entities(points)
        self._users = 0
        self._wiped = False

    @cached_property
    def size(self) -> int:
        """How much memory it takes, about."""
        held = sum(one.size for one in self.vectors.values()) + self.terms.size
        held += self.entities.size
        tokens = sum(len(token) for token in self.tokens)
        return held + tokens + len(self.ids) * _ROW_BYTES

    def changed(self, versions: Mapping[MemoryId, int], points: Sequence[wire.Point]) -> "Matrix":
        """Return the rows that stand at these versions still, and `points` beside them."""
        new = {point.id for point in points}
        stays = [self.versions[id] == versions.get(id) and id not in new for id in self.ids]
        kept = [row for row, stands in enumerate(stays) if stands]
        return _joined(self.only(np.array(kept, np.int64)), Matrix(points, versions))

    def search(self, ask: wire.Search) -> Found:
        """Return what every route of `ask` finds, as an index over these points would."""
        routes: dict[str, list[Scores]] = {}
        for layer in ask.layers:
            within = self.layers == INDEXED_LAYERS.index(layer)
            for name, scores in self._routes(ask, within).items():
                routes.setdefault(name, []).append(scores)
        found = {name: self._best(scores, ask.limit) for name, scores in routes.items()}
        rows = {row for hits in found.values() for row, _ in hits} if ask.contents else ()
        return Found(
            {
                name: tuple(Hit(self.ids[row], score) for row, score in hits)
                for name, hits in found.items()
            },
            {self.ids[row]: self.tokens[row] for row in rows},
        )

    def __enter__(self) -> Self:
        """Keep it from being overwritten while it is searched."""
        self._users += 1
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of it."""
        self._users -= 1
        if self._wiped and not self._users:
            self._overwrite()

    def wipe(self) -> None:
        """Overwrite all of it, as soon as nobody searches it."""
        self._wiped = True
        if not self._users:
            self._overwrite()

    @property
    def is_wiped(self) -> bool:
        """Whether it is, or is about to be, overwritten."""
        return self._wiped

    def _overwrite(self) -> None:
        for vectors in self.vectors.values():
            vectors.wipe()
        self.terms.wipe()
        self.entities.wipe()
        self.tokens.clear()
        self.ids.clear()
        self.versions.clear()

    def _routes(self, ask: wire.Search, layer: NDArray[np.bool_]) -> dict[str, Scores]:
        within = layer.copy()
        if ask.since is not None:
            within &= self.whens >= ask.since
        if ask.until is not None:
            within &= self.whens < ask.until
        routes: dict[str, Scores] = {}
        for name, raw in ask.vectors.items():
            vectors = self.vectors.get(name)
            routes[f"dense.{name}"] = _NONE if vectors is None else vectors.cosines(raw, within)
        if ask.term_ids:
            routes["keyword"] = self._keyword(ask, layer, within)
        if ask.entities:
            routes["entity"] = self._named(ask.entities, within)
        if ask.since is not None or ask.until is not None:
            rows = np.flatnonzero(within)
            routes["time"] = (rows, self.whens[rows] / 1e6)
        return routes

    def _keyword(
        self, ask: wire.Search, layer: NDArray[np.bool_], within: NDArray[np.bool_]
    ) -> Scores:
        """Score by weights and rarity; rarity counts in the layer, whatever time is asked for."""
        documents = int(np.count_nonzero(self.terms.has(len(self.ids)) & layer))
        scores = np.zeros(len(self.ids))
        for term, asked in zip(ask.term_ids, ask.term_weights, strict=True):
            rows, weights = self.terms.find(term)
            here = layer[rows]
            rows, weights = rows[here], weights[here]
            rarity = math.log(1 + (documents - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += asked * rarity * weights
        rows = np.flatnonzero((scores > 0) & within)
        return rows, scores[rows]

    def _named(self, entities: Iterable[str], within: NDArray[np.bool_]) -> Scores:
        shared = np.zeros(len(self.ids))
        for entity in entities:
            shared[self.entities.find(entity.encode())[0]] += 1
        rows = np.flatnonzero((shared > 0) & within)
        return rows, shared[rows]

    def _best(self, parts: Sequence[Scores], limit: int) -> list[tuple[int, float]]:
        """Return rows and scores: the highest first, among equals the newest, then by id."""
        rows = np.concatenate([part[0] for part in parts])
        scores = np.concatenate([part[1] for part in parts])
        if limit < 1 or not len(rows):
            return []
        if len(rows) > _EXTRA * limit:
            least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            rows, scores = rows[scores >= least], scores[scores >= least]
        order = np.lexsort((rows, -self.whens[rows], -scores))[:limit]
        return [(int(rows[at]), float(scores[at])) for at in order]

    def only(self, kept: Rows) -> "Matrix":
        """Return a copy of some rows, in this order."""
        part = Matrix((), {})
        part.ids = [self.ids[row] for row in kept]
        part.versions = {id: self.versions[id] for id in part.ids}
        part.tokens = [self.tokens[row] for row in kept]
        part.layers, part.whens = self.layers[kept], self.whens[kept]
        part.vectors = {name: one.only(kept) for name, one in self.vectors.items()}
        part.terms = self.terms.only(kept, len(self.ids))
        part.entities = self.entities.only(kept, len(self.ids))
        return part


def _joined(old: Matrix, new: Matrix) -> Matrix:
    """Return the rows of both, of which no id is in the other, in the order of their ids."""
    if not new.ids:
        return old
    ids = [*old.ids, *new.ids]
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
    whole = Matrix((), {})
    whole.ids = ids
    whole.versions = {**old.versions, **new.versions}
    whole.tokens = [*old.tokens, *new.tokens]
    whole.layers = np.concatenate((old.layers, new.layers))
    whole.whens = np.concatenate((old.whens, new.whens))
    sizes = len(old.ids), len(new.ids)
    whole.vectors = {
        name: Vectors.both(old.vectors.get(name), new.vectors.get(name), sizes)
        for name in {**old.vectors, **new.vectors}
    }
    whole.terms = Postings.both(old.terms, new.terms, len(old.ids))
    whole.entities = Postings.both(old.entities, new.entities, len(old.ids))
    placed = whole.only(order)
    for part in (old, new, whole):
        part.wipe()
    return placed


_NONE: Final[Scores] = (np.zeros(0, np.int64), np.zeros(0))
