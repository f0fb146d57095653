"""Charts as places of rectangles and words; a template writes them as SVG. Pure.

Nothing is drawn by a script, and no style stands in the drawing: colours are classes of the sheet.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import accumulate
from typing import Final

import msgspec

WIDTH: Final = 640
HEIGHT: Final = 200
_LEFT: Final = 34
_RIGHT: Final = 16
"""Room for half of the last day's name."""
_BOTTOM: Final = 22
_TOP: Final = 8
_GAP: Final = 0.22
"""Share of a day's width that is left empty."""
MOST_SERIES: Final = 5
"""Names with a colour of their own; the others are one."""
REST: Final = "other"
_MARKS: Final = 6
"""Days that are written below, at most."""


class Bar(msgspec.Struct, frozen=True):
    """One part of one day's stack; `series` is the number of its colour."""

    x: float
    y: float
    width: float
    height: float
    series: int
    name: str
    day: date
    count: int


class Tick(msgspec.Struct, frozen=True):
    """A line across, or a day below, with what is written there."""

    at: float
    text: str


class Chart(msgspec.Struct, frozen=True):
    """A stack a day, oldest first. `legend` names the series in their order, with their sums."""

    bars: tuple[Bar, ...]
    lines: tuple[Tick, ...]
    marks: tuple[Tick, ...]
    legend: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """What all stacks come to."""
        return sum(count for _, count in self.legend)


def stacked(days: Sequence[tuple[date, Mapping[str, int]]]) -> Chart:
    """Return the chart of counts by name; the names that come most are the lowest of each stack."""
    sums = Counter[str]()
    for _, counts in days:
        sums.update(counts)
    first = [name for name, _ in _most(sums) if name != REST][:MOST_SERIES]
    rest = sum(sums.values()) - sum(sums[name] for name in first)
    names = [*first, *([REST] if rest else [])]
    top = _round(max((sum(counts.values()) for _, counts in days), default=0))
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(days))
    high = HEIGHT - _BOTTOM - _TOP

    def place(count: float) -> float:
        return round(_TOP + high * (1 - count / top), 2)

    bars: list[Bar] = []
    for number, (day, counts) in enumerate(days):
        parts = [counts.get(name, 0) for name in first]
        parts += [sum(counts.values()) - sum(parts)] if rest else []
        x, width = round(_LEFT + step * (number + _GAP / 2), 2), round(step * (1 - _GAP), 2)
        for series, (count, under) in enumerate(zip(parts, accumulate([0, *parts]), strict=False)):
            if count:
                y = place(under + count)
                height = round(place(under) - y, 2)
                bars.append(Bar(x, y, width, height, series, names[series], day, count))
    legend = tuple((name, rest if name == REST else sums[name]) for name in names)
    return Chart(tuple(bars), _lines(top, place), _marks([day for day, _ in days], step), legend)


def _most(sums: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(sums.items(), key=lambda one: (-one[1], one[0]))


def _round(most: int) -> int:
    """Return the next even number of a kind that people count in: 2, 4, 10, 20, 40, 100 …"""
    scale = 1
    while True:
        for step in (2, 4, 10):
            if most <= step * scale:
                return step * scale
        scale *= 10


def _lines(top: int, place: Callable[[float], float]) -> tuple[Tick, ...]:
    return tuple(Tick(place(count), f"{count:,}") for count in (0, top // 2, top))


def _marks(days: Sequence[date], step: float) -> tuple[Tick, ...]:
    """Return the days that are written: evenly apart, the last one among them."""
    every = -(-len(days) // _MARKS) or 1
    return tuple(
        Tick(round(_LEFT + step * (number + 0.5), 2), f"{day.month}-{day.day:02}")
        for number, day in enumerate(days)
        if (len(days) - 1 - number) % every == 0
    )
