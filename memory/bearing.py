"""Whether what was found bears on a question at all, or only lies near it (R9). Pure.

Nearness alone can't tell: "which order is SF-12?" lies as near to order SF-21 as to its own. So the
most relevant are read, and each one's evidence is raised or lowered by what the question asks for:
does it stand out from the others, does it have the code that is named, was it so at the time that
is spoken of, does it have a number where one is asked for? What then still passes is read for what
it leaves unsaid (`memory.unsaid`). The weights are those of a logistic fit on the worlds of
`bench/recall_quality/dev`, divided by that of the evidence: so the threshold keeps its unit, and a
stricter one is stricter for every question (docs/guides/recall.md).
"""

import math
import operator
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from memory.bearing_rules import (
    CALENDAR,
    ELSE,
    KINDS,
    NAMED,
    NEEDS,
    VAGUE,
)
from memory.codes import codes_in, has_codes, without_labels
from memory.terms import among, plain_of
from memory.times import Span, Times, without_times
from memory.types import MemoryId
from memory.unsaid import Signs, asks_itself, signs, strangers_in
from memory.wanted import NOTHING_WANTED, Wanted, asked_for, wanted

_SHORTEST: Final = 3
"""Characters from which a question that a page repeats is known by it."""
_OPENS: Final = frozenset(["code", "password"])
_FULL: Final = 4.0
"""Content words from which a question says what it is about beside its time."""
_HAN_WORD: Final = 0.5
_DATED: Final = re.compile(r"[\d一二三四五六七八九十]")
"""What any number of `CALENDAR` has."""
_ASKS: Final = {name: asks for name, (asks, _) in KINDS.items()}
_HISTORY: Final = timedelta(days=90)
_PRIOR: Final = 8
_PRIOR_MEAN: Final = 0.14
_PRIOR_SPREAD: Final = 0.09
"""What unrelated memories have as evidence, counted as so many beside those found: with two
memories nobody knows what is usual."""
_MOST_APART: Final = 3.0
"""Spreads beyond which a memory stands out no more: by then it is the only one of its topic, and
whether it answers is told by what it says."""
_THE_SAME: Final = 0.9
"""Evidence from which a memory that asks something asks the same."""
_LEAST: Final = 0.0004
"""Variance that any memory has: nothing is divided by nothing."""


class Sought(msgspec.Struct, frozen=True):
    """What a question asks for that a memory can be held against.

    `words` are the terms that say what it is about, beside its time; `numbers` are codes as their
    letters and digits alone; `kinds` name what an answer must hold (`memory.bearing_rules`);
    `spans` are the times spoken of that have begun; `empty` is 1 for a question that says nothing
    beside its time, 0 for one that says enough; `alike` if it asks for one of several in time;
    `wants` is what it wants to be told.
    """

    words: frozenset[str]
    numbers: frozenset[str]
    kinds: tuple[str, ...]
    spans: tuple[Span, ...]
    empty: float
    alike: bool = False
    wants: Wanted = NOTHING_WANTED


class Read(msgspec.Struct, frozen=True):
    """A memory as it was read; `then` if it was so, or tells of it, at a time that is spoken of."""

    text: str
    then: bool


class Features(msgspec.Struct, frozen=True):
    """What is said for one memory and against it, beside its evidence; each in its own unit."""

    apart: float
    """Spreads by which its evidence stands above that of the others."""
    lacks: float
    """1 if the question names a code that it does not have."""
    inside: float
    """1 if it was so, or tells of what was so, at the time spoken of."""
    outside: float
    """1 if a time is spoken of, and it is of another."""
    alone: float
    """`inside`, as far as the question asks for no more than the time."""
    elsewhen: float
    """For one inside, the share of the question's words, by rarity, that a memory has and it does
    not: what is asked for was so at another time."""
    misfit: float
    """1 if it holds nothing of the kind that is asked for: no number, no address."""
    blank: float
    """For one inside that shares no word with the question: as far as that says what it is about
    beside its time."""
    named: float
    """1 if the question names codes and it has each of them."""
    stranger: float
    """1 if the question names somebody of whom others that were read speak, and it does not."""


