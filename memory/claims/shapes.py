"""How a value is put, so that what something is called is not taken for how it is or where."""

from typing import Final

from memory.claims.lexicon import Does, Token
from memory.claims.nouns import ValueKind

_PLACES: Final = frozenset({"in", "at", "on", "near", "under", "behind", "above", "在", "位于"})
ONE: Final = "=a"
"""The text of a link that "a" or "an" follows."""
LOOSE: Final = "loose"
"""What is said of an unknown verb: "Greet me with …"."""
NAME: Final = "name"


def shape_of(link: Token, value: list[Token]) -> str:
    """Return how the value after a link is put; nothing where it became one, or has a type."""
    first = value[0]
    became = link.text == "=" or first.role in {Does.VALUE, Does.TO}
    if became or first.kind is not ValueKind.TEXT:
        return ""
    if link.raw in _PLACES:
        return "place"
    if not first.raw.isascii() or not link.raw.isascii():
        return ""
    if first.role is Does.PREP:
        return ("place" if first.raw in _PLACES else first.raw) if len(value) > 1 else ""
    return ONE if link.text == ONE else _named(value)


def _named(value: list[Token]) -> str:
    words = [t for t in value if t.role in {Does.WORD, Does.NOUN}]
    return NAME if words and all(t.proper for t in words) else "plain"
