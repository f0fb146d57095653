"""What a small model takes a new text to be to an old one, where the rules of claims can't tell.

One hidden layer over the signs of `memory.pairs`; `python -m guard.models.training.pairs` fits it.
The file holds numbers and no code.
"""

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Final, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from guard.errors import UnavailableError
from guard.models.pinned import PAIRS, PAIRS_SHA256
from guard.relating import Odds, Read
from memory.claims import Bond
from memory.pairs import MOST_CHARACTERS, Side, Words, overlap, side_of, signs, words_of
from memory.pairs_told import carrying, shared

AGAINST: Final = "against"
SAME: Final = "same"
_MOST_ASKED: Final = 3
"""Pairs that are weighed at most, those with most words in common first."""
_LEAST_OVERLAP: Final = 0.05
"""Texts with less in common are left alone: the model learned little of them."""
_WORDS: Final = "words"
_SIDE: Final = "side"


class Weights(msgspec.Struct, frozen=True):
    """The model's file: `(signs - mean) / scale`, a layer with ReLU, a layer, softmax."""

    ties: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    hidden: tuple[tuple[float, ...], ...]
    hidden_bias: tuple[float, ...]
    last: tuple[tuple[float, ...], ...]
    last_bias: tuple[float, ...]


class Pairs:
    """The shipped model of pairs: fulfils `guard.relating.Weighing` and keeps nothing of a text."""

    def __init__(self, weights: Weights) -> None:
        self._mean, self._scale = np.array(weights.mean), np.array(weights.scale)
        self._hidden, self._hidden_bias = np.array(weights.hidden), np.array(weights.hidden_bias)
        self._last, self._last_bias = np.array(weights.last), np.array(weights.last_bias)
        self._against, self._same = weights.ties.index(AGAINST), weights.ties.index(SAME)

    @classmethod
    def load(cls) -> Self:
        """Return the model that the package ships.

        Raises UnavailableError when its file is not the one that was pinned.
        """
        content = (files("guard.models") / "artefacts" / PAIRS).read_bytes()
        if hashlib.sha256(content).hexdigest() != PAIRS_SHA256:
            raise UnavailableError("model of pairs")
        return cls(msgspec.json.decode(content, type=Weights))

    def weighed(self, new: Read, old: Sequence[tuple[Read, Bond]]) -> list[Odds]:
        """Return the odds of each pair, in order; none for long texts and those with little in
        common, and none but for the few that have most.
        """
        odds = [Odds() for _ in old]
        if not old or len(new.text) > MOST_CHARACTERS:
            return odds
        near: list[tuple[float, int]] = []
        for place, (one, _) in enumerate(old):
            if len(one.text) <= MOST_CHARACTERS and (share := _share(new, one)) >= _LEAST_OVERLAP:
                near.append((-share, place))
        if not near:
            return odds
        near = sorted(near)[:_MOST_ASKED]
        side = _side(new)
        rows = [signs(side, _side(old[place][0]), old[place][1]) for _, place in near]
        for (_, place), row in zip(near, self._shares(np.array(rows)), strict=True):
            odds[place] = Odds(float(row[self._against]), float(row[self._same]))
        return odds

    def _shares(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one row of probabilities for each row of signs."""
        even = (rows - self._mean) / self._scale
        hidden = np.maximum(even @ self._hidden + self._hidden_bias, 0.0)
        found = hidden @ self._last + self._last_bias
        weights = np.exp(found - found.max(axis=1, keepdims=True))
        shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return shares


def _share(new: Read, old: Read) -> float:
    """Return how much of two texts is the same, by their words or by what the rules call them."""
    (mine, carries), (its, carried) = _words(new), _words(old)
    return max(overlap(mine, its), shared(carries, carried))


def _words(read: Read) -> tuple[Words, frozenset[str]]:
    """Return the words of a text, and those that carry its claims; worked out once."""
    kept = read.__dict__
    found: tuple[Words, frozenset[str]] | None = kept.get(_WORDS)
    if found is None:
        found = kept[_WORDS] = (words_of(read.text), carrying(read.claims))
    return found


def _side(read: Read) -> Side:
    """Return all that is looked at in a text; worked out once."""
    kept = read.__dict__
    found: Side | None = kept.get(_SIDE)
    if found is None:
        found = kept[_SIDE] = side_of(read.text, _words(read)[0], read.claims)
    return found
