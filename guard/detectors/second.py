"""The second stage: a larger model reads what the first classifier is unsure of (W7).

It sees the grey band alone, and for a bounded share of the writes: a large model takes as long for
one text as everything else together. It can add a finding and take none away.
"""

import asyncio
import math
from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from guard.detectors.doubt import Doubt
from guard.detectors.quota import OVER_QUOTA, Metered
from guard.detectors.whole import shown_whole
from guard.errors import UnavailableError
from guard.nouns import Facts, Tagged, View
from guard.views import span_of
from policies.model import Finding, Severity

NAME: Final = "second"
POISON: Final = "poison"
UNSURE: Final = "unsure"


class Reading(msgspec.Struct, frozen=True):
    """How much a text looks like an attack, where it does so most; code points [start, end)."""

    score: float
    start: int
    end: int


class Reader(Protocol):
    """A model that reads texts and says how much each looks like an attack."""

    @property
    def version(self) -> str:
        """What decides its answers, at most 40 characters."""
        ...

    async def read(self, texts: Sequence[str]) -> Sequence[Reading]:
        """Return one reading per text, in order. Raises UnavailableError."""
        ...


class Second:
    """Fulfils `guard.ports.Detector` for what is in `doubt`.

    From `poison` on a text is taken for an attack, and below it, from `unsure` on, it is left to
    the judge.
    """

    def __init__(
        self, reader: Reader, doubt: Doubt, quota: Metered, *, poison: float, unsure: float
    ) -> None:
        self._reader, self._doubt, self._quota = reader, doubt, quota
        self._poison, self._unsure = poison, unsure
        self.asked = 0
        """Texts that the model was asked about."""
        self.refused = 0
        """Texts that it was not asked about, since there were too many."""

    @property
    def version(self) -> str:
        """The model, what is in doubt, and the thresholds."""
        limits = (self._doubt.low, self._doubt.high, self._unsure, self._poison)
        return f"{self._reader.version}@{'/'.join(f'{one:.3g}' for one in limits)}"

    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Return what the model makes of a text in doubt. Raises UnavailableError."""
        # (1) Is it in doubt, and may another one be asked about?
        tenant = tagged.owner.tenant
        self._quota.looked(tenant)
        if not self._doubt.left_by(before, tagged):
            return ()
        if not self._quota.take(tenant):
            self.refused += 1
            return (Finding(NAME, OVER_QUOTA, Severity.MEDIUM),)

        # (2) Ask about the views that differ most, chosen in a thread: they may be long.
        self.asked += 1
        views = await asyncio.to_thread(shown_whole, facts.views, NAME)
        readings = await self._reader.read([view.text for view in views])
        if len(readings) != len(views) or not all(math.isfinite(r.score) for r in readings):
            raise UnavailableError(NAME)

        # (3) The worst of them counts.
        view, reading = max(zip(views, readings, strict=True), key=lambda pair: pair[1].score)
        return self._found(view, reading)

    def _found(self, view: View, reading: Reading) -> tuple[Finding, ...]:
        if reading.score < self._unsure:
            return ()
        poison = reading.score >= self._poison
        spans = (span_of(view, reading.start, reading.end),) if reading.end > reading.start else ()
        return (
            Finding(
                NAME,
                POISON if poison else UNSURE,
                Severity.HIGH if poison else Severity.LOW,
                view=view.name,
                score=reading.score,
                spans=spans,
            ),
        )
