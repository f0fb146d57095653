"""Which words and rules read a text: what others read is read again before it is compared."""

import hashlib
from typing import Final

from memory.claims import (
    function_rules,
    kinds_rules,
    small_rules,
    traditional_rules,
    units_rules,
    word_rules,
)

READER: Final = 11
"""To be raised when texts are read otherwise though no table changed: slots are keyed by the words
that make them, and those of one reader may not be those of the next."""
_TABLES: Final = (
    function_rules,
    kinds_rules,
    small_rules,
    traditional_rules,
    units_rules,
    word_rules,
)
_DIGITS: Final = 8


def _lexicon() -> str:
    """Return a few characters that change with any table; the same in every process."""
    parts = [f"{READER}"]
    for table in _TABLES:
        names = sorted(name for name in vars(table) if name.isupper())
        parts += [f"{name}={_plain(vars(table)[name])}" for name in names]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:_DIGITS]


def _plain(value: object) -> str:
    """Return a table as text; sets have no order of their own."""
    if isinstance(value, frozenset | set):
        return repr(sorted(map(_plain, value)))
    if isinstance(value, dict):
        return repr([(_plain(key), _plain(one)) for key, one in value.items()])
    if isinstance(value, tuple | list):
        return repr([_plain(one) for one in value])
    return repr(value)


LEXICON: Final = _lexicon()
"""The version of all that reads, a few characters."""
