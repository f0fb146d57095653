"""What the small words of a clause say: denied, ended, changed, added, limited, only at times."""

from itertools import pairwise
from typing import Final, NamedTuple

from memory.claims.clauses import Clause
from memory.claims.lexicon import Does, Token
from memory.claims.nouns import Limit, Mark, Polarity, ValueKind
from memory.claims.shapes import ONE
from memory.claims.small_rules import (
    AT_TIMES,
    LEADS,
    MOVES,
    NOT_TIMES,
    OBJECT,
    OWNERS,
    PERSONS,
    SPAN_ENDS,
    SPANS,
    TRAILS,
)
from memory.claims.turning import helped, kept_on, past, reported, turned
from memory.claims.units_rules import EVERY_WEEK, MONTHS, WEEKDAYS


class Marked(NamedTuple):
    """The words that carry the content of a clause, and what the others say of it."""

    tokens: list[Token] = []  # noqa: RUF012
    own: bool = False
    """Whether the subject himself is named."""
    polarity: Polarity = Polarity.AFFIRMED
    scope: tuple[str, ...] = ()
    limit: Limit = Limit.EXACT
    marks: tuple[Mark, ...] = ()
    renamed: bool = False
    replaced: tuple[Token, ...] = ()
    """What is named as being replaced: the old tool of "switched from the old tool to the new"."""
    past: bool = False
    """Whether it is something done once."""


_GONE: Final = frozenset({Does.SILENT, Does.POINTER, Does.FIX, Does.SELF, Does.DENY, Does.ENDED,
                          Does.MOST, Does.LEAST, Does.ALSO, Does.AGAIN, Does.LASTING})  # fmt: skip
_TURNS: Final = {
    Does.ALSO: Mark.ADDED,
    Does.AGAIN: Mark.AGAIN,
    Does.LASTING: Mark.CHANGED,
    Does.INSTEAD: Mark.CHANGED,
    Does.CHANGE: Mark.CHANGED,
}
_ENDS: Final = {
    "under": Limit.AT_MOST,
    "below": Limit.AT_MOST,
    "within": Limit.AT_MOST,
    "over": Limit.AT_LEAST,
    "above": Limit.AT_LEAST,
}
_BOUNDING: Final = frozenset(_ENDS)
_FROM: Final = frozenset({"from", "从"})
_ONES: Final = frozenset({"a", "an"})
_OVER: Final = frozenset({"不", "没", "不要", "不是"})
"""What, with 了 at the end, says that something is over."""
_LIMITS: Final = {Does.MOST: Limit.AT_MOST, Does.LEAST: Limit.AT_LEAST}
_PLACES: Final = frozenset({Does.LINK, Does.VERB, Does.CHANGE, Does.PREP, Does.TO})
_SMALL: Final = frozenset({Does.SILENT, Does.SELF, Does.COMMA, Does.PREP})


def marked(clause: Clause) -> Marked:
    """Return what a clause says with its small words read and taken off."""
    present, replaced = _from(clause.tokens)
    whole, since = _since(turned(helped(reported(present))))
    tokens, scope = _scoped(whole)
    end = _instead(tokens)
    marks = {_TURNS[t.role] for t in tokens if t.role in _TURNS}
    kept, moved = _kept(tokens[:end])
    if clause.changed or moved or since:
        marks.add(Mark.CHANGED)
    roles = [t.role for t in tokens[:end]]
    limits = [_LIMITS[role] for role in roles if role in _LIMITS] + _bounded(tokens)
    if not limits and "limit" in [t.text for t in kept]:
        limits.append(Limit.AT_MOST)
    renamed = Does.CHANGE in [t.role for t in tokens] and _renames(tokens)
    return Marked(
        kept,
        _own(tokens),
        _polarity(tokens[:end]),
        scope,
        limits[-1] if limits else Limit.EXACT,
        tuple(sorted(marks)),
        renamed,
        replaced or tuple(_kept(tokens[end + 1 :])[0]),
        past(tokens),
    )


