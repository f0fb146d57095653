"""Dates of both languages as single tokens; relative ones count from the time of the write."""

from datetime import date, datetime, timedelta
from typing import Final

from memory.claims.lexicon import Does, Token
from memory.claims.nouns import ValueKind
from memory.claims.units_rules import DAYS, EVERY_WEEK, MONTHS, THAT_WEEK, WEEKDAYS

_FROM_WEEK: Final = frozenset({"next", "this", "last"})
_DAYS_BEGIN: Final = frozenset(words.split(" ")[0] for words in DAYS)
BEGINNING: Final = _DAYS_BEGIN | {*MONTHS, *WEEKDAYS, *_FROM_WEEK}
"""What a date without a number first can begin with."""
_LAST_DAY: Final = 31
_LAST_MONTH: Final = 12
_LEAST_YEAR: Final = 1000
_WEEK: Final = 7


def dated(tokens: list[Token], at: int, now: datetime | None) -> tuple[Token, int] | None:
    """Return the date that begins at a place and how many tokens it takes, if one does."""
    token = tokens[at]
    if token.kind is ValueKind.DATE:
        parts = [int(part) for part in token.raw.replace("/", "-").replace(".", "-").split("-")]
        return _date(parts[0], parts[1], parts[2], token.raw, 1)
    if token.role is Does.NUMBER:
        return _chinese(tokens, at) or _day_first(tokens, at)
    if token.raw in MONTHS:
        return _month_first(tokens, at)
    return _relative(tokens, at, now)


def _chinese(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    year, length = 0, 0
    if _raw(tokens, at + 1) == "年":
        year, length = _number(tokens, at), 2
        if year >= _LEAST_YEAR and not _number(tokens, at + 2):
            return _token(f"{year:04d}", str(year)), 2
    month, day = _number(tokens, at + length), _number(tokens, at + length + 2)
    if _raw(tokens, at + length + 1) != "月" or not month:
        return None
    if not day and month <= _LAST_MONTH and at == 0:
        return _token(f"month {month}", f"{month}月"), 2 + length
    if not day:
        return None
    length += 4 if _raw(tokens, at + length + 3) in {"日", "号"} else 3
    return _date(year, month, day, "", length)


def _day_first(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    """Read "3 May", "3rd of May 2027"."""
    place = at + 1
    if place < len(tokens) and tokens[place].role is Does.ORDINAL:
        place += 1
    if _raw(tokens, place) == "of":
        place += 1
    month = MONTHS.get(_raw(tokens, place))
    if not month:
        return None
    year, extra = _year(tokens, place + 1)
    return _date(year, month, _number(tokens, at), "", place + 1 + extra - at)


def _month_first(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    """Read "May 3", "May 3rd, 2027"."""
    day = _number(tokens, at + 1)
    if day >= _LEAST_YEAR:
        return _token(f"{day:04d}-{MONTHS[tokens[at].raw]:02d}", f"{day}-{tokens[at].raw}"), 2
    if not day or day > _LAST_DAY:
        return None
    place = at + 2
    if place < len(tokens) and tokens[place].role is Does.ORDINAL:
        place += 1
    year, extra = _year(tokens, place)
    return _date(year, MONTHS[tokens[at].raw], day, "", place + extra - at)


def _year(tokens: list[Token], place: int) -> tuple[int, int]:
    comma = int(place < len(tokens) and tokens[place].role is Does.COMMA)
    year = _number(tokens, place + comma)
    return (year, comma + 1) if _LEAST_YEAR <= year <= date.max.year else (0, 0)


def _relative(tokens: list[Token], at: int, now: datetime | None) -> tuple[Token, int] | None:
    raw = tokens[at].raw
    length = 2 if raw in _FROM_WEEK else 1
    named = THAT_WEEK.get(f"{raw} {_raw(tokens, at + 1)}" if length > 1 else raw)
    if named:
        if now is None:
            return _token(f"week{named[0]:+d} wd{named[1]}", raw), length
        monday = now.date() - timedelta(days=now.weekday())
        return _safe(monday, named[0] * _WEEK + named[1], raw), length
    return _weekday(raw) or _near(tokens, at, now)


def _weekday(raw: str) -> tuple[Token, int] | None:
    weekday = EVERY_WEEK.get(raw, WEEKDAYS.get(raw))
    return None if weekday is None else (_token(f"wd{weekday}", raw), 1)


def _near(tokens: list[Token], at: int, now: datetime | None) -> tuple[Token, int] | None:
    """Read "the day after tomorrow", 昨天."""
    raw = tokens[at].raw
    for length in (5, 4, 1) if raw in _DAYS_BEGIN else ():
        words = " ".join(_raw(tokens, at + n) for n in range(length))
        if words in DAYS:
            if now is None:
                return _token(f"day{DAYS[words]:+d}", words), length
            return _safe(now.date(), DAYS[words], words), length
    return None


def days_on(now: datetime, days: int) -> Token:
    """Return the date so many days after a time."""
    return _safe(now.date(), days, "+")


def _safe(start: date, days: int, raw: str) -> Token:
    try:
        return _token((start + timedelta(days=days)).isoformat(), raw)
    except OverflowError:
        return _token(raw, raw)


def _date(year: int, month: int, day: int, raw: str, length: int) -> tuple[Token, int] | None:
    if not (1 <= month <= _LAST_MONTH and 1 <= day <= _LAST_DAY):
        return None
    head = f"{year:04d}" if year else "-"
    return _token(f"{head}-{month:02d}-{day:02d}", raw or f"{year}-{month}-{day}"), length


def _token(text: str, raw: str) -> Token:
    return Token(Does.VALUE, text, raw, ValueKind.DATE)


def _number(tokens: list[Token], place: int) -> int:
    if place >= len(tokens) or tokens[place].role is not Does.NUMBER:
        return 0
    text = tokens[place].text
    return int(text) if text.isdigit() and len(text) <= 4 else 0  # noqa: PLR2004


def _raw(tokens: list[Token], place: int) -> str:
    return tokens[place].raw.casefold() if place < len(tokens) else ""
