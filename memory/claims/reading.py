"""From a text to its claims: each clause is one slot with one value, or words as they stand."""

from datetime import datetime
from typing import Final

import msgspec

from memory.claims.asking import only_asks
from memory.claims.clauses import MOST as MOST_CLAUSES
from memory.claims.clauses import Clause, clauses
from memory.claims.exchanging import order_of
from memory.claims.folding import LONGEST, folded
from memory.claims.lexicon import CATEGORY, Does, Token, plain
from memory.claims.marking import Marked, marked
from memory.claims.nouns import Claim, Form, Limit, Mark, Polarity, Slot, Value, ValueKind
from memory.claims.scanning import MOST, scan
from memory.claims.small_rules import (
    ALIASES,
    AT_TIMES,
    BEING,
    MEASURED_BY,
    OPPOSITES,
    PERSONS,
    SAID_BY,
    SLOTS,
    TODAY,
)
from memory.claims.splitting import DROPPED, Parts, split
from memory.claims.values import typed

_WEAK_ALONE: Final = frozenset({"put", "set", "keep", "run", "write"})
_SAYING: Final = frozenset({Does.VERB, Does.LINK, Does.VALUE})
MOST_CLAIMS: Final = 24
"""Claims of one text; what it says beyond them is one opaque claim."""


def claims_of(text: str, *, at: datetime | None = None) -> tuple[Claim, ...]:
    """Return what a text says, slot by slot; relative dates count from `at`. Never raises."""
    plain_text = folded(text)
    if only_asks(plain_text):
        return (_unread(text),)
    tokens = scan(plain_text)
    read = clauses(typed(tokens, at))
    found: list[Claim] = []
    subject: list[Token] = []
    meanwhile: tuple[str, ...] = ()
    for clause in read:
        claims, subject = _claims(clause, subject)
        meanwhile = _meanwhile(clause, claims) if clause.first else meanwhile
        if meanwhile and not clause.first:
            claims = [_during(meanwhile, claim) for claim in claims]
        found.extend(claim for claim in claims if claim not in found)
    if len(text) > LONGEST or MOST in (len(tokens), len(read) + MOST - MOST_CLAUSES):
        return (*found[: MOST_CLAIMS - 1], _unread(text))
    return (*found[: MOST_CLAIMS - 1], _unread(text)) if len(found) > MOST_CLAIMS else tuple(found)


def _unread(text: str) -> Claim:
    """Return what stands for all that was not read: the text itself, that no other one equals."""
    return _opaque([Token(Does.WORD, text, text)], Marked())


def _claims(clause: Clause, subject: list[Token]) -> tuple[list[Claim], list[Token]]:
    """Return the claims of a clause, and the subject that the next one may leave out."""
    read = marked(clause)
    if subject and not read.own and _leaves_out(clause, read.tokens):
        read = read._replace(tokens=[*subject, *read.tokens])
    following: list[Token] = []
    for token in read.tokens:
        if token.role in _SAYING:
            break
        following.append(token)
    if len(following) == len(read.tokens):
        following = []
    order = order_of(clause.tokens)
    claims = [_under(clause.head, _claim(parts, read)) for parts in split(read)]
    claims = [msgspec.structs.replace(claim, order=order) for claim in claims]
    gone = [msgspec.structs.replace(_replaced(read), order=order)] if read.replaced else []
    return [*claims, *gone], following


def _meanwhile(clause: Clause, claims: list[Claim]) -> tuple[str, ...]:
    """Return the time that a Chinese sentence begins with: it is of all that it says."""
    first = clause.tokens[0].raw if clause.tokens else ""
    if first not in AT_TIMES - TODAY or first.isascii() or clause.changed:
        return ()
    return claims[0].scope if len(claims) == 1 and not claims[0].marks else ()


def _during(time: tuple[str, ...], claim: Claim) -> Claim:
    """Return a claim with the time of its sentence, where it has none of its own."""
    return claim if claim.scope or claim.marks else msgspec.structs.replace(claim, scope=time)


def _leaves_out(clause: Clause, tokens: list[Token]) -> bool:
    """Say whether a clause begins with its verb and speaks of what the one before it spoke of."""
    if tokens and all(token.kind is ValueKind.QUANTITY for token in tokens):
        return True
    if tokens and tokens[0].raw == "在" and any(t.role is Does.VERB for t in tokens):
        return False
    if tokens and tokens[0].role is Does.LINK:
        pointers = [token.raw for token in clause.tokens if token.role is Does.POINTER]
        return not pointers or (pointers == ["it"] and clause.tokens[0].role in _POINTING)
    return bool(tokens) and tokens[0].role is Does.VERB


_POINTING: Final = frozenset({Does.POINTER, Does.LASTING})


def _under(head: tuple[str, ...], claim: Claim) -> Claim:
    """Return a claim as one of the thing that the heading names."""
    if not head:
        return claim
    if claim.form is Form.OPAQUE:
        return msgspec.structs.replace(claim, words=(*head, *claim.words))
    about = tuple(sorted({*claim.about, *head}))
    return msgspec.structs.replace(claim, about=about, slot=Slot(claim.slot.whose, " ".join(about)))


