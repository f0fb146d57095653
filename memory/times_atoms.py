"""Reads one expression of time, as a pattern of `times_rules` found it, into a `Frame`. Pure."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from memory.calendar import Frame, Moment, months_later
from memory.times_counted import (
    A_MINUTE,
    FEW,
    counted,
    few_ago,
    half_ago,
    last_half,
    number_of,
    said_in,
    stretch,
    unit_of,
    within,
)
from memory.times_rules import (
    DAYS,
    MONTHS,
    RELATIVE_DAYS,
    SEASONS,
    THIRDS,
    TURNS,
    YEARS,
)

_WEEKEND: Final = (5, 6)
_CENTURY: Final = 2000
_NOON: Final = 12
_LATELY: Final = timedelta(days=30)
_JUST_NOW: Final = timedelta(hours=1)


def read(name: str, match: re.Match[str], moment: Moment) -> Frame:
    """Return what the expression says. Raises ValueError or OverflowError for what can't be."""
    return _READERS[name](match, moment)


def _year_of(said: str | None) -> int | None:
    return None if said is None else number_of(said)


def _date(match: re.Match[str], _: Moment) -> Frame:
    year, month, day = (number_of(one) for one in match.groups())
    return _on(year, month, day)


def _on(year: int | None, month: int, day: int) -> Frame:
    date(_CENTURY if year is None else year, month, day)  # 29 February is some year's
    return Frame(year=year, month=month, days=(day, day))


def _month_zh(match: re.Match[str], _: Moment) -> Frame:
    year, said, day, end = match.groups()
    month = number_of(said)
    if not 1 <= month <= _NOON:
        raise ValueError("no such month")
    if day is not None:
        return _on(_year_of(year), month, number_of(day))
    return Frame(year=_year_of(year), month=month, third=THIRDS.get(end))


def _month_turn_zh(match: re.Match[str], moment: Moment) -> Frame:
    turn, day, end = match.groups()
    first = months_later(moment.today, TURNS[turn])
    days = None if day is None else (number_of(day), number_of(day))
    return Frame(year=first.year, month=first.month, days=days, third=THIRDS.get(end))


def _third_zh(match: re.Match[str], moment: Moment) -> Frame:
    unit, end = tuple(match.group(1))
    month = moment.today.month if unit == "月" else None
    return Frame(year=moment.today.year, month=month, third=THIRDS[end])


def _year_end(year: int, end: str) -> Frame:
    half = {"上半年": 0, "下半年": 1}.get(end)
    return Frame(year=year, third=THIRDS.get(end), half=half)


def _day_en(day: int, month: str, year: str | None, last: int | None = None) -> Frame:
    frame = _on(_year_of(year), MONTHS[month.rstrip(".")], last or day)
    return Frame(year=frame.year, month=frame.month, days=(day, last or day))


def _slashed(match: re.Match[str], _: Moment) -> Frame:
    one, two, year = (int(part) for part in match.groups())
    if one <= _NOON and two <= _NOON and one != two:
        raise ValueError("day or month first?")
    return _on(year, min(one, two), max(one, two)) if max(one, two) > _NOON else _on(year, one, two)


def _any_day(match: re.Match[str], _: Moment) -> Frame:
    day = number_of(match.group(1))
    if not 1 <= day <= 31:  # noqa: PLR2004 - days of a month
        raise ValueError("no such day")
    return Frame(days=(day, day))


def _relative_day(said: str, moment: Moment, part: str | None = None) -> Frame:
    day = moment.today + timedelta(days=RELATIVE_DAYS[said])
    return Frame(year=day.year, month=day.month, days=(day.day, day.day), part=part)


def _night(match: re.Match[str], moment: Moment) -> Frame:
    said = match.group(1)
    day = "yesterday" if said == "last night" else "today"
    return _relative_day(day, moment, "night" if said == "tonight" else said.split()[-1])