_RENAMED: Final = ("renam", "改名", "更名", "改叫")


def _renames(tokens: list[Token]) -> bool:
    return any(t.role is Does.CHANGE and t.raw.startswith(_RENAMED) for t in tokens)


def _bounded(tokens: list[Token]) -> list[Limit]:
    """Return the limits that "under" and "over" set where a number follows."""
    if _BOUNDING.isdisjoint([t.raw for t in tokens]):
        return []
    return [_ENDS[a.raw] for a, b in pairwise(tokens) if a.raw in _ENDS and b.role is Does.VALUE]


def _own(tokens: list[Token]) -> bool:
    """Say whether the subject stands before everything that is said."""
    for token in tokens:
        role = token.role
        if role is Does.SELF:
            return token.raw not in OWNERS
        if role not in _GONE:
            return False
    return False


def _instead(tokens: list[Token]) -> int:
    """Return where only what no longer holds follows: "instead of 42", ", not 42"."""
    near = len(tokens) - 3
    for place, token in enumerate(tokens):
        role = token.role
        if role is Does.INSTEAD:
            return place
        if role is not Does.DENY or place < 2:  # noqa: PLR2004
            continue
        before = tokens[place - 1].role
        if (before is Does.COMMA and place >= near) or (
            before is Does.AND and _SAID.isdisjoint([t.role for t in tokens[place:]])
        ):
            return place
    return len(tokens)


_SAID: Final = frozenset({Does.VERB, Does.LINK, Does.CHANGE, Does.SELF})


def _from(tokens: list[Token]) -> tuple[list[Token], tuple[Token, ...]]:
    """Take "from the old one" out of a clause that says what something changed to."""
    raws = [t.raw for t in tokens]
    if given := _given(tokens):
        return given
    if _FROM.isdisjoint(raws):
        return tokens, ()
    start = next(n for n, raw in enumerate(raws) if raw in _FROM)
    changes = [n for n, t in enumerate(tokens) if t.role is Does.CHANGE]
    ends = (
        changes
        if tokens[start].raw == "从"
        else [n for n, t in enumerate(tokens) if t.text == "to"]
    )
    end = next((n for n in ends if n > start), None)
    if not changes or end is None or end - start < 2:  # noqa: PLR2004
        return tokens, ()
    return [*tokens[:start], *tokens[end:]], tuple(tokens[start + 1 : end])


_GIVES: Final = frozenset({"replaced", "swapped", "ditched", "traded", "exchanged"})
_FOR: Final = frozenset({"with", "for", "by"})


def _given(tokens: list[Token]) -> tuple[list[Token], tuple[Token, ...]] | None:
    """Take what was given up out of "swapped the old one for a new one"."""
    gives = next((n for n, t in enumerate(tokens[:4]) if t.raw in _GIVES), None)
    if gives is None or any(t.role not in _GONE for t in tokens[:gives]):
        return None
    ahead = next((n for n, t in enumerate(tokens) if n > gives + 1 and t.raw in _FOR), None)
    if ahead is None or ahead + 1 == len(tokens):
        return None
    change = Token(Does.CHANGE, "changed", "changed")
    return [*tokens[:gives], change, *tokens[ahead + 1 :]], tuple(
        t for t in tokens[gives + 1 : ahead] if t.role not in _GONE
    )


def _since(tokens: list[Token]) -> tuple[list[Token], bool]:
    """Take 从下个月起 off the beginning, "since the move" off the end: from then on it lasts."""
    if tokens and tokens[0].raw == "从":
        for end, token in enumerate(tokens[:8]):
            if token.raw in {"起", "开始"} and end + 1 < len(tokens):
                return tokens[end + 1 :], True
    if rest := _from_then(tokens):
        return rest, True
    last = next((n for n, token in enumerate(tokens) if token.raw == "since"), 0)
    if last > 1 and tokens[0].raw.isascii() and len(tokens) - last <= _LONGEST_SINCE:
        return tokens[:last], True
    return tokens, False


