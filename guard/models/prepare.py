"""What the set-up does once: verify the packaged models and lay out what speeds up loading.

Of everything tried, one conversion pays: the word table of the multilingual model, inflated into a
file that is mapped instead of read. It halves the reading of that model's weights and keeps 65 MB
out of the process's own memory. The table has a pinned digest of its own, so the prepared folder
needs no trust. Needs no network; a second run only checks.
"""

from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from guard.errors import UnavailableError
from guard.models.files import PACKAGED, USE_WEIGHTS, Progress, locate, verify
from guard.ports import EmbedderId

EMBEDDER: Final = EmbedderId(name="packaged-minilm-use@1", dimensions={"en": 384, "multi": 512})

TABLE: Final = "use-table.u8"
TABLE_SHAPE: Final = (128_010, 512)
TABLE_SHA256: Final = "e3b04614bbeaaad07dca3f5ad94eacc77962b4d7c07ed0fa37345f412b7e33b0"
_TABLE_BYTES: Final = TABLE_SHAPE[0] * TABLE_SHAPE[1]
_BLOCKS: Final = 17
_MARKER: Final = "prepared.json"


class Prepared(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The marker: which embedder a folder was prepared for. Written last."""

    embedder: str
    table: str


def prepare(target: Path, progress: Progress) -> None:
    """Make `target` ready for `PackagedEmbedder.load`. Idempotent, and offline.

    Raises UnavailableError when a packaged file is missing or not the pinned one.
    """
    # (1) The packaged files are what was pinned.
    check_packaged(progress)

    # (2) The table exists and is what was pinned; else make it anew.
    target.mkdir(parents=True, exist_ok=True)
    if not _prepared(target):
        _write_table(target, progress)
    check_table(target, progress)

    # (3) Say so, last of all.
    marker = Prepared(EMBEDDER.name, TABLE_SHA256)
    _replace(target / _MARKER, msgspec.json.encode(marker))


def check_packaged(progress: Progress) -> None:
    """Return when every packaged file has its pinned digest; raise UnavailableError otherwise."""
    meter = _Meter("verify", sum(file.size for file in PACKAGED), progress)
    for file in PACKAGED:
        verify(locate(file), file.sha256, meter.advance)


def check_table(target: Path, progress: Progress) -> Path:
    """Return the prepared table. Raises UnavailableError when it is not the pinned one."""
    path = target / TABLE
    verify(path, TABLE_SHA256, _Meter("verify table", _TABLE_BYTES, progress).advance)
    return path


def _prepared(target: Path) -> bool:
    try:
        marker = msgspec.json.decode((target / _MARKER).read_bytes(), type=Prepared)
        size = (target / TABLE).stat().st_size
    except (OSError, msgspec.DecodeError):
        return False
    return marker == Prepared(EMBEDDER.name, TABLE_SHA256) and size == _TABLE_BYTES


def _write_table(target: Path, progress: Progress) -> None:
    """Inflate the seventeen blocks; row i of block b is the piece with id 17 i + b."""
    meter = _Meter("inflate table", _TABLE_BYTES, progress)
    table = np.empty(TABLE_SHAPE, dtype=np.uint8)
    with np.load(locate(USE_WEIGHTS), allow_pickle=False) as weights:
        for block in range(_BLOCKS):
            rows = weights[f"q{block + 1}"]
            table[block::_BLOCKS] = rows
            meter.advance(rows.nbytes)
    _replace(target / TABLE, table.data)


def _replace(path: Path, content: bytes | memoryview) -> None:
    """Write beside and rename, so that a reader sees all of the file or none of it."""
    fresh = path.with_suffix(".part")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    except OSError:
        raise UnavailableError(f"embedder: {path.name} cannot be written") from None


class _Meter:
    """Adds up bytes and passes the sum on."""

    def __init__(self, step: str, total: int, progress: Progress) -> None:
        self._step = step
        self._total = total
        self._progress = progress
        self._done = 0

    def advance(self, count: int) -> None:
        self._done += count
        self._progress(self._step, self._done, self._total)
