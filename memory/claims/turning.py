"""Clauses that put what is said first, and clauses of what was done once."""

from typing import Final

from memory.claims.lexicon import Does, Token
from memory.claims.small_rules import DONE_ONCE, OBJECT, OWNERS, PAST, STILL


def turned(tokens: list[Token]) -> list[Token]:
    """Return "Ms Ito is my manager", 绿色是我最喜欢的颜色 with what is one's own first."""
    tokens = _at_home(_made(tokens))
    roles = [t.role for t in tokens]
    place = roles.index(Does.LINK) if Does.LINK in roles else 0
    own = tokens[place + 1 : place + 2]
    if not place or not own or own[0].role is not Does.SELF:
        return tokens
    before, after = tokens[:place], tokens[place + 1 :]
    mine = own[0].raw in OWNERS or after[-1].role is Does.NOUN
    if not mine or any(t.role in {Does.SELF, Does.POINTER, Does.VERB} for t in before):
        return tokens
    return [*after, tokens[place], *before] if tokens[place].raw in _IS else tokens


_IS: Final = frozenset({"is", "是", "took over as", "takes over as"})


def helped(tokens: list[Token]) -> list[Token]:
    """Return the tokens without a "have" that only helps: "has not been vaccinated" is "is not"."""
    if len(tokens) > 3 and [t.raw for t in tokens[-2:]] == ["after", "all"]:  # noqa: PLR2004
        tokens = [*tokens[:-2], Token(Does.AGAIN, "again", "after all")]
    for place, token in enumerate(tokens[:-1]):
        if token.raw not in _HAVE:
            continue
        after = next((n for n in range(place + 1, len(tokens)) if not _light(tokens[n])), 0)
        if not after or not _done_by_now(tokens, after):
            continue
        rest = tokens[place + 1 :]
        if tokens[after].raw == "been":
            is_ = Token(Does.LINK, "is", "is")
            return [*tokens[:place], is_, *(t for t in rest if t is not tokens[after])]
        return [*tokens[:place], *rest]
    return tokens


_HAVE: Final = frozenset({"have", "has", "had"})


def _light(token: Token) -> bool:
    """Say whether a word may stand between "have" and what it helps."""
    return token.role in _BETWEEN and token.raw not in {"been", "a", "an", "the"}


_BETWEEN: Final = frozenset({Does.SILENT, Does.DENY, Does.ALSO, Does.LASTING, Does.AGAIN})


def _done_by_now(tokens: list[Token], place: int) -> bool:
    token = tokens[place]
    if token.raw == "been":
        return True
    ended = token.raw.endswith("ed") or token.raw in PAST or token.raw in _TURNED
    return ended and token.role is not Does.NOUN and token.raw not in STILL


_TURNED: Final = frozenset(
    {"left", "quit", "become", "gone", "taken", "given", "switched", "begun"}
)


def reported(tokens: list[Token]) -> list[Token]:
    """Return "the doctor told me to …" without who said so, where it is of the subject."""
    said = next((n for n, token in enumerate(tokens[:_LONGEST_FRAME]) if token.raw in _SAYS), None)
    if said is None or any(t.role not in _SPEAKERS for t in tokens[:said]):
        return tokens
    start = said + 1
    while start < len(tokens) and tokens[start].raw in {"that", ","}:
        start += 1
    if start + 1 >= len(tokens) or tokens[start].role is not Does.SELF:
        return tokens
    if tokens[start].raw in OBJECT and tokens[start].raw.isascii():
        return tokens[start + 2 :] if tokens[start + 1].role is Does.TO else tokens
    return tokens[start:]


_LONGEST_FRAME: Final = 5
_SAYS: Final = frozenset(
    {
        "says",
        "said",
        "told",
        "confirmed",
        "asked",
        "advised",
        "说",
        "让",
        "要求",
        "建议",
        "通知",
        "告诉",
    }
)
_SPEAKERS: Final = frozenset({Does.WORD, Does.NOUN, Does.SILENT})


def _made(tokens: list[Token]) -> list[Token]:
    """Return "make my order a cortado" as "my order is now a cortado"."""
    place = next((n for n, token in enumerate(tokens) if n > 1 and token.raw in {"a", "an"}), 0)
    if not place or tokens[0].raw != "make" or any(t.role is Does.LINK for t in tokens):
        return tokens
    now = Token(Does.LASTING, "now", "now")
    return [now, *tokens[1:place], Token(Does.LINK, "is", "is"), *tokens[place:]]


def _at_home(tokens: list[Token]) -> list[Token]:
    """Return 我家宽带 as 我宽带: the household is the subject."""
    for place in range(len(tokens) - 2):
        mine = tokens[place].role is Does.SELF and tokens[place + 1].raw == "家"
        if mine and tokens[place + 2].role in {Does.WORD, Does.NOUN}:
            return [*tokens[: place + 1], *tokens[place + 2 :]]
    return tokens


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


_ADVERBS: Final = frozenset({"any more", "anymore", "any longer", "no longer", "used to"})
"""What stands beside "not" and ends with it."""
