"""Disguises that attackers use, to be learned from: put on attacks and on honest texts alike.

A harmless line in base64 is harmless. A classifier that saw disguise on attacks alone would take
the disguise for the attack.
"""

import base64
import codecs
import hashlib
from collections.abc import Callable
from typing import Final

_LEET: Final = str.maketrans("aeiostAEIOST", "431057431057")
_LOOKS: Final = str.maketrans("aceiopxyABCEHKMOPTX", "асеіорхуАВСЕНКМОРТХ")
_WIDE: Final = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_EVERY: Final = 4
"""One text in this many is learned from in disguise, too."""
_LONGEST: Final = 400
_ZERO_WIDTH: Final = "\u200b"


def _base64(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "replace")).decode()


def _framed(text: str) -> str:
    return f"payload: {_base64(text)}"


def _hex(text: str) -> str:
    return text.encode("utf-8", "replace").hex()


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "replace"))


def _rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


def _leet(text: str) -> str:
    return text.translate(_LEET)


def _looks(text: str) -> str:
    return text.translate(_LOOKS)


def _zero_width(text: str) -> str:
    return _ZERO_WIDTH.join(text)


def _spaced(text: str) -> str:
    return "   ".join(" ".join(word) for word in text.split())


def _wide(text: str) -> str:
    return text.translate(_WIDE)


def _comment(text: str) -> str:
    return f"<!-- {text} -->"


_LATIN: Final[tuple[Callable[[str], str], ...]] = (
    *(_base64, _framed, _hex, _percent, _rot13, _leet, _looks),
    *(_zero_width, _spaced, _wide, _comment),
)
_ANY: Final[tuple[Callable[[str], str], ...]] = (
    *(_base64, _framed, _hex, _percent, _zero_width, _spaced, _comment),
)


def disguised(text: str) -> str | None:
    """Return some texts in a disguise, the same each time, and None for the others."""
    lot = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:4], "big")
    if len(text) > _LONGEST or lot % _EVERY:
        return None
    kinds = _LATIN if text.isascii() else _ANY
    return kinds[lot // _EVERY % len(kinds)](text)
