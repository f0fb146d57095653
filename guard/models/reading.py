"""Reads texts for the classifier: the packaged models over every part, then the trained one."""

import asyncio
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from guard.aside import aside
from guard.detectors.classifier import GROUPS, Judgement, Limits
from guard.errors import GuardError, UnavailableError
from guard.models.batching import BatchBounds, Batching
from guard.models.defender import Defender
from guard.models.features import Part, parts_of, row
from guard.models.files import DEFENDER, WORDPIECES, locate, verify
from guard.models.pinned import POISON, POISON_SHA256
from guard.models.poison import Poison
from guard.models.signs import read
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

    async def judge(self, texts: Sequence[str], vectors: Vectors | None) -> Judgement:
        """Return what the models make of a text in all its readings. Raises UnavailableError."""
        texts = [readable(text) for text in texts]
        parts = parts_of(texts)
        contents = [texts[part.text][part.start : part.end] for part in parts]
        known = [vectors] if self._shared and vectors is not None else []
        asked = contents[len(known) :]
        embedded: Sequence[Vectors] = ()
        if asked:
            embedded, defended = await asyncio.gather(
                self._embedder.embed(asked), self._batching.submit(contents)
            )
        else:
            defended = await self._batching.submit(contents)
        size = sum(map(len, contents))
        return await aside(size, self._judged, parts, contents, [*known, *embedded], defended)

    async def close(self) -> None:
        """Refuse what waits, let the running batch answer, and end the thread. Idempotent."""
        await self._batching.close()

    def _judged(
        self,
        parts: Sequence[Part],
        contents: Sequence[str],
        embedded: Sequence[Vectors],
        defended: Sequence[Defended],
    ) -> Judgement:
        readings = [read(content) for content in contents]
        rows = np.stack([row(*three) for three in zip(embedded, defended, readings, strict=True)])
        return self._poison.judge(parts, rows, readings)

    def _defended(self, texts: Sequence[str]) -> list[Defended]:
        return list(self._defender.read(texts))


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
