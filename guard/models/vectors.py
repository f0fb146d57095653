"""What every embedder does to texts before a model reads them, and to what the model answers."""

import hashlib
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from guard.errors import UnavailableError
from guard.ports import Purpose

VECTOR: Final = "main"
"""The one vector of an embedder that makes one: the index and the stored entries know it so."""

_UNIT: Final = 1e-3
"""How far from length 1 a vector may be; beyond that the model is broken."""
_SHORTEST: Final = 1e-6
"""A vector below this length has no direction worth the name."""


class Prefixes(msgspec.Struct, frozen=True):
    """What a model wants to read before a question and before a memory, such as `query: `."""

    question: str = ""
    memory: str = ""

    def before(self, text: str, purpose: Purpose) -> str:
        """Return `text` as the model wants to read it."""
        return (self.question if purpose is Purpose.QUESTION else self.memory) + text

    @property
    def mark(self) -> str:
        """What an embedder's name says of them: vectors made with others are another model's."""
        if not (self.question or self.memory):
            return ""
        digest = hashlib.sha256(f"{self.question}\0{self.memory}".encode("utf-8", "replace"))
        return f"+{digest.hexdigest()[:8]}"


def readable(text: str) -> str:
    """Return `text` with lone surrogates replaced: the tokenizers refuse what is not UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def sound(vectors: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Return `vectors` when each is finite and of unit length; a NaN would poison an index."""
    lengths = np.linalg.norm(vectors, axis=1)
    if len(vectors) != count or not bool(np.all(np.abs(lengths - 1.0) < _UNIT)):
        raise UnavailableError("embedder")
    return vectors


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return each row at unit length. Raises UnavailableError for one that has no direction."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    # NaN compares false, so it is refused with the rest.
    if not bool(np.all((lengths > _SHORTEST) & np.isfinite(lengths))):
        raise UnavailableError("embedder")
    return sound((rows / lengths).astype(np.float32), len(rows))
