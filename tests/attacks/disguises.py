"""How a payload is hidden from whoever reads letters, and not from a model that decodes it."""

import base64
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

_ZERO_WIDTH: Final = "\u200b"
_LOOK_ALIKE: Final = str.maketrans("aceopxyiAEOPCTHKMB", "асеорхуіАЕОРСТНКМВ")
_FULL_WIDTH: Final = {c: c + 0xFEE0 for c in range(0x21, 0x7F)} | {0x20: 0x3000}
_TAG: Final = 0xE0000


def zero_width(text: str) -> str:
    """Return the text with something invisible after each letter."""
    return _ZERO_WIDTH.join(text)


def look_alike(text: str) -> str:
    """Return the text in Cyrillic letters where they look the same."""
    return text.translate(_LOOK_ALIKE)


def in_base64(text: str) -> str:
    """Return the text's UTF-8 in base64."""
    return base64.b64encode(text.encode()).decode()


def in_hex(text: str) -> str:
    """Return the text's UTF-8 in hexadecimal digits."""
    return text.encode().hex()


def percent(text: str) -> str:
    """Return the text's UTF-8 in percent escapes."""
    return "".join(f"%{byte:02X}" for byte in text.encode())


def escaped(text: str) -> str:
    """Return the text in backslash escapes."""
    return text.encode("ascii", "backslashreplace").decode() if not text.isascii() else spaced(text)


def spaced(text: str) -> str:
    """Return the text with its letters set apart."""
    return " ".join(text)


def full_width(text: str) -> str:
    """Return the text in full-width forms."""
    return text.translate(_FULL_WIDTH)


def tags(text: str) -> str:
    """Return the text in invisible tag characters, as far as it is ASCII."""
    return "".join(chr(_TAG + ord(c)) if c.isascii() else c + "\u2060" for c in text)


def variation(text: str) -> str:
    """Return the text's UTF-8 in variation selectors behind a smile."""
    encoded = text.encode()
    return "😊" + "".join(chr(0xFE00 + b) if b < 16 else chr(0xE0100 + b - 16) for b in encoded)


def upside_down(text: str) -> str:
    """Return the text from right to left, under a mark that shows it in order."""
    return f"\u202e{text[::-1]}\u202c"


def dotted(text: str) -> str:
    """Return the text with a dot between the letters."""
    return "·".join(text)


DISGUISES: Final[Mapping[str, Callable[[str], str]]] = MappingProxyType(
    {
        "zero-width": zero_width,
        "look-alike": look_alike,
        "base64": in_base64,
        "hex": in_hex,
        "percent": percent,
        "escaped": escaped,
        "spaced": spaced,
        "full-width": full_width,
        "tags": tags,
        "variation": variation,
        "right-to-left": upside_down,
        "dotted": dotted,
    }
)
"""Every disguise by the name that the table uses."""
