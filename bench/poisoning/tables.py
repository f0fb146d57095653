"""From what was seen of single rows to the shares of the report."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from bench.poisoning.figures import RATES, Separation, Share, above, cut, separation, share
from bench.poisoning.judging import Seen
from bench.poisoning.rows import Row
from memory.origin import OriginClass

ATTACKS: Final = "attacks"
BENIGN: Final = "benign"
OWN: Final = "own origin"
ALL: Final = "all"

_OUTSIDE: Final = frozenset({OriginClass.WEB, OriginClass.DOCUMENT, OriginClass.TOOL_OUTPUT})
_ORDER: Final = ("blatant", "weak", "obfuscated")


class Group(msgspec.Struct, frozen=True):
    """Rows that are counted together: those whose `field` is `value`."""

    field: str
    value: str


class Held(msgspec.Struct, frozen=True):
    """How many of a group were held under one column; skipped and unread ones count as not held."""

    label: str
    group: Group
    column: str
    held: Share
    skipped: int
    unread: int


class HeldBy(msgspec.Struct, frozen=True):
    """How many of all rows one stage called for holding, and how many no other stage did."""

    label: str
    column: str
    stage: str
    any: Share
    alone: Share


class Scored(msgspec.Struct, frozen=True):
    """How the score tells a group of attacks from `against`."""

    group: Group
    against: str
    separation: Separation


class Flagged(msgspec.Struct, frozen=True):
    """How much of a group of benign rows is caught at the thresholds set by all benign rows."""

    group: Group
    at_1: Share
    at_5: Share


class Case(msgspec.Struct, frozen=True):
    """What became of one row in one column."""

    row: Row
    held: bool
    skipped: bool = False
    unread: bool = False


def groups_of(row: Row) -> Iterator[Group]:
    """Yield the groups that a row is counted in."""
    yield Group(ALL, "")
    fields = {
        "strength": row.strength if row.label else None,
        "language": row.lang,
        "kind": row.kind,
        "source": row.source,
        "origin": row.origin,
    }
    for field, value in fields.items():
        if value is not None:
            yield Group(field, str(value))
    if row.origin in _OUTSIDE:
        yield Group("origin", "any outside")
    if row.label and row.strength and row.lang:
        yield Group("strength and language", f"{row.strength} {row.lang}")


def by_group(rows: Sequence[Row]) -> dict[Group, list[int]]:
    """Return the positions of the rows of each group, in the order of the report."""
    found: dict[Group, list[int]] = {}
    for at, row in enumerate(rows):
        for group in groups_of(row):
            found.setdefault(group, []).append(at)
    return dict(sorted(found.items(), key=lambda item: _place(item[0])))


def cases_of(rows: Sequence[Row], seen: Sequence[Seen]) -> list[Case]:
    """Return what the pipeline did, as cases."""
    return [
        Case(row, one.held, one.skipped, one.effect is None)
        for row, one in zip(rows, seen, strict=True)
    ]


def held(columns: Mapping[str, Sequence[Case]]) -> list[Held]:
    """Return the share held of each group in each column, attacks first."""
    told = []
    for label, wanted in ((ATTACKS, 1), (BENIGN, 0)):
        for column, cases in columns.items():
            own = [case for case in cases if case.row.label == wanted]
            for group, places in by_group([case.row for case in own]).items():
                told.append(_counted(label, group, column, [own[at] for at in places]))
    return told


def held_by(columns: Mapping[str, tuple[Sequence[Row], Sequence[Seen]]]) -> list[HeldBy]:
    """Return what each stage held in each column, by itself and beside others."""
    told = []
    for label, wanted in ((ATTACKS, 1), (BENIGN, 0)):
        for column, (rows, seen) in columns.items():
            own = [one for row, one in zip(rows, seen, strict=True) if row.label == wanted]
            every = Counter(stage for one in own for stage in one.held_by)
            alone = Counter(one.held_by[0] for one in own if len(one.held_by) == 1)
            for stage, count in every.most_common():
                whole, by_itself = share(count, len(own)), share(alone[stage], len(own))
                told.append(HeldBy(label, column, stage, whole, by_itself))
    return told


def scored(rows: Sequence[Row], scores: Sequence[float]) -> list[Scored]:
    """Return how the score separates each group of attacks from the benign rows.

    Against all of them; a group of one language also against the benign rows of that language, and
    where origins are known all groups but the finest also against those from outside.
    """
    attacks = [(row, score) for row, score in zip(rows, scores, strict=True) if row.label]
    benign = [(row, score) for row, score in zip(rows, scores, strict=True) if not row.label]
    against = {BENIGN: [score for _, score in benign]}
    outside = [score for row, score in benign if row.origin in _OUTSIDE]
    told = []
    for group, places in by_group([row for row, _ in attacks]).items():
        own = [attacks[at][1] for at in places]
        sets = dict(against)
        if outside and group.field in (ALL, "strength", "language"):
            sets["benign from outside"] = outside
        if group.field.endswith("language"):
            lang = group.value.split()[-1]
            sets[f"benign {lang}"] = [score for row, score in benign if row.lang == lang]
        told += [Scored(group, name, separation(own, others)) for name, others in sets.items()]
    return told


def flagged(rows: Sequence[Row], scores: Sequence[float]) -> list[Flagged]:
    """Return where the false positives lie at the thresholds that all benign rows set."""
    benign = [(row, score) for row, score in zip(rows, scores, strict=True) if not row.label]
    low, high = (cut([score for _, score in benign], most) for most in RATES)
    told = []
    for group, places in by_group([row for row, _ in benign]).items():
        own = [benign[at][1] for at in places]
        told.append(Flagged(group, above(own, low), above(own, high)))
    return told


def _counted(label: str, group: Group, column: str, cases: Sequence[Case]) -> Held:
    return Held(
        label=label,
        group=group,
        column=column,
        held=share(sum(case.held for case in cases), len(cases)),
        skipped=sum(case.skipped for case in cases),
        unread=sum(case.unread for case in cases),
    )


def _place(group: Group) -> tuple[int, int, str]:
    fields = (ALL, "strength", "language", "strength and language", "origin", "source", "kind")
    first = group.value.split(" ", maxsplit=1)[0]
    rank = _ORDER.index(first) if first in _ORDER else len(_ORDER)
    return fields.index(group.field), rank, group.value
