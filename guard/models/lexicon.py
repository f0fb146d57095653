"""The words that the signs count, read from `lexicon.toml` beside this module."""

import hashlib
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

MOST_WORDS: Final = 4
MOST_CHARACTERS: Final = 6

_FILE: Final = (files("guard.models") / "lexicon.toml").read_bytes()
_TABLE: Final = tomllib.loads(_FILE.decode())


def _forms(word: str) -> Iterator[str]:
    """Yield a word and what English makes of it; a form that does not exist does no harm."""
    stem = word.removesuffix("*")
    yield stem
    if stem == word:
        return
    bare = stem.removesuffix("e")
    yield from (stem + "s", stem + "es", bare + "ed", bare + "ing", stem + stem[-1] + "ed")
    yield from (stem + stem[-1] + "ing", bare + "ation", stem + "ly")


def _lexicon() -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for at, sign in enumerate(_TABLE["signs"].values()):
        words = [form for word in sign["english"].split() for form in _forms(word)]
        for term in (*(word.replace("_", " ") for word in words), *sign["chinese"].split()):
            found.setdefault(term, set()).add(at)
    return {term: tuple(sorted(signs)) for term, signs in found.items()}


NAMES: Final = tuple(_TABLE["signs"])
LEXICON: Final = _lexicon()
"""A word, phrase or term → the signs it counts for."""
ENDINGS: Final = frozenset(term.rpartition(" ")[2] for term in LEXICON if term.count(" ") > 1)
"""Words that phrases of more than two words end in."""
STARTS: Final[dict[str, tuple[int, ...]]] = {
    first: tuple(sorted({len(term) for term in LEXICON if term[0] == first}))
    for first in {term[0] for term in LEXICON if not term.isascii()}
}
"""By its first character, how long the terms are that begin with it."""
VERBS: Final = frozenset(_TABLE["verbs"].split())
"""Words that begin a command when they begin a sentence."""
COMMANDS: Final = tuple(_TABLE["commands"].split())
"""What begins a command in a Chinese clause."""
DIGEST: Final = hashlib.sha256(_FILE).hexdigest()
