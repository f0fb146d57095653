"""Fusion of routes, and the exact search within the process."""

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.exact import local_routes
from memory.fusion import Ramp, Routes, fuse, fuse_by_rank, route_weights
from memory.ranking import evidence, reliable
from memory.signals import Blinded, Sparse, Vector
from memory.types import MemoryId, SubjectMark

A, B, C = MemoryId("a"), MemoryId("b"), MemoryId("c")
NOW = datetime(2026, 5, 1, tzinfo=UTC)
EVEN = {"dense.en": 0.5, "keyword": 0.5}


def unit(*values: float) -> Vector:
    """Return a unit vector."""
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def blinded(
    vector: Vector | None = None,
    terms: dict[int, float] | None = None,
    entities: tuple[str, ...] = (),
) -> Blinded:
    """Return search material; what is left out is empty."""
    terms = terms or {}
    return Blinded(
        SubjectMark("0" * 32),
        {} if vector is None else {"en": vector},
        Sparse(tuple(terms), tuple(terms.values())),
        entities,
    )


@pytest.mark.requirement("R1")
def test_a_lone_bad_hit_is_not_called_perfect() -> None:
    """Min-max would give it 1; absolute cosines give it what it is worth."""
    assert fuse({"dense.en": [(A, 0.05)]}, {"dense.en": 1.0})[A] < 0.1
    assert fuse({"dense.en": [(A, 0.9)]}, {"dense.en": 1.0})[A] == 1.0


@pytest.mark.requirement("R1")
def test_sharing_one_common_word_of_many_is_held_down_however_the_others_do() -> None:
    """The best keyword hit counts fully only when it covers the query."""
    weak = fuse({"keyword": [(A, 0.1)]}, {"keyword": 1.0})[A]
    full = fuse({"keyword": [(A, 1.0)]}, {"keyword": 1.0})[A]
    assert weak < 0.6 < full == pytest.approx(1.0)


@pytest.mark.requirement("R1")
def test_scores_of_one_memory_do_not_move_with_the_company_in_dense_routes() -> None:
    """Nobody lifts or sinks a memory by adding others."""
    alone = fuse({"dense.en": [(A, 0.4)]}, EVEN)
    crowd = fuse({"dense.en": [(B, 0.99), (A, 0.4), (C, -0.5)]}, EVEN)
    assert alone[A] == crowd[A]


@pytest.mark.requirement("R1")
def test_being_found_by_two_routes_beats_being_found_by_one() -> None:
    """The weighted mean runs over all routes that ran."""
    routes: Routes = {"dense.en": [(A, 0.5), (B, 0.5)], "keyword": [(A, 0.8)]}
    fused = fuse(routes, EVEN)
    assert fused[A] > fused[B] > 0


@pytest.mark.requirement("R1")
def test_a_route_that_did_not_run_takes_nothing_and_one_that_found_nothing_does() -> None:
    """Absent and empty differ."""
    absent = fuse({"dense.en": [(A, 0.7)]}, EVEN)
    empty = fuse({"dense.en": [(A, 0.7)], "keyword": []}, EVEN)
    assert absent[A] == pytest.approx(1.0)
    assert empty[A] == pytest.approx(0.5)


@pytest.mark.requirement("R1")
def test_fusing_nothing_or_unknown_routes_gives_no_relevance() -> None:
    """No division by zero, and a route without weight does not count."""
    assert fuse({}, EVEN) == {}
    assert fuse({"keyword": [(A, 0.0)]}, EVEN) == {A: 0.0}
    assert fuse({"made-up": [(A, 1.0)]}, EVEN) == {A: 0.0}


@pytest.mark.requirement("R1")
def test_rank_fusion_gives_one_to_the_first_of_every_route() -> None:
    """And looks at order alone."""
    routes: Routes = {"dense.en": [(B, 0.1), (A, 0.2)], "keyword": [(A, 7.0), (B, 6.9)]}
    fused = fuse_by_rank(routes, EVEN)
    assert fused[A] == pytest.approx(1.0)
    assert 0.5 < fused[B] < 1.0


