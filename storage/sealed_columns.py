"""Columns of a subject's search material: one value, or some keys, for each row. Pure."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from storage.index import wire

Rows = NDArray[np.int64]
Scores = tuple[Rows, NDArray[np.float64]]
"""Rows, and what each scored."""


class Vectors:
    """One named vector of every row; a row that has none is zero."""

    def __init__(self, values: NDArray[np.float32]) -> None:
        self.values = values
        self.lengths = np.linalg.norm(values, axis=1) if len(values) else np.zeros(0, np.float32)

    @classmethod
    def of(cls, name: str, points: Sequence[wire.Point]) -> "Vectors":
        """Return this vector of points in their order; one of them has it."""
        size = next(len(point.vectors[name]) // 4 for point in points if name in point.vectors)
        values = np.zeros((len(points), size), np.float32)
        for row, point in enumerate(points):
            if name in point.vectors:
                values[row] = np.frombuffer(point.vectors[name], "<f4")
        return cls(values)

    @classmethod
    def both(
        cls, old: "Vectors | None", new: "Vectors | None", sizes: tuple[int, int]
    ) -> "Vectors":
        """Return the vectors of both, one after the other, either of which may have none."""
        width = next(part.values.shape[1] for part in (old, new) if part is not None)
        values = np.zeros((sum(sizes), width), np.float32)
        if old is not None:
            values[: sizes[0]] = old.values
        if new is not None:
            values[sizes[0] :] = new.values
        return cls(values)

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.values.nbytes + self.lengths.nbytes

    def only(self, kept: Rows) -> "Vectors":
        """Return a copy of some rows, in this order."""
        return Vectors(self.values[kept])

    def cosines(self, raw: bytes, within: NDArray[np.bool_]) -> Scores:
        """Return the rows within that have the vector, and how near each is to `raw`."""
        asked = np.frombuffer(raw, "<f4")
        length = float(np.linalg.norm(asked))
        rows = np.flatnonzero(within & (self.lengths > 0))
        # All rows at once: picking some first would copy them.
        near = (self.values @ asked)[rows].astype(np.float64)
        return rows, near / (self.lengths[rows] * length) if length else near

    def wipe(self) -> None:
        """Overwrite it."""
        self.values.fill(0)
        self.lengths.fill(0)


class Postings:
    """Which rows have which key, in the order of the keys."""

    def __init__(self, keys: NDArray[Any], rows: Rows, weights: NDArray[np.float32]) -> None:
        order = np.argsort(keys, kind="stable")
        self.keys, self.rows, self.weights = keys[order], rows[order], weights[order]

    @classmethod
    def of_terms(cls, points: Sequence[wire.Point]) -> "Postings":
        """Return the weighted terms of points in their order."""
        counts = [len(point.term_ids) for point in points]
        return cls(
            np.array([id for point in points for id in point.term_ids], np.uint32),
            np.repeat(np.arange(len(points), dtype=np.int64), counts),
            np.array([w for point in points for w in point.term_weights], np.float32),
        )

    @classmethod
    def of_entities(cls, points: Sequence[wire.Point]) -> "Postings":
        """Return the entities of points in their order."""
        counts = [len(point.entities) for point in points]
        named = [entity.encode() for point in points for entity in point.entities]
        rows = np.repeat(np.arange(len(points), dtype=np.int64), counts)
        return cls(np.array(named, np.bytes_), rows, np.ones(len(named), np.float32))

    @classmethod
    def both(cls, old: "Postings", new: "Postings", count: int) -> "Postings":
        """Return those of `count` rows, then those of the rows after them."""
        return cls(
            np.concatenate((old.keys, new.keys)),
            np.concatenate((old.rows, new.rows + count)),
            np.concatenate((old.weights, new.weights)),
        )

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.keys.nbytes + self.rows.nbytes + self.weights.nbytes

    def find(self, key: int | bytes) -> tuple[Rows, NDArray[np.float32]]:
        """Return the rows that have a key, and its weight in each."""
        sought = np.array([key], np.bytes_ if isinstance(key, bytes) else np.uint32)
        start = int(np.searchsorted(self.keys, sought, "left")[0])
        end = int(np.searchsorted(self.keys, sought, "right")[0])
        return self.rows[start:end], self.weights[start:end]

    def has(self, count: int) -> NDArray[np.bool_]:
        """Return which rows have any key at all."""
        found = np.zeros(count, np.bool_)
        found[self.rows] = True
        return found

    def only(self, kept: Rows, count: int) -> "Postings":
        """Return those of some of `count` rows, in this order."""
        place = np.full(count, -1, np.int64)
        place[kept] = np.arange(len(kept))
        moved = place[self.rows]
        stays = moved >= 0
        return Postings(self.keys[stays], moved[stays], self.weights[stays])

    def wipe(self) -> None:
        """Overwrite it."""
        for part in (self.keys, self.rows, self.weights):
            part.fill(0)
