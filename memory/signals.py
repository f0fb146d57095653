"""What a text is found by: dense vectors, weighted terms, entities. Plain, so never stored so."""

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from memory.types import SubjectMark

Vector = NDArray[np.float32]
"""One dense vector, shape (dimension,), unit length."""
Vectors = Mapping[str, Vector]
"""Dense vectors of one text by name, e.g. {"en": (384,), "multi": (512,)}."""


class Signals(msgspec.Struct, frozen=True):
    """Search material of one text before it is blinded. Lives in process memory only."""

    vectors: Vectors
    terms: Mapping[str, float]
    entities: tuple[str, ...]


class Sparse(msgspec.Struct, frozen=True):
    """A sparse vector over keyed term ids: distinct unsigned 32-bit ids and their weights (> 0)."""

    ids: tuple[int, ...]
    weights: tuple[float, ...]


class Blinded(msgspec.Struct, frozen=True):
    """Search material after keying: equal inputs of one subject match, and of no one else's."""

    subject: SubjectMark
    vectors: Vectors
    sparse: Sparse
    entities: tuple[str, ...]
