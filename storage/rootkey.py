"""The root key: the one secret that everything stored hangs on, and the only one kept outside.

A source is either a single key (32 raw bytes, or base64 of them) or a set of numbered keys, one
`number:base64` a line. The highest number wraps, the others only unwrap: that is how a root key is
rotated. A single key has number 1.
"""

import base64
import binascii
import os
import re
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Self

from guard.errors import InvalidError

_BYTES: Final = 32
_MAX_SOURCE_BYTES: Final = 64 * 1024
_MAX_NUMBER: Final = 2**32 - 1
_MIN_DISTINCT: Final = 16
"""Of 32 random bytes about 30 differ; fewer than this is a placeholder left in place."""
_LINE: Final = re.compile(rb"([1-9][0-9]{0,9}):(\S+)")


class RootKey:
    """Numbered 32-byte keys, the highest number in use. Shows numbers only, never a key."""

    __slots__ = ("_keys", "newest")

    def __init__(self, keys: Mapping[int, bytes]) -> None:
        if not keys or not all(0 < number <= _MAX_NUMBER for number in keys):
            raise InvalidError("root key: no usable key")
        if any(len(key) != _BYTES or _made_up(key) for key in keys.values()):
            raise InvalidError("root key: each key is 32 random bytes")
        if len(set(keys.values())) != len(keys):
            raise InvalidError("root key: the same key under two numbers")
        self._keys = dict(keys)
        self.newest = max(keys)

    @classmethod
    def from_bytes(cls, source: bytes) -> Self:
        """Return the key or keys in `source`, as a file or an environment value holds them.

        Raises InvalidError, which never quotes the source.
        """
        if len(source) == _BYTES:
            return cls({1: source})
        lines = source.split()
        if len(lines) == 1 and b":" not in lines[0]:
            return cls({1: _decoded(lines[0])})
        keys: dict[int, bytes] = {}
        for line in lines:
            match = _LINE.fullmatch(line)
            if match is None or int(match[1]) in keys:
                raise InvalidError("root key: lines are number:base64, each number once")
            keys[int(match[1])] = _decoded(match[2])
        return cls(keys)

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Return the key or keys in a file. Raises InvalidError, also when it can't be read."""
        try:
            with path.open("rb") as file:
                source = file.read(_MAX_SOURCE_BYTES)
        except OSError as error:
            raise InvalidError(f"root key: file can't be read ({type(error).__name__})") from None
        return cls.from_bytes(source)

    def key(self, number: int) -> bytes | None:
        """Return the key with this number, if the set has it."""
        return self._keys.get(number)

    def __repr__(self) -> str:
        """Name the numbers alone."""
        return f"RootKey(numbers={sorted(self._keys)})"

    def __reduce__(self) -> str:
        """Refuse to be pickled: a key goes nowhere as a side effect."""
        raise TypeError("a root key is never pickled")


def check_private(path: Path) -> None:
    """Return when nobody but the owner may touch the key file. Raises InvalidError otherwise.

    For production, where a key that another account can read is no key.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise InvalidError(f"root key: file can't be read ({type(error).__name__})") from None
    if mode & 0o077:
        raise InvalidError("root key: file must have mode 0600")


def generate_root_key(path: Path, entropy: Callable[[int], bytes] = secrets.token_bytes) -> None:
    """Create a key file of mode 0600, whole and durable or not at all.

    Raises FileExistsError rather than replace a key: everything sealed hangs on it.
    """
    line = b"1:" + base64.b64encode(entropy(_BYTES)) + b"\n"
    # Written beside and linked into place, so that a crash leaves no empty key and two first
    # starts at once agree on one.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(file, "wb") as out:
            out.write(line)
            out.flush()
            os.fsync(out.fileno())
        os.link(draft, path)
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _made_up(key: bytes) -> bool:
    """Tell a placeholder or a password from random bytes, which look like one once in 10**14."""
    return len(set(key)) < _MIN_DISTINCT or (key.isascii() and key.decode().isprintable())


def _decoded(text: bytes) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise InvalidError("root key: not base64") from None
