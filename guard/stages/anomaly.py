"""Finds what is odd about a write among others: floods, magnets, sleepers, strangers (W8).

`flood`: many nearly equal memories of one origin within the hour (those that gave way to each other
are counted by `guard.flood`). `magnet`: as near to unrelated questions as no ordinary text.
`stuffed`: made of what people might search for. `sleeper`: an act that waits for a word. `outlier`:
unlike anything the subject has. `unseen`: the index did not answer, so that only the newest
memories were looked at. Bursts are the stage `rate`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from guard.magnets import MAGNET
from guard.nouns import Draft, Facts, Near, Row, Tagged, View
from guard.stages.rules import RuleBook, gathered, sightings
from guard.stages.sleeper_rules import RULES
from guard.stages.told import graded
from memory.origin import Channel
from policies.model import Finding, Severity

NAME: Final = "anomaly"
BOOK: Final = RuleBook(RULES)

NEARLY_EQUAL: Final = 0.92
"""Least cosine, in every vector, of memories that say nearly the same."""
FLOOD: Final = 8
"""Nearly equal memories, this one included, that are a flood: more than any template of a day."""
FLOOD_WINDOW: Final = timedelta(hours=1)
_STRANGE: Final = 0.12
"""Best cosine in any vector below which a text is unlike all that the subject has."""
_KNOWN: Final = 16
"""Memories looked at before one can be unlike all: as many as the gate opens."""

_REPEATED: Final = 8
_SHARE: Final = 0.2
_LISTED: Final = 14
_ROOM: Final = 2 * _REPEATED * 4 - 1
"""Characters of the fewest and shortest words that one word can reign among."""
_QUESTIONS: Final = 5
_ASKED: Final = 5
_WORD = re.compile(r"[^\W\d_]{3,40}")
_NOT_WORDS = re.compile(
    # Places, and words beside a number: prices, sizes, numbered rows.
    r"\S{0,64}@\S{0,255}|(?:https?://|www\.)\S{0,255}"
    r"|[^\W\d_]{0,12}[\W_]{0,2}\d[\d.,:]{0,40}[\W_]{0,2}[^\W\d_]{0,12}"
)
_HAN_PAIR = re.compile(r"(?=([\u4e00-\u9fff]{2}))")
_FRAGMENT = re.compile(r"[,;|/、，；\n]+")
_SENTENCE_MOST: Final = 300
_SENTENCE = re.compile(rf"[^.!?。！？\n]{{2,{_SENTENCE_MOST}}}[.!?。！？\n]?")
_INTERROGATIVES = re.compile(
    r"\b(what|when|where|who|whom|why|which|how|how much|how many)\b", re.IGNORECASE
)
_INTERROGATIVES_CN = re.compile("(什么时候|什么|哪里|哪个|谁|为什么|怎么|怎样|多少|几点|如何)")
_LABELLED = re.compile(
    r"(?:^|[\n.;。；])\W{0,4}(?:key ?words?|tags?|search terms?|related (?:searches|queries"
    r"|questions|topics)|also known as|synonyms|seo|topics?|relevant (?:to|for|when)|use for"
    r"|queries|关键词|关键字|标签|搜索词|相关(?:搜索|问题|话题)|适用于|检索词|话题)\s{0,2}[:：](.{0,1500})",
    re.IGNORECASE,
)
_COMMON: Final = frozenset((
    "the", "and", "for", "that", "with", "this", "from", "you", "are", "was", "were", "have",
    "has", "had", "not", "but", "his", "her", "they", "their", "our", "your", "its", "will",
    "would", "can", "could", "all", "any", "one", "two", "out", "into", "over", "than", "then",
    "them", "been", "also", "which", "who", "what", "when",
))  # fmt: skip


def inspect_text(draft: Draft, views: Sequence[View]) -> tuple[Finding, ...]:
    """Return what is odd about a text by itself, each kind once."""
    sleepers = gathered(NAME, graded(sightings(BOOK, views), views[0].text))
    return (*_stuffed(draft.text), *sleepers)


def inspect(tagged: Tagged, facts: Facts) -> tuple[Finding, ...]:
    """Return what is odd about a write among others, each kind once."""
    return tuple(_among_others(tagged, facts))


def _among_others(tagged: Tagged, facts: Facts) -> Iterator[Finding]:
    if facts.unseen:
        yield Finding(NAME, "unseen", Severity.INFO)
    alike = sum(_is_of_flood(tagged, facts, near) for near in facts.near)
    if alike + 1 >= FLOOD:
        yield flood_of(tagged)
    best = max((max(near.likeness.values(), default=1.0) for near in facts.near), default=1.0)
    if len(facts.near) >= _KNOWN and best < _STRANGE:
        yield Finding(NAME, "outlier", Severity.INFO)
    if facts.pull >= MAGNET:
        yield Finding(NAME, "magnet", Severity.MEDIUM)


def flood_of(tagged: Tagged) -> Finding:
    """Return what is found of a draft that goes on with a flood."""
    # Who imports a history brings many lines of one pattern at once, and says so.
    bulk = tagged.origin.channel is Channel.IMPORT
    return Finding(NAME, "flood", Severity.INFO if bulk else Severity.MEDIUM)


def _is_of_flood(tagged: Tagged, facts: Facts, near: Near) -> bool:
    """Return whether a neighbour says nearly the same, of the same origin, and lately."""
    return (
        is_lately_of(tagged, near.row)
        and near.row.sealed.fingerprint != facts.fingerprint
        and min(near.likeness.values(), default=0.0) >= NEARLY_EQUAL
    )


def is_lately_of(tagged: Tagged, row: Row) -> bool:
    """Return whether a memory came from the draft's origin within the window of a flood."""
    label, origin = row.sealed.label, tagged.origin
    mine = (label.origin, label.client) == (origin.class_, origin.client)
    return mine and tagged.at - label.recorded_at <= FLOOD_WINDOW


