"""From what a time expression says to the stretch of instants that it means. Pure.

A `Frame` holds the fields that words have named; what they left open is filled from the moment of
the question: a bare day, month or feast is the most recent one that is not after it. Weeks begin on
Monday. Seasons are those of the northern half.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from memory.times_rules import EASTER, FEASTS, MOVING, PARTS, THANKSGIVING

Days = tuple[date, date]
"""The first day, and the day after the last."""
Instants = tuple[datetime, datetime]

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)
_SHORTEST: Final = timedelta(minutes=1)
"""Of a local time that a change of clocks leaves out."""
_BACK: Final = 9
"""Years looked through for the most recent one: 29 February may be eight years ago."""
_MONTHS_BACK: Final = 14
_NOON: Final = 12


class Frame(msgspec.Struct, frozen=True):
    """What words named of a time. `turn` is -1 for a past one ("last March"), 1 for a coming one.

    `week` is its Monday, `weekdays` and `days` are inclusive, a season is its first month, and so
    is a quarter.
    """

    year: int | None = None
    month: int | None = None
    days: tuple[int, int] | None = None
    week: date | None = None
    weekdays: tuple[int, int] | None = None
    feast: str | None = None
    season: int | None = None
    quarter: int | None = None
    third: int | None = None
    half: int | None = None
    part: str | None = None
    clock: tuple[int, int | None] | None = None
    exact: Instants | None = None
    turn: int = 0

    def named(self) -> frozenset[str]:
        """Return the names of the fields that were said."""
        every = (name for name in self.__struct_fields__ if name != "turn")
        return frozenset(name for name in every if getattr(self, name) is not None)

    def with_(self, other: "Frame") -> "Frame":
        """Return this with what `other` says as well."""
        more = {name: getattr(other, name) for name in other.named()}
        return msgspec.structs.replace(self, **more, turn=self.turn or other.turn)


class Moment(msgspec.Struct, frozen=True):
    """When and where something is asked: the instant, and the zone in which its words are read."""

    now: datetime
    zone: ZoneInfo

    @property
    def today(self) -> date:
        """The day there."""
        return self.now.astimezone(self.zone).date()

    @property
    def monday(self) -> date:
        """The first day of the week there."""
        return self.today - timedelta(days=self.today.weekday())

    def at(self, day: date, hours: float = 0.0, *, fold: int = 0) -> datetime:
        """Return the instant of a local time, counted from the first hour of `day`."""
        local = datetime.combine(day, time()) + timedelta(hours=hours)
        return local.replace(tzinfo=self.zone, fold=fold).astimezone(UTC)


def months_later(first: date, months: int) -> date:
    """Return the first day of the month that is so many months from `first`'s."""
    place = first.year * 12 + first.month - 1 + months
    return date(place // 12, place % 12 + 1, 1)


def instants(frame: Frame, moment: Moment, limit: date | None = None) -> Instants:
    """Return the half-open stretch of UTC instants that `frame` means; its start is before its end.

    `limit` takes the place of the day of the question. Raises ValueError for a day that no calendar
    has, OverflowError for one before or after all calendars.
    """
    if frame.exact is not None:
        return frame.exact
    first, end = _days(frame, limit or moment.today)
    start, stop = 0.0, 0.0
    if end - first == _DAY and (frame.part is not None or frame.clock is not None):
        start, stop = _hours(frame.part, frame.clock)
        end = first
    since = moment.at(first, start)
    return since, max(moment.at(end, stop, fold=1), since + _SHORTEST)


def _hours(part: str | None, clock: tuple[int, int | None] | None) -> tuple[float, float]:
    first, end = (0, 24) if part is None else PARTS[part]
    if clock is None:
        return float(first), float(end)
    hour, minute = clock
    if hour < _NOON and end > _NOON and first >= _NOON - 1 and hour + _NOON <= end:
        hour += _NOON  # "three in the afternoon"
    if hour > 24:  # noqa: PLR2004 - hours of a day
        raise ValueError("no such hour")
    start = hour + (minute or 0) / 60
    return start, start + (1.0 if minute is None else 0.5)


def _days(frame: Frame, limit: date) -> Days:  # noqa: PLR0911 - one per kind of time
    """Return the days that a frame names, the most recent ones where it names no year."""
    if frame.feast is not None:
        feast = frame.feast
        return _of_year(lambda year: _feast(feast, year), frame, limit)
    if frame.week is not None:
        return _week(frame.week, frame)
    if frame.month is not None:
        month = frame.month
        return _of_year(lambda year: _month(date(year, month, 1), frame), frame, limit)
    if frame.season is not None or frame.quarter is not None:
        begins = frame.season or frame.quarter or 1
        return _of_year(lambda year: _three_months(year, begins), frame, limit)
    if frame.year is not None:
        return _year(frame.year, frame)
    if frame.weekdays is not None:
        monday = limit - timedelta(days=limit.weekday())
        weeks = (_week(monday + n * _WEEK, frame) for n in (2, 1, 0, -1, -2))
        return _chosen(weeks, frame.turn, limit)
    if frame.days is not None:
        months = (months_later(limit, n) for n in range(2, -_MONTHS_BACK, -1))
        return _chosen(_existing(lambda one: _month(one, frame), months), frame.turn, limit)
    raise ValueError("names no day")


def _existing(days_of: Callable[[date], Days], firsts: Iterable[date]) -> Iterator[Days]:
    for first in firsts:
        try:
            yield days_of(first)
        except ValueError:
            continue  # no 31st in this month


def _of_year(days_of: Callable[[int], Days], frame: Frame, limit: date) -> Days:
    if frame.year is not None:
        return days_of(frame.year)
    firsts = (date(limit.year + n, 1, 1) for n in range(2, -_BACK, -1))
    return _chosen(_existing(lambda one: days_of(one.year), firsts), frame.turn, limit)


def _chosen(stretches: Iterable[Days], turn: int, limit: date) -> Days:
    """Return one of `stretches`, the latest of which comes first."""
    ahead: Days | None = None
    for first, end in stretches:
        if turn > 0 and first <= limit:
            break
        if turn > 0:
            ahead = (first, end)
        elif first <= limit and (turn == 0 or end <= limit):
            return first, end
    if ahead is None:
        raise ValueError("no such day near")
    return ahead


def _week(monday: date, frame: Frame) -> Days:
    if frame.weekdays is not None:
        first, last = frame.weekdays
        return monday + first * _DAY, monday + (last + 1) * _DAY
    start, end = {None: (0, 7), 0: (0, 2), 1: (1, 5), 2: (3, 7)}[frame.third]
    return monday + start * _DAY, monday + end * _DAY


def _month(first: date, frame: Frame) -> Days:
    end = months_later(first, 1)
    if frame.days is not None:
        start, last = frame.days
        if last < start:
            raise ValueError("ends before it begins")
        return first.replace(day=start), first.replace(day=last) + _DAY
    if frame.half is not None:
        middle = first.replace(day=16)
        return (first, middle) if frame.half == 0 else (middle, end)
    if frame.third is not None:
        days = (first, first.replace(day=11), first.replace(day=21), end)
        return days[frame.third], days[frame.third + 1]
    return first, end


def _three_months(year: int, begins: int) -> Days:
    first = date(year, begins, 1)
    return first, months_later(first, 3)


def _year(year: int, frame: Frame) -> Days:
    first, middle, end = date(year, 1, 1), date(year, 7, 1), date(year + 1, 1, 1)
    if frame.half is not None:
        return (first, middle) if frame.half == 0 else (middle, end)
    if frame.third is not None:
        # The beginning and the end of a year are shorter in speech than a third of it.
        months = ((0, 3), (4, 8), (10, 12))[frame.third]
        return months_later(first, months[0]), months_later(first, months[1])
    return first, end


def _feast(name: str, year: int) -> Days:
    if name == EASTER:
        sunday = _easter(year)
        return sunday - 2 * _DAY, sunday + 2 * _DAY
    if name in THANKSGIVING:
        first = date(year, 11, 1)
        day = first + ((3 - first.weekday()) % 7 + 21) * _DAY
        return day, day + _DAY
    if name in MOVING:
        years, shift, length = MOVING[name]
        if year not in years:
            raise ValueError("outside of the table")
        day = date(year, *years[year]) + shift * _DAY
        return day, day + length * _DAY
    month, number, length = FEASTS[name]
    return date(year, month, number), date(year, month, number) + length * _DAY


def _easter(year: int) -> date:
    """Return the Sunday by the rule of Gauss, as corrected by Lichtenberg."""
    century = year // 100
    moon = 15 + (3 * century + 3) // 4 - (8 * century + 13) // 25
    sun = 2 - (3 * century + 3) // 4
    golden = year % 19
    seed = (19 * golden + moon) % 30
    limit = 21 + seed - (seed // 29 + (seed // 28 - seed // 29) * (golden // 11))
    first = 7 - (year + year // 4 + sun) % 7
    return date(year, 3, 1) + (limit + (7 - (limit - first) % 7) - 1) * _DAY
