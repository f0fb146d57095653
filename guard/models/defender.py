"""The packaged injection model: stackone-defender's fine-tuned MiniLM as int8 ONNX (Apache-2.0).

Read here without its package's own code, and one text at a time: the model scales its activations
by the largest in a batch, so in company a text's score would depend on whatever else was asked.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from guard.models.minilm import session_options

HIDDEN: Final = 384
LOGITS: Final = 2
DIMENSION: Final = HIDDEN + LOGITS
MAX_TOKENS: Final = 256

_POOLED: Final = "/Div_output_0"
"""What both heads read: the mean of the last hidden states."""


class Defender:
    """Reads texts, one call at a time."""

    def __init__(self, model: Path, wordpieces: Path, threads: int) -> None:
        onnxruntime.disable_telemetry_events()
        self._session = onnxruntime.InferenceSession(
            model.read_bytes() + _also(_POOLED),
            session_options(threads),
            providers=["CPUExecutionProvider"],
        )
        self._tokenizer = Tokenizer.from_file(str(wordpieces))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the pooled hidden state and both logits per text, shape (len(texts), 386)."""
        rows = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for row, encoding in enumerate(self._tokenizer.encode_batch(list(texts))):
            ids = np.array([encoding.ids], dtype=np.int64)
            feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            pooled, logits = self._session.run([_POOLED, "logits"], feed)
            rows[row, :HIDDEN] = pooled[0]
            rows[row, HIDDEN:] = logits[0]
        return rows


def _also(tensor: str) -> bytes:
    """Return what, behind a serialised ONNX model, makes it answer with `tensor` as well.

    Protocol buffers that follow each other are merged, and repeated fields added up: this is a
    ModelProto (field 7: graph) with nothing but one more output (field 12) and its name (field 1).
    """
    name = tensor.encode()
    value = bytes((0x0A, len(name))) + name
    output = bytes((0x62, len(value))) + value
    return bytes((0x3A, len(output))) + output
