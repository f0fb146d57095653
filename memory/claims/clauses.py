"""From typed tokens to clauses: one statement each, with what its neighbours say about it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from memory.claims.lexicon import Role, Token
from memory.claims.small_rules import CONDITION_ENDS, CONDITIONS

MOST: Final = 24
"""Clauses that are read of one text."""

_SHORT: Final = 4
_LONGEST: Final = 60
_LONG: Final = 10
"""Tokens of what is only said to correct: a longer part says something of its own."""
_BREAKS: Final = frozenset({Role.STOP, Role.COMMA, Role.COLON})
_STATING: Final = frozenset({Role.VERB, Role.LINK, Role.CHANGE, Role.ENDED})
_FORM: Final = frozenset(
    {
        Role.SILENT,
        Role.ALSO,
        Role.AND,
        Role.AGAIN,
        Role.FIX,
        Role.DENY,
        Role.POINTER,
        Role.SELF,
        Role.LASTING,
        Role.CHANGE,
        Role.PREP,
    }
)


class Clause(NamedTuple):
    """The tokens of one statement; `changed` says that the words before it correct something."""

    tokens: list[Token]
    changed: bool


def clauses(tokens: list[Token]) -> list[Clause]:
    """Return the clauses of a text, at most `MOST`; what corrects and says nothing is left out."""
    found: list[Clause] = []
    changed = False
    for sentence in _sentences(tokens):
        parts = list(_parts(sentence))
        for place, part in enumerate(parts):
            fixes = any(token.role is Role.FIX for token in part)
            last = place == len(parts) - 1
            if (
                _empty(part)
                or (fixes and not last and len(part) <= _LONG)
                or _announces(part, last=last)
            ):
                changed = changed or fixes or any(t.role is Role.CHANGE for t in part)
                continue
            found.append(Clause(part, changed or fixes))
            if len(found) == MOST:
                return found
        if parts and not _empty(parts[-1]):
            changed = False
    return found


def _sentences(tokens: list[Token]) -> Iterator[list[Token]]:
    start = 0
    for place, token in enumerate(tokens):
        if token.role is Role.STOP:
            if place > start:
                yield tokens[start:place]
            start = place + 1
    if start < len(tokens):
        yield tokens[start:]


def _parts(sentence: list[Token]) -> Iterator[list[Token]]:
    """Yield the statements of a sentence; a condition stays with what it is a condition of."""
    part: list[Token] = []
    for place, token in enumerate(sentence):
        if token.role in {Role.COMMA, Role.COLON, Role.AND} and _starts(sentence, place, part):
            yield part
            part = []
        elif token.role is Role.COLON:
            part.append(Token(Role.LINK, ":", ":"))
        else:
            part.append(token)
    if part:
        yield part


def _starts(sentence: list[Token], place: int, before: list[Token]) -> bool:
    """Say whether a statement of its own begins after a comma, a colon or an "and"."""
    if not before or len(before) > _LONGEST:
        return True
    role = sentence[place].role
    if role is Role.COMMA and _condition(before):
        return False
    after = _until_break(sentence, place + 1)
    if role is Role.COMMA and (_chinese(before) or _empty(before) or _empty(after)):
        return True
    if role is Role.AND and not any(token.role in _STATING for token in before):
        return False
    return any(token.role in _STATING or token.role is Role.SELF for token in after)


def _until_break(sentence: list[Token], start: int) -> list[Token]:
    end = start
    while end < len(sentence) and sentence[end].role not in _BREAKS:
        end += 1
    return sentence[start:end]


def _condition(part: list[Token]) -> bool:
    """Say whether a part is only the time or condition of the next."""
    first = part[0]
    if first.role is Role.WHEN:
        return True
    return not any(token.role in _STATING for token in part) and (
        part[-1].raw in CONDITION_ENDS or first.raw in CONDITIONS
    )


def _chinese(part: list[Token]) -> bool:
    return any("\u3400" <= token.raw[:1] <= "\u9fff" for token in part)


def _empty(part: list[Token]) -> bool:
    return all(token.role in _FORM or token.role is Role.COMMA for token in part)


def _contrasts(part: list[Token], parts: list[list[Token]]) -> bool:
    """Say whether a part only names what is not so: "not Tuesday", 不是L."""
    return (
        len(parts) > 1
        and part[0].role is Role.DENY
        and len(part) <= _SHORT
        and not any(token.role in _STATING for token in part)
    )


def _announces(part: list[Token], *, last: bool) -> bool:
    """Say whether a part only tells that something changed ("I changed my routine")."""
    if last or len(part) > _SHORT or _chinese(part):
        return False
    kinds = [token.role for token in part]
    return (
        Role.CHANGE in kinds
        and not ({Role.TO, Role.LINK, Role.VALUE} & set(kinds))
        and kinds[-1] in {Role.WORD, Role.NOUN, Role.CHANGE}
    )
