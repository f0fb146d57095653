"""Write a rule once and see it in every view: the small language of the deterministic stages.

In a pattern a space stands for whatever separates words, `<n>` for up to n words and `~n` for up
to n characters within a Chinese sentence. Every quantifier is bounded, so a search is linear in
the text. In a `joined` view the spaces between words may be gone, and the pattern allows for it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from guard.nouns import View
from guard.stages.literals import Literals
from guard.views import span_of
from guard.views.hanzi import TO_SIMPLIFIED
from policies.model import Finding, Severity, Span

SPANS_KEPT: Final = 16
_CONTEXT: Final = 48
_GAP: Final = r"(?:[\W_]{1,6})"
_WORD: Final = r"[^\W_]{1,40}"
_CUTTING = re.compile(r"<!--|\w<[^<>]*>\w")


class Rule(msgspec.Struct, frozen=True):
    """One pattern: what it finds, how much it weighs, and literals of which one must occur.

    `unless` is looked for in the match and a little before it, and takes the match back.
    """

    code: str
    severity: Severity
    needs: tuple[str, ...]
    spaced: re.Pattern[str]
    squeezed: re.Pattern[str]
    unless: re.Pattern[str] | None

    def pattern_for(self, view: View) -> re.Pattern[str]:
        """Return what finds the pattern in a view."""
        return self.squeezed if view.name.endswith("joined") else self.spaced


class RuleBook:
    """Rules in order, and which of them a text can match at all."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._needed = Literals(rule.needs for rule in self.rules)

    def that_may_match(self, view: View) -> Iterator[Rule]:
        """Yield the rules of whose literals one occurs."""
        return (self.rules[number] for number in self._needed.held(view.text))


class Sighting(msgspec.Struct, frozen=True):
    """One match of one rule in one view."""

    rule: Rule
    view: View
    start: int
    end: int

    @property
    def text(self) -> str:
        """What the match reads."""
        return self.view.text[self.start : self.end]

    @property
    def span(self) -> Span:
        """Where in the original the match has its evidence."""
        return span_of(self.view, self.start, self.end)


def rule(
    code: str, severity: Severity, needs: str, pattern: str, unless: str | None = None
) -> Rule:
    """Return a rule; `needs` are literals apart by `|`, lower case, of which one must occur."""
    return Rule(
        code,
        severity,
        tuple(needs.split("|")),
        re.compile(_spaced(pattern)),
        re.compile(_squeezed(pattern)),
        None if unless is None else re.compile(_spaced(unless)),
    )


def sightings(rules: RuleBook, views: Iterable[View]) -> Iterator[Sighting]:
    """Yield every match of every rule in every view, views in order."""
    for view in views:
        text = view.text
        for each in rules.that_may_match(view):
            for match in each.pattern_for(view).finditer(text):
                # The original view keeps its capitals, and a sentence may begin with "Never".
                before = text[max(0, match.start() - _CONTEXT) : match.end()].lower()
                if match.end() > match.start() and (
                    each.unless is None or each.unless.search(before) is None
                ):
                    yield Sighting(each, view, match.start(), match.end())


def is_disguised(sighting: Sighting, original: str) -> bool:
    """Whether the original shows the match only after a disguise is taken off.

    Upper case, line breaks and full-width letters are no disguise: Chinese text is full of them.
    Nor are traditional characters, nor the tags of a page, unless they cut a word or comment.
    """
    name = sighting.view.name
    if name == "original":
        return False
    span = sighting.span
    shown = original[span.start : span.end]
    if name == "skeleton":
        return shown.casefold().translate(TO_SIMPLIFIED) != sighting.text
    if name.split(".")[0] == "marks":
        return _CUTTING.search(shown) is not None
    if name not in ("bare", "nfkc"):
        return True
    return not all(c.isprintable() or c.isspace() for c in shown)


def gathered(stage: str, found: Iterable[tuple[Sighting, Severity]]) -> tuple[Finding, ...]:
    """Return one finding per code: its gravest severity, the view that showed it, all its spans."""
    by_code: dict[str, list[tuple[Sighting, Severity]]] = {}
    for sighting, severity in found:
        by_code.setdefault(sighting.rule.code, []).append((sighting, severity))
    findings: list[Finding] = []
    for code, seen in by_code.items():
        gravest = max(seen, key=lambda s: s[1])
        spans = dict.fromkeys(sighting.span for sighting, _ in seen)
        findings.append(
            Finding(
                stage,
                code,
                gravest[1],
                gravest[0].view.name,
                spans=tuple(sorted(spans, key=lambda s: (s.start, s.end)))[:SPANS_KEPT],
            )
        )
    return tuple(findings)


def _spaced(pattern: str) -> str:
    return _expanded(pattern, _GAP, rf"(?:{_WORD}{_GAP}){{0,%s}}?")


def _squeezed(pattern: str) -> str:
    # Words that may touch have no edges to count by: a bounded run of anything stands for them.
    return _expanded(pattern, r"(?:[\W_]{0,6})", r"[^.!?\n]{0,%s0}?").replace(r"(?a:\b)", "")


def _expanded(pattern: str, gap: str, words: str) -> str:
    # Beside a Chinese character an English word ends too, which `\b` alone does not see.
    pattern = pattern.replace(r"\b", r"(?a:\b)").replace(" ", gap)
    pattern = re.sub(r"<(\d+)>", lambda m: words % m.group(1), pattern)
    return re.sub(r"~(\d+)", r"[^。！？!?\\n]{0,\1}?", pattern)
