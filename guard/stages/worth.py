"""Finds what is not worth keeping: greetings, nods, small talk and noise (W5).

Preferences, constraints, facts, conclusions, states of a task, failures and corrections are worth
keeping, and so is whatever this stage does not know: it names only texts that consist, clause by
clause, of what people say without meaning anything by it. A wish to keep something is never
overruled. What lies between, short and without any sign of worth, is the grey band: a model may be
asked about it, and without one it is kept.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from guard.nouns import Draft, View
from guard.pipeline import OfText
from guard.stages.worth_rules import PATTERNS, WISHES, WORTHY
from guard.views import normalised
from memory.types import Layer
from policies.model import Finding, Severity

NAME: Final = "worth"

Grey = Callable[[Draft, Sequence[View]], float | None]
"""Returns how likely it is, from 0 to 1, that a text of the grey band is worthless; None to say
nothing. Called within the time of the stages, so it must be as fast as they are."""

_LONGEST: Final = 400
"""Characters from which on a text is not looked at: nobody greets at such length."""
_LONGEST_GREY: Final = 80
_SAME_AT_LEAST: Final = 12
"""Characters from which on a text of one repeated word or sign is noise."""
_FEW: Final = 2
_PHRASES_IN_RUN: Final = 4
_CLAUSE = re.compile(r"[\s]*[.!?,;:~…—。！？，；：、\n/|()\[\]\"“”‘*#>•-]+[\s]*| - ")
_NOT_TEXT = re.compile(r"[^\w\s']+")
_SPACE = re.compile(r"\s+")
_WALKS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qazwsxedc", "poiuytrewq", "lkjhgfdsa")
_WALK_AT_LEAST: Final = 4


def keep_all(_draft: Draft, _views: Sequence[View]) -> float | None:
    """Say nothing about the grey band, so that it is kept."""
    return None


def worth_stage(grey: Grey = keep_all) -> OfText:
    """Return the stage; `grey` is asked about short texts that no rule knows."""

    def inspect(draft: Draft, views: Sequence[View]) -> tuple[Finding, ...]:
        text = draft.text
        if len(text) > _LONGEST and not _is_one_thing(text):
            return ()
        plain = normalised(text, views).replace("’", "'")
        if is_wished(draft, plain):
            return ()
        code = worthless(plain)
        if code is not None:
            return (Finding(NAME, code, Severity.LOW),)
        score = grey(draft, views) if is_grey(plain) else None
        return () if score is None else (Finding(NAME, "grey", Severity.LOW, score=score),)

    return inspect


def is_wished(draft: Draft, plain: str) -> bool:
    """Return whether the caller shows that he wants this kept: no rule overrules that."""
    said = (draft.kind, draft.importance, draft.ttl_days, draft.occurred_at)
    lasting = draft.layer is Layer.SEMANTIC or bool(draft.entities) or bool(draft.hint.parents)
    # What is said beside the text would be lost with it.
    lasting = lasting or bool(draft.metadata)
    return any(one is not None for one in said) or lasting or WISHES.search(plain) is not None


def worthless(plain: str) -> str | None:
    """Return what a text in normal form consists of when it is not worth keeping, else None."""
    if len(plain) > _LONGEST:
        return "noise"
    first = None
    for clause in _clauses(plain):
        code = _code(clause)
        if code is None:
            return "noise" if _is_one_thing(plain) else None
        # The first word tells the tone: "hi, thanks" is a greeting.
        first = first or code
    # Nothing but signs. One that stands for a word (a flag, a thumb) says no more than a nod.
    return first or "noise"


def is_grey(plain: str) -> bool:
    """Return whether a text in normal form is short and shows no sign of being worth anything."""
    return len(plain) <= _LONGEST_GREY and WORTHY.search(plain) is None


def _clauses(plain: str) -> Iterator[str]:
    for piece in _CLAUSE.split(plain):
        clause = _SPACE.sub(" ", _NOT_TEXT.sub(" ", piece)).strip()
        if clause:
            yield clause


def _code(clause: str) -> str | None:
    for code, pattern in PATTERNS.items():
        if pattern.fullmatch(clause):
            return code
    if _is_walk(clause):
        return "noise"
    return None if clause.isascii() else _code_of_run(clause)


def _code_of_run(clause: str) -> str | None:
    """Return what a Chinese clause is that runs phrases together, as 你好谢谢 does.

    The longest phrase is taken each time and none is tried twice, so that the work is linear.
    """
    first, at = "", 0
    for _ in range(_PHRASES_IN_RUN):
        matches = ((p.match(clause, at), code) for code, p in PATTERNS.items())
        end, code = max(((m.end(), code) for m, code in matches if m), default=(at, ""))
        if end == at:
            return None
        first, at = first or code, end
        if at == len(clause):
            return first
    return None


def _is_walk(word: str) -> bool:
    """Return whether a word is fingers running over a keyboard."""
    if " " in word or len(word) < _WALK_AT_LEAST or not word.isalpha() or not word.isascii():
        return False
    pieces = [word[i : i + _WALK_AT_LEAST] for i in range(0, len(word), _WALK_AT_LEAST)]
    return all(any(piece in walk * 2 for walk in _WALKS) for piece in pieces)


def _is_one_thing(text: str) -> bool:
    """Return whether a text is one or two signs or words, over and over."""
    if len(text) < _SAME_AT_LEAST:
        return False
    words = text.split()
    signs = len(set("".join(words).casefold()))
    return signs <= _FEW or (len(words) > _FEW * _WALK_AT_LEAST and len(set(words)) <= _FEW)


inspect = worth_stage()
