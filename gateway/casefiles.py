"""A case and what surrounds it, as the wire has it: ids, labels, codes, numbers and places."""

from typing import Literal, Self

import msgspec
from msgspec import field

from gateway.answers import CaseAnswer
from guard.casefile import CaseFile, Found, Place, Verdict
from guard.likecases import Alike, By, Cluster
from guard.nouns import Label
from guard.opposed import Opposed
from guard.outcomes import Case
from policies.model import Effect, Status


class SpanAnswer(msgspec.Struct, frozen=True):
    """Code points [start, end) of the original text; `other` means of the fields that follow it."""

    start: int
    end: int
    in_: Literal["text", "other"] = field(name="in")

    @classmethod
    def of(cls, place: Place) -> Self:
        """Return it as reviewers see it."""
        return cls(place.start, place.end, "text" if place.in_text else "other")


class FindingAnswer(msgspec.Struct, frozen=True):
    """What one detector found: how grave, how sure where it measures (0 to 1), in which reading of
    the text, and where. `effect` and `rules` are what today's policy makes of it alone.
    """

    stage: str
    reason: str
    severity: Literal["info", "low", "medium", "high"]
    score: float | None
    view: str
    spans: tuple[SpanAnswer, ...]
    effect: Effect
    rules: tuple[str, ...]

    @classmethod
    def of(cls, found: Found) -> Self:
        """Return it as reviewers see it."""
        one = found.finding
        return cls(
            stage=one.stage,
            reason=one.reason,
            severity=_SEVERITIES[one.severity],
            score=one.score,
            view=one.view,
            spans=tuple(map(SpanAnswer.of, found.places)),
            effect=found.effect,
            rules=found.rules,
        )


class StageAnswer(msgspec.Struct, frozen=True):
    """A stage that looked, and how it ended."""

    stage: str
    status: Status


class VerdictAnswer(msgspec.Struct, frozen=True):
    """What the policy in force makes of all findings together, and by which rules."""

    policy: str
    effect: Effect
    rules: tuple[str, ...]

    @classmethod
    def of(cls, verdict: Verdict) -> Self:
        """Return it as reviewers see it."""
        return cls(verdict.policy, verdict.effect, verdict.rules)


class ForebearAnswer(msgspec.Struct, frozen=True):
    """A memory that the case was derived from, directly or through others, and its own parents."""

    memory: CaseAnswer
    parents: tuple[str, ...]


class OriginChainAnswer(msgspec.Struct, frozen=True):
    """What the case was derived from, upward; `whole` is false where some of it is not told."""

    parents: tuple[str, ...]
    chain: tuple[ForebearAnswer, ...]
    whole: bool


class AgainstAnswer(msgspec.Struct, frozen=True):
    """A memory that the case contradicts, and the reason that names it."""

    why: str
    memory: CaseAnswer

    @classmethod
    def of(cls, one: Opposed) -> Self:
        """Return it as reviewers see it."""
        return cls(one.why, _labelled(one.row.sealed.label, one.check))


class SimilarAnswer(msgspec.Struct, frozen=True):
    """A held memory of the same subject, and how near it is, up to 1."""

    likeness: float
    memory: CaseAnswer

    @classmethod
    def of(cls, one: Alike) -> Self:
        """Return it as reviewers see it."""
        return cls(round(one.likeness, 3), _labelled(one.label))


class ClusterAnswer(msgspec.Struct, frozen=True):
    """How much is held of the tenant from the same client and class, source or session, and the
    newest ids; 10000 for at least so many.
    """

    by: By
    count: int
    newest: tuple[str, ...]

    @classmethod
    def of(cls, cluster: Cluster) -> Self:
        """Return it as reviewers see it."""
        return cls(cluster.by, cluster.count, cluster.newest)


class CaseFileAnswer(msgspec.Struct, frozen=True):
    """One case with all that it is decided by, without its text, which has to be revealed.

    Of a case whose reason is `check.unreadable` or `check.current` only label and clusters are
    told. `compared` is false where it could not be compared with what is stored now.
    """

    case: CaseAnswer
    policy: str
    today: VerdictAnswer | None
    findings: tuple[FindingAnswer, ...]
    stages: tuple[StageAnswer, ...]
    origin: OriginChainAnswer
    against: tuple[AgainstAnswer, ...]
    compared: bool
    similar: tuple[SimilarAnswer, ...]
    clusters: tuple[ClusterAnswer, ...]

    @classmethod
    def of(cls, file: CaseFile) -> Self:
        """Return it as reviewers see it."""
        record, label = file.record, file.case.label
        around = tuple(map(ClusterAnswer.of, file.clusters))
        if record is None:
            nothing = OriginChainAnswer((), (), whole=False)
            unknown = (None, (), (), nothing, (), False, ())
            return cls(CaseAnswer.of(file.case), label.policy, *unknown, around)
        chain = tuple(
            ForebearAnswer(_labelled(one.label, one.check), one.parents)
            for one in record.chain.items
        )
        return cls(
            case=CaseAnswer.of(file.case),
            policy=label.policy,
            today=VerdictAnswer.of(record.today),
            findings=tuple(map(FindingAnswer.of, record.findings)),
            stages=tuple(StageAnswer(one.stage, one.status) for one in record.completions),
            origin=OriginChainAnswer(record.parents, chain, record.chain.whole),
            against=tuple(map(AgainstAnswer.of, record.against.items)),
            compared=record.against.compared,
            similar=tuple(map(SimilarAnswer.of, record.alike)),
            clusters=around,
        )


_SEVERITIES: tuple[Literal["info", "low", "medium", "high"], ...] = (
    "info",
    "low",
    "medium",
    "high",
)


def _labelled(label: Label, check: str | None = None) -> CaseAnswer:
    return CaseAnswer.of(Case(label, () if check is None else (check,)))