def _shifted(unit: str, turn: int, moment: Moment) -> Frame:
    """Return the calendar week, month, quarter, weekend or year so many from this one."""
    today = moment.today
    if unit in {"week", "weekend"}:
        monday = moment.monday + timedelta(days=7 * turn)
        return Frame(week=monday, weekdays=_WEEKEND if unit == "weekend" else None)
    if unit == "year":
        return Frame(year=today.year + turn)
    first = months_later(today, turn * (3 if unit == "quarter" else 1))
    if unit == "quarter":
        return Frame(year=first.year, quarter=(first.month - 1) // 3 * 3 + 1)
    return Frame(year=first.year, month=first.month)


def _turn(match: re.Match[str], moment: Moment) -> Frame:
    turn, name = TURNS[match.group(1)], match.group(2)
    if name == "weekend" and turn <= 0:
        # On a Wednesday the last one is the one just over, which is last week's as well.
        return Frame(weekdays=_WEEKEND, turn=-1) if turn else _shifted("weekend", 0, moment)
    if name in {"week", "month", "year", "quarter", "weekend"}:
        return _shifted(name, turn, moment)
    if name in DAYS:
        week = moment.monday if turn == 0 else None
        return Frame(week=week, weekdays=(DAYS[name], DAYS[name]), turn=turn)
    year = moment.today.year if turn == 0 else None
    if name in SEASONS:
        return Frame(year=year, season=SEASONS[name], turn=turn)
    if name in MONTHS:
        return Frame(year=year, month=MONTHS[name], turn=turn)
    return Frame(year=year, feast=name, turn=turn)


def _week_zh(match: re.Match[str], moment: Moment) -> Frame:
    week = moment.monday + timedelta(days=7 * TURNS[match.group(1)])
    return Frame(week=week, weekdays=_weekdays(match.group(2)))


def _weekdays(said: str) -> tuple[int, int] | None:
    if said == "末":
        return _WEEKEND
    return (DAYS[said], DAYS[said]) if said else None


def _quarter(match: re.Match[str], _: Moment) -> Frame:
    said = said_in(match)[0]
    names = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
    return Frame(quarter=3 * (names[said] if said in names else number_of(said)) - 2)


def _clock(match: re.Match[str], _: Moment) -> Frame:
    hour, minute, half, hour_24, minute_24 = match.groups()
    if hour is None:
        clock = int(hour_24), int(minute_24)
    else:
        if not 1 <= int(hour) <= _NOON:
            raise ValueError("no such hour")
        clock = int(hour) % _NOON + (_NOON if half[0] == "p" else 0), int(minute) if minute else -1
    return _at(clock)


def _at(clock: tuple[int, int]) -> Frame:
    hour, minute = clock
    if hour > 24 or minute > 59:  # noqa: PLR2004 - of a clock
        raise ValueError("no such time")
    return Frame(clock=(hour, None if minute < 0 else minute))


def _clock_zh(match: re.Match[str], _: Moment) -> Frame:
    hour, named, minute = match.groups()
    if named is not None:
        return _at((number_of(hour), {"半": 30, "一刻": 15, "三刻": 45}[named]))
    return _at((number_of(hour), -1 if minute is None else number_of(minute)))


_READERS: Final[dict[str, Callable[[re.Match[str], Moment], Frame]]] = {
    "just_now": lambda _, at: Frame(exact=(at.now - _JUST_NOW, at.now + A_MINUTE)),
    "lately": lambda _, at: Frame(exact=(at.now - _LATELY, at.now + A_MINUTE)),
    "few_days": lambda _, at: stretch(FEW["day"], "day", at),
    "few_units": lambda m, at: few_ago(unit_of(said_in(m)[0]), at),
    "last_few": lambda m, at: stretch(FEW[unit_of(said_in(m)[0])], unit_of(said_in(m)[0]), at),
    "half_ago": half_ago,
    "last_half": last_half,
    "ago": counted(-1),
    "ago_zh": counted(-1),
    "within": within,
    "within_zh": within,
    "past_unit": lambda m, at: stretch(1, said_in(m)[0], at),
    "ahead": counted(1),
    "ahead_zh": counted(1),
    "date": _date,
    "year_month": lambda m, _: Frame(year=int(m[1]), month=int(m[2])),
    "month_zh": _month_zh,
    "month_turn_zh": _month_turn_zh,
    "third_of_month_zh": _third_zh,
    "year_zh": lambda m, _: _year_end(number_of(m[1]), m[2]),
    "year_turn_zh": lambda m, at: _year_end(at.today.year + YEARS[m[1]], m[2]),
    "half_zh": lambda m, at: _year_end(at.today.year, m[1]),
    "day_of_month_zh": _any_day,
    "days_month": lambda m, _: _day_en(int(m[1]), m[3], m[4], int(m[2])),
    "month_days": lambda m, _: _day_en(int(m[2]), m[1], m[4], int(m[3])),
    "day_month": lambda m, _: _day_en(int(m[1]), m[2], m[3]),
    "month_day": lambda m, _: _day_en(int(m[2]), m[1], m[3]),
    "slashed": _slashed,
    "month_year": lambda m, _: Frame(year=int(m[2]), month=MONTHS[m[1].rstrip(".")]),
    "day_of_month": _any_day,
    "day": lambda m, at: _relative_day(m[0].removeprefix("earlier "), at),
    "night": _night,
    "night_zh": lambda m, at: _relative_day("前天" if m[1] == "前" else m[1], at, m[2]),
    "before_last": lambda m, at: _shifted(m[1], -2, at),
    "turn": _turn,
    "the_unit": lambda m, at: _shifted(m[1], 0, at),
    "weekend": lambda _, __: Frame(weekdays=_WEEKEND),
    "week_zh": _week_zh,
    "weekday_zh": lambda m, _: Frame(weekdays=_weekdays(m[1])),
    "weekday": lambda m, _: Frame(weekdays=(DAYS[m[1]], DAYS[m[1]])),
    "weekday_short": lambda m, _: Frame(weekdays=(DAYS[m[1]], DAYS[m[1]])),
    "quarter": _quarter,
    "quarter_zh": _quarter,
    "quarter_turn_zh": lambda m, at: _shifted("quarter", TURNS[m[1]], at),
    "season": lambda m, _: Frame(season=SEASONS[m[1]]),
    "season_zh": lambda m, _: Frame(season=SEASONS[m[1]]),
    "feast": lambda m, _: Frame(feast=said_in(m)[0]),
    "month": lambda m, _: Frame(month=MONTHS[m[1]]),
    "year": lambda m, _: Frame(year=int(m[1])),
    "third": lambda m, _: Frame(third=THIRDS[m[1]]),
    "early": lambda m, _: Frame(third=THIRDS[m[1]]),
    "half": lambda m, _: Frame(half=0 if m[1] == "first" else 1),
    "clock": _clock,
    "clock_zh": _clock_zh,
    "part": lambda m, _: Frame(part=m[1]),
    "part_zh": lambda m, _: Frame(part=m[1]),
}  # fmt: skip
