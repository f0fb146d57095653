"""What simpler searches find in the same texts: BM25, and the packaged English vector alone."""

import math
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import numpy as np

from guard.models.batching import BatchBounds
from guard.models.embedder import PackagedEmbedder
from guard.models.prepare import prepare
from memory.signals import Vectors

_WORD: Final = re.compile(r"\w+")
_K1: Final = 1.2
_B: Final = 0.75
_BATCH: Final = 32


def bm25(texts: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
    """Return, per question, the places of `texts` in order of BM25 over their plain words."""
    bags = [Counter(_WORD.findall(text.casefold())) for text in texts]
    lengths = [sum(bag.values()) for bag in bags]
    mean = sum(lengths) / len(lengths)
    counts = Counter(word for bag in bags for word in bag)
    orders = []
    for question in questions:
        words = set(_WORD.findall(question.casefold()))
        scores = []
        for bag, length in zip(bags, lengths, strict=True):
            norm = _K1 * (1 - _B + _B * length / mean)
            scores.append(
                sum(
                    math.log(1 + (len(bags) - counts[word] + 0.5) / (counts[word] + 0.5))
                    * bag[word]
                    * (_K1 + 1)
                    / (bag[word] + norm)
                    for word in words
                    if word in bag
                )
            )
        orders.append(sorted(range(len(texts)), key=lambda place, s=scores: -s[place]))  # type: ignore[misc]
    return orders


async def dense(
    embedder: PackagedEmbedder, texts: Sequence[str], questions: Sequence[str]
) -> list[list[int]]:
    """Return, per question, the places of `texts` in order of the English vector's cosine."""
    stored = np.array([vectors["en"] for vectors in await _embedded(embedder, texts)])
    asked = np.array([vectors["en"] for vectors in await _embedded(embedder, questions)])
    return [np.argsort(-row, kind="stable").tolist() for row in asked @ stored.T]


@asynccontextmanager
async def packaged() -> AsyncIterator[PackagedEmbedder]:
    """Load the packaged embedder while the block runs."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), lambda *_: None)
        embedder = PackagedEmbedder.load(Path(folder), bounds=BatchBounds(deadline=600))
        try:
            yield embedder
        finally:
            await embedder.close()


async def _embedded(embedder: PackagedEmbedder, texts: Sequence[str]) -> list[Vectors]:
    found: list[Vectors] = []
    for start in range(0, len(texts), _BATCH):
        found += await embedder.embed(texts[start : start + _BATCH])
    return found