def _from_then(tokens: list[Token]) -> list[Token]:
    """Return what follows "from next month", "from Monday on"; nothing without that."""
    if len(tokens) < _LONGEST_SINCE or tokens[0].raw != "from":
        return []
    when = tokens[1]
    if when.raw != "next" and when.kind is not ValueKind.DATE and when.raw not in MONTHS:
        return []
    rest = tokens[3 if when.raw == "next" else 2 :]
    while rest and rest[0].raw in {"on", "onward", "onwards", ","}:
        rest = rest[1:]
    return rest


_LONGEST_SINCE: Final = 5
"""Tokens of "since last night", "since the migration": what is longer is a reason."""


def _polarity(tokens: list[Token]) -> Polarity:
    tokens = kept_on(tokens)
    roles = [t.role for t in tokens]
    over = bool(tokens) and tokens[-1].raw == "了" and any(t.raw in _OVER for t in tokens)
    if Does.ENDED in roles or (over and not any(t.text == "can" for t in tokens)):
        return Polarity.ENDED
    return Polarity.DENIED if roles.count(Does.DENY) % 2 else Polarity.AFFIRMED


def _kept(tokens: list[Token]) -> tuple[list[Token], bool]:
    """Return the words of content, with one link where something became something else."""
    kept: list[Token] = []
    moved = False
    for place, token in enumerate(tokens):
        role, raw = token.role, token.raw
        if role is Does.VERB and kept and raw in MOVES:
            kept.append(token if kept[-1].text in PERSONS else _link(raw))
            moved = True
        elif role is Does.CHANGE:
            if _links(tokens, place):
                kept.append(_link(raw))
        elif role is Does.TO and _was(tokens, place):
            kept.append(token if any(t.role is Does.LINK for t in kept) else _link(raw))
        elif raw in _ONES and kept and kept[-1].role is Does.LINK:
            if kept[-1].text != "=":
                kept[-1] = kept[-1]._replace(text=ONE)
        elif role not in _GONE and not _for_me(tokens, place):
            kept.append(token)
    return kept, moved


def _for_me(tokens: list[Token], place: int) -> bool:
    """Say whether a preposition only tells that it is for the subject: "for me", "to us"."""
    behind = tokens[place + 1] if place + 1 < len(tokens) else None
    joins = place > 1 and tokens[place].role in {Does.PREP, Does.TO}
    return joins and behind is not None and behind.raw in OBJECT and behind.raw.isascii()


def _link(raw: str) -> Token:
    return Token(Does.LINK, "=", raw)


def _links(tokens: list[Token], place: int) -> bool:
    """Say whether 改成 stands for 改成是: a value follows it and not a verb."""
    raw = tokens[place].raw
    after = next((t for t in tokens[place + 1 :] if t.role not in _GONE), None)
    return not raw.isascii() and len(raw) > 1 and after is not None and after.role is not Does.VERB


def _was(tokens: list[Token], place: int) -> bool:
    return any(t.role is Does.CHANGE and t.raw.isascii() for t in tokens[:place])


def _scoped(tokens: list[Token]) -> tuple[list[Token], tuple[str, ...]]:
    """Return the tokens without the words for times and conditions, and those words."""
    for take in (_when, _leading, _trailing, _chinese):
        found = take(tokens)
        if found and _content(found[0]):
            rest, scope = found
            named = {
                (t.raw if t.kind is ValueKind.DATE else t.text)
                for t in scope
                if t.role not in _SMALL
            }
            return rest, () if named <= SPAN_ENDS else tuple(sorted(named))
    return tokens, ()


def _content(tokens: list[Token]) -> bool:
    """Say whether there is a slot and a value in what is left."""
    kept = [t for t in tokens if t.role not in _SMALL and t.role not in _GONE]
    return bool(kept) and kept[-1].role is not Does.LINK and (len(kept) > 1 or len(tokens) > 1)


