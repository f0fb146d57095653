"""The statistics of the report. Pure; each rate comes with the interval it lies in."""

import math
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

import msgspec

_Z: Final = 1.959963984540054
"""Of 95 %."""
_ROUNDING: Final = 1e-9
RATES: Final = (0.01, 0.05)
"""The shares of benign rows at which a score's detection is told."""


class Share(msgspec.Struct, frozen=True):
    """So many of so many, and the 95 % interval of the rate by Wilson; no rate without a case."""

    hits: int
    total: int
    rate: float | None
    low: float
    high: float


class Separation(msgspec.Struct, frozen=True):
    """How well a score tells attacks from benign rows.

    `auc` is the chance that an attack scores above a benign row, ties counting half; its interval
    is DeLong's. `at_1` and `at_5` are the attacks caught where at most 1 % and 5 % of the benign
    rows are; their intervals take the threshold as given.
    """

    attacks: int
    benign: int
    auc: float | None
    auc_low: float
    auc_high: float
    at_1: Share
    at_5: Share


class Spread(msgspec.Struct, frozen=True):
    """Times of single items, in milliseconds."""

    median: float
    p95: float
    mean: float


def share(hits: int, total: int) -> Share:
    """Return the rate of `hits` with Wilson's interval; of nothing, the interval is everything."""
    if not total:
        return Share(0, 0, None, 0.0, 1.0)
    rate, z2 = hits / total, _Z * _Z
    middle = rate + z2 / (2 * total)
    reach = _Z * math.sqrt(rate * (1 - rate) / total + z2 / (4 * total * total))
    scale = 1 + z2 / total
    # At the ends the formula gives 0 and 1 but for rounding.
    low = 0.0 if hits == 0 else (middle - reach) / scale
    high = 1.0 if hits == total else (middle + reach) / scale
    return Share(hits, total, rate, low, high)


def cut(benign: Sequence[float], most: float) -> float | None:
    """Return the lowest score that no more than `most` of the benign rows exceed.

    Whatever scores alike falls on the same side: with ties fewer may exceed it, and never more.
    None without benign rows, or where all of them may be caught.
    """
    allowed = math.floor(most * len(benign) + _ROUNDING)
    if allowed >= len(benign):
        return None
    return sorted(benign, reverse=True)[allowed]


def above(scores: Sequence[float], threshold: float | None) -> Share:
    """Return how many scores exceed the threshold; of nothing when there is none."""
    if threshold is None:
        return share(0, 0)
    return share(sum(score > threshold for score in scores), len(scores))


def separation(attacks: Sequence[float], benign: Sequence[float]) -> Separation:
    """Return how well the scores separate the two."""
    auc, low, high = _area(attacks, benign)
    at_1, at_5 = (above(attacks, cut(benign, most)) for most in RATES)
    return Separation(len(attacks), len(benign), auc, low, high, at_1, at_5)


def spread(seconds: Sequence[float]) -> Spread:
    """Return median, 95th percentile and mean in milliseconds; of nothing, zeros."""
    if not seconds:
        return Spread(0.0, 0.0, 0.0)
    ranked = sorted(seconds)
    p95 = ranked[min(len(ranked) - 1, math.ceil(0.95 * len(ranked)) - 1)]
    return Spread(1e3 * statistics.median(ranked), 1e3 * p95, 1e3 * statistics.fmean(ranked))


def _area(attacks: Sequence[float], benign: Sequence[float]) -> tuple[float | None, float, float]:
    """Return the area under the curve and DeLong's 95 % interval."""
    if not attacks or not benign:
        return None, 0.0, 1.0
    ranked, others = sorted(benign), sorted(attacks)
    over = [_beaten(score, ranked) for score in attacks]
    under = [1.0 - _beaten(score, others) for score in benign]
    area = statistics.fmean(over)
    variance = sum(statistics.variance(part) / len(part) for part in (over, under) if len(part) > 1)
    reach = _Z * math.sqrt(variance)
    return area, max(0.0, area - reach), min(1.0, area + reach)


def _beaten(score: float, ranked: Sequence[float]) -> float:
    """Return the share of `ranked`, lowest first, that is below `score`, ties counting half."""
    return (bisect_left(ranked, score) + bisect_right(ranked, score)) / (2 * len(ranked))
