"""Tell whether all that a pattern finds holds one of some literals: by its syntax, and exactly but
for what a pattern looks at beside the match.

The pattern becomes an automaton, and so do the literals; a way through both that ends without any
literal is a text that the pattern may find and the literals hide. Edges and what must not stand
beside a match are left out and a repetition may go on for ever: then more texts are thought of than
there are, so that a pattern passed here hides nothing.
"""

import importlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

_SYNTAX: Final[Any] = importlib.import_module("re._parser")
_STRANGERS: Final = "qz7_ -.!:/\n好鑫，。@#"
"""Characters to go on with where no literal has any that a class takes."""

_Came = dict[tuple[int, str], tuple[tuple[int, str], str] | None]
"""How each place on the way through both automata was reached: from where, reading what."""


_READING: Final = ("LITERAL", "NOT_LITERAL", "IN", "ANY", "CATEGORY")
_ENTERED: Final = ("SUBPATTERN", "ATOMIC_GROUP")
_REPEATING: Final = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_BESIDE: Final = ("ASSERT_NOT", "AT")
_COPIES: Final = 3
"""Repetitions counted one by one; more of them may go on for ever."""


class _Ways:
    """An automaton of a pattern: from each state the states reached by nothing, and by a set."""

    def __init__(self, needs: Sequence[str]) -> None:
        self.free: list[list[int]] = []
        self.read: list[list[tuple[Any, int]]] = []
        self._needs = needs

    def state(self) -> int:
        """Return a new state."""
        self.free.append([])
        self.read.append([])
        return len(self.free) - 1

    def sequence(self, items: Iterable[Any], start: int) -> int | None:
        """Read the items from a state on; None is no way that is open."""
        at: int | None = start
        for item in items:
            if at is None:
                return None
            at = self._item(item, at)
        return at

    def _item(self, item: Any, start: int) -> int | None:
        op, what = item
        name = str(op)
        if name in _READING:
            end = self.state()
            self.read[start].append((item, end))
            return end
        if name in _ENTERED:
            return self.sequence(what[-1] if name == "SUBPATTERN" else what, start)
        if name == "BRANCH":
            ends = [at for one in what[1] if (at := self.sequence(one, start)) is not None]
            return self._joined(ends)
        if name in _REPEATING:
            return self._repeated(what, start)
        if name == "ASSERT":
            # What has to stand beside the match stands in the text: a literal in it is enough.
            return None if hidden(what[1], self._needs) is None else start
        if name in _BESIDE:
            return start
        raise NotImplementedError(name)

    def _joined(self, ends: Sequence[int]) -> int | None:
        if not ends:
            return None
        end = self.state()
        for one in ends:
            self.free[one].append(end)
        return end

    def _repeated(self, repeated: Any, start: int) -> int | None:
        least, most, what = repeated
        at = self.sequence([*what] * min(least, _COPIES), start)
        if at is None or most == least <= _COPIES:
            return at
        if most == 1:
            once = self.sequence(what, at)
            return self._joined([at, *([] if once is None else [once])])
        loop = self.state()
        self.free[at].append(loop)
        back = self.sequence(what, loop)
        if back is not None:
            self.free[back].append(loop)
        return loop


def _takes(item: Any, character: str) -> bool:
    """Whether one item of a pattern reads a character."""
    op, what = item
    name = str(op)
    if name == "LITERAL":
        return chr(what) == character
    if name == "NOT_LITERAL":
        return chr(what) != character
    if name == "ANY":
        return character != "\n"
    if name == "CATEGORY":
        return _in_category(str(what), character)
    negated = bool(what) and str(what[0][0]) == "NEGATE"
    return any(_member(one, character) for one in what[negated:]) is not negated


def _member(one: Any, character: str) -> bool:
    op, what = one
    if str(op) == "RANGE":
        return bool(what[0] <= ord(character) <= what[1])
    return _takes(one, character)


def _in_category(name: str, character: str) -> bool:
    wanted = "NOT" not in name
    if name.endswith("DIGIT"):
        return character.isdigit() is wanted
    if name.endswith("SPACE"):
        return character.isspace() is wanted
    return (character.isalnum() or character == "_") is wanted


class _Found:
    """Which literals a text has ended with so far, as an automaton over characters."""

    def __init__(self, needs: Sequence[str]) -> None:
        self._needs = tuple(needs)
        self._known: dict[tuple[str, str], str | None] = {}
        self._prefixes = {need[:end] for need in needs for end in range(len(need))}

    def after(self, tail: str, character: str) -> str | None:
        """Return the longest tail that may become a literal; None when it has become one."""
        key = tail, character
        if key not in self._known:
            text = tail + character
            done = any(text.endswith(need) for need in self._needs)
            rest = (text[at:] for at in range(len(text) + 1))
            self._known[key] = None if done else next(t for t in rest if t in self._prefixes)
        return self._known[key]


def hidden(pattern: Any, needs: Sequence[str]) -> str | None:
    """Return a text that the parsed pattern may find and that holds none of the literals."""
    ways = _Ways(needs)
    start = ways.state()
    end = ways.sequence(pattern, start)
    return None if end is None else _through(ways, _Steps(needs), start, end)


class _Steps:
    """Which characters are worth trying where an item of a pattern reads one."""

    def __init__(self, needs: Sequence[str]) -> None:
        self.found = _Found(needs)
        self._letters = sorted(set("".join(needs)))
        self._known: dict[int, list[str]] = {}

    def read_by(self, item: Any) -> list[str]:
        """Return the characters of literals that the item reads, and one that no literal has."""
        if id(item) not in self._known:
            self._known[id(item)] = list(self._tried(item))
        return self._known[id(item)]

    def _tried(self, item: Any) -> Iterator[str]:
        if str(item[0]) == "LITERAL":
            yield chr(item[1])
            return
        others = (one for one in _others(item) if one not in self._letters)
        yield from islice(others, 1)
        yield from (one for one in self._letters if _takes(item, one))


def _through(ways: _Ways, steps: _Steps, start: int, end: int) -> str | None:
    """Return what is read on a way from `start` to `end` on which no literal is read."""
    first = (start, "")
    came: _Came = {first: None}
    waiting = deque([first])
    while waiting:
        at = waiting.popleft()
        state, tail = at
        if state == end:
            return _text(came, at)
        reached = [((free, tail), "") for free in ways.free[state]]
        for item, then in ways.read[state]:
            for character in steps.read_by(item):
                after = steps.found.after(tail, character)
                if after is not None:
                    reached.append(((then, after), character))
        for step, character in reached:
            if step not in came:
                came[step] = at, character
                waiting.append(step)
    return None


def _others(item: Any) -> Iterator[str]:
    """Yield characters that the item reads."""
    yield from (one for one in _STRANGERS if _takes(item, one))
    if str(item[0]) == "IN":
        for op, what in item[1]:
            if str(op) == "LITERAL" and _takes(item, chr(what)):
                yield chr(what)
            elif str(op) == "RANGE":
                yield from (chr(code) for code in range(what[0], what[1] + 1))


def _text(came: _Came, at: tuple[int, str]) -> str:
    read: list[str] = []
    step = came[at]
    while step is not None:
        at, character = step
        read.append(character)
        step = came[at]
    return "".join(reversed(read))


def parsed(pattern: str) -> Any:
    """Return the syntax of a pattern."""
    return _SYNTAX.parse(pattern)
