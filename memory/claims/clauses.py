"""From typed tokens to clauses: one statement each, with what its neighbours say about it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from memory.claims.lexicon import Does, Token
from memory.claims.naming import heading
from memory.claims.small_rules import CONDITION_ENDS, CONDITIONS, RHYTHMS

MOST: Final = 24
"""Clauses that are read of one text."""

_SHORT: Final = 4
_LONGEST: Final = 60
_LONG: Final = 10
"""Tokens of what is only said to correct: a longer part says something of its own."""
_BREAKS: Final = frozenset({Does.STOP, Does.COMMA, Does.COLON})
_STATING: Final = frozenset({Does.VERB, Does.LINK, Does.CHANGE, Does.ENDED})
_JOINTS: Final = frozenset({Does.COMMA, Does.COLON, Does.AND})
_FORM: Final = frozenset(
    {
        Does.SILENT,
        Does.ALSO,
        Does.AND,
        Does.AGAIN,
        Does.FIX,
        Does.DENY,
        Does.POINTER,
        Does.SELF,
        Does.LASTING,
        Does.CHANGE,
        Does.PREP,
    }
)


class Clause(NamedTuple):
    """The tokens of one statement; `changed` says that the words before it correct something."""

    tokens: list[Token]
    changed: bool
    head: tuple[str, ...] = ()
    """The words of the heading that it stands under, where that names a thing: "Note 12: …"."""
    first: bool = True
    """Whether its sentence begins with it."""


def clauses(tokens: list[Token]) -> list[Clause]:
    """Return the clauses of a text, at most `MOST`; what corrects and says nothing is left out."""
    found: list[Clause] = []
    changed = False
    head: tuple[str, ...] = ()
    topic: list[Token] = []
    for sentence in _sentences(tokens):
        named = heading(sentence)
        head = tuple(t.text for t in sentence[:named] if t.role in _NAMING) or head
        parts = list(_parts(sentence[named:]))
        for place, part in enumerate(parts):
            roles = [token.role for token in part]
            fixes = Does.FIX in roles
            last = place == len(parts) - 1
            if (
                _EMPTY.issuperset(roles)
                or (fixes and not last and len(part) <= _LONG)
                or _announces(part, last=last)
                or _contrasts(part, parts)
                or _begins(part, last=last)
            ):
                changed = changed or _begins(part, last=last)
                topic = _topic(part)
                changed = changed or fixes or Does.CHANGE in roles
                continue
            found.append(Clause(_with(topic, part), changed or fixes, head, first=not place))
            topic = []
            if len(found) == MOST:
                return found
        if parts and not _empty(parts[-1]):
            changed = False
    return found


_NAMING: Final = frozenset({Does.WORD, Does.NOUN, Does.VALUE})
_PASSED: Final = frozenset({Does.SILENT, Does.LASTING, Does.POINTER, Does.COMMA})


def _with(topic: list[Token], part: list[Token]) -> list[Token]:
    """Return a part that begins with its link after what was announced: 手机号换了，现在是…"""
    first = next((token for token in part if token.role not in _PASSED), None)
    if not topic or first is None:
        return part
    return [*topic, *part] if first.role in _ON or first.text in RHYTHMS else part


_ON: Final = frozenset({Does.LINK, Does.VERB, Does.VALUE, Does.MOST, Does.LEAST})
"""What goes on with the topic of the part before it."""


def _begins(part: list[Token], *, last: bool) -> bool:
    """Say whether a part only tells from when on it is so: 从下个月开始."""
    return not last and [t.raw for t in part[:1]] == ["从"] and part[-1].raw in {"开始", "起"}


def _topic(part: list[Token]) -> list[Token]:
    """Return what a part that is left out speaks of: all that it names where it tells a change."""
    turned = _chinese(part) and (_told(part) or any(t.raw in _MEASURED for t in part))
    return [t for t in part if t.role is Does.NOUN or (turned and t.role is Does.WORD)]


_MEASURED: Final = frozenset({"量过", "称过", "重新量过", "重新称过", "查过"})


def _sentences(tokens: list[Token]) -> Iterator[list[Token]]:
    start = 0
    for place, token in enumerate(tokens):
        if token.role is Does.STOP:
            if place > start:
                yield tokens[start:place]
            start = place + 1
    if start < len(tokens):
        yield tokens[start:]


def _parts(sentence: list[Token]) -> Iterator[list[Token]]:
    """Yield the statements of a sentence; a condition stays with what it is a condition of."""
    part: list[Token] = []
    for place, token in enumerate(sentence):
        if token.role not in _JOINTS:
            part.append(token)
        elif _starts(sentence, place, part):
            yield part
            part = []
        elif token.role is Does.COLON:
            part.append(Token(Does.LINK, ":", ":"))
        else:
            part.append(token)
    if part:
        yield part


def _starts(sentence: list[Token], place: int, before: list[Token]) -> bool:
    """Say whether a statement of its own begins after a comma, a colon or an "and"."""
    if not before or len(before) > _LONGEST:
        return True
    role = sentence[place].role
    following = sentence[place + 1 : place + 2]
    if role is Does.COMMA and following and following[0].text == "call":
        return False
    if role is Does.COMMA and _condition(before):
        return False
    after = _until_break(sentence, place + 1)
    told = role is Does.COLON and _tells(before) and len(after) >= _SHORT
    told = told or (role is Does.COMMA and _goes_on(sentence, place, before))
    if told or (role is Does.COMMA and (_chinese(before) or _empty(before) or _empty(after))):
        return True
    if role is Does.AND and not any(token.role in _STATING for token in before):
        return False
    return any(token.role in _STATING or token.role is Does.SELF for token in after)


def _goes_on(sentence: list[Token], place: int, before: list[Token]) -> bool:
    """Say whether a whole statement is followed by another that begins with its own subject: "the
    boat stays, she slept on it".
    """
    following = sentence[place + 1 : place + 3]
    if len(following) < len(_OF_TWO) or following[0].raw not in _WHO:
        return False
    return following[1].role in _OF_TWO[1] and any(token.role in _STATING for token in before)


_WHO: Final = frozenset({"he", "she", "they", "it", "we", "i"})
_OF_TWO: Final = (frozenset({Does.POINTER, Does.SELF}), frozenset({Does.WORD, *_STATING}))


def _tells(part: list[Token]) -> bool:
    """Say whether what stands before a colon is a whole statement: "we got an extension: …"."""
    acts = next((n for n, t in enumerate(part) if t.role in {Does.VERB, Does.CHANGE}), len(part))
    whole = any(t.role in {Does.WORD, Does.NOUN} for t in part[acts + 1 :])
    return whole and part[0].role is Does.SELF and part[-1].role is not Does.PREP


def _until_break(sentence: list[Token], start: int) -> list[Token]:
    end = start
    while end < len(sentence) and sentence[end].role not in _BREAKS:
        end += 1
    return sentence[start:end]


def _condition(part: list[Token]) -> bool:
    """Say whether a part is only the time or condition of the next."""
    first = part[0]
    if first.role is Does.WHEN:
        return True
    return not any(token.role in _STATING for token in part) and (
        part[-1].raw in CONDITION_ENDS or first.raw in CONDITIONS
    )


def _chinese(part: list[Token]) -> bool:
    return any("\u3400" <= token.raw[:1] <= "\u9fff" for token in part)


_EMPTY: Final = _FORM | {Does.COMMA}


def _empty(part: list[Token]) -> bool:
    return _EMPTY.issuperset([token.role for token in part])


def _contrasts(part: list[Token], parts: list[list[Token]]) -> bool:
    """Say whether a part only names what is not so: "not Tuesday", 不是L."""
    return (
        len(parts) > 1
        and part[0].role is Does.DENY
        and len(part) <= _SHORT
        and not any(token.role in _STATING for token in part)
    )


def _announces(part: list[Token], *, last: bool) -> bool:
    """Say whether a part only tells that something changed ("I changed my routine")."""
    if last:
        return False
    if _chinese(part):
        return len(part) <= _LONG and _told(part)
    if len(part) > _SHORT:
        return False
    kinds = [token.role for token in part]
    return (
        Does.CHANGE in kinds
        and not ({Does.TO, Does.LINK, Does.VALUE} & set(kinds))
        and kinds[-1] in {Does.WORD, Does.NOUN, Does.CHANGE}
    )


_PLAINLY: Final = frozenset({Does.TO, Does.LINK, Does.VALUE, Does.VERB, Does.NUMBER})


_DONE: Final = frozenset({"了", "啦", "咯", "过", "完"})


def _told(part: list[Token]) -> bool:
    """Say whether a Chinese part only tells that something changed: 手机号换了, 我换了通勤方式."""
    bare = [n for n, token in enumerate(part) if token.role is Does.CHANGE or token.raw in "换改变"]
    if not bare or not _PLAINLY.isdisjoint([token.role for token in part]):
        return False
    return part[bare[0] + 1 : bare[0] + 2] != [] and part[bare[0] + 1].raw in _DONE
