"""How relevant memories are ordered, and whether any is relevant at all. Pure.

Score = relevance x importance x recency x confidence x access x fading (R4). Every factor lies in
(0, 1] and each but relevance has a floor, so that no single one of them can bury an exact match.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeVar

import msgspec

from memory.fusion import DENSE, ENTITY, KEYWORD, NO_RAMPS, TIME, Ramp, Routes
from memory.types import Layer, MemoryId

T = TypeVar("T")

LOW_TRUST: Final = 1
"""Up to this trust (documents, tools, the web) an item is low-trust: bounded and not for action."""


MOST_FADED: Final = 3
"""A memory fades so often and no further: to be rid of it, it is erased."""


class RankingBounds(msgspec.Struct, frozen=True):
    """Half-lives in days, and how low each factor may fall.

    Semantic memories are meant to last, so age takes less from them: at equal relevance they come
    before episodic ones.
    """

    half_life_episodic: float = 30.0
    half_life_semantic: float = 180.0
    recency_episodic: float = 0.6
    recency_semantic: float = 0.85
    importance: float = 0.7
    confidence: float = 0.6
    access: float = 0.9
    fading: float = 0.5
    """What is left of a memory's score each time that its owner lets it fade."""


DEFAULT_RANKING: Final = RankingBounds()


class Standing(msgspec.Struct, frozen=True):
    """What ranking looks at, beside relevance. `used_at` is the later of recording and last use."""

    layer: Layer
    importance: float
    confidence: float
    used_at: datetime
    accesses: int = 0
    faded: int = 0


class Factors(msgspec.Struct, frozen=True):
    """Each factor of one memory's score, for the trace."""

    relevance: float
    importance: float
    recency: float
    confidence: float
    access: float
    fading: float = 1.0

    @property
    def score(self) -> float:
        """The product, in [0, 1]."""
        product = self.relevance * self.importance * self.recency * self.confidence
        return product * self.access * self.fading


def factors(
    relevance: float, standing: Standing, now: datetime, bounds: RankingBounds = DEFAULT_RANKING
) -> Factors:
    """Return every factor of one memory's score."""
    half_life, floor = (
        (bounds.half_life_semantic, bounds.recency_semantic)
        if standing.layer is Layer.SEMANTIC
        else (bounds.half_life_episodic, bounds.recency_episodic)
    )
    age = max(0.0, (now - standing.used_at) / timedelta(days=1))
    return Factors(
        relevance=_unit(relevance),
        importance=_lifted(standing.importance, bounds.importance),
        recency=_lifted(0.5 ** (age / half_life), floor),
        confidence=_lifted(standing.confidence, bounds.confidence),
        access=_lifted(1.0 - 0.5**standing.accesses, bounds.access),
        fading=bounds.fading ** min(standing.faded, MOST_FADED),
    )


def rank(
    relevance: Mapping[MemoryId, float],
    standings: Mapping[MemoryId, Standing],
    now: datetime,
    bounds: RankingBounds = DEFAULT_RANKING,
) -> list[tuple[MemoryId, Factors]]:
    """Return the memories that have a standing, best first.

    Equal scores: semantic first, then the newer, then by id, so that the order is always the same.
    """
    scored = [
        (id, factors(relevance[id], standing, now, bounds))
        for id, standing in standings.items()
        if id in relevance
    ]

    def order(item: tuple[MemoryId, Factors]) -> tuple[float, bool, timedelta, MemoryId]:
        standing = standings[item[0]]
        semantic = standing.layer is Layer.SEMANTIC
        return -item[1].score, not semantic, now - standing.used_at, item[0]

    return sorted(scored, key=order)


class Thresholds(msgspec.Struct, frozen=True):
    """From what strength of evidence memory is relied on (R9).

    At `kept` a memory is read; `reliable` is what one of them needs once it was held against what
    the question asks for (`memory.bearing`), which is fitted so that this number stays. What both
    let through is measured in docs/guides/recall.md.
    """

    reliable: float = 0.36
    kept: float = 0.22
    keyword: float = 0.2
    entity: float = 0.15
    time: float = 0.15


DEFAULT_THRESHOLDS: Final = Thresholds()


def evidence(
    routes: Routes,
    weights: Mapping[str, float],
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    ramps: Mapping[str, Ramp] = NO_RAMPS,
) -> dict[MemoryId, float]:
    """Return the absolute strength of evidence per memory, whatever else was found.

    The mean cosine by `weights`, plus what exact words, entities and an explicit time range add.
    A vector with one of `ramps` counts by its quality there: cosines of some models begin at .7.
    Keyword scores must be those of `exact.local_routes`: an index's own have no absolute meaning.
    """
    dense = sum(weights.get(name, 0.0) for name in routes if name.startswith(DENSE))
    extra = {KEYWORD: thresholds.keyword, ENTITY: thresholds.entity, TIME: thresholds.time}
    strength: dict[MemoryId, float] = {}
    for name, hits in routes.items():
        if name.startswith(DENSE):
            share = weights.get(name, 0.0) / dense if dense else 0.0
        else:
            share = extra.get(name, 0.0)
        ramp = ramps.get(name, _unit)
        for id, score in hits:
            strength[id] = strength.get(id, 0.0) + share * ramp(score)
    return strength


def reliable(
    strength: Mapping[MemoryId, float], thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> frozenset[MemoryId]:
    """Return the memories that may be answered with; none when none of them passes (R9)."""
    if max(strength.values(), default=0.0) < thresholds.reliable:
        return frozenset()
    return frozenset(id for id, value in strength.items() if value >= thresholds.kept)


def put_first(
    relevance: Mapping[MemoryId, float],
    chosen: Sequence[MemoryId],
    trust: Callable[[MemoryId], int],
) -> dict[MemoryId, float]:
    """Return the relevance with `chosen` first, best first: the values only change hands.

    Those of low trust change with each other alone, so that whoever orders, talked into it by one
    of them, lifts it past nothing that is trusted more.
    """
    found = dict(relevance)
    order = sorted(relevance, key=lambda id: (-relevance[id], id))
    for is_low in (True, False):
        group = [id for id in order if (trust(id) <= LOW_TRUST) is is_low]
        first = [id for id in chosen if id in group]
        rest = [id for id in group if id not in first]
        found |= zip((*first, *rest), (relevance[id] for id in group), strict=True)
    return found


def bound_low_trust(items: Iterable[T], k: int, k_low: int, trust: Callable[[T], int]) -> list[T]:
    """Return the first `k` of `items`, with at most `k_low` low-trust ones among them (R7)."""
    kept: list[T] = []
    low = 0
    for item in items:
        if len(kept) >= k:
            break
        if trust(item) <= LOW_TRUST:
            if low >= k_low:
                continue
            low += 1
        kept.append(item)
    return kept


def _unit(value: float) -> float:
    """Return `value` within [0, 1]; what is not a number counts nothing."""
    return min(1.0, value) if value > 0.0 else 0.0


def _lifted(value: float, floor: float) -> float:
    return floor + (1.0 - floor) * _unit(value)
