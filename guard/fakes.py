"""In-memory stand-ins for ports that need no storage: product code, for tests and small trials."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Self

import numpy as np
import regex

from guard.errors import UnavailableError
from guard.ports import EmbedderId, Purpose
from guard.relating import Reading, Said, Tie
from memory.signals import Vector, Vectors

_DIMENSIONS: Final = MappingProxyType({"en": 384, "multi": 512})
_TOKEN: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]+|[\p{L}\p{N}]+")
_HAN: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_GRAM: Final = 3


class HashEmbedder:
    """Embeds by hashing words and character n-grams: alike wording is near, nothing is understood.

    Deterministic across processes and versions, fast, needs no model files. `broken` makes it
    answer as a model that fails.
    """

    def __init__(self, dimensions: Mapping[str, int] = _DIMENSIONS) -> None:
        self._id = EmbedderId(name="hash@1", dimensions=dict(dimensions))
        self.broken = False

    @property
    def id(self) -> EmbedderId:
        """The model that answers."""
        return self._id

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Return one set of named unit vectors per text, in order. Raises UnavailableError."""
        del purpose  # hashes are alike for both
        if self.broken:
            raise UnavailableError("embedder")
        return [
            {name: _vector(text, name, size) for name, size in self._id.dimensions.items()}
            for text in texts
        ]


class EqualText:
    """Fulfils `guard.relating.Relating` without reading: no slots, and all stands beside all.

    Equal texts are known by their fingerprints and need no reading.
    """

    def read(self, said: Said) -> Reading:
        """Return nothing: a text is not understood."""
        del said
        return Reading()

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        """Return that nothing is known of any of them."""
        del new
        return [Tie.BESIDE for _ in old]

    @property
    def once(self) -> Self:
        """Return itself: there is nothing to hold."""
        return self

    @property
    def certain(self) -> Self:
        """Return itself."""
        return self

    def is_unread(self, said: Said) -> bool:
        """Return False: nobody else is asked."""
        del said
        return False

    def is_current(self, record: bytes) -> bool:
        """Return True: there is one way not to read."""
        del record
        return True


def _vector(text: str, name: str, size: int) -> Vector:
    vector = np.zeros(size, dtype=np.float32)
    # The empty gram gives every text a small part in common, and the empty text a vector at all.
    for gram, weight in (("", 0.1), *_grams(text)):
        digest = hashlib.blake2b(
            gram.encode("utf-8", "replace"), key=name.encode(), digest_size=8
        ).digest()
        number = int.from_bytes(digest, "big")
        vector[number % size] += weight if number >> 63 else -weight
    length = np.linalg.norm(vector)
    if length == 0:
        vector[0] = length = np.float32(1.0)
    return vector / length


def _grams(text: str) -> Iterator[tuple[str, float]]:
    """Yield words with weight 1, and parts of words with less: pairs of Chinese characters,
    triples of letters, so that inflected forms stay near.
    """
    for token in _TOKEN.findall(text.casefold()):
        if _HAN.match(token):
            yield from ((character, 0.5) for character in token)
            yield from ((token[i : i + 2], 1.0) for i in range(len(token) - 1))
        else:
            yield token, 1.0
            yield from ((token[i : i + _GRAM], 0.3) for i in range(len(token) - _GRAM + 1))