@pytest.mark.requirement("R1")
@pytest.mark.parametrize(
    ("query", "english"),
    [
        ("Which port does staging use?", 0.85),
        ("5433?", 0.85),
        ("我平时用什么方式联系客户", 0.0),
        ("订单 A17 的状态是什么", 0.0),
        ("Как меня зовут?", 0.0),
    ],
)
def test_the_english_vector_counts_for_latin_script_only(query: str, english: float) -> None:
    """The two dense weights always add up to the semantic share."""
    weights = route_weights(query)
    assert weights["dense.en"] == pytest.approx(0.5 * english, abs=0.001)
    assert weights["dense.en"] + weights["dense.multi"] == pytest.approx(0.5)


@pytest.mark.requirement("R1")
def test_a_few_foreign_characters_shift_the_weight_gradually() -> None:
    """A long English query that quotes one Chinese word keeps most of its English weight."""
    weights = route_weights("What did we decide about the translation of 记忆 in the user manual?")
    assert 0.1 < weights["dense.en"] < 0.425


@pytest.mark.requirement("R13", "R11")
def test_exact_search_runs_every_route_that_the_query_has_material_for() -> None:
    """Cosine, share of terms, share of entities; hits are best first."""
    rows = [
        (A, blinded(unit(1, 0), {1: 1.0, 2: 1.0}, ("x",)), NOW),
        (B, blinded(unit(1, 1), {2: 1.0}, ("x", "y")), NOW),
        (C, blinded(unit(0, 1), {9: 1.0}), NOW),
    ]
    routes = local_routes(blinded(unit(1, 0), {1: 1.0, 2: 1.0}, ("x", "y")), rows, 10)
    assert [id for id, _ in routes["dense.en"]] == [A, B, C]
    assert routes["dense.en"][0][1] == pytest.approx(1.0)
    assert routes["dense.en"][1][1] == pytest.approx(0.5**0.5)
    assert [id for id, _ in routes["keyword"]] == [A, B]
    assert routes["keyword"][0][1] == pytest.approx(1.0)
    assert routes["entity"] == [(B, 1.0), (A, 0.5)]
    assert "time" not in routes


@pytest.mark.requirement("R11")
def test_a_rare_term_counts_more_than_a_common_one() -> None:
    """Rarity is judged within the rows given."""
    rows = [(MemoryId(f"m{i}"), blinded(terms={1: 1.0}), NOW) for i in range(20)]
    rows.append((A, blinded(terms={2: 1.0}), NOW))
    found = dict(local_routes(blinded(terms={1: 1.0, 2: 1.0}), rows, 30)["keyword"])
    assert found[A] > 3 * found[MemoryId("m0")] > 0


@pytest.mark.requirement("R11", "W8")
def test_repeating_the_words_of_a_question_gains_nothing() -> None:
    """A text stuffed with them scores as one that says them once."""
    rows = [(A, blinded(terms={1: 1.0, 2: 1.0}), NOW), (B, blinded(terms={1: 2.1, 2: 2.1}), NOW)]
    found = dict(local_routes(blinded(terms={1: 1.4, 2: 1.4}), rows, 9)["keyword"])
    assert found[A] == found[B] == pytest.approx(1.0)


@pytest.mark.requirement("R11")
def test_exact_search_keeps_at_most_the_limit_and_only_the_time_range() -> None:
    """The range is half open and shuts rows out of every route."""
    rows = [(MemoryId(f"m{i}"), blinded(unit(1, i)), NOW + timedelta(days=i)) for i in range(6)]
    routes = local_routes(
        blinded(unit(1, 0)), rows, 3, since=NOW + timedelta(days=1), until=NOW + timedelta(days=5)
    )
    assert [id for id, _ in routes["dense.en"]] == ["m1", "m2", "m3"]
    assert [id for id, _ in routes["time"]] == ["m4", "m3", "m2"]


