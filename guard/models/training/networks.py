"""Small networks of one hidden layer, fitted by steps of Adam whose length falls to nothing.

Written out, since calling them costs more elsewhere than the sums do. The same rows give the same
weights on one machine.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

_BATCH: Final = 256
_STEP: Final = 2e-3
_SHORT: Final = 0.9
_LONG: Final = 0.999
_LEAST: Final = 1e-8

Floats = NDArray[np.float32]


class Plan(msgspec.Struct, frozen=True):
    """How networks are fitted."""

    hidden: int
    decay: float
    epochs: int
    networks: int
    smoothing: float
    """The share of each answer that is spread over all kinds: nothing is quite certain."""


class Network(msgspec.Struct, frozen=True):
    """The weights of one network."""

    first: Floats
    first_bias: Floats
    last: Floats
    last_bias: Floats

    @property
    def parts(self) -> tuple[Floats, ...]:
        """All weights, in the order of `_slopes`."""
        return self.first, self.first_bias, self.last, self.last_bias


def networks(
    rows: Floats, kinds: Sequence[int], counts: Sequence[float], plan: Plan
) -> list[Network]:
    """Return networks fitted to these rows, which are of these kinds and count so much, each from
    another beginning.
    """
    count = max(kinds) + 1
    wanted = np.eye(count, dtype=np.float32)[np.array(kinds)]
    wanted = wanted * (1.0 - plan.smoothing) + plan.smoothing / count
    weights = np.array(counts, dtype=np.float32)
    data = _Data(rows, wanted.astype(np.float32), weights / weights.mean())
    return [_fitted(data, plan, seed) for seed in range(plan.networks)]


class _Data(msgspec.Struct, frozen=True):
    rows: Floats
    wanted: Floats
    counts: Floats

    def some(self, places: NDArray[np.int64]) -> "_Data":
        """Return these rows of it."""
        return _Data(self.rows[places], self.wanted[places], self.counts[places])


def _fitted(data: _Data, plan: Plan, seed: int) -> Network:
    drawn = np.random.default_rng(seed)
    network = _beginning(drawn, data.rows.shape[1], data.wanted.shape[1], plan.hidden)
    length = len(data.rows)
    steps = plan.epochs * -(-length // _BATCH)
    means = [np.zeros_like(part) for part in network.parts]
    squares = [np.zeros_like(part) for part in network.parts]
    step = 0
    for _ in range(plan.epochs):
        order = drawn.permutation(length)
        for at in range(0, length, _BATCH):
            far = _STEP * (1.0 + np.cos(np.pi * step / steps)) / 2.0
            step += 1
            some = data.some(order[at : at + _BATCH])
            slopes = _slopes(network, some, plan.decay / length)
            for place, (part, slope) in enumerate(zip(network.parts, slopes, strict=True)):
                means[place] += (1.0 - _SHORT) * (slope - means[place])
                squares[place] += (1.0 - _LONG) * (slope * slope - squares[place])
                even = np.sqrt(squares[place] / (1.0 - _LONG**step)) + _LEAST
                part[...] -= (far / (1.0 - _SHORT**step)) * means[place] / even
    return network


def _beginning(drawn: np.random.Generator, signs: int, kinds: int, hidden: int) -> Network:
    def layer(rows: int, columns: int) -> Floats:
        most = np.sqrt(6.0 / (rows + columns))
        return drawn.uniform(-most, most, (rows, columns)).astype(np.float32)

    nothing = (np.zeros(size, dtype=np.float32) for size in (hidden, kinds))
    first, last = layer(signs, hidden), layer(hidden, kinds)
    return Network(first, next(nothing), last, next(nothing))


def _slopes(network: Network, data: _Data, decay: float) -> tuple[Floats, ...]:
    """Return where the error of some rows grows: of softmax, and of weights that are large."""
    rows = data.rows
    hidden = np.maximum(rows @ network.first + network.first_bias, 0.0)
    found = hidden @ network.last + network.last_bias
    shares = np.exp(found - found.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    error = (shares - data.wanted) * (data.counts / np.float32(len(rows)))[:, None]
    behind = (error @ network.last.T) * (hidden > 0.0)
    weight = np.float32(decay)
    return (
        rows.T @ behind + weight * network.first,
        behind.sum(axis=0),
        hidden.T @ error + weight * network.last,
        error.sum(axis=0),
    )
