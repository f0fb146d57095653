"""Blinding keeps what search needs, within one subject and not beyond."""

import asyncio
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from memory.signals import Blinded, Signals, Vector
from memory.types import Owner
from storage.blinding import Blinding
from storage.vault import SealingVault
from tests.contracts.vault_builders import ALICE, ALICE_ELSEWHERE, BOB, keyring

words = st.text(min_size=1, max_size=8)
weights = st.floats(0.125, 8, width=32)
dimensions = st.one_of(st.integers(1, 40), st.sampled_from([255, 256, 384, 512, 768]))
components = st.floats(-1, 1, width=32)


@cache
def keeper() -> SealingVault:
    """Return one vault for all examples."""
    return SealingVault(keyring())


def blind(owner: Owner, signals: Signals) -> Blinded:
    """Blind under the owner's keys."""
    return asyncio.run(keeper().blind(owner, signals))


def rotate(vector: Vector, owner: Owner = ALICE, name: str = "en") -> NDArray[np.float64]:
    """Return one vector as the index would see it."""
    return blind(owner, Signals({name: vector}, {}, ())).vectors[name].astype(np.float64)


def cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the cosine of the angle between two vectors."""
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Vector, Vector]:
    """Return two vectors of one dimension that have a direction."""
    size = draw(dimensions)
    one, other = (draw(arrays.arrays(np.float32, size, elements=components)) for _ in range(2))
    assume(min(np.linalg.norm(one), np.linalg.norm(other)) > 1e-3)
    return one, other


@pytest.mark.requirement("S6")
@given(pairs())
def test_the_transform_keeps_cosine_and_length(pair: tuple[Vector, Vector]) -> None:
    """Angles and lengths are the same before and after, to 1e-5, in every dimension."""
    one, other = pair
    plain = cosine(one.astype(np.float64), other.astype(np.float64))
    assert abs(cosine(rotate(one), rotate(other)) - plain) < 1e-5
    assert abs(np.linalg.norm(rotate(one)) / np.linalg.norm(one.astype(np.float64)) - 1) < 1e-5


@pytest.mark.requirement("S6", "R1")
@given(st.integers(0, 2**32 - 1), st.sampled_from([384, 512]))
def test_vectors_of_two_subjects_or_names_do_not_compare(seed: int, size: int) -> None:
    """The same vector under two subjects, or two names, is as far from itself as any other."""
    vector = np.random.default_rng(seed).normal(size=size).astype(np.float32)
    mine = rotate(vector)
    strangers = [rotate(vector, BOB), rotate(vector, ALICE_ELSEWHERE), rotate(vector, name="multi")]
    assert cosine(mine, rotate(vector)) > 0.999999
    assert abs(cosine(mine, vector.astype(np.float64))) < 0.35
    assert all(abs(cosine(mine, stranger)) < 0.35 for stranger in strangers)


@pytest.mark.requirement("S6")
@pytest.mark.parametrize("size", [8, 12, 384, 512])
async def test_the_transform_spreads_every_axis(size: int) -> None:
    """No axis of the plain space can be recognised by a single large component."""
    blinding = Blinding(await keyring().subject(ALICE))
    axes = np.eye(size, dtype=np.float32)
    matrix = np.array(
        [blinding.blind(Signals({"en": axis}, {}, ())).vectors["en"] for axis in axes]
    )
    assert np.allclose(matrix @ matrix.T, np.eye(size), atol=1e-5)
    if size > 64:
        assert np.abs(matrix).max() < 0.5


@pytest.mark.requirement("R1")
@given(st.dictionaries(words, weights, max_size=12))
def test_terms_match_within_one_subject_only(terms: dict[str, float]) -> None:
    """Equal words have equal ids for one subject, and none in common with another's."""
    mine, again = blind(ALICE, Signals({}, terms, ())), blind(ALICE, Signals({}, terms, ()))
    assert mine.sparse == again.sparse
    assert len(mine.sparse.ids) == len(terms)
    assert sum(mine.sparse.weights) == pytest.approx(sum(terms.values()))
    assert list(mine.sparse.ids) == sorted(set(mine.sparse.ids))
    for stranger in (BOB, ALICE_ELSEWHERE):
        assert not set(mine.sparse.ids) & set(blind(stranger, Signals({}, terms, ())).sparse.ids)


@pytest.mark.requirement("R1")
@given(st.lists(words, min_size=1, max_size=6))
def test_entities_match_within_one_subject_only(entities: list[str]) -> None:
    """Equal entities have equal ids for one subject; ids hide order and repetition."""
    mine = blind(ALICE, Signals({}, {}, tuple(entities)))
    assert mine.entities == blind(ALICE, Signals({}, {}, tuple(reversed(entities)))).entities
    assert len(mine.entities) == len(set(entities))
    assert not set(mine.entities) & set(blind(BOB, Signals({}, {}, tuple(entities))).entities)
    assert not set(mine.entities) & set(
        blind(ALICE_ELSEWHERE, Signals({}, {}, tuple(entities))).entities
    )


@pytest.mark.requirement("R1")
def test_colliding_terms_add_their_weights() -> None:
    """Two words that fall on one 32-bit id are one term with the sum of both weights."""
    ids: dict[int, str] = {}
    blinding = asyncio.run(_blinding())
    for n in range(400_000):
        word = f"word-{n}"
        (id,) = blinding.blind(Signals({}, {word: 1.0}, ())).sparse.ids
        if id in ids:
            pair = {word: 1.5, ids[id]: 2.0}
            assert blinding.blind(Signals({}, pair, ())).sparse.weights == (3.5,)
            return
        ids[id] = word
    pytest.fail("no collision among 400,000 words")


async def _blinding() -> Blinding:
    return Blinding(await keyring().subject(ALICE))
