"""Fit the three models and what weighs them, on a grouped split.

Everything is seeded, and the sums whose order could vary are few: the same data gives the same file
on one machine.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

from guard.models.features import FAMILIES, FEATURES, Part
from guard.models.poison import SUMMARY, Array, Card, Poison, projected, summary
from guard.models.signs import BUCKETS, Reading
from guard.models.training.sources import CORPUS

FOLDS: Final = 5
SEED: Final = 0
GAMMA: Final = 0.3
_AXES: Final = (96, 192, 64)
"""Main axes kept of each embedding family …"""
_STRETCH: Final = (1.0, 1.3, 0.8)
"""… and how much each counts where the kernel machine measures distances."""
_PENALTY: Final = 8.0
_CACHE_MB: Final = 200
_ROWS: Final = 512
_BYTE: Final = 127
_SCALES: Final = (8.0, 10.0, 8.0, 2.0)
"""Brings the families to the size at which the network learns fast; folded into its weights."""
_HIDDEN: Final = 64
_DECAY: Final = 2.0
_EPOCHS: Final = 25
_WORDS_PENALTY: Final = 3.0
_OTHERS: Final = 0.25
"""What a text of a package weighs beside one of the corpus."""

Arrays = dict[str, NDArray[np.generic]]
Told = Callable[[str, int, int], None]


class Bag(msgspec.Struct, frozen=True):
    """One text: its parts as numbers, and what is known of it."""

    parts: tuple[Part, ...]
    rows: Array
    readings: tuple[Reading, ...]
    attack: bool
    source: str
    group: str
    origin: str


def fit(bags: Sequence[Bag], told: Told) -> tuple[Arrays, NDArray[np.float64]]:
    """Return the arrays of the whole model, and per bag the score of one that never saw its like.

    The score is NaN for texts of the packages: they are learned from and not measured by.
    """
    mine = np.array([bag.source == CORPUS for bag in bags])
    attack = np.array([bag.attack for bag in bags])
    splits = list(_splits(bags))

    # (1) What each of the three models makes of texts whose like it has not learned from.
    seen = np.zeros((len(bags), SUMMARY))
    for at, (learned, asked) in enumerate(splits):
        told("fit", at, FOLDS + 1)
        model = model_of(_models([bags[i] for i in learned]) | _no_stack())
        for i in asked:
            if mine[i]:
                seen[i] = summary(bags[i].parts, model.marks(bags[i].rows, bags[i].readings))

    # (2) What weighs them, and how it does on the same split.
    score = np.full(len(bags), np.nan)
    for learned, asked in splits:
        weigher = _weigher(seen[learned[mine[learned]]], attack[learned[mine[learned]]])
        own = asked[mine[asked]]
        score[own] = weigher.predict_proba(seen[own])[:, 1]
    weigher = _weigher(seen[mine], attack[mine])

    # (3) The models on everything.
    told("fit", FOLDS, FOLDS + 1)
    arrays = _models(bags)
    arrays["stack"] = weigher.coef_[0].astype(np.float32)
    arrays["stack_bias"] = weigher.intercept_.astype(np.float32)
    told("fit", FOLDS + 1, FOLDS + 1)
    return arrays, score


def model_of(arrays: Mapping[str, NDArray[np.generic]]) -> Poison:
    """Return a model that works with these arrays as the file would hold them."""
    stored = {name: array.astype(np.float32) for name, array in arrays.items()}
    return Poison(Card(FEATURES, {}, {}, GAMMA), stored, "")


def _splits(bags: Sequence[Bag]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    kinds = [f"{bag.source}{bag.attack}" for bag in bags]
    groups = [bag.group for bag in bags]
    splitter = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=SEED)
    yield from splitter.split(np.zeros(len(bags)), kinds, groups)


def _models(bags: Sequence[Bag]) -> Arrays:
    """Return the three models, as they are stored."""
    arrays = _axes(bags)
    arrays |= _kernel(bags, arrays)
    worst = _worst(bags, model_of(arrays | _no_network() | _no_stack()))
    arrays |= _network(bags, worst)
    arrays |= _words(bags)
    return arrays


def _axes(bags: Sequence[Bag]) -> Arrays:
    """Return the main axes of each embedding family over the corpus."""
    rows = np.stack([bag.rows[0] for bag in bags if bag.source == CORPUS]).astype(np.float64)
    arrays: Arrays = {}
    for at, ((low, high), kept) in enumerate(zip(FAMILIES[:-1], _AXES, strict=True)):
        centre = rows[:, low:high].mean(axis=0)
        spread = (rows[:, low:high] - centre).T @ (rows[:, low:high] - centre)
        _, vectors = np.linalg.eigh(spread)
        axes = vectors[:, ::-1][:, :kept]
        # An axis points either way; say which.
        axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), range(kept)])
        arrays[f"centre_{at}"] = centre.astype(np.float16)
        arrays[f"axes_{at}"] = (axes * _STRETCH[at]).astype(np.float16)
    return arrays


def _kernel(bags: Sequence[Bag], arrays: Arrays) -> Arrays:
    """Return the examples that the kernel machine remembers.

    Every part of an honest text is honest. Of an attack, one part is: at first the reading furthest
    from what is shown, then the one that looks most like an attack.
    """
    own = [bag for bag in bags if bag.source == CORPUS]
    wholes = [_last_whole(bag.parts) for bag in own]
    first = _machine(own, wholes, arrays)
    trial = model_of(arrays | first | _no_network() | _no_stack())
    return _machine(own, _worst(own, trial), arrays)


def _machine(bags: Sequence[Bag], chosen: Sequence[int], arrays: Arrays) -> Arrays:
    rows, attack = [], []
    for bag, at in zip(bags, chosen, strict=True):
        part = bag.rows[[at]] if bag.attack else bag.rows
        rows.append(part)
        attack += [bag.attack] * len(part)
    stored = {name: array.astype(np.float32) for name, array in arrays.items()}
    near = projected(np.concatenate(rows), stored)
    unit = (np.abs(near).max(axis=0) / _BYTE).astype(np.float32)
    whole = np.round(near / unit).astype(np.int8)
    machine = SVC(C=_PENALTY, kernel="precomputed", cache_size=_CACHE_MB)
    machine.fit(_gram((whole * unit).astype(np.float32)), attack)
    return {
        "examples": whole[machine.support_],
        "examples_unit": unit,
        "examples_weights": machine.dual_coef_[0].astype(np.float32),
        "examples_bias": machine.intercept_.astype(np.float32),
    }


def _gram(near: Array) -> NDArray[np.float64]:
    """Return how alike each two rows are.

    At once and not pair by pair, as the machine would ask for it: a tenth of the time.
    """
    squares = np.einsum("nd,nd->n", near, near)
    gram = np.empty((len(near), len(near)))
    for at in range(0, len(near), _ROWS):
        block = slice(at, at + _ROWS)
        distances = squares[block, None] + squares[None, :] - 2.0 * (near[block] @ near.T)
        gram[block] = np.exp(-GAMMA * np.maximum(0.0, distances))
    return gram


def _worst(bags: Sequence[Bag], model: Poison) -> list[int]:
    """Return per bag the part that looks most like an attack to the kernel machine."""
    return [
        0 if len(bag.parts) == 1 else int(np.argmax(model.marks(bag.rows, bag.readings)[:, 0]))
        for bag in bags
    ]


def _network(bags: Sequence[Bag], chosen: Sequence[int]) -> Arrays:
    rows = np.stack([bag.rows[at] for bag, at in zip(bags, chosen, strict=True)])
    scale = np.concatenate(
        [np.full(high - low, s) for (low, high), s in zip(FAMILIES, _SCALES, strict=True)]
    )
    network = MLPClassifier(
        (_HIDDEN,),
        alpha=_DECAY,
        batch_size=256,
        learning_rate_init=1e-3,
        max_iter=_EPOCHS,
        n_iter_no_change=_EPOCHS,
        random_state=SEED,
    )
    network.fit(rows * scale, [bag.attack for bag in bags], sample_weight=_weights(bags))
    return {
        "hidden": (network.coefs_[0] * scale[:, None]).astype(np.float16),
        "hidden_bias": network.intercepts_[0].astype(np.float32),
        "output": network.coefs_[1][:, 0].astype(np.float32),
        "output_bias": network.intercepts_[1].astype(np.float32),
    }


def _words(bags: Sequence[Bag]) -> Arrays:
    chosen = [bag.readings[_last_whole(bag.parts)].buckets for bag in bags]
    sizes = [len(buckets) for buckets in chosen]
    values = np.repeat([1 / np.sqrt(max(1, size)) for size in sizes], sizes)
    columns = np.concatenate(chosen)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    grams = csr_matrix((values, columns, starts), shape=(len(bags), BUCKETS))
    model = LogisticRegression(C=_WORDS_PENALTY, max_iter=1000)
    model.fit(grams, [bag.attack for bag in bags], sample_weight=_weights(bags))
    return {
        "words": model.coef_[0].astype(np.float16),
        "words_bias": model.intercept_.astype(np.float32),
    }


def _weigher(seen: NDArray[np.float64], attack: NDArray[np.bool_]) -> LogisticRegression:
    return LogisticRegression(C=1.0, max_iter=1000).fit(seen, attack)


def _weights(bags: Sequence[Bag]) -> NDArray[np.float64]:
    return np.array([1.0 if bag.source == CORPUS else _OTHERS for bag in bags])


def _last_whole(parts: Sequence[Part]) -> int:
    return max(at for at, part in enumerate(parts) if part.whole)


def _no_network() -> Arrays:
    zero = np.zeros(1, dtype=np.float32)
    hidden = np.zeros((FAMILIES[-1][1], 1), dtype=np.float32)
    words = np.zeros(BUCKETS, dtype=np.float32)
    network: Arrays = {"hidden": hidden, "hidden_bias": zero, "output": zero, "output_bias": zero}
    return network | {"words": words, "words_bias": zero}


def _no_stack() -> Arrays:
    stack = np.zeros(SUMMARY, dtype=np.float32)
    return {"stack": stack, "stack_bias": np.zeros(1, dtype=np.float32)}
