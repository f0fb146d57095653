"""Ranking, the threshold of reliability, and the bound on low trust."""

import math
from datetime import UTC, datetime, timedelta
from itertools import product

import msgspec
import pytest

from memory.ranking import (
    Standing,
    bound_low_trust,
    evidence,
    factors,
    rank,
    reliable,
)
from memory.types import Layer, MemoryId

A, B, C = MemoryId("a"), MemoryId("b"), MemoryId("c")
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def standing(
    layer: Layer = Layer.EPISODIC,
    *,
    days: float = 0,
    importance: float = 0.5,
    confidence: float = 1.0,
    accesses: int = 0,
    faded: int = 0,
) -> Standing:
    """Return a standing that was used `days` ago."""
    return Standing(layer, importance, confidence, NOW - timedelta(days=days), accesses, faded)


@pytest.mark.requirement("R4")
def test_the_score_is_the_product_of_its_factors() -> None:
    """What the trace shows is what ranked."""
    found = factors(0.8, standing(days=10, faded=1), NOW)
    parts = msgspec.structs.astuple(found)
    assert (len(parts), found.fading) == (6, 0.5)
    assert found.score == pytest.approx(math.prod(parts))
    assert all(0 < part <= 1 for part in parts)


@pytest.mark.requirement("R4")
def test_every_factor_stays_within_bounds_for_extreme_input() -> None:
    """Ages, counts and values beyond the scale are held at its ends."""
    for layer, days, value, count in product(
        Layer, (-400, 0, 40_000), (-3.0, 0.0, 9.0, math.nan), (0, 10_000)
    ):
        found = factors(value, standing(layer, days=days, importance=value, confidence=value), NOW)
        aged = factors(1.0, standing(layer, days=days, accesses=count), NOW)
        for each in (found, aged):
            assert 0 <= each.relevance <= 1
            assert 0.5 < each.importance <= 1
            assert 0.5 < each.recency <= 1
            assert 0.5 < each.confidence <= 1
            assert 0.5 < each.access <= 1


@pytest.mark.requirement("R4")
def test_age_alone_never_puts_an_exact_match_behind_a_vague_one() -> None:
    """Ten years old and exact beats fresh and half relevant."""
    order = rank({A: 1.0, B: 0.5}, {A: standing(days=3650), B: standing()}, NOW)
    assert [id for id, _ in order] == [A, B]


@pytest.mark.requirement("R4")
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (standing(days=1), standing(days=30)),
        (standing(importance=0.9), standing(importance=0.2)),
        (standing(confidence=1.0), standing(confidence=0.4)),
        (standing(accesses=5), standing(accesses=0)),
        (standing(Layer.SEMANTIC, days=30), standing(days=30)),
    ],
    ids=["recency", "importance", "confidence", "access", "layer"],
)
def test_each_factor_decides_between_equals(better: Standing, worse: Standing) -> None:
    """At equal relevance the newer, weightier, surer, more used, longer-lived memory leads."""
    for swapped in (False, True):
        pair = {A: worse, B: better} if swapped else {A: better, B: worse}
        (first, _), _ = rank({A: 0.6, B: 0.6}, pair, NOW)
        assert pair[first] is better


@pytest.mark.requirement("R4")
def test_recency_halves_its_range_each_half_life_of_the_layer() -> None:
    """Thirty days for episodic, a hundred and eighty for semantic."""
    for layer, days in ((Layer.EPISODIC, 30), (Layer.SEMANTIC, 180)):
        fresh, once, ever = (
            factors(1, standing(layer, days=d), NOW).recency for d in (0, days, 500_000)
        )
        assert once - ever == pytest.approx((fresh - ever) / 2)


@pytest.mark.requirement("R1")
def test_the_semantic_layer_comes_first_at_equal_relevance() -> None:
    """Also when both are fresh, where the half-lives do not tell, and when it is older."""
    for days in (0, 20, 180):
        order = rank(
            {A: 0.6, B: 0.6}, {A: standing(days=days), B: standing(Layer.SEMANTIC, days=days)}, NOW
        )
        assert [id for id, _ in order] == [B, A]


@pytest.mark.requirement("R4")
def test_only_memories_with_a_standing_are_ranked() -> None:
    """What was not loaded or did not prove itself has none."""
    assert [id for id, _ in rank({A: 0.5, B: 0.9}, {A: standing(), C: standing()}, NOW)] == [A]


@pytest.mark.requirement("R9")
def test_nothing_near_means_nothing_reliable() -> None:
    """The best of many bad hits is still bad; one good hit carries those at half its strength."""
    weights = {"dense.en": 0.5, "keyword": 0.3}
    far = evidence({"dense.en": [(A, 0.2), (B, 0.19)], "keyword": [(A, 0.1)]}, weights)
    near = evidence({"dense.en": [(A, 0.6), (B, 0.3), (C, 0.1)]}, weights)
    assert reliable(far) == frozenset()
    assert reliable(near) == {A, B}
    assert reliable({}) == frozenset()


@pytest.mark.requirement("R9")
def test_exact_words_and_entities_lift_a_middling_cosine_over_the_threshold() -> None:
    """And cannot do so without any likeness in meaning."""
    weights = {"dense.multi": 0.5}
    middling = [(A, 0.25)]
    assert reliable(evidence({"dense.multi": middling}, weights)) == frozenset()
    assert reliable(evidence({"dense.multi": middling, "keyword": [(A, 0.8)]}, weights)) == {A}
    assert reliable(evidence({"dense.multi": middling, "entity": [(A, 1.0)]}, weights)) == {A}
    assert reliable(evidence({"dense.multi": [(A, 0.0)], "entity": [(A, 1.0)]}, weights)) == set()


@pytest.mark.requirement("R9")
def test_evidence_is_the_mean_over_the_vectors_by_weight() -> None:
    """A vector without weight for this query's language says nothing."""
    routes = {"dense.en": [(A, 0.9)], "dense.multi": [(A, 0.1)]}
    assert evidence(routes, {"dense.en": 0.0, "dense.multi": 0.5})[A] == pytest.approx(0.1)
    assert evidence(routes, {"dense.en": 0.25, "dense.multi": 0.25})[A] == pytest.approx(0.5)
    assert evidence({"dense.en": [(A, math.nan)]}, {"dense.en": 1.0})[A] == 0.0


@pytest.mark.requirement("R7")
def test_low_trust_items_are_bounded_and_the_next_best_take_their_places() -> None:
    """Order is kept, k is an upper bound, and trusted items are not limited."""
    trusts = [0, 1, 3, 0, 2, 4, 3]
    kept = bound_low_trust(list(enumerate(trusts)), 5, 1, lambda item: item[1])
    assert kept == [(0, 0), (2, 3), (4, 2), (5, 4), (6, 3)]
    assert bound_low_trust([0, 0, 0], 3, 0, lambda trust: trust) == []
    assert bound_low_trust([3, 3, 3], 2, 0, lambda trust: trust) == [3, 3]
