"""The trained classifier: a file of numbers, read without pickle, and what it makes of a text.

File: `MGPC`, one version byte, MessagePack of the card and of named arrays (dtype, shape, bytes).
Three models judge each part of a text. A kernel machine compares it with the examples it remembers,
a small network and a linear model over grams weigh what it says. A logistic model makes one
probability of what they say of the text whole and of its worst part.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from guard.detectors.classifier import Judgement, Limits
from guard.errors import UnavailableError
from guard.models.features import FAMILIES, FEATURES, Part
from guard.models.products import Products
from guard.models.signs import Reading

MAGIC: Final = b"MGPC\x01"
SUMMARY: Final = 8
"""Numbers that are weighed of a text."""

_WHAT: Final = "classifier"
_DTYPES: Final = {"i1": np.int8, "f2": np.float16, "f4": np.float32}

Array = NDArray[np.float32]


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of itself: features it reads, limits by group, data it was made from."""

    features: str
    limits: dict[str, Limits]
    data: dict[str, str]
    gamma: float


class _Array(msgspec.Struct, frozen=True, array_like=True):
    dtype: str
    shape: tuple[int, ...]
    content: bytes


class _File(msgspec.Struct, frozen=True, array_like=True):
    card: Card
    arrays: dict[str, _Array]


class Poison:
    """A loaded model. Inference is deterministic."""

    def __init__(self, card: Card, arrays: Mapping[str, Array], digest: str) -> None:
        self.card, self.digest = card, digest
        self._a = arrays
        # Small whole numbers of a column's unit: multiplied as they are kept.
        self._unit = arrays["examples_unit"]
        self._products = Products(arrays["examples"])
        examples = arrays["examples"] * self._unit
        self._squares = np.einsum("nd,nd->n", examples, examples)

    @classmethod
    def load(cls, path: Path, sha256: str) -> Self:
        """Return the model in `path`. Raises UnavailableError for another than the pinned one."""
        try:
            content = path.read_bytes()
        except OSError:
            raise UnavailableError(f"{_WHAT}: {path.name} cannot be read") from None
        digest = hashlib.sha256(content).hexdigest()
        if digest != sha256:
            raise UnavailableError(f"{_WHAT}: {path.name} is not the pinned file")
        return cls.read(content)

    @classmethod
    def read(cls, content: bytes) -> Self:
        """Return the model in these bytes. Raises UnavailableError when it does not fit."""
        if not content.startswith(MAGIC):
            raise UnavailableError(f"{_WHAT}: not a model of this version")
        try:
            file = msgspec.msgpack.decode(content[len(MAGIC) :], type=_File)
            arrays = {name: _unpacked(array) for name, array in file.arrays.items()}
        except (msgspec.DecodeError, ValueError, KeyError):
            raise UnavailableError(f"{_WHAT}: the model is damaged") from None
        if file.card.features != FEATURES:
            raise UnavailableError(f"{_WHAT}: the model reads texts otherwise: train it again")
        try:
            return cls(file.card, arrays, hashlib.sha256(content).hexdigest())
        except (ValueError, KeyError):
            raise UnavailableError(f"{_WHAT}: the model is damaged") from None

    def judge(self, parts: Sequence[Part], rows: Array, readings: Sequence[Reading]) -> Judgement:
        """Return what the model makes of a text, given every part of it as numbers."""
        marks = self.marks(rows, readings)
        score = _sigmoid(float(summary(parts, marks) @ self._a["stack"]) + self._bias("stack"))
        if len(parts) == 1:
            return Judgement(score, parts[0].text, parts[0].start, parts[0].end)
        worst = parts[self._worst(parts, marks)]
        return Judgement(score, worst.text, worst.start, worst.end)

    def _worst(self, parts: Sequence[Part], marks: Array) -> int:
        """Return the part that would score highest alone, never the whole of a text that is cut."""
        cut = {part.text for part in parts if not part.whole}
        alone = [
            -math.inf
            if part.whole and part.text in cut
            else float(summary([part], marks[[at]]) @ self._a["stack"])
            for at, part in enumerate(parts)
        ]
        return int(np.argmax(alone))

    def marks(self, rows: Array, readings: Sequence[Reading]) -> Array:
        """Return what each of the three models makes of each part, shape (parts, 3)."""
        return np.stack(
            [self._remembered(rows), self._network(rows), self._words(readings)], axis=1
        )

    def _remembered(self, rows: Array) -> Array:
        near = projected(rows, self._a)
        products = self._products.with_rows(near * self._unit).astype(np.float32)
        squares = np.einsum("nd,nd->n", near, near)[:, None] + self._squares[None, :]
        # exp(-gamma * (squares - 2 * products)), in the place of the numbers that it is made from:
        # there are thousands of them, and new memory takes as long as the arithmetic.
        products *= 2.0
        squares -= products
        squares *= -self.card.gamma
        kernel = np.exp(squares, out=squares)
        marks: Array = kernel @ self._a["examples_weights"] + self._bias("examples")
        return marks

    def _network(self, rows: Array) -> Array:
        hidden = np.maximum(0.0, rows @ self._a["hidden"] + self._a["hidden_bias"])
        marks: Array = hidden @ self._a["output"] + self._bias("output")
        return marks

    def _words(self, readings: Sequence[Reading]) -> Array:
        weights, bias = self._a["words"], self._bias("words")
        return np.array(
            [
                float(weights[r.buckets].sum()) / math.sqrt(max(1, len(r.buckets))) + bias
                for r in readings
            ],
            dtype=np.float32,
        )

    def _bias(self, name: str) -> float:
        return float(self._a[f"{name}_bias"][0])


def written(card: Card, arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    """Return a model as the bytes of its file."""
    packed = {
        name: _Array(array.dtype.str[1:], array.shape, np.ascontiguousarray(array).tobytes())
        for name, array in sorted(arrays.items())
    }
    return MAGIC + msgspec.msgpack.encode(_File(card, packed), order="sorted")


def projected(rows: Array, arrays: Mapping[str, Array]) -> Array:
    """Return rows as the kernel machine sees them: each family but the last on its main axes."""
    families = [
        (rows[:, low:high] - arrays[f"centre_{at}"]) @ arrays[f"axes_{at}"]
        for at, (low, high) in enumerate(FAMILIES[:-1])
    ]
    low, high = FAMILIES[-1]
    return np.hstack([*families, rows[:, low:high]])


def summary(parts: Sequence[Part], marks: Array) -> Array:
    """Return what is weighed of a text: each model's mark for it whole and for its worst part.

    Whether there are several readings and how many parts there are tells how much the worst of them
    means.
    """
    whole = marks[[part.whole for part in parts]] if any(p.whole for p in parts) else marks
    several = len({part.text for part in parts}) > 1
    return np.array(
        [*whole.max(axis=0), *marks.max(axis=0), float(several), math.log(len(parts))],
        dtype=np.float32,
    )


def _unpacked(array: _Array) -> Array:
    flat = np.frombuffer(array.content, dtype=_DTYPES[array.dtype])
    return flat.reshape(array.shape).astype(np.float32)


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(30.0, max(-30.0, value))))
