"""What every embedder does to texts before a model reads them, and to what the model answers."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from guard.errors import UnavailableError

VECTOR: Final = "main"
"""The one vector of an embedder that makes one: the index and the stored entries know it so."""

_UNIT: Final = 1e-3
"""How far from length 1 a vector may be; beyond that the model is broken."""
_SHORTEST: Final = 1e-6
"""A vector below this length has no direction worth the name."""


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
