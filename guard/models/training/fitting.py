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
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

from guard.models.features import FAMILIES, FEATURES, Part
from guard.models.poison import SUMMARY, Array, Card, Poison, projected, summary
from guard.models.signs import BUCKETS, Reading
from guard.models.training.sources import CORPUS

FOLDS: Final = 3
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
_OTHERS: Final = 0.6
"""What a text of a package weighs beside one of the corpus, in the network and in the words."""
_OTHERS_STACKED: Final = 0.05
"""The same where the three models are weighed: theirs are easy, as their like has been learned."""
_NETWORK: Final = 1
_NETWORK_MORE: Final = 0.6
"""What the network's mark of a whole text counts more than the corpus says: it alone has learned
much of the packages, and judges texts like none of both best."""

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
    weight = np.where(mine, 1.0, _OTHERS_STACKED)
    splits = list(splits_of(bags))

    # (1) What each of the three models makes of texts whose like it has not learned from.
    seen = np.zeros((len(bags), SUMMARY))
    for at, (learned, asked) in enumerate(splits):
        told("fit", at, FOLDS + 1)
        seen[asked] = unlearned([bags[i] for i in learned], [bags[i] for i in asked])

    # (2) What weighs them, and how it does on the same split.
    score = np.full(len(bags), np.nan)
    for learned, asked in splits:
        stack, bias = weigher(seen[learned], attack[learned], weight[learned])
        own = asked[mine[asked]]
        score[own] = expit(seen[own] @ stack + bias)
    stack, bias = weigher(seen, attack, weight)

    # (3) The models on everything.
    told("fit", FOLDS, FOLDS + 1)
    arrays = models_of(bags)
    arrays["stack"] = stack.astype(np.float32)
    arrays["stack_bias"] = np.array([bias], dtype=np.float32)
    told("fit", FOLDS + 1, FOLDS + 1)
    return arrays, score


def model_of(arrays: Mapping[str, NDArray[np.generic]]) -> Poison:
    """Return a model that works with these arrays as the file would hold them."""
    stored = {name: array.astype(np.float32) for name, array in arrays.items()}
    return Poison(Card(FEATURES, {}, {}, GAMMA), stored, "")


def unlearned(learned: Sequence[Bag], asked: Sequence[Bag]) -> NDArray[np.float64]:
    """Return what is weighed of the texts `asked`, by models made from `learned` alone."""
    model = model_of(models_of(learned) | _no_stack())
    told = zip(asked, _marks(asked, model), strict=True)
    return np.stack([summary(bag.parts, marks) for bag, marks in told]).astype(np.float64)


def splits_of(bags: Sequence[Bag]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield which texts to learn from and which to ask about; what belongs together stays so."""
    kinds = [f"{bag.source}{bag.attack}" for bag in bags]
    groups = [bag.group for bag in bags]
    splitter = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=SEED)
    yield from splitter.split(np.zeros(len(bags)), kinds, groups)


def models_of(bags: Sequence[Bag]) -> Arrays:
    """Return the three models made from these texts, as they are stored."""
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
    return [int(np.argmax(marks[:, 0])) for marks in _marks(bags, model)]


def _marks(bags: Sequence[Bag], model: Poison) -> list[Array]:
    """Return the marks of every part of each text, many parts at once: a tenth of the time."""
    rows = np.concatenate([bag.rows for bag in bags])
    readings = [reading for bag in bags for reading in bag.readings]
    blocks = [
        model.marks(rows[at : at + _ROWS], readings[at : at + _ROWS])
        for at in range(0, len(rows), _ROWS)
    ]
    ends = np.cumsum([len(bag.parts) for bag in bags])[:-1]
    return np.split(np.concatenate(blocks), ends)


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
    # Single precision in, so that all its sums are: half the time.
    scaled = (rows * scale).astype(np.float32)
    network.fit(scaled, [bag.attack for bag in bags], sample_weight=_weights(bags))
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


def weigher(
    seen: NDArray[np.float64], attack: NDArray[np.bool_], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return what weighs the marks, and the bias that makes a probability of their sum."""
    first = LogisticRegression(C=1.0, max_iter=1000).fit(seen, attack, sample_weight=weight)
    stack = first.coef_[0].copy()
    stack[_NETWORK] += _NETWORK_MORE
    along = (seen @ stack)[:, None]
    second = LogisticRegression(C=1.0, max_iter=1000).fit(along, attack, sample_weight=weight)
    return stack * second.coef_[0, 0], float(second.intercept_[0])


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
