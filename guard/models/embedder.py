"""The packaged default: two named vectors per text, offline, without torch."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from guard.errors import GuardError, UnavailableError
from guard.models.batching import BatchBounds, Batching
from guard.models.files import MINILM, USE_PIECES, USE_WEIGHTS, WORDPIECES, locate
from guard.models.minilm import MiniLm
from guard.models.prepare import EMBEDDER, check_packaged, check_table
from guard.models.use import MultilingualUse
from guard.models.vectors import readable, sound
from guard.ports import EmbedderId, Purpose
from memory.signals import Vectors

Model = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to one row per text."""


class PackagedEmbedder:
    """Embeds with the packaged models, off the event loop, batched across concurrent callers.

    Keeps no text: a cache of recent texts would be plaintext that outlives its request, and that
    an erasure would have to reach.
    """

    def __init__(self, models: dict[str, Model], bounds: BatchBounds | None = None) -> None:
        self._models = models
        self._batching = Batching(self._run, bounds or BatchBounds())

    @classmethod
    def load(cls, prepared: Path, *, threads: int = 2, bounds: BatchBounds | None = None) -> Self:
        """Return an embedder over the models in `prepared`; takes a second or two, no network.

        Raises UnavailableError when `prepare` has not been run there, or when any file is not
        the pinned one.
        """
        # (1) Nothing is loaded that was not pinned.
        check_packaged(_quiet)
        table = check_table(prepared, _quiet)

        # (2) Load.
        try:
            minilm = MiniLm(locate(MINILM), locate(WORDPIECES), threads)
            use = MultilingualUse(locate(USE_WEIGHTS), locate(USE_PIECES), table, threads)
        except GuardError:
            raise
        # The runtimes raise bare exceptions of their own; any of them means: no embedder.
        except Exception:  # noqa: BLE001
            raise UnavailableError("embedder: the models do not load") from None
        return cls({"en": minilm.embed, "multi": use.embed}, bounds)

    @property
    def id(self) -> EmbedderId:
        """The model that answers."""
        return EMBEDDER

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Return one set of named unit vectors per text, in order. Raises UnavailableError."""
        del purpose  # both models read a question as they read what answers it
        return await self._batching.submit([readable(text) for text in texts])

    async def close(self) -> None:
        """Refuse what waits, let the running batch answer, and end the thread. Idempotent."""
        await self._batching.close()

    def _run(self, texts: Sequence[str]) -> list[Vectors]:
        rows = {name: sound(model(texts), len(texts)) for name, model in self._models.items()}
        return [{name: vectors[i] for name, vectors in rows.items()} for i in range(len(texts))]


def _quiet(_step: str, _done: int, _total: int) -> None:
    """Report progress to nobody."""
