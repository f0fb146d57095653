"""Looks for words in every byte of a folder, in each form that a careless program might leave."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

_PAGE: Final = 4096
_BASE64_GROUP: Final = 3


class Trace(NamedTuple):
    """A word that was found: which, in which form, and where."""

    word: str
    form: str
    file: str


def forms(word: str) -> Mapping[str, bytes]:
    """Return the byte sequences that betray a word, by the name of the form."""
    utf8 = word.encode()
    found = {
        "utf-8": utf8,
        "utf-16-le": word.encode("utf-16-le"),
        "utf-16-be": word.encode("utf-16-be"),
        "utf-32-le": word.encode("utf-32-le"),
        "gb18030": word.encode("gb18030"),
        "lower": word.lower().encode(),
        "upper": word.upper().encode(),
        "hex": utf8.hex().encode(),
        "HEX": utf8.hex().upper().encode(),
        "percent": "".join(f"%{byte:02X}" for byte in utf8).encode(),
        "json": word.encode("ascii", "backslashreplace"),
        "reversed": utf8[::-1],
    }
    for shift in range(_BASE64_GROUP):
        coded = _base64_at(utf8, shift)
        found[f"base64+{shift}"] = coded
        found[f"base64url+{shift}"] = coded.translate(bytes.maketrans(b"+/", b"-_"))
        found[f"base64(utf-16)+{shift}"] = _base64_at(word.encode("utf-16-le"), shift)
    return found


def _base64_at(data: bytes, shift: int) -> bytes:
    """Return what `data` looks like inside a longer Base64 text, `shift` bytes into a group."""
    coded = base64.b64encode(bytes(shift) + data).rstrip(b"=")
    # Characters at the seams also hold bits of the neighbours.
    start = 0 if shift == 0 else shift + 1
    end = len(coded) if (shift + len(data)) % _BASE64_GROUP == 0 else len(coded) - 1
    return coded[start:end]


def traces(folder: Path, words: Iterable[str], *, leave_out: Iterable[str] = ()) -> list[Trace]:
    """Return every word that is found in any file under `folder`, or in a file's name."""
    needles = [(word, name, form) for word in words for name, form in forms(word).items()]
    found: list[Trace] = []
    for path, relative in _files(folder, frozenset(leave_out)):
        haystack = relative.encode() + b"\0" + dense(path)
        found += [Trace(word, name, relative) for word, name, form in needles if form in haystack]
    return found


def _files(folder: Path, leave_out: frozenset[str]) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if relative.parts[0] not in leave_out and path.is_file():
            yield path, str(relative)


def dense(path: Path) -> bytes:
    """Return a file's bytes without pages of zeros: preallocated files are mostly holes."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return b""  # a running gateway tidies up
    pages = (content[start : start + _PAGE] for start in range(0, len(content), _PAGE))
    return b"".join(page for page in pages if page.count(0) < len(page))
