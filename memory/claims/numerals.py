"""Numbers in words and digits, and one way to write each."""

from fractions import Fraction

from memory.claims.units_rules import DIGITS, MYRIADS, TENS

_DIGITS_SHOWN = 6
MORE = frozenset({100, 1_000, 10_000, 100_000_000})


def chinese_number(run: str) -> int | None:
    """Return the number that a run of Chinese numerals says, or nothing if it says none."""
    if all(char in DIGITS for char in run):
        return int("".join(str(DIGITS[char]) for char in run))
    whole, part, digit = 0, 0, 0
    last = 1
    for char in run:
        if char in DIGITS:
            digit, last = DIGITS[char], (1 if char in "零〇" else last)
        elif char in TENS:
            part, digit, last = part + (digit or 1) * TENS[char], 0, TENS[char]
        elif char in MYRIADS:
            whole, part, digit = (whole + part + digit) * MYRIADS[char], 0, 0
            last = MYRIADS[char]
        else:
            return None
    # "三百五" is 350, "三百零五" is 305.
    return whole + part + (digit * last // 10 if last in MORE else digit)


def canonical(number: Fraction) -> str:
    """Return a number in one form: whole as it is, otherwise with six digits that count."""
    if number.denominator == 1:
        return str(number.numerator)
    return f"{float(number):.{_DIGITS_SHOWN}g}"


def quantity(number: Fraction, unit: str, factor: Fraction) -> str:
    """Return a number with its unit in the base unit; degrees become Celsius."""
    if unit == "f":
        return f"{canonical((number - 32) * Fraction(5, 9))} c"
    return f"{canonical(number * factor)} {unit}"
