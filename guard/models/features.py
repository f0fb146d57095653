"""What the classifier knows of a text: parts of each reading, each as one row of numbers.

A row is the two packaged embeddings, what the packaged injection model makes of the part, and its
signs, each family at a scale at which the families weigh alike.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from guard.models import defender, lexicon, minilm, signs, use, windows
from guard.models.defender import HIDDEN
from guard.models.signs import Reading
from guard.models.windows import windows as cut
from memory.signals import Vectors

EMBEDDED: Final = minilm.DIMENSION + use.DIMENSION
FAMILIES: Final = (
    (0, minilm.DIMENSION),
    (minilm.DIMENSION, EMBEDDED),
    (EMBEDDED, EMBEDDED + HIDDEN),
    (EMBEDDED + HIDDEN, EMBEDDED + defender.DIMENSION + len(signs.NAMES)),
)
"""Columns of the embeddings `en` and `multi`, of the hidden state, and of logits and signs."""
DIMENSION: Final = FAMILIES[-1][1]
_LOGITS: Final = 0.02
"""Brings logits of about ten to the size of the rest."""

FEATURES: Final = hashlib.sha256(
    repr((lexicon.DIGEST, signs.NAMES, signs.BUCKETS, windows.SIZE, windows.MOST, 1)).encode()
).hexdigest()[:12]
"""Names this way to read a text; a model that was trained on another one must not judge by it."""


class Part(msgspec.Struct, frozen=True):
    """A stretch [start, end) of one of several texts, or all of it."""

    text: int
    start: int
    end: int
    whole: bool


def parts_of(texts: Sequence[str]) -> tuple[Part, ...]:
    """Return every text whole, and behind it the parts of a long one."""
    found: list[Part] = []
    for at, text in enumerate(texts):
        found.append(Part(at, 0, len(text), whole=True))
        spans = cut(text)
        if len(spans) > 1:
            found += [Part(at, span.start, span.end, whole=False) for span in spans]
    return tuple(found)


def row(vectors: Vectors, defended: NDArray[np.float32], reading: Reading) -> NDArray[np.float32]:
    """Return one part as numbers, shape (DIMENSION,)."""
    pooled = defended[:HIDDEN] / np.linalg.norm(defended[:HIDDEN])
    logits = defended[HIDDEN:] * _LOGITS
    numbers = (vectors["en"], vectors["multi"], pooled, logits, reading.signs)
    return np.concatenate(numbers, dtype=np.float32)
