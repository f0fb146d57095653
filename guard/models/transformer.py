"""Vectors from a local model directory, through transformers and torch: the extra `models`.

Both are imported when a model is loaded and not before: the packaged default needs neither. Weights
come from safetensors alone, no code of the directory is run, and no hub is asked.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from guard.errors import GuardError, InvalidError, UnavailableError
from guard.models.batching import BatchBounds, Batching, alike
from guard.models.directory import Manifest, Pooling, read
from guard.models.vectors import VECTOR, Prefixes, readable, sound, unit
from guard.ports import EmbedderId, Purpose
from memory.signals import Vectors

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to one unit row per text."""

_NO_LIMIT: Final = 1_000_000
"""Tokenizers that know no limit say some absurd number above this one."""
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
        manifest = read(directory)
        pooling = options.pooling or manifest.pooling or Pooling.MEAN
        prefixes = _prefixes(manifest, options)

        # (2) Load, and prove with a short and a longest text that it works.
        try:
            model = _Model(manifest, pooling, options)
            size = model.encode(["ready", "x " * model.max_tokens]).shape[1]
        except ImportError:
            raise UnavailableError(
                "embedder: transformers and torch are not installed: "
                "pip install 'memguard-gateway[models]'"
            ) from None
        except GuardError:
            raise
        # The runtimes raise whatever they like; any of it means: no embedder.
        except Exception as error:  # noqa: BLE001
            kind = type(error).__name__
            raise UnavailableError(f"embedder: the model does not load: {kind}") from None

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
        import torch  # noqa: PLC0415 - an extra: loads with the model, not before
        import transformers  # noqa: PLC0415

        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(options.threads)
        local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        path = str(manifest.weights)
        self._torch = torch
        self._pooling = pooling
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(path, **local)
        self._model, report = transformers.AutoModel.from_pretrained(
            path, use_safetensors=True, dtype=torch.float32, output_loading_info=True, **local
        )
        _require_whole(report)
        self._model.eval()
        self.max_tokens = min(options.max_tokens, self._longest(manifest.max_tokens))

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

    @property
    def _filler(self) -> int:
        """What stands where no token does; the mask hides it."""
        known = (self._tokenizer.pad_token_id, self._tokenizer.eos_token_id)
        return next((int(id) for id in known if id is not None), 0)

    def _longest(self, said: int | None) -> int:
        """Return how many tokens the model reads at most."""
        limits = [n for n in (said, self._tokenizer.model_max_length) if n and n < _NO_LIMIT]
        positions = getattr(self._model.config, "max_position_embeddings", None) or _NO_LIMIT
        # Some families count positions from two; a limit that is told elsewhere allows for it.
        return int(min((*limits, positions) if limits else (positions - 2,)))


def _prefixes(manifest: Manifest, options: Options) -> Prefixes:
    question, memory = options.question_prefix, options.memory_prefix
    return Prefixes(
        manifest.prefixes.question if question is None else question,
        manifest.prefixes.memory if memory is None else memory,
    )


def _require_whole(report: Any) -> None:
    """Refuse weights that do not fit: what is missing would be filled with random numbers."""
    missing = [key for key in report["missing_keys"] if not str(key).startswith(_UNUSED)]
    if missing or report.get("mismatched_keys"):
        raise InvalidError("embedder.directory: its weights do not fit its config.json")
