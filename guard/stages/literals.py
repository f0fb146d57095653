"""Which of many literals are in a text: all of them looked for in one pass, by an automaton."""

from collections.abc import Iterable

from ahocorasick_rs import AhoCorasick, Implementation


class Literals:
    """Numbered groups of literals, each asked for together: does a text hold one of the group?"""

    def __init__(self, groups: Iterable[Iterable[str]]) -> None:
        marks: dict[str, int] = {}
        for number, group in enumerate(groups):
            for literal in group:
                marks[literal] = marks.get(literal, 0) | 1 << number
        self._always = marks.pop("", 0)
        self._marks = tuple(marks.values())
        self._automaton = AhoCorasick(marks, implementation=Implementation.ContiguousNFA)

    def held(self, text: str) -> list[int]:
        """Return the numbers of the groups of which a literal is in the text, in order."""
        mark, marks = self._always, self._marks
        for literal, _, _ in self._found(text):
            mark |= marks[literal]
        return _numbers(mark)

    def _found(self, text: str) -> list[tuple[int, int, int]]:
        try:
            return self._automaton.find_matches_as_indexes(text, overlapping=True)
        except UnicodeEncodeError:
            # Half a character, which no literal has.
            whole = text.encode("utf-8", "replace").decode()
            return self._automaton.find_matches_as_indexes(whole, overlapping=True)


def _numbers(mark: int) -> list[int]:
    found = []
    while mark:
        lowest = mark & -mark
        found.append(lowest.bit_length() - 1)
        mark ^= lowest
    return found
