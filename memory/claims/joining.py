"""Values that stand beside each other and are one: 3 h 30 min, Monday 16 March."""

from fractions import Fraction
from typing import Final

from memory.claims.lexicon import Does, Token
from memory.claims.nouns import ValueKind
from memory.claims.numerals import canonical

_DAY: Final = "wd"
_ADDED_UP: Final = frozenset({"s", "m", "kg"})


def joined(tokens: list[Token]) -> list[Token]:
    """Return the tokens with "3 h 30 min" as one length, and a day's name gone beside its date."""
    found: list[Token] = []
    for token in tokens:
        before = found[-1] if found else None
        if before is None or token.role is not Does.VALUE or before.role is not Does.VALUE:
            found.append(token)
        elif token.kind is before.kind is ValueKind.DATE and _DAY in (
            token.text[:2],
            before.text[:2],
        ):
            found[-1] = before if token.text.startswith(_DAY) else token
        elif token.kind is before.kind is ValueKind.QUANTITY and (text := _sum(before, token)):
            found[-1] = token._replace(text=text)
        else:
            found.append(token)
    return found


def _sum(one: Token, other: Token) -> str:
    """Return two lengths of one kind as one, the larger first."""
    (size, _, unit), (more, _, its) = one.text.partition(" "), other.text.partition(" ")
    if unit != its or unit not in _ADDED_UP or Fraction(size) <= Fraction(more):
        return ""
    return f"{canonical(Fraction(size) + Fraction(more))} {unit}"
