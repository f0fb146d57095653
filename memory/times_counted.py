"""Times that are counted from the moment of a question: three days ago, 最近两周. Pure."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from memory.calendar import Frame, Moment, months_later
from memory.times_rules import DIGITS, NUMBERS, TENS

A_MINUTE: Final = timedelta(minutes=1)
_LONGEST: Final = {
    "day": 36_600,
    "week": 5_200,
    "month": 1_200,
    "year": 100,
    "hour": 9_999,
    "minute": 9_999,
}
_UNITS: Final = {
    "min": "minute", "hr": "hour", "night": "day", "分钟": "minute", "小时": "hour", "钟头": "hour",
    "天": "day", "日": "day", "晚": "day", "周": "week", "星期": "week", "礼拜": "week",
    "月": "month", "年": "year",
}  # fmt: skip
FEW: Final = {"minute": 20, "hour": 8, "day": 7, "week": 6, "month": 8, "year": 6}
_SLACK: Final = {"week": timedelta(days=3), "month": timedelta(days=7)}


def number_of(said: str) -> int:
    """Return the number that is written in digits, in English words or in Chinese.

    Raises ValueError for what is none.
    """
    said = said.strip()
    if said.isdecimal():
        return int(said)
    if said in NUMBERS:
        return NUMBERS[said]
    if all(char in DIGITS for char in said):
        return int("".join(str(DIGITS[char]) for char in said))
    total = digit = 0
    for char in said:
        if char in TENS:
            total += (digit or 1) * TENS[char]
            digit = 0
        else:
            digit = DIGITS[char] if char in DIGITS else _none(said)
    return total + digit


def _none(said: str) -> int:
    raise ValueError(f"no number: {len(said)} characters")


def said_in(match: re.Match[str]) -> list[str]:
    """Return the groups that took part, in order."""
    return [one for one in match.groups() if one]


def unit_of(said: str) -> str:
    """Return the name of a unit in either language."""
    said = said.removeprefix("个")
    return _UNITS.get(said, said)


def stretch(amount: int, unit: str, moment: Moment) -> Frame:
    """Return the last so many units, up to now."""
    if amount > _LONGEST[unit]:
        raise ValueError("too long ago")
    until = moment.now + A_MINUTE
    if unit in {"minute", "hour"}:
        return Frame(exact=(moment.now - amount * timedelta(**{f"{unit}s": 1}), until))
    return Frame(exact=(moment.at(_moved(moment.today, -amount, unit)), until))


def _moved(day: date, amount: int, unit: str) -> date:
    if unit == "fortnight":
        amount, unit = 2 * amount, "week"
    if unit in {"day", "week"}:
        return day + timedelta(days=amount * (7 if unit == "week" else 1))
    month = months_later(day, amount * (12 if unit == "year" else 1))
    last = (months_later(month, 1) - timedelta(days=1)).day
    return month.replace(day=min(day.day, last))


def _apart(amount: int, unit: str, moment: Moment) -> Frame:
    """Return what lies so many units away (before, if negative): as vague as the unit is."""
    if unit == "fortnight":
        amount, unit = 2 * amount, "week"
    if abs(amount) > _LONGEST[unit]:
        raise ValueError("too far away")
    if unit in {"minute", "hour"}:
        step = timedelta(**{f"{unit}s": 1})
        middle = moment.now + amount * step
        slack = (
            min(step / 2, timedelta(minutes=max(2, abs(amount)))) if unit == "minute" else step / 2
        )
        return Frame(exact=(middle - slack, middle + slack + A_MINUTE))
    day = _moved(moment.today, amount, unit)
    if unit == "day":
        return Frame(year=day.year, month=day.month, days=(day.day, day.day))
    if unit == "year":
        return Frame(year=day.year)
    first = day - timedelta(days=day.weekday()) if unit == "week" else day.replace(day=1)
    end = first + timedelta(days=7) if unit == "week" else months_later(first, 1)
    slack = _SLACK[unit]
    since = moment.at(min(first, day - slack))
    return Frame(exact=(since, moment.at(max(end, day + slack))))


def few_ago(unit: str, moment: Moment) -> Frame:
    """Return what lies some units back, as vague as that is."""
    since, _ = stretch(FEW[unit], unit, moment).exact or (moment.now, moment.now)
    if unit in {"minute", "hour"}:
        return Frame(exact=(since, moment.now))
    until = moment.at(_moved(moment.today, 0 if unit == "day" else -1, unit))
    return Frame(exact=(since, until))


def _half(unit: str) -> tuple[int, str]:
    return {"hour": (30, "minute"), "month": (15, "day"), "year": (6, "month")}[unit]


def half_ago(match: re.Match[str], moment: Moment) -> Frame:
    """Return what lies half an hour, a month or a year back."""
    amount, unit = _half(unit_of(said_in(match)[0]))
    if unit == "minute":
        return Frame(exact=(moment.now - timedelta(minutes=45), moment.now - timedelta(minutes=15)))
    if unit == "day":
        middle = moment.today - timedelta(days=amount)
        return Frame(
            exact=(moment.at(middle - timedelta(days=4)), moment.at(middle + timedelta(days=5)))
        )
    return _apart(-amount, unit, moment)


def last_half(match: re.Match[str], moment: Moment) -> Frame:
    """Return the last half an hour, a month or a year."""
    return stretch(*_half(unit_of(said_in(match)[0])), moment)


def counted(sign: int) -> Callable[[re.Match[str], Moment], Frame]:
    """Return a reader of "three days ago" (-1) or "in three days" (1)."""

    def reader(match: re.Match[str], moment: Moment) -> Frame:
        amount, unit = said_in(match)
        return _apart(sign * number_of(amount), unit_of(unit), moment)

    return reader


def within(match: re.Match[str], moment: Moment) -> Frame:
    """Return the last so many units."""
    amount, unit = said_in(match)
    unit, number = unit_of(unit), number_of(amount)
    return (
        stretch(2 * number, "week", moment)
        if unit == "fortnight"
        else stretch(number, unit, moment)
    )
