"""A cross-encoder from a local directory: a sequence classifier of one score, read for how well a
text answers a question.

Both are cut to what the model reads at once, the longer one first. What is cut off goes unread here
and nowhere else: the order alone rests on it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from guard.errors import InvalidError, UnavailableError
from guard.models.batching import BatchBounds, Batching, alike
from guard.models.directory import read
from guard.models.loading import Head, attempted, loaded
from guard.models.vectors import readable

_FIELD: Final = "recall.cross_encoder"
_WHAT: Final = "cross_encoder"
_BETWEEN: Final = "\0"
"""Stands between question and text on their way to the thread; no stored text holds one."""
_AT_ONCE: Final = 8
_READY: Final = (("ready?", "ready"), ("where is it " * 400, "x " * 4000))


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to load a directory. `tokens` is for question and text together, and only lowers."""

    tokens: int = 256
    threads: int = 2


class Model(Protocol):
    """A tokenizer and a classifier of one score."""

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return one row per question and text."""
        ...


class CrossEncoder:
    """Fulfils `guard.closely.PairReader`, in a thread of its own; late answers are none."""

    def __init__(self, model: Model, version: str, bounds: BatchBounds | None = None) -> None:
        self._model = model
        self._version = version
        self._batching = Batching(self._run, bounds or BatchBounds(), _WHAT)

    @classmethod
    def load(
        cls, directory: Path, options: Options | None = None, bounds: BatchBounds | None = None
    ) -> Self:
        """Return a reader over the model in `directory`; no network.

        Raises InvalidError for a directory that can't or must not be loaded, and UnavailableError
        when the extra is not installed or the model does not work.
        """
        options = options or Options()
        manifest = read(directory, _FIELD)
        model = attempted(lambda: _proven(manifest.weights, options), _WHAT)
        version = manifest.version(model.tokens)
        return cls(model, version, bounds)

    @property
    def version(self) -> str:
        """Family, digest of the directory, and how much is read at once."""
        return self._version

    async def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, in order. Raises UnavailableError."""
        asked = readable(question).replace(_BETWEEN, " ")
        return await self._batching.submit([asked + _BETWEEN + readable(text) for text in texts])

    async def close(self) -> None:
        """Refuse what waits, let the running batch answer, and end the thread. Idempotent."""
        await self._batching.close()

    def _run(self, joined: Sequence[str]) -> list[float]:
        pairs = [(asked, text) for asked, _, text in (one.partition(_BETWEEN) for one in joined)]
        found: dict[int, float] = {}
        for group in alike([len(one) for one in joined]):
            for start in range(0, len(group), _AT_ONCE):
                part = group[start : start + _AT_ONCE]
                rows = self._model.logits([pairs[i] for i in part])
                found |= zip(part, answering(rows, len(part)), strict=True)
        return [found[i] for i in range(len(joined))]


class _Torch:
    """Fulfils `Model` through transformers, one call at a time."""

    def __init__(self, weights: Path, options: Options) -> None:
        found = loaded(weights, Head.SEQUENCE, options.threads, _FIELD)
        self._torch, self._tokenizer, self._model = found
        self._filler = found.filler
        self.tokens = min(options.tokens, found.longest())
        if (many := int(self._model.config.num_labels)) != 1:
            raise InvalidError(f"{_FIELD}: it has {many} scores for a pair, and not one")

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return one row per pair; the shorter ones are filled up and the filling is masked."""
        found = self._tokenizer(
            [asked for asked, _ in pairs],
            [text for _, text in pairs],
            truncation="longest_first",
            max_length=self.tokens,
            padding=False,
            # A text that spells out the model's own marks must not end, or mask, anything by them.
            split_special_tokens=True,
        )
        tensor = self._torch.from_numpy
        rows: Sequence[Sequence[int]] = found["input_ids"]
        inputs = {
            "input_ids": tensor(_filled(rows, self._filler)),
            "attention_mask": tensor(_filled([[1] * len(row) for row in rows], 0)),
        }
        # Which part a token belongs to, for models that were told so when they learned.
        if "token_type_ids" in found:
            inputs["token_type_ids"] = tensor(_filled(found["token_type_ids"], 0))
        with self._torch.inference_mode():
            answer = self._model(**inputs)
        scores: NDArray[np.float64] = answer.logits.numpy().astype(np.float64)
        return scores


def answering(logits: NDArray[np.float64], count: int) -> list[float]:
    """Return each logit as a share of 1. Raises UnavailableError for what is no number, or none."""
    if logits.shape != (count, 1) or not bool(np.isfinite(logits).all()):
        raise UnavailableError(_WHAT)
    return [float(one) for one in 1.0 / (1.0 + np.exp(-np.clip(logits[:, 0], -60.0, 60.0)))]


def _proven(weights: Path, options: Options) -> _Torch:
    """Return the model when it answers for a short pair and for one that is cut."""
    model = _Torch(weights, options)
    answering(model.logits(_READY), len(_READY))
    return model


def _filled(rows: Sequence[Sequence[int]], filler: int) -> NDArray[np.int64]:
    whole = np.full((len(rows), max(map(len, rows))), filler, dtype=np.int64)
    for place, row in enumerate(rows):
        whole[place, : len(row)] = row
    return whole
