"""Search material under a subject's keys, so that the index can compare what it can't read.

An obstacle, not encryption. Within one subject the index shows which memories share a term or an
entity, how often, and how near vectors lie to each other: search needs exactly that. The vector
transform is orthogonal: whoever knows as many pairs of plain and transformed vectors as there are
dimensions solves for it, and any subject can make known pairs. It only keeps off-the-shelf
inversion models from reading stolen vectors. Terms are cut to 32 bits, so two of
them rarely fall together; their weights are then added.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from guard.errors import InvalidError
from memory.signals import Blinded, Signals, Sparse, Vector, Vectors
from memory.types import SubjectMark
from storage.hazmat import mac, macs, stream
from storage.keyring import SubjectKeys, SubjectPurpose
from storage.layouts import fields, utf8

_ROUNDS: Final = 3
_MAX_DIMENSION: Final = 65_535
_MAX_VECTORS: Final = 255
_MAX_NAME_BYTES: Final = 255
_SMALLEST: Final = 1e-6
_LARGEST: Final = 1e6
"""Between these lie the lengths of all sane vectors, which are 1, and all sane weights of terms."""


class Blinding:
    """Blinds for one subject. Equal input gives equal output, on every machine."""

    def __init__(self, keys: SubjectKeys) -> None:
        self._terms = keys.matching(SubjectPurpose.TERMS)
        self._entities = keys.matching(SubjectPurpose.ENTITIES)
        self._vectors = keys.matching(SubjectPurpose.VECTORS)
        self._transforms: dict[tuple[str, int], Transform] = {}
        self.mark = SubjectMark(mac(keys.matching(SubjectPurpose.MARK), b"")[:16].hex())

    def blind(self, signals: Signals) -> Blinded:
        """Return search material keyed for the subject.

        Raises InvalidError for vectors or weights that are not finite, or have no direction.
        """
        return Blinded(
            subject=self.mark,
            vectors=self._turned(signals.vectors),
            sparse=self._sparse(signals.terms),
            entities=self._named(signals.entities),
        )

    def _turned(self, vectors: Vectors) -> Vectors:
        if len(vectors) > _MAX_VECTORS:
            raise InvalidError("signals.vectors: too many")
        return {name: self._transform(name, v)(v) for name, v in sorted(vectors.items())}

    def _transform(self, name: str, vector: Vector) -> "Transform":
        if vector.ndim != 1 or not 0 < vector.size <= _MAX_DIMENSION:
            raise InvalidError("signals.vectors: shape")
        transform = self._transforms.get((name, vector.size))
        if transform is None:
            transform = Transform(self._vectors, name, vector.size)
            self._transforms[name, vector.size] = transform
        return transform

    def _sparse(self, terms: Mapping[str, float]) -> Sparse:
        weights: dict[int, float] = {}
        # What float32 can't hold would be stored as zero or infinity.
        if not all(_SMALLEST < weight < _LARGEST for weight in terms.values()):
            raise InvalidError("signals.terms: weights are positive")
        keyed = macs(self._terms, map(utf8, terms))
        for digest, weight in zip(keyed, terms.values(), strict=True):
            id = int.from_bytes(digest[:4], "big")
            weights[id] = weights.get(id, 0.0) + weight
        ids = sorted(weights)
        # Rounded to what is stored, so that material read back equals material made.
        rounded = np.array([weights[id] for id in ids], np.float32)
        return Sparse(tuple(ids), tuple(rounded.tolist()))

    def _named(self, entities: Sequence[str]) -> tuple[str, ...]:
        keyed = macs(self._entities, map(utf8, entities))
        return tuple(sorted({digest[:16].hex() for digest in keyed}))


class Transform:
    """A secret rotation of one named vector space: keeps lengths and angles, hides the axes.

    Three rounds of: shuffle the axes, flip signs, then a Hadamard transform over the first 2**k
    axes and one over the last 2**k, 2**k being the largest power of two that fits. Each part is
    orthogonal, together they spread every axis over all. Shuffles and signs come from one SHAKE-256
    stream of integers, which no platform's floating point can change.
    """

    __slots__ = ("_block", "_halves", "_order", "_signs")

    def __init__(self, key: bytes, name: str, dimension: int) -> None:
        raw = name.encode()
        if len(raw) > _MAX_NAME_BYTES:
            raise InvalidError("signals.vectors: name")
        context = fields(b"memguard/rotate/1", raw, dimension.to_bytes(4, "big"))
        data = np.frombuffer(stream(key, context, _ROUNDS * dimension * 9), np.uint8)
        words = data[: _ROUNDS * dimension * 8].view(">u8").reshape(_ROUNDS, dimension)
        flips = data[_ROUNDS * dimension * 8 :].reshape(_ROUNDS, dimension)
        # Kept small, for one of these lives in memory for every subject in use.
        self._order = np.argsort(words, axis=1, kind="stable").astype(np.uint16)
        self._signs = (1 - 2 * (flips & 1).astype(np.int8)).astype(np.int8)
        power = dimension.bit_length() - 1
        self._block = 1 << power
        self._halves = (power // 2, power - power // 2)

    def __call__(self, vector: Vector) -> Vector:
        """Return the rotated vector. Raises InvalidError for one without a direction."""
        turned = vector.astype(np.float64)
        length = float(np.linalg.norm(turned))
        if not _SMALLEST < length < _LARGEST:
            # NaN compares false, so it ends here as well.
            raise InvalidError("signals.vectors: not finite, or zero")
        for order, signs in zip(self._order, self._signs, strict=True):
            turned = turned[order] * signs
            turned[: self._block] = self._spread(turned[: self._block])
            if self._block < turned.size:
                turned[-self._block :] = self._spread(turned[-self._block :])
        return turned.astype(np.float32)

    def _spread(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        """Apply the orthonormal Hadamard matrix of the block's size, as two small ones."""
        left, right = (_HADAMARD[half] for half in self._halves)
        square = block.reshape(left.shape[0], right.shape[0])
        spread: NDArray[np.float64] = (left @ square @ right).reshape(-1) / math.sqrt(self._block)
        return spread


def _hadamard(power: int) -> NDArray[np.float64]:
    matrix = np.ones((1, 1))
    for _ in range(power):
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


_HADAMARD: Final = tuple(_hadamard(power) for power in range(9))
"""Entries are ±1; the largest dimension, below 2**16, needs halves of at most 2**8."""
