"""Numbers with their units, times and codes as single tokens, each in one form."""

from datetime import datetime
from fractions import Fraction
from typing import Final

from memory.claims.dates import BEGINNING, dated, days_on
from memory.claims.joining import joined
from memory.claims.lexicon import Does, Role, Token
from memory.claims.naming import with_names
from memory.claims.nouns import ValueKind
from memory.claims.numerals import canonical, quantity
from memory.claims.small_rules import CHINESE_BARE, PLAIN_SIGNS, VERDICTS
from memory.claims.units_rules import (
    ENGLISH_NUMBERS,
    LATE,
    SCALES,
    SIGNS,
    UNITS,
)

_EXACT_AFTER: Final = frozenset({"version"})
_PLAIN: Final = frozenset(Role) - {Does.NUMBER, Does.VALUE, Does.PERIOD, Does.DAYPART}
_BEGINNING: Final = BEGINNING | {*SIGNS.values(), "half", "noon", "midday", "midnight"}
_LOOK_BACK: Final = 4
_MOST_SCALES: Final = 2
_HALF_DAY: Final = 12
_LAST_HOUR: Final = 24
_QUANTITY: Final = ValueKind.QUANTITY
_HEAVY: Final = frozenset({"weight", "heavy"})
_PARTED: Final = frozenset("米块斤")
_PASSED: Final = frozenset({Does.SILENT, Does.LASTING})
_QUARTERS: Final = {"一刻": 15, "三刻": 45}
_SHOWN: Final = frozenset({Does.LINK, Does.PREP, Does.VERB, Does.TO, Does.COLON})


def typed(tokens: list[Token], at: datetime | None) -> list[Token]:
    """Return the tokens with every value that has a type put into one token."""
    spelt = with_names(_numbers(tokens))
    if not _any_typed(spelt):
        return spelt
    heavy = any(token.text in _HEAVY for token in spelt)
    done: list[Token] = []
    place = 0
    while place < len(spelt):
        if spelt[place].role in _PLAIN and spelt[place].raw not in _BEGINNING:
            done.append(spelt[place])
            place += 1
            continue
        token, length = _value(spelt, place, at, done, heavy=heavy)
        if token is not None:
            done.append(token)
        place += length
    return joined(_counted(done, at))


def _any_typed(tokens: list[Token]) -> bool:
    """Say whether any token is a value, or a part of one, or a sign that is taken for one."""
    for token in tokens:
        if token.role not in _PLAIN or token.raw in _BEGINNING or token.raw == "+":
            return True
    return False


def _counted(tokens: list[Token], at: datetime | None) -> list[Token]:
    """Return the tokens with "in 3 days", 三天后 as dates, where something is then."""
    if _QUANTITY not in [t.kind for t in tokens] and "+" not in [t.raw for t in tokens]:
        return tokens
    found: list[Token] = []
    for place, token in enumerate(tokens):
        days = _days(token)
        after = tokens[place + 1].raw if place + 1 < len(tokens) else ""
        ahead = bool(found) and found[-1].raw == "in"
        if at is None or not days or not (ahead or after in _LATER):
            found.append(token)
        elif ahead:
            found[-1] = days_on(at, days)
        else:
            found.append(days_on(at, days))
    return [
        t for n, t in enumerate(found) if not (t.raw in _LATER and n and found[n - 1].raw == "+")
    ]


_LATER: Final = frozenset({"后", "以后", "之后"})


def _days(token: Token) -> int:
    """Return how many days a length of time has, if it has whole ones."""
    number, _, unit = token.text.partition(" ")
    if token.kind is not _QUANTITY or unit != "s" or not number.isdigit():
        return 0
    return 0 if int(number) % 86_400 else int(number) // 86_400


def _numbers(tokens: list[Token]) -> list[Token]:
    """Return the tokens with English number words as numbers."""
    found = tokens
    for place, token in enumerate(tokens):
        raw = token.raw
        if token.role is not Does.WORD or not (raw in ENGLISH_NUMBERS or "-" in raw):
            continue
        number = _worded(raw)
        if number is not None:
            found = list(tokens) if found is tokens else found
            found[place] = Token(Does.NUMBER, str(number), raw, ValueKind.NUMBER)
    return found


def _worded(raw: str) -> int | None:
    tens, _, ones = raw.partition("-")
    if tens not in ENGLISH_NUMBERS or (ones and ones not in ENGLISH_NUMBERS):
        return None
    return ENGLISH_NUMBERS[tens] + (ENGLISH_NUMBERS[ones] if ones else 0)


