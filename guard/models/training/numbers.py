"""What the packaged models make of a text, for training: on one thread, and each text alone.

Both int8 models scale by the largest number at hand, so what they make of a text in company depends
on the company. Alone it is the same on every run.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guard.models.files import MINILM, USE_PIECES, USE_WEIGHTS, WORDPIECES, locate
from guard.models.minilm import MiniLm
from guard.models.prepare import check_packaged, check_table
from guard.models.reading import loaded_defender
from guard.models.use import MultilingualUse
from memory.signals import Vectors

Numbers = Callable[[str], tuple[Vectors, NDArray[np.float32]]]
"""A text to its embeddings, and to what the packaged injection model makes of it."""


def packaged_numbers(prepared: Path) -> Numbers:
    """Return how the packaged models read a text. Raises UnavailableError without them."""
    check_packaged(_quiet)
    table = check_table(prepared, _quiet)
    english = MiniLm(locate(MINILM), locate(WORDPIECES), 1)
    multi = MultilingualUse(locate(USE_WEIGHTS), locate(USE_PIECES), table, 1)
    defender = loaded_defender(1)

    def numbers(text: str) -> tuple[Vectors, NDArray[np.float32]]:
        vectors = {"en": english.embed([text])[0], "multi": multi.embed([text])[0]}
        return vectors, defender.read([text])[0]

    return numbers


def _quiet(_step: str, _done: int, _total: int) -> None:
    """Report progress to nobody."""