@pytest.mark.requirement("S7", "R11")
def test_rows_of_another_model_are_passed_over_in_its_vector_only() -> None:
    """Another dimension or a missing vector is no error and no match."""
    rows = [
        (A, blinded(unit(1, 0, 0), {1: 1.0}), NOW),
        (B, blinded(None, {1: 1.0}), NOW),
        (C, blinded(unit(1, 0), {1: 1.0}), NOW),
    ]
    routes = local_routes(blinded(unit(1, 0), {1: 1.0}), rows, 10)
    assert [id for id, _ in routes["dense.en"]] == [C]
    assert {id for id, _ in routes["keyword"]} == {A, B, C}


@pytest.mark.requirement("R11")
def test_exact_search_of_no_rows_or_with_an_empty_query_finds_nothing() -> None:
    """Routes that ran are empty; routes without material are absent."""
    assert local_routes(blinded(unit(1, 0), {1: 1.0}), [], 5) == {"dense.en": [], "keyword": []}
    assert local_routes(blinded(), [(A, blinded(unit(1, 0), {1: 1.0}), NOW)], 5) == {}


@pytest.mark.requirement("R1", "S7")
@pytest.mark.parametrize("query", ["Which port does staging use?", "我平时用什么方式联系客户"])
@pytest.mark.parametrize("vectors", [("main",), ("main", "title"), ("en",), ("multi", "main")])
def test_vectors_of_another_model_share_the_semantic_weight_evenly(
    query: str, vectors: tuple[str, ...]
) -> None:
    """Whatever they are called and whatever the script: all of the weight is given out."""
    weights = route_weights(query, vectors=vectors)
    dense = {name: weight for name, weight in weights.items() if name.startswith("dense.")}
    assert dense == pytest.approx({f"dense.{name}": 0.5 / len(vectors) for name in vectors})
    assert weights["keyword"] == route_weights(query)["keyword"]


@pytest.mark.requirement("R1", "R9", "S7")
def test_a_calibrated_vector_counts_by_its_own_scale() -> None:
    """A model whose unrelated texts lie at .7 makes a hit at .7 worth nothing; without it, much."""
    routes: Routes = {"dense.main": [(A, 0.7), (B, 0.85), (C, 0.9)]}
    weights = route_weights("q", vectors=("main",))
    ramps = {"dense.main": Ramp(0.7, 0.9)}
    fused = fuse(routes, weights, ramps)
    assert fused == pytest.approx({A: 0.0, B: 0.75, C: 1.0})
    assert evidence(routes, weights, ramps=ramps) == pytest.approx(fused)
    assert reliable(evidence(routes, weights, ramps=ramps)) == {B, C}
    assert reliable(evidence(routes, weights)) == {A, B, C}


@pytest.mark.requirement("R9")
def test_an_unknown_vector_alone_is_evidence() -> None:
    """A model that nobody calibrated still finds: its cosine stands for itself."""
    routes: Routes = {"dense.main": [(A, 0.6), (B, 0.1)]}
    weights = route_weights("q", vectors=("main",))
    assert reliable(evidence(routes, weights)) == {A}


@pytest.mark.requirement("R1")
@given(
    asked=st.dictionaries(st.integers(0, 12), st.floats(0.25, 2.0), min_size=1, max_size=6),
    rows=st.lists(
        st.dictionaries(st.integers(0, 12), st.floats(0.25, 2.0), max_size=9), max_size=6
    ),
)
def test_keyword_scores_are_shares_of_the_questions_terms_by_rarity(
    asked: dict[int, float], rows: list[dict[int, float]]
) -> None:
    """Told term by term and row by row, as it is meant."""
    wanted = dict(sorted(asked.items()))
    held = [dict(sorted(row.items())) for row in rows]
    every = [(MemoryId(f"m{n}"), blinded(terms=terms), NOW) for n, terms in enumerate(held)]
    found = dict(local_routes(blinded(terms=wanted), every, len(every))["keyword"])
    worth = {}
    for term, weight in wanted.items():
        count = sum(term in row for row in held)
        worth[term] = weight * math.log(1.0 + (len(held) + 5 - count + 0.5) / (count + 0.5))
    for (id, _, _), row in zip(every, held, strict=True):
        shares = [worth[term] * min(1.0, row[term]) for term in wanted if term in row]
        if shares:
            assert found.pop(id) == pytest.approx(sum(shares) / sum(worth.values()), rel=1e-12)
    assert not found
