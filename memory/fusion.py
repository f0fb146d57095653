"""From what each route found to one relevance per memory. Pure.

Every route's score becomes a quality in [0, 1] that means the same in every query, and relevance is
their weighted mean (R1). Qualities are absolute where they can be: min-max over the hits would call
a lone bad hit perfect, and would let one memory move the scores of the others. Measured against
min-max with the same weights, absolute cosines recall as much (docs/adr/0007).
"""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec
import regex

from memory.types import MemoryId

Routes = Mapping[str, Sequence[tuple[MemoryId, float]]]
"""Raw scores by route name: `dense.<vector>`, `keyword`, `entity`, `time`. A route that is absent
did not run; one that is empty ran and found nothing."""

DENSE: Final = "dense."
KEYWORD: Final = "keyword"
ENTITY: Final = "entity"
TIME: Final = "time"

RANK_CONSTANT: Final = 10
"""Of reciprocal rank fusion. The customary 60 flattens twenty hits until the best route drowns."""


class Fusion(StrEnum):
    """How the routes' scores become one relevance."""

    WEIGHTED = "weighted"
    RANK = "rank"


class FusionWeights(msgspec.Struct, frozen=True):
    """What each kind of route counts; only their ratios matter. Recency is applied in ranking.

    `english` is the share of the semantic weight that the English vector has for a query without
    any other script; the multilingual vector has the rest.
    """

    semantic: float = 0.5
    keyword: float = 0.3
    entity: float = 0.3
    time: float = 0.1
    english: float = 0.85


DEFAULT_WEIGHTS: Final = FusionWeights()


class Ramp(msgspec.Struct, frozen=True):
    """Maps a cosine to a quality: 0 up to `low`, 1 from `high`."""

    low: float
    high: float

    def __call__(self, cosine: float) -> float:
        """Return the quality of `cosine`."""
        return min(1.0, max(0.0, (cosine - self.low) / (self.high - self.low)))


RAMPS: Final[Mapping[str, Ramp]] = MappingProxyType(
    {
        # A question and its answer lie at .35-.75, unrelated short texts at 0-.3.
        "dense.en": Ramp(0.0, 0.7),
        # Paraphrases lie at .75-.95, questions and answers at .3-.65, unrelated texts at 0-.3.
        "dense.multi": Ramp(0.1, 0.8),
    }
)
_ANY_VECTOR: Final = Ramp(0.0, 1.0)
NO_RAMPS: Final[Mapping[str, Ramp]] = MappingProxyType({})
"""No vector but those above is calibrated."""

PACKAGED_VECTORS: Final = ("en", "multi")
"""The vectors whose weights depend on the script of the query."""

_LATIN: Final = regex.compile(r"\p{Latin}")
_OTHER: Final = regex.compile(r"(?!\p{Latin})\p{L}")
_LETTERS_PER_CHARACTER: Final = 4
"""About as many Latin letters say as much as one Chinese character."""


def route_weights(
    query: str,
    weights: FusionWeights = DEFAULT_WEIGHTS,
    vectors: Collection[str] = PACKAGED_VECTORS,
) -> dict[str, float]:
    """Return the weight of each route for this query, by the scripts that it is written in.

    The English model reads other scripts as noise with high cosines, so its weight falls to
    nothing as they make up half of the query. Of `vectors` of another model nothing is known, so
    they share the semantic weight evenly: none that ran may count nothing.
    """
    if frozenset(vectors) == frozenset(PACKAGED_VECTORS):
        english = weights.english * max(0.0, 1.0 - 2.0 * _foreign(query))
        shares = {"en": english, "multi": 1.0 - english}
    else:
        shares = {name: 1.0 / len(vectors) for name in vectors}
    return {DENSE + name: weights.semantic * share for name, share in shares.items()} | {
        KEYWORD: weights.keyword,
        ENTITY: weights.entity,
        TIME: weights.time,
    }


def _foreign(query: str) -> float:
    """Return how much of the query is in another script than Latin, in [0, 1]."""
    other = len(_OTHER.findall(query))
    latin = len(_LATIN.findall(query)) / _LETTERS_PER_CHARACTER
    return other / (other + latin) if other else 0.0


def fuse(
    routes: Routes, weights: Mapping[str, float], ramps: Mapping[str, Ramp] = NO_RAMPS
) -> dict[MemoryId, float]:
    """Return the relevance in [0, 1] of every memory that any route found.

    The mean goes over the routes that ran: a memory that a route did not find has quality 0 there.
    `ramps` are those of the vectors of a model that was calibrated elsewhere, by route name.
    """
    total = sum(weights.get(name, 0.0) for name in routes)
    relevance: dict[MemoryId, float] = {}
    for name, hits in routes.items():
        share = weights.get(name, 0.0) / total if total else 0.0
        for id, quality in qualities(name, hits, ramps):
            relevance[id] = relevance.get(id, 0.0) + share * quality
    return relevance


def fuse_by_rank(
    routes: Routes, weights: Mapping[str, float], constant: int = RANK_CONSTANT
) -> dict[MemoryId, float]:
    """Return reciprocal rank fusion scaled to [0, 1]; 1 is first place in every route that ran."""
    total = sum(weights.get(name, 0.0) for name in routes)
    relevance: dict[MemoryId, float] = {}
    for name, hits in routes.items():
        share = weights.get(name, 0.0) / total if total else 0.0
        for rank, (id, _) in enumerate(sorted(hits, key=lambda hit: -hit[1])):
            relevance[id] = relevance.get(id, 0.0) + share * (constant + 1) / (constant + 1 + rank)
    return relevance


def qualities(
    route: str,
    hits: Sequence[tuple[MemoryId, float]],
    ramps: Mapping[str, Ramp] = NO_RAMPS,
) -> list[tuple[MemoryId, float]]:
    """Return each hit's quality in [0, 1]."""
    if route.startswith(DENSE):
        ramp = ramps.get(route) or RAMPS.get(route, _ANY_VECTOR)
        return [(id, ramp(score)) for id, score in hits]
    if route == TIME:
        return [(id, 1.0) for id, _ in hits]
    return _of_best(hits)


def _of_best(hits: Sequence[tuple[MemoryId, float]]) -> list[tuple[MemoryId, float]]:
    """Return scores as a part of the best one's, held down by half when even that covers little.

    A best score under 1 is a share of the query that was matched (see `exact`); without this a
    memory that shares one stop word with the query would have full marks.
    """
    best = max((score for _, score in hits), default=0.0)
    if best <= 0.0:
        return [(id, 0.0) for id, _ in hits]
    worth = 0.5 + 0.5 * min(1.0, best)
    return [(id, worth * max(0.0, score) / best) for id, score in hits]
