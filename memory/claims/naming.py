"""Numbers that are the name of a thing and no value: locker 1, 3号柜, Note 12: …"""

from typing import Final

from memory.claims.lexicon import Does, Token
from memory.claims.nouns import ValueKind
from memory.claims.small_rules import NUMBERED
from memory.claims.units_rules import MONTHS, SIGNS

_ENDS: Final = frozenset({Does.STOP, Does.COMMA, Does.COLON})
_SAYING: Final = frozenset({Does.VERB, Does.LINK, Does.CHANGE, Does.MOST, Does.LEAST})
_THINGS: Final = frozenset({Does.WORD, Does.NOUN})
_AFTER: Final = frozenset({Does.LINK, Does.VERB, Does.COLON})
_PLACES: Final = frozenset("号栋楼层组班室")
_HEAD: Final = frozenset({Does.WORD, Does.NOUN, Does.SILENT, Does.SELF, Does.PREP, Does.VALUE})
_LONGEST_HEAD: Final = 8


def with_names(tokens: list[Token]) -> list[Token]:
    """Return the tokens with every number that names a thing as a word."""
    found = list(tokens)
    subject = True
    for place, token in enumerate(tokens):
        if token.role in _ENDS:
            subject = True
        elif token.role in _SAYING:
            subject = False
        elif _numbered(token) and (_names(tokens, place, subject=subject) or _said(tokens, place)):
            name = token.raw.casefold() if token.raw.isascii() else token.text
            found[place] = Token(Does.WORD, name, token.raw)
        elif token.raw == "a" and (place + 1 == len(tokens) or tokens[place + 1].role in _ENDS):
            found[place] = Token(Does.WORD, "a", "a.")
    return found


def _numbered(token: Token) -> bool:
    """Say whether a token is a number, or a code of letters and digits."""
    if token.kind is not ValueKind.CODE:
        return token.role is Does.NUMBER
    return token.raw[0].isalpha() and token.raw.replace("-", "").isalnum()


def _names(tokens: list[Token], place: int, *, subject: bool) -> bool:
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is None or tokens[place].raw[0] in SIGNS:
        return False
    if before is not None and before.raw == "第":
        return True
    if after.raw in _PLACES:
        behind = tokens[place + 2].role if place + 2 < len(tokens) else Does.STOP
        return behind in _THINGS and (before is None or before.raw != "月")
    listed = before is not None and before.raw in NUMBERED
    if before is None or before.raw in MONTHS or (before.role not in _THINGS and not listed):
        return False
    if after.role in _AFTER or (subject and tokens[place].kind is ValueKind.CODE):
        return subject and after.role not in _ENDS - {Does.COLON}
    return after.role is Does.PREP and before.raw in NUMBERED


def _said(tokens: list[Token], place: int) -> bool:
    """Say whether a number is what is said of a thing: "the label says page 4" names a page."""
    listed = place > 1 and tokens[place - 1].raw in NUMBERED
    return listed and tokens[place - 2].raw in {"say", "says", "said"}


def heading(sentence: list[Token]) -> int:
    """Return how many tokens a sentence has before the colon that ends its heading, if the heading
    names a thing by a number or code, and more than a value stands under it.
    """
    end = next((n for n, t in enumerate(sentence[:_LONGEST_HEAD]) if t.role is Does.COLON), 0)
    head = sentence[:end]
    if not head or any(t.role not in _HEAD for t in head) or len(sentence) < end + 2:
        return 0
    if len(sentence) == end + 2 and sentence[-1].role is Does.VALUE:
        return 0
    named = [t for t in head if any(char.isdigit() for char in t.raw)]
    timed = any(t.kind in {ValueKind.DATE, ValueKind.TIME, ValueKind.QUANTITY} for t in head)
    return end if named and not timed else 0