def _stuffed(text: str) -> Iterator[Finding]:
    """Yield a finding for a text that is made of what people might search for."""
    if _is_stuffed(text):
        yield Finding(NAME, "stuffed", Severity.MEDIUM)
    elif _asks_everything(text):
        yield Finding(NAME, "stuffed", Severity.LOW)


def _is_stuffed(text: str) -> bool:
    labelled = _LABELLED.search(text) if ":" in text or "：" in text else None
    if labelled is not None and len(_fragments(labelled.group(1))) >= _LISTED:
        return True
    folded = text.casefold()
    # As many words as are asked for take up some place.
    plain = _NOT_WORDS.sub(" ", folded) if len(folded) >= _ROOM else ""
    words = [word for word in _WORD.findall(plain) if word not in _COMMON]
    # Pairs of characters stand for words; those of one repeated sign are noise and not stuffing.
    found = [] if text.isascii() else _HAN_PAIR.findall(text)
    pairs = [pair for pair in found if pair[0] != pair[1]]
    return _one_word_reigns(words) or _one_word_reigns(pairs) or _questions_in_a_row(text)


def _one_word_reigns(words: list[str]) -> bool:
    if len(words) < 2 * _REPEATED:
        return False
    (_, most), *_ = Counter(words).most_common(1)
    return most >= _REPEATED and most >= _SHARE * len(words)


def _questions_in_a_row(text: str) -> bool:
    """Return whether questions follow one another without an answer, and something is stated."""
    if text.count("?") + text.count("？") < _QUESTIONS:
        return False
    row = longest = stated = 0
    for sentence in _SENTENCE.findall(text):
        asks = sentence.rstrip().endswith(("?", "？"))
        row = row + 1 if asks else 0
        stated += not asks
        longest = max(longest, row)
    return longest >= _QUESTIONS and stated > 0


def _asks_everything(text: str) -> bool:
    """Return whether most interrogatives stand in one sentence."""
    if not _may_ask_much(text) or (len(text) <= _SENTENCE_MOST and not _asks_much(text)):
        return False
    for sentence in _SENTENCE.findall(text):
        asked = {word.casefold() for word in _INTERROGATIVES.findall(sentence)}
        if max(len(asked), len(set(_INTERROGATIVES_CN.findall(sentence)))) >= _ASKED:
            return True
    return False


def _may_ask_much(text: str) -> bool:
    """Say whether a text may have enough interrogatives: it has parts of them, or is no ASCII."""
    if not text.isascii():
        return True
    folded = text.lower()
    return folded.count("wh") + folded.count("how") >= _ASKED


def _asks_much(text: str) -> bool:
    """Return whether a text, in which no sentence is cut for its length, has enough of them."""
    asked = {word.casefold() for word in _INTERROGATIVES.findall(text)}
    return max(len(asked), len(set(_INTERROGATIVES_CN.findall(text)))) >= _ASKED


def _fragments(text: str) -> list[str]:
    pieces = (piece.strip() for piece in _FRAGMENT.split(text.partition("\n\n")[0]))
    return [piece for piece in pieces if 0 < len(piece) <= 60]  # noqa: PLR2004  # a few words