WEIGHTS: Final = Features(
    apart=0.2,
    lacks=-2.0,
    inside=0.9,
    outside=-2.5,
    alone=1.0,
    elsewhen=-2.2,
    misfit=-2.0,
    blank=-0.5,
    named=0.9,
    stranger=-1.0,
)
AGAINST: Final = Signs(
    untold=-2.0,
    others=-1.0,
    opposed=-0.8,
    only_named=-0.6,
    undecided=-0.5,
)
"""What each sign of `memory.unsaid` takes. None adds: what fails without them isn't read for it."""
_WEIGHTS: Final = msgspec.structs.astuple(WEIGHTS)
_WEIGHTS_NAMED: Final = msgspec.structs.astuple(
    msgspec.structs.replace(WEIGHTS, misfit=-0.6, stranger=0.0)
)
_AGAINST: Final = msgspec.structs.astuple(AGAINST)
_AGAINST_NAMED: Final = msgspec.structs.astuple(
    msgspec.structs.replace(AGAINST, untold=-0.6, only_named=0.0, undecided=0.0)
)
"""Who names a code asks for what has it, and shares little else with that: there, that a property
or a kind of thing seems untold takes back no more than what the code is worth."""
BIAS: Final = -0.36
"""Such that the shipped threshold keeps its number, .36."""


def sought(
    text: str, times: Times, reference: datetime, zone: ZoneInfo, newest: datetime | None = None
) -> Sought:
    """Return what the question asks for; `times` were read from it at `reference`.

    `newest` is when the newest memory that was found was so.
    """
    spans = tuple(one for one in times.spans if _holds_to(one, reference, newest))
    bare = plain_of(without_times(text, reference, zone) if times.spans else text)
    kinds = asked_for(_ASKS, NEEDS, bare)
    if ELSE.search(bare):
        kinds = tuple(name for name in kinds if name not in NAMED)
    if len(kinds) > 1:
        kinds = tuple(name for name in kinds if name != "count")
    wants = wanted(text, bare)
    if "age" in wants.properties:
        spans = ()  # how old somebody is this year may have been said in any
    size = sum(1.0 if term.isascii() else _HAN_WORD for term in wants.words)
    empty = max(0.0, 1.0 - size / _FULL)
    return Sought(wants.words, codes_in(bare), kinds, spans, empty, times.order is not None, wants)


def features(
    asked: Sought, evidence: Mapping[MemoryId, float], read: Mapping[MemoryId, Read]
) -> dict[MemoryId, Features]:
    """Return what speaks for and against each memory that was read, beside its evidence.

    `evidence` is of all that was found: what is usual is known from those that are not read, too.
    """
    return _held_against(asked, evidence, read, _folded(read))


def _held_against(
    asked: Sought,
    evidence: Mapping[MemoryId, float],
    read: Mapping[MemoryId, Read],
    texts: Mapping[MemoryId, str],
) -> dict[MemoryId, Features]:
    # Pages that repeat the question would else make whatever answers it look like nothing special.
    echoes = _echoes(asked.wants.plain, texts)
    usual = [value for id, value in evidence.items() if id not in echoes]
    count, total = len(usual), sum(usual)
    squares = sum(value * value for value in usual)
    # Without a time that is spoken of, nothing depends on the words, and most questions have none.
    covered = _covered(asked.words, texts) if asked.spans else dict.fromkeys(texts, 0.0)
    most = max(covered.values(), default=0.0)
    # Who asks for the code of a door tells in passing who stands before it.
    strangers = set() if _OPENS & set(asked.kinds) else strangers_in(asked.wants, texts)
    found = {}
    for id, one in read.items():
        own = evidence[id]
        # Who asks for the last time expects several alike: none has to stand out from the others.
        others = (count, total, squares)
        if asked.alike:
            others = (0, 0.0, 0.0)
        elif id not in echoes:
            others = (count - 1, total - own, squares - own * own)
        mean, spread = _usual(*others)
        inside = float(one.then and bool(asked.spans))
        plain = texts[id]
        has = has_codes(plain, asked.numbers)
        found[id] = Features(
            # A memory that asks the same tells nothing: it is found by nearness alone.
            apart=(own - mean) / spread
            if asks_itself(plain)
            else min(_MOST_APART, (own - mean) / spread),
            lacks=float(not has),
            inside=inside,
            outside=float(bool(asked.spans)) - inside,
            alone=inside * asked.empty,
            elsewhen=inside * (most - covered[id]),
            misfit=float(not (own >= _THE_SAME and asks_itself(plain)) and _misfit(plain, asked)),
            blank=inside * (1.0 - asked.empty) * float(not covered[id]),
            named=float(has and bool(asked.numbers)),
            stranger=float(id in strangers and not asks_itself(plain)),
        )
    return found


def near(
    evidence: Mapping[MemoryId, float], kept: float, then: Collection[MemoryId]
) -> set[MemoryId]:
    """Return the memories that are worth reading: near the question, or of the time spoken of."""
    return {id for id, value in evidence.items() if value >= kept}.union(then)


