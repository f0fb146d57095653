"""Who did it to whom: two claims of the same words in which two names have changed places.

A slot has its words in no order, for "the port of the host" and "the host's port" are one. So the
order of a clause is kept beside it, and asked where two claims would be one, or one in place of the
other: "Tom lent Ana 20 euros" and "Ana lent Tom 20 euros" both stay.
"""

from collections.abc import Sequence
from itertools import product
from typing import Final

from memory.claims.lexicon import Does, Token, plain
from memory.claims.nouns import ValueKind

_NUMBER: Final = "#"
_LIST: Final = ","
_LINK: Final = "="
_DONE: Final = "!"
_CHANGED: Final = "~"
_HOW: Final = "<"
_SIGNS: Final = {
    Does.VERB: _DONE,
    Does.CHANGE: _CHANGED,
    Does.INSTEAD: _CHANGED,
    Does.PREP: _HOW,
    Does.TO: _HOW,
    Does.WORD: "",
    Does.NOUN: "",
    Does.VALUE: "",
    Does.NUMBER: "",
}
"""What a word does, written before it: a name has no sign."""
_ALONE: Final = {Does.AND: _LIST, Does.COMMA: _LIST, Does.LINK: _LINK}
_LONGEST: Final = 3
"""Words of a name: in Chinese each unknown character is one."""
_MOST: Final = 32
"""Words of a clause whose order is kept."""
_FEWEST: Final = 3
"""Words that two names and what is between them take."""
_COUNTED: Final = frozenset(
    {ValueKind.NUMBER, ValueKind.QUANTITY, ValueKind.DATE, ValueKind.TIME, ValueKind.BOOLEAN}
)
_MOVES: Final = frozenset({"!live", "~move", "~moved", "~moves", "~搬到了"})
"""Of a move each end is where somebody was, and neither is wrong; of a change from one value to
another the last one holds."""

_BY: Final = "<by"


def order_of(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the words of a clause in their order, each with a sign of what it does; nothing where
    no two of them could change places.
    """
    found = tuple(word for token in tokens[:_MOST] if (word := _signed(token)))
    names = [word for word in found if _is_name(word)]
    return found if len(names) > 1 and len(found) >= _FEWEST else ()


def _signed(token: Token) -> str:
    if token.raw == "被":
        return _BY
    if token.role in _ALONE:
        return _ALONE[token.role]
    if token.role not in _SIGNS:
        return ""
    if token.kind in _COUNTED:
        return _NUMBER
    # A path or a code at the end has the sentence's stop with it.
    return _SIGNS[token.role] + (plain(token.text).rstrip(".") or token.text)


def _is_name(word: str) -> bool:
    return word[0] not in {_NUMBER, _LIST, _LINK, _DONE, _CHANGED, _HOW}


def exchanged(new: Sequence[str], old: Sequence[str]) -> bool:
    """Say whether two names of one clause stand in each other's place in the other, or may: in
    another voice nobody tells who did it.
    """
    return _before(new, old) is not None or _is_passive(new) is not _is_passive(old)


def _is_passive(order: Sequence[str]) -> bool:
    """Say whether a name follows "by" that does something to another."""
    by = next((n for n, word in enumerate(order[:-1]) if word == _BY), 0)
    return by > 1 and _is_name(order[by + 1])


def in_other_voice(new: Sequence[str], old: Sequence[str]) -> bool:
    """Say whether one clause is the other in the passive voice: the same did it to the same."""
    if _is_passive(new) is _is_passive(old) or any(word[0] == _NUMBER for word in (*new, *old)):
        return False
    return _active(new) == _active(old)


def _active(order: Sequence[str]) -> list[str]:
    """Return a clause with who did it first, then what he did, and to whom."""
    if not _is_passive(order):
        return list(order)
    by = order.index(_BY)
    before, who = list(order[:by]), list(order[by + 1 :])
    if _LINK not in before:
        return [*who, *before]
    link = before.index(_LINK)
    return [*who, *before[link + 1 :], *before[:link]]


def both_so(new: Sequence[str], old: Sequence[str]) -> bool:
    """Say whether, beside that, both may be so with different values: the names are who does it, or
    the ends of a way. What one prefers to another is a value, and so is what was changed to.
    """
    before = _before(new, old)
    if before is None or any(word[0] == _CHANGED and word not in _MOVES for word in new):
        return False
    return all(word[0] not in {_DONE, _LINK} or word in _MOVES for word in before)


def _before(new: Sequence[str], old: Sequence[str]) -> Sequence[str] | None:
    """Return what stands before the two names that changed places; None where none did."""
    if len(new) != len(old) or new == old or sorted(new) != sorted(old):
        return None
    head = next(n for n, (mine, its) in enumerate(zip(new, old, strict=True)) if mine != its)
    tail = next(n for n in range(len(new)) if new[-1 - n] != old[-1 - n])
    mine, its = new[head : len(new) - tail], old[head : len(old) - tail]
    sizes = range(1, min(_LONGEST, len(mine) - 2) + 1)
    for first, last in product(sizes, sizes):
        if first + last < len(mine) and _changed_places(mine, its, first, last):
            return new[:head]
    return None


def _changed_places(mine: Sequence[str], its: Sequence[str], first: int, last: int) -> bool:
    """Say whether the first and last words of the one are the last and first of the other, with the
    same between them that puts both in relation: in a list, or around "is", they stand alike.
    """
    one, between, other = mine[:first], mine[first:-last], mine[-last:]
    if tuple(its) != (*other, *between, *one) or not all(map(_is_name, (*one, *other))):
        return False
    if _LIST in between:
        return any(word[0] in {_DONE, _CHANGED, _HOW} for word in between)
    return set(between) != {_LINK}
