"""The classifier's file: what is read from it, what is refused, and what it makes of numbers."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from guard.detectors.classifier import GROUPS
from guard.errors import UnavailableError
from guard.models.features import DIMENSION, FEATURES, parts_of
from guard.models.pinned import POISON_SHA256
from guard.models.poison import MAGIC, Card, Poison, written
from guard.models.reading import artefact
from guard.models.signs import read


def _shipped() -> Poison:
    return Poison.load(artefact(), POISON_SHA256)


@pytest.mark.requirement("W7")
def test_the_shipped_model_is_the_pinned_one_and_has_limits_that_rise() -> None:
    """It loads, reads texts as the code does, and asks more of a text the graver the finding."""
    model = _shipped()
    assert model.digest == POISON_SHA256
    assert set(model.card.limits) == set(GROUPS)
    for limits in model.card.limits.values():
        assert 0 < limits.info <= limits.low <= limits.medium <= limits.high <= 1


@pytest.mark.requirement("W7")
def test_another_file_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    """One flipped bit, or no file, is no classifier."""
    content = bytearray(artefact().read_bytes())
    content[-1] ^= 1
    other = tmp_path / "poison.bin"
    other.write_bytes(content)
    with pytest.raises(UnavailableError, match="pinned"):
        Poison.load(other, POISON_SHA256)
    with pytest.raises(UnavailableError, match="cannot be read"):
        Poison.load(tmp_path / "none", POISON_SHA256)


@pytest.mark.requirement("W7")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80\x04K\x01.",
        MAGIC,
        MAGIC + b"\x92\x80\x80",
        written(Card(FEATURES, {}, {}, 1.0), {"examples": np.zeros(3, dtype=np.float64)}),
        written(Card("another", {}, {}, 1.0), {}),
    ],
)
def test_what_is_no_model_is_refused(content: bytes) -> None:
    """Neither a pickle, nor a part of a model, nor one that reads texts otherwise is loaded."""
    with pytest.raises(UnavailableError):
        Poison.read(content)


@pytest.mark.requirement("W7")
def test_a_model_comes_back_from_its_bytes_as_it_was() -> None:
    """Reading and writing again gives the same file."""
    content = artefact().read_bytes()
    assert hashlib.sha256(content).hexdigest() == Poison.read(content).digest == POISON_SHA256


@pytest.mark.requirement("W7")
def test_the_same_numbers_give_the_same_score_and_parts_only_add() -> None:
    """Inference is deterministic, and its answer is a probability."""
    model = _shipped()
    texts = ["The harbour was quiet that morning. " * 30]
    parts = parts_of(texts)
    numbers = np.random.default_rng(0).normal(size=(len(parts), DIMENSION)).astype(np.float32)
    rows = numbers / np.linalg.norm(numbers, axis=1, keepdims=True)
    readings = [read(texts[0][part.start : part.end]) for part in parts]
    one, other = (model.judge(parts, rows, readings) for _ in range(2))
    assert one == other
    assert 0.0 <= one.score <= 1.0
    assert texts[0][one.start : one.end]
