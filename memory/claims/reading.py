"""From a text to its claims: each clause is one slot with one value, or words as they stand."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final, NamedTuple

from memory.claims.clauses import MOST as MOST_CLAUSES
from memory.claims.clauses import Clause, clauses
from memory.claims.folding import LONGEST, folded
from memory.claims.lexicon import CATEGORY, MANY, Role, Token, plain
from memory.claims.marking import Marked, marked
from memory.claims.nouns import Claim, Form, Mark, Polarity, Slot, Value, ValueKind
from memory.claims.scanning import MOST, scan
from memory.claims.small_rules import HEADS, OBJECTS, PERSONS, SLOTS, TASTE, WEAK
from memory.claims.values import typed

MOST_CLAIMS: Final = 32
"""Claims of one text; what it says beyond them is one opaque claim."""

_ASKED: Final = frozenset({"use", "have", "take"})
"""What one does several of, and is asked to do one of: "I use Figma"; "use four spaces"."""
_DROPPED: Final = frozenset({Role.PREP, Role.TO, Role.COMMA, Role.AND, Role.LINK, Role.COLON})


class _Parts(NamedTuple):
    about: list[Token]
    value: list[Token]
    many: bool = False
    form: Form = Form.SLOT


def claims_of(text: str, *, at: datetime | None = None) -> tuple[Claim, ...]:
    """Return what a text says, slot by slot; relative dates count from `at`. Never raises."""
    tokens = scan(folded(text))
    read = clauses(typed(tokens, at))
    found: list[Claim] = []
    subject: list[Token] = []
    for clause in read:
        claims, subject = _claims(clause, subject)
        found.extend(claim for claim in claims if claim not in found)
    if len(text) > LONGEST or MOST in (len(tokens), len(read) + MOST - MOST_CLAUSES):
        return (*found[: MOST_CLAIMS - 1], _unread(text))
    return (*found[: MOST_CLAIMS - 1], _unread(text)) if len(found) > MOST_CLAIMS else tuple(found)


def _unread(text: str) -> Claim:
    """Return what stands for all that was not read: the text itself, that no other one equals."""
    return _opaque([Token(Role.WORD, text, text)], Marked())


def _claims(clause: Clause, subject: list[Token]) -> tuple[list[Claim], list[Token]]:
    """Return the claims of a clause, and the subject that the next one may leave out."""
    read = marked(clause)
    if read.tokens and read.tokens[0].role is Role.VERB and subject and not read.own:
        read = read._replace(tokens=[*subject, *read.tokens])
    following: list[Token] = []
    for token in read.tokens:
        if token.role in {Role.VERB, Role.LINK, Role.VALUE}:
            break
        following.append(token)
    if len(following) == len(read.tokens):
        following = []
    claims = [_claim(parts, read) for parts in _split(read)]
    return claims, following


def _split(read: Marked) -> Iterator[_Parts]:
    """Yield slot and value, or several with one verb."""
    parts = _linked(read) or _valued(read) or _done(read) or _opened(read)
    value = parts.value
    if parts.form is Form.OPAQUE or not any(token.role is Role.AND for token in value):
        yield _headed(parts)
        return
    several = [_headed(parts._replace(value=piece)) for piece in _pieces(value)]
    heads = {tuple(t.text for t in piece.about) for piece in several}
    if parts.many or len(heads) == len(several):
        yield from several
    else:
        yield parts


def _pieces(value: list[Token]) -> list[list[Token]]:
    pieces: list[list[Token]] = [[]]
    for token in value:
        if token.role is Role.AND:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return [piece for piece in pieces if piece]


def _linked(read: Marked) -> _Parts | None:
    """Split at "is", 是, "changed to", 改成."""
    tokens = read.tokens
    for place, token in enumerate(tokens):
        if token.role is Role.LINK and place + 1 < len(tokens):
            about, value = tokens[:place], tokens[place + 1 :]
            break
    else:
        return None
    if value[0].role is Role.VERB and value[0].text in {"allergy", "call"} and value[1:]:
        return _Parts([*about, value[0]], value[1:], many=value[0].text in MANY)
    return _typed(about, value) or _Parts(about, value, _many(about))


def _typed(about: list[Token], value: list[Token]) -> _Parts | None:
    """Take the values that have a type; the words around them belong to the slot."""
    if not any(token.role is Role.VALUE for token in value):
        return None
    rest = [t for t in value if t.role not in {Role.VALUE, Role.LINK} and t.text not in WEAK]
    values = [token for token in value if token.role is Role.VALUE]
    if any(v.kind is ValueKind.CODE and len(v.raw) > 1 for v in values) and len(rest) > 3:  # noqa: PLR2004
        return None
    return _Parts([*about, *rest], values)


def _valued(read: Marked) -> _Parts | None:
    """Take what is typed and stands where a value can: not a code before its verb."""
    tokens = read.tokens
    last = max((n for n, token in enumerate(tokens) if token.role is Role.VALUE), default=-1)
    if last < 0 or len(tokens) == 1:
        return None
    exact = tokens[last].kind in {ValueKind.CODE, ValueKind.NUMBER}
    after = [t for t in tokens[last + 1 :] if t.role not in _DROPPED]
    verb = next((n for n, token in enumerate(tokens) if token.role is Role.VERB), len(tokens))
    if exact and after and last < verb and tokens[last].kind is ValueKind.CODE:
        return None
    first = verb if verb < last else -1
    values = [t for t in tokens[first + 1 :] if t.role is Role.VALUE]
    about = [t for n, t in enumerate(tokens) if n <= first or t.role is not Role.VALUE]
    if (
        verb < last
        and tokens[verb].text in OBJECTS
        and {v.kind for v in values} == {ValueKind.NUMBER}
    ):
        return None
    kept = [t for t in about if t.text not in WEAK] or about
    return _Parts(kept, values, _many(kept) and Mark.ADDED in read.marks)


def _done(read: Marked) -> _Parts | None:
    """Split at the verb and its object."""
    tokens = read.tokens
    places = [n for n, token in enumerate(tokens) if token.role is Role.VERB]
    if not places:
        return None
    verb = _main(tokens, places)
    about, value = tokens[: verb + 1], tokens[verb + 1 :]
    if not [t for t in value if t.role not in _DROPPED]:
        return _inverted(tokens, verb)
    taste = [n for n in places if tokens[n].text in TASTE]
    if taste:
        about = [t for t in about if t.role is not Role.VERB or t.text in TASTE]
    about, value = _purpose(*_purposed(about, value), read)
    verbs = {t.text for t in about if t.role is Role.VERB} & MANY
    many = bool(verbs if read.own else verbs - _ASKED)
    return _Parts(about, value, many)


def _main(tokens: list[Token], places: list[int]) -> int:
    """Return the place of the verb whose object is the value: in Chinese the last that has one."""
    if tokens[places[0]].raw.isascii():
        verb = places[0]
        while verb + 1 in places or (verb + 2 in places and tokens[verb + 1].role is Role.TO):
            verb += 1 if verb + 1 in places else 2
        return verb
    with_object = [n for n in places if n + 1 < len(tokens) and n + 1 not in places]
    return with_object[-1] if with_object else places[-1]


def _inverted(tokens: list[Token], verb: int) -> _Parts | None:
    """Read 对花生过敏 and what else puts its object before the verb."""
    preps = [n for n in range(verb) if tokens[n].role is Role.PREP]
    if preps and tokens[verb].text in MANY:
        return _Parts([*tokens[: preps[0]], tokens[verb]], tokens[preps[0] + 1 : verb], many=True)
    return None


def _purposed(about: list[Token], value: list[Token]) -> tuple[list[Token], list[Token]]:
    """Move a verb after the object to the slot: 用中文回复 is about replying."""
    if len(value) > 1 and value[-1].role is Role.VERB and about[-1].text == "use":
        return [*about[:-1], value[-1]], value[:-1]
    return about, value


def _purpose(
    about: list[Token], value: list[Token], read: Marked
) -> tuple[list[Token], list[Token]]:
    """Move what the object is for to the slot: "use Figma for work"; "ship orders with DHL"."""
    preps = [n for n, token in enumerate(value) if token.role is Role.PREP or token.role is Role.TO]
    if not preps or not value[0].raw.isascii():
        return about, value
    first, last = preps[0], preps[-1]
    if value[first].raw == "for" and first:
        return [*about, *value[first + 1 :]], value[:first]
    if first == 0 and len(preps) == 1:
        return about, value[1:]
    if not read.own and last + 1 < len(value):
        return [*about, *value[:last]], value[last + 1 :]
    return about, value


def _opened(read: Marked) -> _Parts:
    """Split before the last preposition, or take the words as they stand."""
    tokens = read.tokens
    preps = [n for n, token in enumerate(tokens) if token.role is Role.PREP]
    if preps and 0 < preps[-1] < len(tokens) - 1 and tokens[0].raw.isascii():
        form = Form.STATED if read.own else Form.SLOT
        return _Parts(tokens[: preps[-1]], tokens[preps[-1] + 1 :], form=form)
    return _Parts([], tokens, form=Form.OPAQUE)


def _headed(parts: _Parts) -> _Parts:
    """Let a head noun name the slot: the value of "dark mode" is dark, of the slot mode."""
    value = [t for t in parts.value if t.role is not Role.COMMA]
    while value and value[0].role is Role.PREP:
        value = value[1:]
    head = value[-1] if value else None
    if head and len(value) > 1 and head.text in HEADS and head.role is Role.NOUN:
        strong = [t for t in parts.about if t.text not in WEAK and t.text != head.text]
        return parts._replace(about=[*strong, head], value=value[:-1], many=False)
    return parts._replace(value=value)


def _many(about: list[Token]) -> bool:
    return any(token.text in MANY and token.role is Role.NOUN for token in about)


def _claim(parts: _Parts, read: Marked) -> Claim:
    if parts.form is Form.OPAQUE:
        return _opaque(parts.value, read)
    names = sorted(_named(parts, read))
    value = _value(parts.value)
    if not names:
        category = {CATEGORY.get(t.text, "") for t in parts.value}
        names = sorted(category - {""}) or ["be"]
    flipped = "dislike" in names
    names = sorted({"like" if name == "dislike" else name for name in names})
    polarity = read.polarity
    if flipped:
        polarity = Polarity.AFFIRMED if polarity is Polarity.DENIED else Polarity.DENIED
    whose = [name for name in names if name in PERSONS]
    attribute = [name for name in names if name not in PERSONS]
    return Claim(
        slot=Slot(" ".join(whose) or "self", SLOTS.get(tuple(attribute)) or " ".join(attribute)),
        value=value,
        about=tuple(names),
        words=tuple(plain(t.text) for t in parts.value if t.role not in _DROPPED),
        polarity=polarity,
        scope=read.scope,
        limit=read.limit,
        many=parts.many,
        marks=read.marks,
        form=parts.form,
    )


def _named(parts: _Parts, read: Marked) -> set[str]:
    names = {t.text for t in parts.about if t.role not in _DROPPED}
    if "allergy" in names:
        names -= WEAK
    if "call" in names or "nickname" in names or read.renamed:
        names = (names - {"call"}) | {"name"}
    if "reply" in names and any(CATEGORY.get(t.text) == "language" for t in parts.value):
        names.add("language")
    if any(t.text.endswith(" old") for t in parts.value):
        names.add("age")
    return names


def _value(tokens: list[Token]) -> Value:
    kept = [t for t in tokens if t.role not in _DROPPED]
    kinds = {t.kind for t in kept}
    text = " ".join(plain(t.text) for t in kept)
    if kinds == {ValueKind.TEXT} and {CATEGORY.get(t.text) for t in kept} == {"bool"}:
        return Value(ValueKind.BOOLEAN, text)
    return Value(kinds.pop() if len(kinds) == 1 else ValueKind.TEXT, text)


def _opaque(tokens: list[Token], read: Marked) -> Claim:
    words = tuple(plain(t.text) for t in tokens if t.role not in _DROPPED)
    return Claim(
        slot=Slot("self", "…"),
        value=Value(ValueKind.TEXT, " ".join(words)),
        about=(),
        words=words,
        polarity=read.polarity,
        scope=read.scope,
        limit=read.limit,
        marks=read.marks,
        form=Form.OPAQUE,
    )