def _value(
    tokens: list[Token], at: int, now: datetime | None, done: list[Token], *, heavy: bool
) -> tuple[Token | None, int]:
    """Return the token that begins at a place, and how many it takes; nothing for mere form."""
    token = tokens[at]
    if token.kind is ValueKind.EMOJI:
        named = at + 1 < len(tokens) and tokens[at + 1].text == "stand_for"
        return (
            token
            if named or token.raw[0] in PLAIN_SIGNS or _shown(done) or _verdict(tokens, at, done)
            else None
        ), 1
    little = token.raw == "一" and _at(tokens, at + 1) == "点" and bool(done)
    if little and (_closes(tokens, at + 2) or done[-1].role is Does.VERB):
        return None, 2
    late = token.role is Does.DAYPART and at + 1 < len(tokens)
    clock = _spoken(tokens, at) or _clock(tokens, at + late, late=token.raw in LATE)
    if clock:
        return clock[0], clock[1] + late
    found = dated(tokens, at, now) or _half(tokens, at) or _priced(tokens, at)
    if found is None and token.role is Does.NUMBER:
        found = _measured(tokens, at, done, heavy=heavy)
    return found or (token, 1)


def _closes(tokens: list[Token], place: int) -> bool:
    """Say whether a clause ends here: 正式一点 is no time of day."""
    return place >= len(tokens) or tokens[place].role in {Does.STOP, Does.COMMA, Does.SILENT}


def _shown(done: list[Token]) -> bool:
    """Say whether an emoji that comes now is what is spoken of, and not how one feels about it."""
    before = next((t for t in reversed(done) if t.role not in _PASSED), None)
    changed = before is not None and before.role is Does.CHANGE and not before.raw.isascii()
    counted = before is not None and before.kind is ValueKind.NUMBER and not before.raw.isascii()
    return before is not None and (before.role in _SHOWN or changed or counted)


def _verdict(tokens: list[Token], at: int, done: list[Token]) -> bool:
    """Say whether an emoji is all that is said of a thing: 香菜 👎."""
    last = at + 1 == len(tokens) or tokens[at + 1].role is Does.STOP
    start = next((n + 1 for n in reversed(range(len(done))) if done[n].role is Does.STOP), 0)
    named = {token.role for token in done[start:]}
    few = 0 < len(done) - start <= _FEW_NAMES
    return tokens[at].raw in VERDICTS and last and few and named <= {Does.WORD, Does.NOUN}


_FEW_NAMES: Final = 4


def _clock(tokens: list[Token], at: int, *, late: bool) -> tuple[Token, int] | None:
    token, follows = tokens[at], _at(tokens, at + 1)
    half = follows.casefold().replace(".", "")
    if token.kind is ValueKind.TIME:
        hour, minute, length = int(token.raw.split(":")[0]), int(token.raw.split(":")[1]), 1
    elif token.role is not Does.NUMBER or not token.text.isdigit():
        if token.raw in {"noon", "midday", "midnight"}:
            return _time(0 if token.raw == "midnight" else 12, 0, token.raw), 1
        return None
    elif follows == "点":
        hour, minute, length = int(token.text), *_minutes(tokens, at + 2)
        length += 2
        half = ""
    elif half in {"am", "pm", "o'clock"}:
        hour, minute, length = int(token.text), 0, 1
    else:
        return None
    if half in {"am", "pm", "o'clock"}:
        length += 1
        hour = hour % _HALF_DAY + _HALF_DAY * (half == "pm") if half != "o'clock" else hour
    if late and hour < _HALF_DAY:
        hour += _HALF_DAY
    if hour > _LAST_HOUR:
        return None
    return _time(hour, minute, token.raw), length


_PARTS_OF_DAY: Final = {"morning": 0, "afternoon": _HALF_DAY, "evening": _HALF_DAY}
_HALF_PAST: Final = ("half", "past")


