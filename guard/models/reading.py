"""Reads texts for the classifier: the packaged models over every part, then the trained one."""

import asyncio
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from guard.ahead import begun
from guard.aside import aside
from guard.detectors.classifier import GROUPS, Judgement, Limits
from guard.errors import GuardError, UnavailableError
from guard.models.batching import BatchBounds, Batching
from guard.models.defender import Defender
from guard.models.features import Part, parts_of, row
from guard.models.files import DEFENDER, WORDPIECES, locate, verify
from guard.models.pinned import POISON, POISON_SHA256
from guard.models.poison import Poison
from guard.models.signs import Reading, read
from guard.models.vectors import readable
from guard.ports import Embedder
from memory.signals import Vectors

_WHAT: Final = "classifier"
_VERSION: Final = "poison@"
_DIGITS: Final = 16

Defended = NDArray[np.float32]


class PoisonReader:
    """Fulfils `guard.detectors.classifier.Reader`, off the event loop.

    `embedder` is the packaged one. `shared` says that memories are found by its vectors, too, so
    that those of a text need not be made twice.
    """

    def __init__(
        self,
        embedder: Embedder,
        defender: Defender,
        poison: Poison,
        *,
        shared: bool,
        bounds: BatchBounds | None = None,
    ) -> None:
        self._embedder, self._defender, self._poison = embedder, defender, poison
        self._shared = shared
        self._batching = Batching(self._defended, bounds or BatchBounds(), _WHAT)

    @classmethod
    def load(
        cls,
        embedder: Embedder,
        *,
        shared: bool,
        threads: int = 2,
        bounds: BatchBounds | None = None,
    ) -> Self:
        """Return a reader over the packaged models and the shipped classifier; no network.

        Raises UnavailableError when a file is missing or not the pinned one.
        """
        poison = Poison.load(artefact(), POISON_SHA256)
        # The products of one text are small: a second thread costs many times what it saves. Who
        # multiplies more (the multilingual model) sets its own number while it does.
        threadpool_limits(1, user_api="blas")
        return cls(embedder, loaded_defender(threads), poison, shared=shared, bounds=bounds)

    @property
    def version(self) -> str:
        """The digest of the trained model; the packaged ones are pinned with it."""
        return _VERSION + self._poison.digest[:_DIGITS]

    @property
    def limits(self) -> Sequence[Limits]:
        """What counts as suspicious, in the order of `GROUPS`."""
        return [self._poison.card.limits[group] for group in GROUPS]

    def begin(self, text: str, *, embedded: bool) -> "Asked":
        """Ask the packaged models about a text. What fails is raised when it is waited for."""
        text = readable(text)
        known = self._shared and embedded
        return Asked(self, text, self.ask([text], embedded=not known))

    async def close(self) -> None:
        """Refuse what waits, let the running batch answer, and end the thread. Idempotent."""
        await self._batching.close()

    def ask(self, texts: Sequence[str], *, embedded: bool = True) -> "_Answers":
        """Ask the packaged models about texts, for vectors only when these are not known."""
        vectors = begun(self._embedder.embed(texts)) if embedded else None
        return _Answers(vectors, begun(self._batching.submit(texts)))

    def judged(
        self,
        parts: Sequence[Part],
        readings: Sequence[Reading],
        embedded: Sequence[Vectors],
        defended: Sequence[Defended],
    ) -> Judgement:
        """Return what the trained model makes of what the packaged ones say of each part."""
        rows = np.stack([row(*three) for three in zip(embedded, defended, readings, strict=True)])
        return self._poison.judge(parts, rows, readings)

    def _defended(self, texts: Sequence[str]) -> list[Defended]:
        return list(self._defender.read(texts))


class _Answers(NamedTuple):
    """What the packaged models were asked: for vectors, unless these are known, and by the one for
    injections.
    """

    vectors: asyncio.Task[list[Vectors]] | None
    defended: asyncio.Task[list[Defended]]

    def drop(self) -> None:
        if self.vectors is not None:
            self.vectors.cancel()
        self.defended.cancel()


class Asked:
    """Fulfils `guard.detectors.classifier.Asked`."""

    def __init__(self, reader: PoisonReader, text: str, answers: _Answers) -> None:
        self._reader = reader
        self.text = text
        self._answers = [answers]
        self._parts: Sequence[Part] = ()
        self._readings: Sequence[Reading] = ()
        self._size = 0

    async def show(self, texts: Sequence[str]) -> None:
        """Ask about every reading and every part of a long one, and look for signs in each."""
        texts = [readable(text) for text in texts]
        if texts[0] != self.text:
            raise UnavailableError(_WHAT)
        self._parts = parts_of(texts)
        contents = [texts[part.text][part.start : part.end] for part in self._parts]
        if len(contents) > 1:
            self._answers.append(self._reader.ask(contents[1:]))
        self._size = sum(map(len, contents))
        self._readings = await aside(self._size, _read, contents)

    async def judgement(self, vectors: Vectors) -> Judgement:
        """Return what the models make of all of it. Raises UnavailableError."""
        embedded: list[Vectors] = []
        defended: list[Defended] = []
        for one in self._answers:
            embedded += [vectors] if one.vectors is None else await one.vectors
            defended += await one.defended
        return await aside(
            self._size, self._reader.judged, self._parts, self._readings, embedded, defended
        )

    def drop(self) -> None:
        """Cancel what was asked."""
        for one in self._answers:
            one.drop()


def _read(contents: Sequence[str]) -> list[Reading]:
    return [read(content) for content in contents]


def artefact() -> Path:
    """Return where the shipped classifier is."""
    return Path(str(files("guard.models") / "artefacts" / POISON))


def loaded_defender(threads: int) -> Defender:
    """Return the packaged injection model. Raises UnavailableError for another than the pinned."""
    for file in (DEFENDER, WORDPIECES):
        verify(locate(file), file.sha256, lambda _count: None)
    try:
        return Defender(locate(DEFENDER), locate(WORDPIECES), threads)
    except GuardError:
        raise
    # The runtime raises bare exceptions of its own; any of them means: no classifier.
    except Exception:  # noqa: BLE001
        raise UnavailableError(f"{_WHAT}: the packaged model does not load") from None