def _replaced(read: Marked) -> Claim:
    """Return what says that a value was given up for the one that the clause names."""
    ended = _opaque(list(read.replaced), read)
    return msgspec.structs.replace(ended, polarity=Polarity.ENDED, marks=(Mark.CHANGED,))


def _claim(parts: Parts, read: Marked) -> Claim:
    if parts.form is Form.OPAQUE:
        return _opaque(parts.value, read)
    names = sorted(_named(parts, read))
    value = _value(parts.value)
    form = parts.form
    if not names:
        kinds = {CATEGORY.get(t.text, "") for t in parts.value if t.role not in DROPPED}
        if {CATEGORY.get(t.text, "") for t in parts.value[-1:]} == {"occupied"}:
            kinds = {"occupied"}
        if value.kind is ValueKind.NUMBER and read.own:
            kinds = {"age"}
        names, form = (
            (sorted(kinds), form)
            if kinds & (BEING | {"age"}) and len(kinds) == 1
            else (["be"], Form.STATED)
        )
    flipped = not OPPOSITES.keys().isdisjoint(names)
    names = sorted({OPPOSITES.get(name, name) for name in names})
    polarity = read.polarity
    if flipped:
        polarity = Polarity.AFFIRMED if polarity is Polarity.DENIED else Polarity.DENIED
    whose = [name for name in names if name in PERSONS]
    attribute = [name for name in names if name not in PERSONS]
    return Claim(
        slot=Slot(" ".join(whose) or "self", SLOTS.get(tuple(attribute)) or " ".join(attribute)),
        value=value,
        about=tuple(names),
        words=tuple(plain(t.text) for t in parts.value if t.role not in DROPPED),
        polarity=polarity,
        scope=read.scope,
        limit=read.limit,
        many=parts.many,
        marks=read.marks,
        form=form,
        sort=_sort(parts.value),
        shape=parts.shape,
    )


def _naming(token: Token, read: Marked) -> bool:
    """Say whether "call" gives a name and is not what one does by telephone."""
    first = bool(read.tokens) and read.tokens[0] is token
    return not token.raw.isascii() or (
        token.raw in {"called", "named"} and not (read.own and first)
    )


def _sort(value: list[Token]) -> str:
    """Return the one kind that the lexicon knows of the words of a value."""
    kinds = {CATEGORY[t.text] for t in value if t.text in CATEGORY}
    return kinds.pop() if len(kinds) == 1 else ""


def _named(parts: Parts, read: Marked) -> set[str]:
    names = {plain(t.text) for t in parts.about if t.role not in DROPPED}
    if any(t.text == "call" and not _naming(t, read) for t in parts.about):
        names = (names - {"call"}) | {"phone_call"}
    if "call" in names or "nickname" in names or read.renamed:
        names = (names - {"call"}) | {"name"}
    if "reply" in names and any(CATEGORY.get(t.text) == "language" for t in parts.value):
        names.add("language")
    names = _less(names, parts, read)
    rest = names - PERSONS
    if rest == {"cook"} and _sort(parts.value) == "occupied":
        rest, names = {"occupied"}, (names - rest) | {"occupied"}
    if frozenset(rest) in ALIASES:
        names = (names & PERSONS) | {ALIASES[frozenset(rest)]}
    if not names and read.replaced:
        names.add("use")
    if any(t.text.endswith(" old") for t in parts.value):
        names.add("age")
    return names


def _less(names: set[str], parts: Parts, read: Marked) -> set[str]:
    """Return the words of a slot without those that add nothing to the others."""
    idle = set(_WEAK_ALONE) | {"include"}
    if "reply" in names:
        idle |= {"want", "prefer"}
    if "allergy" in names:
        idle.add("have")
    if any(CATEGORY.get(t.text) == "status" for t in parts.value):
        idle.add("status")
    kinds = {t.kind for t in parts.value}
    if ValueKind.QUANTITY in kinds:
        said = MEASURED_BY.get(parts.value[-1].text.partition(" ")[2], frozenset())
        idle |= {plain(t.text) for t in parts.about if t.raw in said}
    if len(kinds) == 1:
        idle |= SAID_BY.get(kinds.pop(), frozenset())
    if read.limit is not Limit.EXACT:
        idle |= {"要求", "requirement"}
    if read.polarity is not Polarity.ENDED:
        idle.add("limit")
    return names - idle or names


def _value(tokens: list[Token]) -> Value:
    kept = [t for t in tokens if t.role not in DROPPED]
    kinds = {t.kind for t in kept}
    text = " ".join(plain(t.text) for t in kept)
    if kinds == {ValueKind.TEXT} and {CATEGORY.get(t.text) for t in kept} == {"bool"}:
        return Value(ValueKind.BOOLEAN, text)
    return Value(kinds.pop() if len(kinds) == 1 else ValueKind.TEXT, text)


def _opaque(tokens: list[Token], read: Marked) -> Claim:
    words = tuple(plain(t.text) for t in tokens if t.role not in DROPPED)
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
