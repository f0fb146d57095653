"""Where in a clause the slot ends and its value begins."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from memory.claims.lexicon import CATEGORY, MANY, Does, Token
from memory.claims.marking import Marked
from memory.claims.nouns import Form, Mark, ValueKind
from memory.claims.shapes import LOOSE, shape_of
from memory.claims.small_rules import GRADES, HEADS, OBJECTS, TASTE, WEAK

_ASKED: Final = frozenset({"use", "have", "take"})
"""What one does several of, and is asked to do one of: "I use Figma"; "use four spaces"."""
_FEW: Final = 2
_MOST_AROUND_A_CODE: Final = 3
DROPPED: Final = frozenset({Does.PREP, Does.TO, Does.COMMA, Does.AND, Does.LINK, Does.COLON})
"""Words that only join others."""
_BEFORE_OBJECT: Final = frozenset({Does.PREP, Does.TO})


class Parts(NamedTuple):
    """The words of the slot, the words of the value."""

    about: list[Token]
    value: list[Token]
    many: bool = False
    form: Form = Form.SLOT
    shape: str = ""


def split(read: Marked) -> Iterator[Parts]:
    """Yield slot and value of a clause, or several where one verb has several objects."""
    read = read._replace(tokens=_unlinked(read.tokens))
    parts = _graded(read) or _linked(read) or _valued(read) or _done(read) or _opened(read)
    if read.past and parts.form is Form.SLOT:
        parts = parts._replace(form=Form.STATED)
    value = parts.value
    if parts.form is Form.OPAQUE or Does.AND not in [token.role for token in value]:
        yield _headed(parts)
        return
    several = [_headed(parts._replace(value=piece)) for piece in _pieces(value)]
    heads = {tuple(t.text for t in piece.about) for piece in several}
    if parts.many or len(heads) == len(several):
        yield from several
    else:
        yield parts


def _unlinked(tokens: list[Token]) -> list[Token]:
    """Return the tokens without a link that only helps a verb: "am learning", 在学, 是订."""
    for n in range(len(tokens) - 2):
        if tokens[n].role is Does.LINK and tokens[n + 1].role is Does.VERB:
            return [*tokens[:n], *tokens[n + 1 :]]
    if _HELPING.isdisjoint([t.text for t in tokens]):
        return tokens
    several = [t for t in tokens if t.role is Does.VERB and t.text not in _HELPING]
    return [t for t in tokens if t.text not in _HELPING] if several else tokens


_HELPING: Final = frozenset({"can", "start"})


def _pieces(value: list[Token]) -> list[list[Token]]:
    pieces: list[list[Token]] = [[]]
    for token in value:
        if token.role is Does.AND:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return [piece for piece in pieces if piece]


def _linked(read: Marked) -> Parts | None:
    """Split at "is", 是, "changed to", 改成."""
    tokens = read.tokens
    roles = [token.role for token in tokens[:-1]]
    if Does.LINK not in roles:
        return None
    place = roles.index(Does.LINK)
    about, value = tokens[:place], tokens[place + 1 :]
    if len(value) > 1 and _chinese_verb(value[-1]):
        return Parts([*about, value[-1]], value[:-1], _many(about))
    shape = shape_of(tokens[place], value)
    return _typed(about, value) or Parts(about, value, _many(about), shape=shape)


def _graded(read: Marked) -> Parts | None:
    """Take what is said of how something is or has come along: 咖啡要热的, order A1 is shipped."""
    if read.own:
        return None
    tokens = [t for t in read.tokens if t.role not in DROPPED]
    if len(tokens) < _FEW or CATEGORY.get(tokens[-1].text) not in GRADES:
        return None
    return Parts([t for t in tokens[:-1] if t.text not in WEAK] or tokens[:-1], tokens[-1:])


def _chinese_verb(token: Token) -> bool:
    """Say whether a word ends "在 … 上班": where it is done is the value."""
    return not token.raw.isascii() and (token.role is Does.VERB or token.text == "work")


def _typed(about: list[Token], value: list[Token]) -> Parts | None:
    """Take the values that have a type; the words around them belong to the slot."""
    values = [token for token in value if token.role is Does.VALUE]
    if not values or any(token.text == "address" for token in about):
        return None
    if value[0].raw == "一" and len(values) == 1 and len(value) > 1:
        return Parts(about, value[1:])
    rest = [t for t in value if t.role not in {Does.VALUE, Does.LINK} and t.text not in WEAK]
    words = [t for t in rest if t.role is Does.WORD]
    kinds = {token.kind for token in values}
    if ValueKind.CODE in kinds and len(rest) > _MOST_AROUND_A_CODE:
        return None
    whole = kinds == {ValueKind.NUMBER} or values[0].text.endswith(" floor")
    if whole and len(words) == len(rest) >= _FEW and value[0].role is Does.VALUE:
        return None
    return Parts([*about, *rest], values)


def _valued(read: Marked) -> Parts | None:
    """Take what is typed and stands where a value can: not a code before its verb."""
    tokens = read.tokens
    last = len(tokens) - 1
    while last >= 0 and tokens[last].role is not Does.VALUE:
        last -= 1
    if last < 0 or (len(tokens) == 1 and not tokens[0].text.endswith(" old")):
        return None
    after = [t for t in tokens[last + 1 :] if t.role not in DROPPED]
    verb = next((n for n, token in enumerate(tokens) if token.role is Does.VERB), len(tokens))
    if after and last < verb and tokens[last].kind in {ValueKind.CODE, ValueKind.EMOJI}:
        return None
    first = verb if verb < last else -1
    values = [t for t in tokens[first + 1 :] if t.role is Does.VALUE]
    values = [t for t in values if t.raw != "一" or t.kind is not ValueKind.NUMBER] or values[-1:]
    about = [t for n, t in enumerate(tokens) if n <= first or t.role is not Does.VALUE]
    counts = {v.kind for v in values} == {ValueKind.NUMBER}
    if counts and first >= 0 and (tokens[verb].text in OBJECTS or _one(read, values, after)):
        return None
    kept = [t for t in about if t.text not in WEAK] or about
    return Parts(kept, values, _many(kept) and Mark.ADDED in read.marks)


def _one(read: Marked, values: list[Token], after: list[Token]) -> bool:
    """Say whether a number is only an article: 养了一只猫, of what one can have several of."""
    single = len(values) == 1 and values[0].text == "1" and values[0].raw == "一"
    return single and bool(after) and (read.own or Mark.ADDED in read.marks)


def _done(read: Marked) -> Parts | None:
    """Split at the verb and its object."""
    tokens = [t for t in read.tokens if not (t.raw == "一" and t.kind is ValueKind.NUMBER)]
    places = [n for n, token in enumerate(tokens) if token.role is Does.VERB]
    if not places:
        return None
    verb = _main(tokens, places)
    about, value = tokens[: verb + 1], tokens[verb + 1 :]
    if not [t for t in value if t.role not in DROPPED]:
        return _inverted(tokens, verb)
    if any(t.text in TASTE for t in about):
        about = [t for t in about if t.role is not Does.VERB or t.text in TASTE]
    about, value = _purpose(*_purposed(about, value), read)
    verbs = {t.text for t in about if t.role is Does.VERB} & MANY
    many = bool(verbs if read.own else verbs - _ASKED)
    return Parts(about, value, many)


def _main(tokens: list[Token], places: list[int]) -> int:
    """Return the place of the verb whose object is the value: in Chinese the last that has one."""
    if tokens[places[0]].raw.isascii():
        verb = places[0]
        last = len(tokens) - 1
        while verb + 1 in places or (verb + 2 in places and tokens[verb + 1].role is Does.TO):
            step = 1 if verb + 1 in places else 2
            if verb + step == last:
                break
            verb += step
        return verb
    with_object = [n for n in places if n + 1 < len(tokens) and n + 1 not in places]
    return with_object[-1] if with_object else places[-1]


def _inverted(tokens: list[Token], verb: int) -> Parts | None:
    """Read 对花生过敏 and what else puts its object before the verb."""
    preps = [n for n in range(verb) if tokens[n].role is Does.PREP]
    if preps and tokens[verb].text in MANY:
        return Parts([*tokens[: preps[0]], tokens[verb]], tokens[preps[0] + 1 : verb], many=True)
    return None


def _purposed(about: list[Token], value: list[Token]) -> tuple[list[Token], list[Token]]:
    """Move a verb after the object to the slot: 用中文回复 is about replying."""
    if len(value) > 1 and value[-1].role is Does.VERB and about[-1].text == "use":
        return [*about[:-1], value[-1]], value[:-1]
    return about, value


def _purpose(
    about: list[Token], value: list[Token], read: Marked
) -> tuple[list[Token], list[Token]]:
    """Move what the object is for to the slot: "use Figma for work"; "ship orders with DHL"."""
    preps = [n for n, token in enumerate(value) if token.role in _BEFORE_OBJECT]
    if not preps or not value[0].raw.isascii():
        return about, value
    first, last = preps[0], preps[-1]
    where = value[first].raw in {"on", "at"} and about[-1].text == "prefer"
    if first and (where or value[first].raw == "for" or about[-1].text == "add"):
        return [*about, *value[first + 1 :]], value[:first]
    if first == 0 and len(preps) == 1:
        return about, value[1:]
    if not read.own and last + 1 < len(value):
        return [*about, *value[:last]], value[last + 1 :]
    return about, value


def _opened(read: Marked) -> Parts:
    """Split before the last preposition, or take the words as they stand."""
    tokens = read.tokens
    content = [t for t in tokens if t.role not in DROPPED]
    if (
        content
        and all(t.text in CATEGORY for t in content)
        and len({CATEGORY[t.text] for t in content}) == 1
    ):  # noqa: E501
        return Parts([], content)
    preps = [n for n, token in enumerate(tokens) if token.role in _BEFORE_OBJECT]
    if preps and 0 < preps[-1] < len(tokens) - 1 and tokens[0].raw.isascii():
        about = tokens[: preps[-1]]
        named = len(about) > 1 or about[0].role is Does.NOUN
        form = Form.STATED if read.own else Form.SLOT
        return Parts(about, tokens[preps[-1] + 1 :], form=form, shape="" if named else LOOSE)
    headed = _headed(Parts([], tokens))
    return headed if headed.about else Parts([], tokens, form=Form.OPAQUE)


def _headed(parts: Parts) -> Parts:
    """Let a head noun name the slot: the value of "dark mode" is dark, of the slot mode."""
    if parts.form is Form.OPAQUE:
        return parts
    value = [t for t in parts.value if t.role is not Does.COMMA]
    while value and value[0].role is Does.PREP:
        value = value[1:]
    head = value[-1] if value else None
    if head and len(value) > 1 and head.text in HEADS and head.role is Does.NOUN:
        strong = [t for t in parts.about if t.text not in WEAK and t.text != head.text]
        return parts._replace(about=[*strong, head], value=value[:-1], many=False)
    return parts._replace(value=value)


def _many(about: list[Token]) -> bool:
    return any(token.text in MANY and token.role is Does.NOUN for token in about)
