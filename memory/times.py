"""What time a question speaks of: stretches of UTC instants, and whether the last or the first is
meant. Pure, deterministic; reads the first `LONGEST` characters and never raises on any text.

English and Chinese by rule (R2). Words are read in the caller's zone and from the moment of the
question; each stretch carries the words that it was read from.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from memory.calendar import Frame, Instants, Moment, instants
from memory.times_atoms import read
from memory.times_rules import (
    ABOUT,
    AFTER,
    ALSO_OTHER,
    AND,
    BEFORE,
    BETWEEN,
    DATES,
    ENDS,
    FLOATING_UNLESS,
    JOINT,
    LEADS,
    NEWEST,
    OLDEST,
    PATTERNS,
    SIMPLER,
    SINCE,
    TO,
    UNTIL,
    WEAK,
)

LONGEST: Final = 2_000
MOST: Final = 4
"""Stretches kept of one text: who names more times than this asks about none of them."""
_AROUND: Final = 24
"""Characters before an expression that may say "since"."""
_WIDEST: Final = timedelta(days=7)
_GONE: Final = "\x00"


class Order(StrEnum):
    """Which of several is meant."""

    NEWEST = "newest"
    OLDEST = "oldest"


class Span(msgspec.Struct, frozen=True):
    """A half-open stretch of UTC instants, None an open end; `words` are what it was read from."""

    since: datetime | None
    until: datetime | None
    words: str

    def holds(self, at: datetime) -> bool:
        """Say whether an instant lies within."""
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)

    def meets(self, other: "Span") -> bool:
        """Say whether any instant lies within both."""
        ends = self.since is None or other.until is None or self.since < other.until
        return ends and (other.since is None or self.until is None or other.since < self.until)


class Times(msgspec.Struct, frozen=True):
    """What a text says of time: stretches, in the order of their words, and an order wished for."""

    spans: tuple[Span, ...] = ()
    order: Order | None = None


NO_TIMES: Final = Times()


class _Found(msgspec.Struct, frozen=True):
    start: int
    end: int
    frame: Frame
    name: str


def times_of(text: str, reference: datetime, zone: ZoneInfo) -> Times:
    """Return what `text` says of time to somebody in `zone` at `reference` (an aware instant)."""
    seen = unicodedata.normalize("NFKC", text[:LONGEST])[:LONGEST].casefold().translate(SIMPLER)
    moment = Moment(reference.astimezone(UTC), zone)
    found = _merged(seen, list(_atoms(seen, moment)))
    spans = tuple(dict.fromkeys(_spans(seen, found, moment)))
    return Times(spans if len(spans) <= MOST else (), _order(seen))


def without_times(text: str, reference: datetime, zone: ZoneInfo) -> str:
    """Return the text, in normal form, without the words that name a time."""
    seen = unicodedata.normalize("NFKC", text[:LONGEST])[:LONGEST].casefold().translate(SIMPLER)
    for one in _atoms(seen, Moment(reference.astimezone(UTC), zone)):
        seen = seen[: one.start] + " " * (one.end - one.start) + seen[one.end :]
    return seen


def _order(text: str) -> Order | None:
    newest, oldest = NEWEST.search(text), OLDEST.search(text)
    if newest is None or (oldest is not None and oldest.start() < newest.start()):
        return None if oldest is None else Order.OLDEST
    return Order.NEWEST


def _atoms(text: str, moment: Moment) -> Iterator[_Found]:
    """Find the expressions, each place in the text read once."""
    for name, pattern in PATTERNS.items():
        taken: list[tuple[int, int]] = []
        for match in pattern.finditer(text):
            if match.end() == match.start():
                continue
            try:
                frame = read(name, match, moment)
            except (ValueError, OverflowError):
                if name in DATES:
                    taken.append(match.span())  # 30 February is not all of February
                continue
            taken.append(match.span())
            yield _Found(match.start(), match.end(), frame, name)
        for start, end in taken:
            text = text[:start] + _GONE * (end - start) + text[end:]


def _merged(text: str, atoms: Sequence[_Found]) -> list[_Found]:
    """Join neighbours that name parts of one time, and drop what is no time alone."""
    joined: list[tuple[_Found, int]] = []
    for atom in sorted(atoms, key=lambda one: one.start):
        if joined:
            last, parts = joined[-1]
            if _joins(last, atom, text[last.end : atom.start]):
                frame = last.frame.with_(atom.frame)
                joined[-1] = (_Found(last.start, atom.end, frame, last.name), parts + 1)
                continue
        joined.append((atom, 1))
    habit = FLOATING_UNLESS.search(text) is not None
    kept: list[_Found] = []
    for one, parts in joined:
        if _stands(text, one, parts, habit=habit) or (kept and _ends(text, kept[-1], one)):
            kept.append(one)
    return kept


def _ends(text: str, first: _Found, second: _Found) -> bool:
    """Say whether an hour ends what another one began: 昨天下午三点到五点."""
    clocks = first.frame.clock is not None and second.frame.clock is not None
    return clocks and TO.fullmatch(text[first.end : second.start]) is not None


def _joins(first: _Found, second: _Found, gap: str) -> bool:
    one, two = first.frame.named(), second.frame.named()
    if one & two or JOINT.fullmatch(gap) is None or "exact" in one | two:
        return False
    if first.name == "early" and "week" in two:
        return False  # "we closed early last week" says nothing of when in the week
    # A week has no month or year, a month no season: both together are two times.
    every = one | two
    if "week" in every:
        return every <= {"week", "weekdays", "third", "part", "clock"}
    kinds = every & {"month", "season", "quarter", "feast", "weekdays"}
    return len(kinds) <= 1 or (kinds == {"month", "weekdays"} and "days" in every)


def _stands(text: str, one: _Found, parts: int, *, habit: bool) -> bool:
    named = one.frame.named()
    if named <= {"third", "half", "part", "clock"}:
        return False
    anchored = named & {"year", "week", "exact"} or one.frame.turn
    if habit and not anchored:
        return False
    if parts > 1:
        return True
    word = text[one.start : one.end]
    doubtful = one.name in WEAK and (one.name != "month" or word in ALSO_OTHER)
    if one.name in {"season", "season_zh"}:
        return False
    return not doubtful or LEADS.search(text[max(0, one.start - _AROUND) : one.start]) is not None


def _spans(text: str, found: Sequence[_Found], moment: Moment) -> Iterator[Span]:
    place = 0
    while place < len(found):
        one = found[place]
        other = found[place + 1] if place + 1 < len(found) else None
        span = None
        if other is not None and _is_pair(text, one, other):
            span = _pair(text, one, other, moment)
        place += 1 if span is None else 2
        span = span or _single(text, one, moment)
        if span is not None:
            yield span


def _before(text: str, one: _Found) -> str:
    return text[max(0, one.start - _AROUND) : one.start]


def _is_pair(text: str, one: _Found, other: _Found) -> bool:
    gap = text[one.end : other.start]
    if TO.fullmatch(gap):
        return True
    if AND.fullmatch(gap) is None:
        return False
    between = BETWEEN.search(_before(text, one)) is not None
    return between or ENDS[0][1].match(text, other.end) is not None


def _pair(text: str, one: _Found, other: _Found, moment: Moment) -> Span | None:
    """Return the stretch from one time to another, which may leave out what the first one said."""
    first, second = one.frame, _inherits(other.frame, one.frame)
    try:
        until = instants(second, moment)[1]
        since = instants(first, moment)[0]
        if since >= until:
            # "Between Monday and Wednesday", asked on a Tuesday: the Monday before that Wednesday.
            limit = (until - timedelta(days=1)).astimezone(moment.zone).date()
            since = instants(first, moment, limit)[0]
    except (ValueError, OverflowError):
        return None
    return Span(since, until, text[one.start : other.end]) if since < until else None


def _inherits(frame: Frame, first: Frame) -> Frame:
    """Return the second of a pair with what only the first one named: 3月5日到8日."""
    named, more = frame.named(), {}
    if named <= {"part", "clock"}:
        days = first.named() - {"clock"} - named
        more = {name: getattr(first, name) for name in days}
    elif "days" in named and "month" not in named:
        more = {"year": first.year, "month": first.month}
    elif "weekdays" in named and "week" not in named:
        more = {"week": first.week}
    elif named & {"month", "quarter"} and "year" not in named and first.year is not None:
        begins = first.month or first.quarter or 0
        later = (frame.month or frame.quarter or 0) < begins
        more = {"year": first.year + later}
    return msgspec.structs.replace(frame, **more) if more else frame


def _single(text: str, one: _Found, moment: Moment) -> Span | None:
    try:
        since, until = instants(one.frame, moment)
        return _bounded(text, one, (since, until))
    except (ValueError, OverflowError):
        return None


def _is_range(frame: Frame) -> bool:
    """Say whether the words name both ends themselves: from 10 to 12 March."""
    return frame.days is not None and frame.days[0] != frame.days[1]


def _bounded(text: str, one: _Found, stretch: Instants) -> Span:
    """Return the stretch as the words around it bound it: after, before, since, until, about."""
    since, until = stretch
    before = _before(text, one)
    word, start, end = "", one.start, one.end
    for name, ending in ENDS:
        match = ending.match(text, one.end)
        if match is not None:
            word, end = name, match.end()
            break
    for name, lead in (
        ("since", SINCE), ("after", AFTER), ("before", BEFORE), ("until", UNTIL), ("about", ABOUT)
    ):  # fmt: skip
        match = lead.search(before)
        # "Since" and "from" say less than a word behind: 从上周三之后.
        if match is not None and not word and not (name == "since" and _is_range(one.frame)):
            word, start = name, one.start - (len(before) - match.start())
            break
    words = text[start:end].strip()
    match word:
        case "since":
            return Span(since, None, words)
        case "after":
            return Span(until, None, words)
        case "before":
            return Span(None, since, words)
        case "until":
            return Span(None, until, words)
        case "about":
            slack = min(_WIDEST, until - since)
            return Span(since - slack, until + slack, words)
        case _:
            return Span(since, until, text[one.start : one.end].strip())
