"""The rows that are measured on. Read here and nowhere else; none of their text leaves but to be
judged.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from memory.origin import OriginClass

FROZEN: Final = Path(__file__).parent / "rows" / "frozen.jsonl"
FROZEN_SHA256: Final = "5361a7c3cd40af57b74136a33b029525d66ad5286ac27cb02e6f8f067b8ddd54"
"""The rows were frozen before anything was tuned; with other rows the figures mean nothing."""

_OPTIONAL: Final = ("lang", "kind", "strength", "source", "origin")
_Word = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class RowsError(Exception):
    """The file is not what can be measured on. `str()` names file and line, never content."""


class Row(msgspec.Struct, frozen=True):
    """One text that somebody tries to store; label 1 is an attack. Other members are ignored."""

    text: str
    label: Literal[0, 1]
    id: str | int | None = None
    lang: _Word | None = None
    kind: _Word | None = None
    strength: _Word | None = None
    source: _Word | None = None
    origin: OriginClass | None = None


class RowFile(msgspec.Struct, frozen=True):
    """The rows of one file in its order; `total` before a limit, `missing` fields no row has."""

    name: str
    sha256: str
    rows: tuple[Row, ...]
    total: int
    missing: tuple[str, ...]


def read(path: Path, limit: int | None = None) -> RowFile:
    """Return the rows of `path`, or `limit` of them taken evenly.

    Raises RowsError for the frozen file when it is not the one that was frozen.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RowsError(f"{path}: {error.strerror}") from None
    digest = hashlib.sha256(content).hexdigest()
    if path.resolve() == FROZEN.resolve() and digest != FROZEN_SHA256:
        raise RowsError(f"{path}: SHA-256 {digest}, and {FROZEN_SHA256} was frozen")
    rows = _parsed(path, content)
    missing = [name for name in _OPTIONAL if all(getattr(row, name) is None for row in rows)]
    taken = rows if limit is None else _evenly(rows, limit)
    return RowFile(path.name, digest, tuple(taken), len(rows), tuple(missing))


def _parsed(path: Path, content: bytes) -> list[Row]:
    rows = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(msgspec.json.decode(line, type=Row))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise RowsError(f"{path}: line {number} is no row") from None
    if not rows:
        raise RowsError(f"{path}: no rows")
    return rows


def _evenly(rows: Sequence[Row], limit: int) -> Sequence[Row]:
    if limit >= len(rows):
        return rows
    return [rows[i * len(rows) // limit] for i in range(limit)]
