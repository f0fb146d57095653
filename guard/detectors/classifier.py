"""The first classifier: how probably a text is an attack on whoever reads it as a memory (W7).

It sees the text and not where it is from. Origin enters by the limits: what counts as suspicious of
a web page is less than what counts as suspicious of the subject himself.
"""

import asyncio
import math
from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from guard.ahead import Early, begun
from guard.aside import aside
from guard.content import content_of
from guard.errors import UnavailableError
from guard.nouns import Draft, Facts, Tagged, View
from guard.views import span_of, views_for_models
from memory.signals import Vectors
from policies.model import Finding, Severity

NAME: Final = "classifier"
POISON: Final = "poison"
GROUPS: Final = ("web", "outside", "agent", "user")
"""Origins with limits of their own: trust 0, 1, 2, and 3 or more."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From which score on a text of one group of origins is how suspicious.

    Of honest texts one in five reaches `info`, one in ten `low`, 4 % `medium` and 0.5 % `high`,
    of agents' 1 %.
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


class Asked(Protocol):
    """A model at work on one text."""

    async def show(self, texts: Sequence[str]) -> None:
        """Go on with all readings of the text, itself the first of them, and do all that waits for
        nobody.
        """
        ...

    async def judgement(self, vectors: Vectors) -> Judgement:
        """Return what it makes of all readings together. Raises UnavailableError.

        `vectors` are those of the text, if it was said that they would be known.
        """
        ...

    def drop(self) -> None:
        """Stop: nobody waits for the judgement any more. Idempotent."""
        ...


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

    def begin(self, text: str, *, embedded: bool) -> Asked:
        """Begin to read a text, whose vectors will be known or not."""
        ...


class Classifier(Early):
    """Fulfils `guard.ports.Detector`, and begins early."""

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
        begun = self.begin(tagged.draft)
        try:
            await begun.show(facts.views)
            return await begun.detect(tagged, facts, before)
        finally:
            begun.drop()

    def begin(self, draft: Draft) -> "Begun":
        """Begin with all that a draft would store."""
        content = content_of(draft)
        # What the text is found by says part of it already, when there is nothing beside it.
        asked = self._reader.begin(content, embedded=content == draft.text)
        return Begun(asked, self._reader.limits)


class Begun:
    """Fulfils `guard.ahead.Begun`."""

    def __init__(self, asked: Asked, limits: Sequence[Limits]) -> None:
        self._asked, self._limits = asked, limits
        self._views: Sequence[View] = ()
        self._judgement: asyncio.Task[Judgement] | None = None

    async def show(self, views: Sequence[View]) -> None:
        """Ask about the readings that differ most, each of them whole."""
        size = sum(len(view.text) for view in views)
        self._views = await aside(size, readings_of, views)
        await self._asked.show([view.text for view in self._views])

    def know(self, vectors: Vectors) -> None:
        """Begin to judge, while others are waited for; without readings it is too early."""
        if self._views and self._judgement is None:
            self._judgement = begun(self._asked.judgement(vectors))

    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Return how suspicious the text is, if it is at all. Raises UnavailableError."""
        del before
        # (1) One judgement of all of them.
        self.know(facts.signals.vectors)
        if self._judgement is None:
            raise UnavailableError(NAME)
        judgement = await self._judgement
        if not math.isfinite(judgement.score):
            raise UnavailableError(NAME)

        # (2) Weigh it by origin.
        limits = self._limits[min(tagged.origin.trust, len(GROUPS) - 1)]
        severity = limits.severity(judgement.score)
        return () if severity is None else (_finding(self._views, judgement, severity),)

    def drop(self) -> None:
        """Stop."""
        if self._judgement is not None:
            self._judgement.cancel()
        self._asked.drop()


def readings_of(views: Sequence[View]) -> tuple[View, ...]:
    """Return the few readings that differ most, the original first, none of them cut short."""
    whole = {view.name: view for view in views}
    return tuple(whole[view.name] for view in views_for_models(views))


def _finding(views: Sequence[View], judgement: Judgement, severity: Severity) -> Finding:
    view = views[judgement.text]
    empty = judgement.end <= judgement.start
    spans = () if empty else (span_of(view, judgement.start, judgement.end),)
    return Finding(NAME, POISON, severity, view=view.name, score=judgement.score, spans=spans)
