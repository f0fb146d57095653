"""The words that are known, of both languages, each with what it does in a sentence."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from memory.claims.function_rules import FUNCTIONS, PROTECTED
from memory.claims.kinds_rules import KINDS
from memory.claims.nouns import ValueKind
from memory.claims.units_rules import DAYS, EVERY_WEEK, THAT_WEEK, WEEKDAYS
from memory.claims.word_rules import NOUNS, VALUES, VERBS


class Role(StrEnum):
    """What a word does in a sentence."""

    WORD = "word"
    NUMBER = "number"
    UNIT = "unit"
    ORDINAL = "ordinal"
    NOUN = "noun"
    VERB = "verb"
    VALUE = "value"
    SELF = "self"
    SILENT = "silent"
    LINK = "link"
    TO = "to"
    PREP = "prep"
    CHANGE = "change"
    ALSO = "also"
    ENDED = "ended"
    DENY = "deny"
    AGAIN = "again"
    LASTING = "lasting"
    MOST = "most"
    LEAST = "least"
    AND = "and"
    POINTER = "pointer"
    COMMA = "comma"
    COLON = "colon"
    STOP = "stop"
    WHEN = "when"
    PERIOD = "period"
    DAYPART = "daypart"
    INSTEAD = "instead"
    FIX = "fix"


class Does:
    """The roles, looked up at no cost: a class of members takes a detour before CPython 3.12."""

    WORD: Final = Role.WORD
    NUMBER: Final = Role.NUMBER
    UNIT: Final = Role.UNIT
    ORDINAL: Final = Role.ORDINAL
    NOUN: Final = Role.NOUN
    VERB: Final = Role.VERB
    VALUE: Final = Role.VALUE
    SELF: Final = Role.SELF
    SILENT: Final = Role.SILENT
    LINK: Final = Role.LINK
    TO: Final = Role.TO
    PREP: Final = Role.PREP
    CHANGE: Final = Role.CHANGE
    ALSO: Final = Role.ALSO
    ENDED: Final = Role.ENDED
    DENY: Final = Role.DENY
    AGAIN: Final = Role.AGAIN
    LASTING: Final = Role.LASTING
    MOST: Final = Role.MOST
    LEAST: Final = Role.LEAST
    AND: Final = Role.AND
    POINTER: Final = Role.POINTER
    COMMA: Final = Role.COMMA
    COLON: Final = Role.COLON
    STOP: Final = Role.STOP
    WHEN: Final = Role.WHEN
    PERIOD: Final = Role.PERIOD
    DAYPART: Final = Role.DAYPART
    INSTEAD: Final = Role.INSTEAD
    FIX: Final = Role.FIX


class Token(NamedTuple):
    """One word: what it does, its name in both languages, and how it was written."""

    role: Role
    text: str
    raw: str
    kind: ValueKind = ValueKind.TEXT
    proper: bool = False
    """Whether it was written with a capital."""


class Entry(NamedTuple):
    """What the lexicon says of a word."""

    role: Role
    text: str


def _read(lines: Iterable[str], role: Role | None) -> Iterable[tuple[str, Entry]]:
    for line in lines:
        head, _, words = line.partition(":")
        for word in words.split():
            spelt = word.replace("_", " ") if word != "_" else word
            yield spelt, Entry(role or Role(head), head.rstrip("*") if role else spelt)


def _lexicon() -> dict[str, Entry]:
    known: dict[str, Entry] = {}
    for lines, role in ((VALUES + KINDS, Role.WORD), (NOUNS, Role.NOUN), (VERBS, Role.VERB)):
        known.update(_read(lines.splitlines(), role))
    known.update(_read(FUNCTIONS.splitlines(), None))
    return known


_ALL: Final = _lexicon()
ENGLISH: Final[Mapping[tuple[str, ...], Entry]] = {
    tuple(word.split(" ")): entry for word, entry in _ALL.items() if word[0] < "\u3400"
}
ALONE: Final[Mapping[str, Entry]] = {
    words[0]: entry for words, entry in ENGLISH.items() if len(words) == 1
}
"""The English words that are known by themselves."""
_CHINESE: Final[Mapping[str, Entry]] = {
    **{word: Entry(Role.WORD, word) for word in PROTECTED.split()},
    **{word: entry for word, entry in _ALL.items() if word[0] >= "\u3400"},
    **{
        word: Entry(Role.PERIOD, word)
        for word in (*DAYS, *WEEKDAYS, *THAT_WEEK, *EVERY_WEEK)
        if word[0] >= "\u3400"
    },
}
CHINESE: Final = {word: Token(entry.role, entry.text, word) for word, entry in _CHINESE.items()}
LONGEST_PHRASE: Final[Mapping[str, int]] = {
    first: max(len(words) for words in ENGLISH if words[0] == first)
    for first in {words[0] for words in ENGLISH}
}
"""By its first word, how many words the longest English phrase has."""
RUNS: Final[Mapping[str, tuple[int, ...]]] = {
    first: tuple(sorted({len(word) for word in CHINESE if word[0] == first}, reverse=True))
    for first in {word[0] for word in CHINESE}
}
"""By its first character, how long the known Chinese words are, the longest first."""
MANY: Final = frozenset(
    line.partition(":")[0].rstrip("*")
    for line in VERBS.splitlines()
    if line.partition(":")[0].endswith("*")
)
"""Verbs and attributes that several values may stand beside each other in."""
NOUN_KINDS: Final = {"tea": "drink", "coffee": "drink", "doctor": "occupied", "boss": "occupied"}
"""Nouns that name a slot, and of which kind they are where they are a value."""
THINGS: Final = frozenset(line.partition(":")[0].rstrip("*") for line in NOUNS.splitlines())
"""Names of the nouns that are known."""
DOING: Final = frozenset(line.partition(":")[0].rstrip("*") for line in VERBS.splitlines())
"""Names of the verbs that are known."""
CATEGORY: Final[Mapping[str, str]] = NOUN_KINDS | {
    line.partition(":")[0]: line.partition("/")[0]
    for line in (VALUES + KINDS).splitlines()
    if "/" in line
}
"""What kind of thing a known value is."""


def plain(text: str) -> str:
    """Return a value without its kind: of `language/english` the language."""
    return text.rpartition("/")[2] if text in CATEGORY else text
