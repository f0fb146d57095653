"""Which of many literals are in a text, found without looking for each: by its pairs of characters.

A text has few distinct pairs, and a literal is looked for only when its rarest pair is among them.
"""

from collections.abc import Iterable
from typing import Final

from guard.nouns import View

_COMMON: Final = {c: place for place, c in enumerate("qxzjkvbpygfwmucldrhsinoate ")}
"""Characters of English, the rarest first; all others count as rarer."""


class Literals:
    """Numbered groups of literals, each asked for together: does a text hold one of the group?"""

    def __init__(self, groups: Iterable[Iterable[str]]) -> None:
        marks: dict[str, int] = {}
        for number, group in enumerate(groups):
            for literal in group:
                marks[literal] = marks.get(literal, 0) | 1 << number
        self._always = marks.pop("", 0)
        self._single = {one: mark for one, mark in marks.items() if len(one) == 1}
        by_pair: dict[str, list[tuple[str, int]]] = {}
        for literal, mark in marks.items():
            if len(literal) > 1:
                by_pair.setdefault(_rarest(literal), []).append((literal, mark))
        self._by_pair = {pair: tuple(some) for pair, some in by_pair.items()}
        self._pairs = frozenset(by_pair)

    def held(self, view: View) -> list[int]:
        """Return the numbers of the groups of which a literal is in the text, in order."""
        text, mark = view.text, self._always
        for one, groups in self._single.items():
            if one in text:
                mark |= groups
        for pair in self._pairs & view.pairs:
            for literal, groups in self._by_pair[pair]:
                if groups & ~mark and literal in text:
                    mark |= groups
        return _numbers(mark)


def _numbers(mark: int) -> list[int]:
    found = []
    while mark:
        lowest = mark & -mark
        found.append(lowest.bit_length() - 1)
        mark ^= lowest
    return found


def _rarest(literal: str) -> str:
    pairs = [literal[at : at + 2] for at in range(len(literal) - 1)]
    return min(pairs, key=lambda pair: _COMMON.get(pair[0], -1) + _COMMON.get(pair[1], -1))
