"""Vectors from a local model directory, through transformers and torch: the extra `models`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from guard.models.batching import BatchBounds, Batching, alike
from guard.models.directory import Manifest, Pooling, read
from guard.models.loading import Head, attempted, loaded
from guard.models.vectors import VECTOR, Prefixes, readable, sound, unit
from guard.ports import EmbedderId, Purpose
from memory.signals import Vectors

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to one unit row per text."""

_FIELD: Final = "embedder.directory"
_UNUSED: Final = "pooler."
"""Weights that many directories lack and nothing here uses."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to load a directory; None where it may say so itself. `max_tokens` only lowers."""

    pooling: Pooling | None = None
    max_tokens: int = 512
    question_prefix: str | None = None
    memory_prefix: str | None = None
    threads: int = 2


class TransformersEmbedder:
    """Embeds with a local model, off the event loop, batched across concurrent callers."""

    def __init__(
        self, id: EmbedderId, encode: Encode, prefixes: Prefixes, bounds: BatchBounds | None = None
    ) -> None:
        self._id = id
        self._encode = encode
        self._prefixes = prefixes
        self._batching = Batching(self._run, bounds or BatchBounds())

    @classmethod
    def load(
        cls,
        directory: Path,
        options: Options | None = None,
        bounds: BatchBounds | None = None,
    ) -> Self:
        """Return an embedder over the model in `directory`; no network.

        Raises InvalidError for a directory that can't or must not be loaded, and UnavailableError
        when the extra is not installed or the model does not work.
        """
        options = options or Options()
        # (1) What the directory says, and what is asked for instead.
        manifest = read(directory, _FIELD)
        pooling = options.pooling or manifest.pooling or Pooling.MEAN
        prefixes = _prefixes(manifest, options)

        # (2) Load, and prove with a short and a longest text that it works.
        model, size = attempted(lambda: _proven(manifest, pooling, options), "embedder")

        # (3) Its name says all that decides what a vector is.
        shape = f"{manifest.family}-{manifest.digest[:12]}/{pooling}/{model.max_tokens}"
        name = f"transformers:{shape}{prefixes.mark}"
        return cls(EmbedderId(name, {VECTOR: size}), model.encode, prefixes, bounds)

    @property
    def id(self) -> EmbedderId:
        """The model that answers."""
        return self._id

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Return one set of named unit vectors per text, in order. Raises UnavailableError."""
        return await self._batching.submit(
            [self._prefixes.before(readable(text), purpose) for text in texts]
        )

    async def close(self) -> None:
        """Refuse what waits, let the running batch answer, and end the thread. Idempotent."""
        await self._batching.close()

    def _run(self, texts: Sequence[str]) -> list[Vectors]:
        return [{VECTOR: row} for row in sound(self._encode(texts), len(texts))]


class _Model:
    """Tokenizer and weights, one call at a time."""

    def __init__(self, manifest: Manifest, pooling: Pooling, options: Options) -> None:
        found = loaded(manifest.weights, Head.NONE, options.threads, _FIELD, _UNUSED)
        self._torch, self._tokenizer, self._model = found
        self._pooling = pooling
        self._filler = found.filler
        self.max_tokens = min(options.max_tokens, found.longest(manifest.max_tokens))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text; texts of like length run together."""
        found = self._tokenizer(
            list(texts), truncation=True, max_length=self.max_tokens, padding=False
        )
        tokens = [list(ids) or [self._filler] for ids in found["input_ids"]]
        rows: dict[int, NDArray[np.float32]] = {}
        for group in alike([len(ids) for ids in tokens]):
            rows |= zip(group, self._pooled([tokens[i] for i in group]), strict=True)
        return np.stack([rows[i] for i in range(len(texts))])

    def _pooled(self, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        shape = (len(tokens), max(map(len, tokens)))
        ids = np.full(shape, self._filler, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, one in enumerate(tokens):
            ids[row, : len(one)] = one
            mask[row, : len(one)] = 1
        tensor = self._torch.from_numpy
        with self._torch.inference_mode():
            answer = self._model(input_ids=tensor(ids), attention_mask=tensor(mask))
        hidden: NDArray[np.float64] = answer.last_hidden_state.numpy().astype(np.float64)
        if self._pooling is Pooling.CLS:
            return unit(hidden[:, 0])
        weights = mask.astype(np.float64)
        return unit(np.einsum("btd,bt->bd", hidden, weights) / weights.sum(1, keepdims=True))


def _proven(manifest: Manifest, pooling: Pooling, options: Options) -> tuple[_Model, int]:
    model = _Model(manifest, pooling, options)
    return model, model.encode(["ready", "x " * model.max_tokens]).shape[1]


def _prefixes(manifest: Manifest, options: Options) -> Prefixes:
    question, memory = options.question_prefix, options.memory_prefix
    return Prefixes(
        manifest.prefixes.question if question is None else question,
        manifest.prefixes.memory if memory is None else memory,
    )
