"""The English vector: all-MiniLM-L6-v2 as int8 ONNX, mean pooling, 384 dimensions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from guard.models.batching import alike

DIMENSION: Final = 384
MAX_TOKENS: Final = 256
"""What the model was trained on; more would cost time and add nothing it knows how to read."""

_ERRORS_ONLY: Final = 3


class MiniLm:
    """Embeds texts, one call at a time."""

    def __init__(self, model: Path, wordpieces: Path, threads: int) -> None:
        onnxruntime.disable_telemetry_events()
        self._session = onnxruntime.InferenceSession(
            str(model), session_options(threads), providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(wordpieces))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), 384)."""
        encodings = self._tokenizer.encode_batch(list(texts))
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for group in alike([len(encoding.ids) for encoding in encodings]):
            vectors[group] = self._run([encodings[i] for i in group])
        return vectors

    def _run(self, encodings: Sequence[Encoding]) -> NDArray[np.float32]:
        shape = (len(encodings), max(len(e.ids) for e in encodings))
        ids = np.zeros(shape, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden: NDArray[np.float32] = self._session.run(["last_hidden_state"], feed)[0]
        pooled = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32))
        unit: NDArray[np.float32] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return unit


def session_options(threads: int) -> onnxruntime.SessionOptions:
    """Return how a model runs beside a gateway: on so many threads, and silent."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    # Threads that spin between requests would eat the cores of an idle gateway.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