def _when(tokens: list[Token]) -> tuple[list[Token], list[Token]] | None:
    """Take "when I travel" off: up to its comma or the next "I" where it comes first."""
    for place, token in enumerate(tokens):
        if token.role is not Does.WHEN:
            continue
        if any(t.role not in _SMALL and t.role not in _GONE for t in tokens[:place]):
            return tokens[:place], tokens[place:]
        for end in range(place + 1, len(tokens)):
            if tokens[end].role is Does.COMMA:
                return tokens[end + 1 :], tokens[place:end]
            if tokens[end].role is Does.SELF and tokens[end].raw not in OBJECT and end > place + 1:
                return tokens[end:], tokens[place:end]
        return None
    return None


def _leading(tokens: list[Token]) -> tuple[list[Token], list[Token]] | None:
    """Take "on Fridays", "just for today" off the beginning."""
    for end, token in enumerate(tokens[:8]):
        if token.role is Does.LINK or token.role is Does.VERB:
            return None
        if end and (token.role is Does.SELF or token.role is Does.COMMA):
            head = tokens[:end]
            return (tokens[end + (token.role is Does.COMMA) :], head) if _timely(head) else None
    return None


def _timely(head: list[Token]) -> bool:
    first = next((t.raw for t in head if t.role is not Does.SILENT), "")
    if any(t.role is Does.FIX for t in head):
        return False
    return (
        any(t.raw in AT_TIMES or t.raw.rstrip("s") in WEEKDAYS or t.raw in MONTHS for t in head)
        or first in LEADS
        or any(t.kind is ValueKind.DATE for t in head)
        or (head[0].raw in {"this", "next"} and head[-1].raw in SPANS)
    )


_AT_THE_END: Final = frozenset({Does.ENDED, Does.ALSO, Does.AGAIN})


def _trailing(tokens: list[Token]) -> tuple[list[Token], list[Token]] | None:
    """Take "on Mondays", "this week", "for now" off the end."""
    end = len(tokens)
    while end > 1 and tokens[end - 1].role in _AT_THE_END:
        end -= 1
    if end < len(tokens):
        found = _trailing(tokens[:end])
        return ([*found[0], *tokens[end:]], found[1]) if found else None
    for start in range(max(1, len(tokens) - 4), len(tokens) - 1):
        if tokens[start].raw in LEADS and tokens[start - 1].role is not Does.LINK:
            tail = tokens[start:]
            last = tail[-1].raw
            if (
                last in AT_TIMES
                or (last in SPANS and (last != "now" or [t.raw for t in tail] == ["for", "now"]))
                or (last.endswith("s") and last.rstrip("s") in WEEKDAYS)
            ):
                return tokens[:start], tail
    return None


def _chinese(tokens: list[Token]) -> tuple[list[Token], list[Token]] | None:
    """Take 周末, 出差时, 备赛期间, 每周三 off, where they are not the value."""
    for place, token in enumerate(tokens):
        while_it = token.raw == "时" and place and tokens[place - 1].raw not in NOT_TIMES
        if token.raw in SPAN_ENDS or while_it:
            start = _begin(tokens, place)
        elif (token.raw in AT_TIMES and not token.raw.isascii()) or _recurs(token, place):
            start = place
        elif token.role in _PLACES and place:
            return None
        else:
            continue
        end = place + 1
        while end < len(tokens) and (tokens[end].raw in TRAILS or tokens[end].raw in AT_TIMES):
            end += 1
        return [*tokens[:start], *tokens[end:]], tokens[start:end]
    return None


def _recurs(token: Token, place: int) -> bool:
    """Say whether a date is a day of every week, or a month that the clause begins with."""
    if token.kind is not ValueKind.DATE:
        return False
    return token.raw in WEEKDAYS or token.raw in EVERY_WEEK or (not place and token.raw[-1] == "月")


def _begin(tokens: list[Token], place: int) -> int:
    start = place
    while start and tokens[start - 1].role not in {Does.SELF, Does.COMMA}:
        start -= 1
    return start
