"""How many unrelated questions a text is near to, against what ordinary texts reach (W8).

A retrieval magnet is written to be recalled whatever is asked. The yardstick is made with the model
that serves, so that nothing has to be calibrated by hand when another one does.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from guard.everyday import ASKED, ORDINARY, QUESTIONS
from guard.ports import Embedder, Purpose
from memory.signals import Vector, Vectors

_AT_ONCE: Final = 16
_FLOOR: Final = 0.01
"""Least spread that is believed in: of a model that tells nothing apart, nothing stands out."""
_STATED: Final = 6.0
"""Spreads above ordinary statements from which a statement is a magnet."""
_ASKED: Final = 4.0
"""Spreads above ordinary questions from which a question is one. To some models every question is
near to every other, so that those are another kind of text."""

_HAN = re.compile("[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+")
_SENTENCE_ENDS = re.compile(r"[.!。！;；\n](?=.*\w)", re.DOTALL)
_ASKS = re.compile(
    r"^\W*(?:what|when|where|who|whose|why|which|how|can|could|do|does|did|is|are|will|would"
    r"|should|any|tell|give|find|show|list|explain|describe|recommend|suggest|help)\b",
    re.IGNORECASE,
)
_ASKS_CN = re.compile(
    "什么|怎么|怎样|吗|呢|哪|几|谁|如何|多少|是否|有没有|能不能|可不可以|啥|咋|好不好|请问"
)

Matrix = NDArray[np.float32]
Usual = tuple[float, float]
"""Mean and spread of what ordinary texts of a kind reach."""


MAGNET: Final = 1.0
"""Pull from which on a text is a magnet."""


class Magnets:
    """Tells magnets by the embedder that serves. The bank is made when it is first needed, so that
    a gateway starts while its embedder is away; `run` makes it before.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._making = asyncio.Lock()
        self._bank: Bank | None = None

    async def pull(self, text: str, vectors: Vectors) -> float:
        """Return how near a text is to everything, see `Bank.pull`. Raises UnavailableError."""
        return (await self._made()).pull(text, vectors)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Make the bank meanwhile; a write that needs it sooner waits for it."""
        making = asyncio.create_task(self._made(), name="magnets")
        try:
            yield
        finally:
            making.cancel()
            # An embedder that is away is asked again by the first write.
            await asyncio.gather(making, return_exceptions=True)

    async def _made(self) -> "Bank":
        async with self._making:
            if self._bank is None:
                self._bank = await bank_of(self._embedder)
        return self._bank


class Bank(msgspec.Struct, frozen=True):
    """Embedded questions by vector name and language, and what ordinary texts reach there.

    A text is held against the questions of its own language alone: a model that does not know a
    script takes all that is written in it for the same. The third key of `usual` is whether the
    text is a question.
    """

    questions: Mapping[str, Mapping[str, Matrix]]
    usual: Mapping[tuple[str, str, bool], Usual]

    def pull(self, text: str, vectors: Vectors) -> float:
        """Return how near a text is to the questions: from 1 on, as near as no ordinary text.

        The most of any vector: to be a magnet for one model is enough.
        """
        language, question = language_of(text), is_question(text)
        bar = _ASKED if question else _STATED
        most = 0.0
        for name, vector in vectors.items():
            if name not in self.questions:
                continue
            matrix = self.questions[name][language]
            mean, spread = self.usual[name, language, question]
            if matrix.shape[1:] == vector.shape:
                most = max(most, (_reach(matrix, vector) - mean) / spread / bar)
        return most


async def bank_of(embedder: Embedder) -> Bank:
    """Return the bank that this embedder makes. Raises UnavailableError."""
    banked = {
        language: await _embedded(embedder, texts, Purpose.QUESTION)
        for language, texts in QUESTIONS.items()
    }
    kinds = {
        question: (texts, await _embedded(embedder, texts, Purpose.MEMORY))
        for question, texts in ((False, ORDINARY), (True, ASKED))
    }
    names = embedder.id.dimensions
    questions = {
        name: {language: _stack(name, made) for language, made in banked.items()} for name in names
    }
    usual: dict[tuple[str, str, bool], Usual] = {}
    for name in names:
        for language, matrix in questions[name].items():
            for question, (texts, made) in kinds.items():
                reached = [
                    _reach(matrix, vectors[name])
                    for text, vectors in zip(texts, made, strict=True)
                    if language_of(text) == language
                ]
                spread = max(_FLOOR, float(np.std(reached)))
                usual[name, language, question] = (float(np.mean(reached)), spread)
    return Bank(questions, usual)


def language_of(text: str) -> str:
    """Return `zh` for a text that is Chinese for the most part, names in it aside, else `en`."""
    return "zh" if 2 * len(_HAN.findall(text)) > len(_LATIN_WORD.findall(text)) else "en"


def is_question(text: str) -> bool:
    """Return whether a text asks: by its mark, or as one sentence that begins or reads like it."""
    if "?" in text or "？" in text:
        return True
    one = _SENTENCE_ENDS.search(text) is None
    return one and (_ASKS.match(text) or _ASKS_CN.search(text)) is not None


def _reach(matrix: Matrix, vector: Vector) -> float:
    """Return the cosine that half of the questions reach: a few near ones do not move it."""
    cosines = np.sort(matrix @ vector)
    half = len(cosines) // 2
    return float(np.mean(cosines[half - 1 + len(cosines) % 2 : half + 1]))


def _stack(name: str, made: Iterable[Vectors]) -> Matrix:
    return np.stack([vectors[name] for vectors in made])


async def _embedded(embedder: Embedder, texts: Sequence[str], purpose: Purpose) -> list[Vectors]:
    made: list[Vectors] = []
    for start in range(0, len(texts), _AT_ONCE):
        made += await embedder.embed(texts[start : start + _AT_ONCE], purpose)
    return made
