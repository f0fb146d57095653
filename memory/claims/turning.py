"""Clauses that put what is said first, and clauses of what was done once."""

from typing import Final

from memory.claims.lexicon import Does, Token
from memory.claims.small_rules import DONE_ONCE, OWNERS, PAST, STILL


def turned(tokens: list[Token]) -> list[Token]:
    """Return "Ms Ito is my manager", 绿色是我最喜欢的颜色 with what is one's own first."""
    roles = [t.role for t in tokens]
    place = roles.index(Does.LINK) if Does.LINK in roles else 0
    own = tokens[place + 1 : place + 2]
    if not place or not own or own[0].role is not Does.SELF:
        return tokens
    before, after = tokens[:place], tokens[place + 1 :]
    mine = own[0].raw in OWNERS or after[-1].role is Does.NOUN
    if not mine or any(t.role in {Does.SELF, Does.POINTER, Does.VERB} for t in before):
        return tokens
    return [*after, tokens[place], *before] if tokens[place].raw in {"is", "是"} else tokens


def past(tokens: list[Token]) -> bool:
    """Say whether a clause tells what somebody did once: "I paid", 花了."""
    for place, token in enumerate(tokens):
        role = token.role
        if role is Does.LINK or role is Does.CHANGE:
            return False
        if token.raw in DONE_ONCE and _raw(tokens, place + 1) == "了":
            return True
        if not place and token.raw in PAST:
            return True
        if role is Does.SELF and token.raw not in OWNERS and _raw(tokens, place + 1).isascii():
            after = _raw(tokens, place + 1)
            return after in PAST or (after.endswith("ed") and after not in STILL)
    return False


def _raw(tokens: list[Token], place: int) -> str:
    return tokens[place].raw if place < len(tokens) else ""


def kept_on(tokens: list[Token]) -> list[Token]:
    """Take "won't quit", 不会放弃 out: what does not end goes on."""
    for place, token in enumerate(tokens):
        if token.role is not Does.ENDED:
            continue
        before = [n for n in range(max(0, place - 2), place) if tokens[n].role is Does.DENY]
        if before and token.raw not in _ADVERBS:
            return [t for n, t in enumerate(tokens) if n not in {before[-1], place}]
    return tokens


_ADVERBS: Final = frozenset({"any more", "anymore", "no longer"})
"""What stands beside "not" and ends with it."""
