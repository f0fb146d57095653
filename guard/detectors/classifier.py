"""The first classifier: how probably a text is an attack on whoever reads it as a memory (W7).

It sees the text and not where it is from. Origin enters by the limits: what counts as suspicious of
a web page is less than what counts as suspicious of the subject himself.
"""

import math
from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from guard.aside import aside
from guard.errors import UnavailableError
from guard.nouns import Facts, Tagged, View
from guard.views import span_of, views_for_models
from memory.signals import Vectors
from policies.model import Finding, Severity

NAME: Final = "classifier"
POISON: Final = "poison"
GROUPS: Final = ("web", "outside", "agent", "user")
"""Origins with limits of their own: trust 0, 1, 2, and 3 or more."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From which score on a text of one group of origins is how suspicious.

    Of honest texts one in five reaches `info`, one in ten `low`, 4 % `medium` and 0.5 % `high`.
    """

    info: float
    low: float
    medium: float
    high: float

    def severity(self, score: float) -> Severity | None:
        """Return how suspicious a text with this score is, None when it is not."""
        steps = (
            (self.high, Severity.HIGH),
            (self.medium, Severity.MEDIUM),
            (self.low, Severity.LOW),
            (self.info, Severity.INFO),
        )
        return next((severity for limit, severity in steps if score >= limit), None)


class Judgement(msgspec.Struct, frozen=True):
    """How probably a text is an attack, and where it looks most like one.

    `text` counts the readings that were asked about; [start, end) lies in that reading.
    """

    score: float
    text: int
    start: int
    end: int


class Reader(Protocol):
    """A model that reads all readings of one text and judges them together."""

    @property
    def version(self) -> str:
        """What decides its answers, at most 64 characters."""
        ...

    @property
    def limits(self) -> Sequence[Limits]:
        """What counts as suspicious, in the order of `GROUPS`."""
        ...

    async def judge(self, texts: Sequence[str], vectors: Vectors | None) -> Judgement:
        """Return what it makes of a text. Raises UnavailableError.

        `vectors` are those of the first of `texts`, where they are known.
        """
        ...


class Classifier:
    """Fulfils `guard.ports.Detector`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @property
    def version(self) -> str:
        """The model's."""
        return self._reader.version

    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Return how suspicious the text is, if it is at all. Raises UnavailableError."""
        del before
        # (1) The readings that differ most, each of them whole.
        size = sum(len(view.text) for view in facts.views)
        views = await aside(size, readings_of, facts.views)

        # (2) One judgement of all of them. What the text is found by says part of it already.
        known = facts.signals.vectors if views[0].text == tagged.draft.text else None
        judgement = await self._reader.judge([view.text for view in views], known)
        if not math.isfinite(judgement.score):
            raise UnavailableError(NAME)

        # (3) Weigh it by origin.
        limits = self._reader.limits[min(tagged.origin.trust, len(GROUPS) - 1)]
        severity = limits.severity(judgement.score)
        return () if severity is None else (_finding(views, judgement, severity),)


def readings_of(views: Sequence[View]) -> tuple[View, ...]:
    """Return the few readings that differ most, the original first, none of them cut short."""
    whole = {view.name: view for view in views}
    return tuple(whole[view.name] for view in views_for_models(views))


def _finding(views: Sequence[View], judgement: Judgement, severity: Severity) -> Finding:
    view = views[judgement.text]
    empty = judgement.end <= judgement.start
    spans = () if empty else (span_of(view, judgement.start, judgement.end),)
    return Finding(NAME, POISON, severity, view=view.name, score=judgement.score, spans=spans)
