"""What a model directory says of itself, read before any runtime is loaded.

The directory is one of Hugging Face's form, with the files of sentence-transformers when it has
them: they tell how to pool, where to cut and what to write before a text. What is said there and
not understood is refused, since a vector made otherwise than the model was trained finds little.
"""

import hashlib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import msgspec

from guard.errors import InvalidError
from guard.models.vectors import Prefixes

_PARTS: Final = frozenset({".json", ".txt", ".model", ".safetensors"})
"""Endings of the files that decide what a vector is: settings, vocabulary, weights."""
_QUESTION_PROMPTS: Final = ("query",)
_MEMORY_PROMPTS: Final = ("passage", "document")
_MODULES: Final = frozenset({"Transformer", "Pooling", "Normalize"})
_CHUNK: Final = 1 << 20


class Pooling(StrEnum):
    """How the vectors of a text's tokens become one."""

    MEAN = "mean"
    CLS = "cls"


class Manifest(msgspec.Struct, frozen=True):
    """What the directory says; None where it says nothing. `digest` is over all that decides."""

    weights: Path
    family: str
    digest: str
    pooling: Pooling | None
    max_tokens: int | None
    prefixes: Prefixes

    def version(self, tokens: int) -> str:
        """Return what decides the scores of the model, which reads so many tokens at once."""
        return f"{self.family[:12]}-{self.digest[:12]}/{tokens}"


class _RefusedError(Exception):
    """The directory can't or must not be loaded; says why."""


def read(directory: Path, field: str = "embedder.directory") -> Manifest:
    """Return what `directory` says. Raises InvalidError for what can't or must not be loaded.

    `field` is what the operator wrote the directory down in.
    """
    try:
        return _read(directory.resolve())
    except _RefusedError as refused:
        raise InvalidError(f"{field}: {refused}") from None


def _read(root: Path) -> Manifest:
    modules = _modules(root)

    # (1) The transformer, which in old directories has a folder of its own.
    weights = _inside(root, modules.get("Transformer", ""))
    config = _object(weights / "config.json")
    if config is None:
        raise _RefusedError("it has no config.json")
    if "auto_map" in config or "auto_map" in (_object(weights / "tokenizer_config.json") or {}):
        raise _RefusedError("its model wants to run code of its own")
    if not any(weights.glob("*.safetensors")):
        raise _RefusedError("it has no weights in safetensors form, and pickles are never loaded")

    # (2) How its tokens become one vector.
    pooling = None
    if "Pooling" in modules:
        pooling = _pooling(_object(_inside(root, modules["Pooling"]) / "config.json") or {})

    # (3) Where it cuts, and what it reads before a text.
    limits = _object(weights / "sentence_bert_config.json") or {}
    prompts = (_object(root / "config_sentence_transformers.json") or {}).get("prompts") or {}
    return Manifest(
        weights=weights,
        family=str(config.get("model_type") or "model"),
        digest=_digest(root),
        pooling=pooling,
        max_tokens=_number(limits.get("max_seq_length")),
        prefixes=Prefixes(_prompt(prompts, _QUESTION_PROMPTS), _prompt(prompts, _MEMORY_PROMPTS)),
    )


def _modules(root: Path) -> dict[str, str]:
    """Return the folder of each step by its kind; nothing when the directory lists no steps."""
    try:
        raw = (root / "modules.json").read_bytes()
    except FileNotFoundError:
        return {}
    except OSError:
        raise _RefusedError("modules.json is unreadable") from None
    try:
        steps = msgspec.json.decode(raw, type=list[dict[str, Any]])
    except msgspec.MsgspecError:
        raise _RefusedError("modules.json is unreadable") from None
    found = {str(s.get("type")).rpartition(".")[2]: str(s.get("path") or "") for s in steps}
    if len(found) != len(steps) or not found.keys() <= _MODULES:
        raise _RefusedError("modules.json has steps other than transformer, pooling, normalise")
    return found


def _pooling(config: dict[str, Any]) -> Pooling:
    modes = {key for key, on in config.items() if key.startswith("pooling_mode_") and on is True}
    named = config.get("pooling_mode")
    if config.get("include_prompt") is False:
        raise _RefusedError("it leaves prompts out of pooling")
    if modes == {"pooling_mode_mean_tokens"} or (not modes and named == "mean"):
        return Pooling.MEAN
    if modes == {"pooling_mode_cls_token"} or (not modes and named == "cls"):
        return Pooling.CLS
    raise _RefusedError("it pools neither by mean nor by the first token alone")


def _prompt(prompts: Any, names: tuple[str, ...]) -> str:
    if not isinstance(prompts, dict):
        return ""
    return next((p for name in names if isinstance(p := prompts.get(name), str) and p), "")


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _inside(root: Path, folder: str) -> Path:
    path = (root / folder).resolve()
    if not path.is_relative_to(root):
        raise _RefusedError("modules.json leads out of it")
    return path


def _object(path: Path) -> dict[str, Any] | None:
    """Return the JSON object in a file, None when there is no such file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError):
        raise _RefusedError(f"{path.name} is unreadable") from None


def _digest(root: Path) -> str:
    """Return a digest over names and contents of all files that decide what a vector is."""
    whole = hashlib.sha256()
    for path in _deciding(root):
        name = path.relative_to(root).as_posix().encode()
        whole.update(len(name).to_bytes(4, "big") + name + _file_digest(path))
    return whole.hexdigest()


def _deciding(root: Path) -> Iterator[Path]:
    found = (path for path in root.rglob("*") if path.suffix in _PARTS and path.is_file())
    # What begins with a dot is a downloader's notes.
    yield from sorted(
        path
        for path in found
        if not any(part.startswith(".") for part in path.relative_to(root).parts)
    )


def _file_digest(path: Path) -> bytes:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        raise _RefusedError(f"{path.name} is unreadable") from None
    return digest.digest()
