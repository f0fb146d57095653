"""A logistic regression on what tells answers from the others that were read."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.wording.talks import Seen
from memory.answering import WEIGHTS

FEATURES: Final = ("speaker", "asks", "substance", "time", "number")
_FOLDS: Final = 5
_STRENGTH: Final = 10.0
"""Of regularisation, as its inverse: weak, since there are six weights."""
_DEPTHS: Final = (1, 5, 10)

Array = NDArray[np.float64]


def fitted(seen: Sequence[Seen]) -> Array:
    """Return the weight of each feature, in units of relevance.

    Of each question, what answers is held against each memory that does not; a question counts
    the same however many were read for it.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - only here

    rows, counts = [], []
    for _, both in _by_question(seen):
        table = np.array([(one.relevance, *one.features) for one in both])
        right = np.array([one.answers for one in both])
        if right.all() or not right.any():
            continue
        apart = (table[right][:, None] - table[~right][None]).reshape(-1, table.shape[1])
        rows.append(apart)
        counts.append(np.full(len(apart), 1.0 / len(apart)))
    apart, count = np.concatenate(rows), np.concatenate(counts)
    model = LogisticRegression(C=_STRENGTH, fit_intercept=False, max_iter=1000)
    model.fit(
        np.concatenate([apart, -apart]),
        np.concatenate([np.ones(len(apart)), np.zeros(len(apart))]),
        sample_weight=np.concatenate([count, count]),
    )
    relevance, *told = model.coef_[0]
    found: Array = np.array(told) / relevance
    return found


def report(seen: Sequence[Seen]) -> Iterator[str]:
    """Yield how often an answer comes among the first, without wording, as it is, and as fitted.

    The last is of weights that never saw what was written together with the question.
    """
    groups = sorted({one.group for one in seen})
    folds = {group: place % _FOLDS for place, group in enumerate(groups)}
    unseen = [fitted([one for one in seen if folds[one.group] != fold]) for fold in range(_FOLDS)]
    none, hand = np.zeros(len(FEATURES)), np.array(WEIGHTS)
    ways: dict[str, Callable[[str], Array]] = {
        "without": lambda _: none,
        "as it is": lambda _: hand,
        "as fitted": lambda group: unseen[folds[group]],
    }
    for kind in ("talks", "worlds", "pairs"):
        some = [one for one in seen if _kind(one.group) == kind]
        for name, weights in ways.items():
            places = [_place(both, weights(group)) for group, both in _by_question(some)]
            found = [place for place in places if place is not None]
            hits = " ".join(
                f"hit@{depth} {np.mean([place < depth for place in found]):.3f}"
                for depth in _DEPTHS
            )
            yield f"{kind:<7} {name:<10} {hits} of {len(found)}"
    for name, was, now in zip(FEATURES, WEIGHTS, fitted(seen), strict=True):
        yield f"{name:<10} {was:+.3f} {now:+.3f}"
    for kind in ("talks", "worlds"):
        alone = fitted([one for one in seen if _kind(one.group) == kind])
        yield f"{kind} alone: {' '.join(f'{one:+.3f}' for one in alone)}"


def _kind(group: str) -> str:
    if group.startswith("pairs"):
        return "pairs"
    return "talks" if group[:2] in ("en", "zh") else "worlds"


def _by_question(seen: Sequence[Seen]) -> Iterator[tuple[str, list[Seen]]]:
    found: dict[tuple[str, str], list[Seen]] = defaultdict(list)
    for one in seen:
        found[one.group, one.question].append(one)
    for (group, _), both in found.items():
        yield group, both


def _place(both: Sequence[Seen], weights: Array) -> int | None:
    """Return how many come before the first answer, None when it was not read."""
    if not any(one.answers for one in both):
        return None
    order = sorted(both, key=lambda one: -(one.relevance + float(weights @ one.features)))
    return next(place for place, one in enumerate(order) if one.answers)