def bearing(
    asked: Sought, evidence: Mapping[MemoryId, float], read: Mapping[MemoryId, Read]
) -> dict[MemoryId, float]:
    """Return the evidence, from 0, that each memory that was read answers the question."""
    texts = _folded(read)
    return {
        id: max(0.0, _as_told(asked, strength, against, read[id].text, texts[id]))
        for id, strength, against in _as_near(asked, evidence, read, texts)
    }


def any_bears(
    asked: Sought,
    evidence: Mapping[MemoryId, float],
    read: Mapping[MemoryId, Read],
    least: float,
) -> bool:
    """Say whether `bearing` gives any memory at least so much; nothing asked for is always given.

    What a memory leaves unsaid only takes away. So the strongest is read for it first, the next one
    only when that did not do, and what is too weak without it not at all.
    """
    if least <= 0.0:
        return True
    texts = _folded(read)
    able = (one for one in _as_near(asked, evidence, read, texts) if one[1] >= least)
    return any(
        _as_told(asked, strength, against, read[id].text, texts[id]) >= least
        for id, strength, against in sorted(able, key=lambda one: (-one[1], one[0]))
    )


def _as_near(
    asked: Sought,
    evidence: Mapping[MemoryId, float],
    read: Mapping[MemoryId, Read],
    texts: Mapping[MemoryId, str],
) -> Iterator[tuple[MemoryId, float, tuple[float, ...]]]:
    """Return what each memory's evidence is raised or lowered to, and what each sign would take."""
    for id, one in _held_against(asked, evidence, read, texts).items():
        strength = BIAS + evidence[id] + _weighed(_WEIGHTS_NAMED if one.named else _WEIGHTS, one)
        yield id, strength, _AGAINST_NAMED if one.named else _AGAINST


def _as_told(
    asked: Sought, strength: float, against: tuple[float, ...], text: str, plain: str
) -> float:
    """Return what is left of a strength beside what the memory leaves unsaid."""
    if strength <= 0.0:
        return strength
    return strength + _weighed(against, signs(asked.wants, text, plain))


def _folded(read: Mapping[MemoryId, Read]) -> dict[MemoryId, str]:
    return {id: plain_of(one.text) for id, one in read.items()}


def _weighed(weights: tuple[float, ...], values: Features | Signs) -> float:
    told: tuple[float, ...] = msgspec.structs.astuple(values)
    return sum(map(operator.mul, weights, told), start=0.0)


def _holds_to(span: Span, reference: datetime, newest: datetime | None) -> bool:
    """Say whether a time that is spoken of can be held against a memory.

    Not one to come, nor a vague one. Nor one long after all that is known: what is asked "last
    week" of a history that ended years ago was not asked with this clock in mind.
    """
    if span.since is None:
        return True
    known = newest is None or span.since <= newest + _HISTORY
    return known and span.since <= reference and VAGUE.fullmatch(span.words) is None


def _usual(count: int, total: float, squares: float) -> tuple[float, float]:
    """Return the mean evidence of the others and its spread, leaning on what is usual anywhere."""
    weight = count + _PRIOR
    mean = (total + _PRIOR * _PRIOR_MEAN) / weight
    prior = _PRIOR * (_PRIOR_SPREAD**2 + _PRIOR_MEAN**2)
    return mean, math.sqrt(max(0.0, (squares + prior) / weight - mean * mean) + _LEAST)


def _covered(words: frozenset[str], texts: Mapping[MemoryId, str]) -> dict[MemoryId, float]:
    """Return how much of the question's words each text has, weighted by rarity among them."""
    held = {id: among(words, text) for id, text in texts.items()}
    counts = Counter(word for some in held.values() for word in some)
    worth = {word: math.log(1.0 + (len(texts) + _PRIOR) / (counts[word] + 0.5)) for word in words}
    total = sum(worth.values()) or 1.0
    return {id: sum(worth[word] for word in some) / total for id, some in held.items()}


def _echoes(question: str, texts: Mapping[MemoryId, str]) -> set[MemoryId]:
    asked = question.strip(" ?？。.!！")
    return {id for id, text in texts.items() if asked in text} if len(asked) >= _SHORTEST else set()


def _misfit(plain: str, asked: Sought) -> bool:
    if not asked.kinds:
        return False
    undated = CALENDAR.sub(" ", plain) if _DATED.search(plain) else plain
    if "count" in asked.kinds and not asks_itself(plain):
        undated = without_labels(undated, asked.wants.plain)
    return not any(KINDS[name][1].search(undated) for name in asked.kinds)
