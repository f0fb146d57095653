"""A first classifier, readers and a clock for tests of what is asked about a text in doubt."""

from collections.abc import Callable, Sequence

import msgspec

from guard.detectors.doubt import Doubt
from guard.detectors.quota import Quota
from guard.detectors.second import Reading, Second
from guard.nouns import Facts, Tagged
from memory.types import Owner, SubjectId, TenantId
from policies.model import Finding, Severity
from tests.unit.screening import tagged_of

BAND = Doubt("classifier.poison", 0.2, 0.8)


class Doubting:
    """A first classifier that gives every text the same score."""

    version = "doubting@1"

    def __init__(self, score: float | None = 0.5) -> None:
        self.score = score

    async def detect(
        self, _tagged: Tagged, _facts: Facts, _before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Find poison of that score."""
        return (doubted(self.score),)


class FakeReader:
    """A model without a runtime: it answers with `score`, whatever it is asked."""

    version = "fake@1"

    def __init__(self, score: float | Callable[[str], float] = 0.0) -> None:
        self.score = score
        self.texts: list[str] = []

    async def read(self, texts: Sequence[str]) -> Sequence[Reading]:
        """Answer, and note what was asked."""
        self.texts.extend(texts)
        return [Reading(self._of(text), 0, len(text)) for text in texts]

    def _of(self, text: str) -> float:
        return self.score(text) if callable(self.score) else self.score


class Time:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the present."""
        return self.now


def doubted(score: float | None = 0.5) -> Finding:
    """Return what the first classifier says of a text."""
    return Finding("classifier", "poison", Severity.INFO, score=score)


def second_of(reader: FakeReader, share: float = 0.2, clock: Time | None = None) -> Second:
    """Return a second stage over a reader, unsure from .3 on and certain from .6 on."""
    return Second(reader, BAND, Quota(share, clock or Time()), poison=0.6, unsure=0.3)


def of_tenant(text: str, tenant: str) -> Tagged:
    """Return a draft of another tenant."""
    owner = Owner(TenantId(tenant), SubjectId("subject"))
    return msgspec.structs.replace(tagged_of(text), owner=owner)