def _spoken(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    """Read "half past six in the evening"."""
    said = (_at(tokens, at), _at(tokens, at + 1)) == _HALF_PAST
    if not said or not _at_number(tokens, at + 2).isdigit():
        return None
    hour, part = int(tokens[at + 2].text), _at(tokens, at + 5)
    if _at(tokens, at + 3) != "in" or part not in _PARTS_OF_DAY or hour > _HALF_DAY:
        return _time(hour % _LAST_HOUR, 30, "half past"), 3
    return _time(hour % _HALF_DAY + _PARTS_OF_DAY[part], 30, "half past"), 6


def _minutes(tokens: list[Token], at: int) -> tuple[int, int]:
    follows = _at(tokens, at)
    if follows == "半":
        return 30, 1
    if follows in _QUARTERS:
        return _QUARTERS[follows], 1
    if at < len(tokens) and tokens[at].role is Does.NUMBER and tokens[at].text.isdigit():
        return int(tokens[at].text), 2 if _at(tokens, at + 1) == "分" else 1
    return 0, 0


def _time(hour: int, minute: int, raw: str) -> Token:
    return Token(Does.VALUE, f"{hour:02d}:{minute:02d}", raw, ValueKind.TIME)


def _half(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    for skip in (1, 2) if tokens[at].text == "half" else ():
        unit = UNITS.get(_at(tokens, at + skip).casefold())
        if unit:
            text = quantity(Fraction(1, 2), *unit)
            return Token(Does.VALUE, text, "half", ValueKind.QUANTITY), skip + 1
    return None


def _priced(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    """Read "USD 5,000"."""
    unit = UNITS.get(tokens[at].raw)
    number = tokens[at + 1] if at + 1 < len(tokens) else tokens[at]
    if unit is None or unit[0] not in SIGNS.values() or number.role is not Does.NUMBER:
        return None
    if not number.text.replace(".", "").isdigit():
        return None
    text = quantity(Fraction(number.text), *unit)
    return Token(Does.VALUE, text, number.raw, ValueKind.QUANTITY), 2


def _measured(tokens: list[Token], at: int, done: list[Token], *, heavy: bool) -> tuple[Token, int]:
    raw = tokens[at].raw
    number, sign = tokens[at].text, ""
    if number[0] in SIGNS:
        number, sign = number[1:], SIGNS[number[0]]
    if any(token.text in _EXACT_AFTER for token in done[-_LOOK_BACK:]):
        return Token(Does.VALUE, number, raw, ValueKind.CODE), 1
    if at + 1 < len(tokens) and tokens[at + 1].role is Does.ORDINAL:
        return _ordinal(tokens, at, number)
    size, length = Fraction(number), 1
    while length <= _MOST_SCALES and (scale := SCALES.get(_at(tokens, at + length).casefold())):
        size, length = size * scale, length + 1
    found = _united(tokens, at + length, size, sign, heavy=heavy)
    if found:
        return found[0]._replace(raw=raw), length + found[1]
    if _at(tokens, at + length) in CHINESE_BARE:
        length += 1
    return Token(Does.VALUE, canonical(size), raw, ValueKind.NUMBER), length


def _united(
    tokens: list[Token], at: int, size: Fraction, sign: str, *, heavy: bool
) -> tuple[Token, int] | None:
    """Return a number with the unit that begins at a place, and how many tokens that takes."""
    word, length = _at(tokens, at).casefold(), 0
    if word == "个" and (half := _half_more(tokens, at + 1)):
        return Token(Does.VALUE, quantity(size + Fraction(1, 2), *half), "", ValueKind.QUANTITY), 3
    unit = (sign, Fraction(1)) if sign else UNITS.get(word)
    if unit is None:
        return None
    if word in {"pound", "pounds", "磅"} and heavy:
        unit = UNITS["lb"]
    length += word in UNITS and not (sign and UNITS[word][0] != sign)
    if unit[0] == "mo" and _at(tokens, at + length) == "old":
        unit, length = ("old", unit[1] / 12), length + 1
    if word in _PARTED and _at_number(tokens, at + length).startswith("0."):
        size, length = size + Fraction(tokens[at + length].text), length + 1
    elif word in _PARTED and _behind(tokens, at + length):
        raw = tokens[at + length].text
        size, length = size + Fraction(int(raw), 10 ** len(raw)), length + 1
    return Token(Does.VALUE, quantity(size, *unit), "", ValueKind.QUANTITY), length


def _behind(tokens: list[Token], place: int) -> bool:
    """Say whether one or two digits end what was measured: 1米75."""
    digits = _at_number(tokens, place)
    return (
        digits.isdigit()
        and len(digits) <= _FEW
        and (place + 1 >= len(tokens) or tokens[place + 1].role is not Does.UNIT)
    )


_FEW: Final = 2


def _half_more(tokens: list[Token], at: int) -> tuple[str, Fraction] | None:
    """Return the unit of the half in 一个半小时."""
    return UNITS.get(_at(tokens, at + 1)) if _at(tokens, at) == "半" else None


def _ordinal(tokens: list[Token], at: int, number: str) -> tuple[Token, int]:
    if _at(tokens, at + 2) == "floor":
        return Token(Does.VALUE, f"{number} floor", number, ValueKind.QUANTITY), 3
    return Token(Does.WORD, f"{number}th", f"{number}th"), 2


def _at_number(tokens: list[Token], place: int) -> str:
    if place >= len(tokens) or tokens[place].role is not Does.NUMBER:
        return ""
    return tokens[place].text


def _at(tokens: list[Token], place: int) -> str:
    return tokens[place].raw if place < len(tokens) else ""
