"""What a policy may say: effects, findings, completion records, rules."""

from enum import IntEnum, StrEnum
from typing import Annotated

import msgspec

MAX_TRUST = 4
Trust = Annotated[int, msgspec.Meta(ge=0, le=MAX_TRUST)]
Score = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"^[a-z0-9_.*-]+$")]


class Severity(IntEnum):
    """How much a finding weighs, lightest first."""

    INFO = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3


class Effect(StrEnum):
    """What happens to a write, by how little of it comes to be remembered; `strictest` relies on
    the order. What is held comes after what is skipped, so that a skip never hides an attack.
    """

    ALLOW = "allow"
    LOWER = "lower"
    REDACT = "redact"
    SKIP = "skip"
    QUARANTINE = "quarantine"
    REJECT = "reject"


class Span(msgspec.Struct, frozen=True, array_like=True):
    """Where in the original text, as code point offsets [start, end)."""

    start: int
    end: int


class Finding(msgspec.Struct, frozen=True, array_like=True):
    """One stage's observation about one draft. Never carries content.

    `code` is a stable machine-readable reason within the stage, `view` the name of the view in
    which it was seen, `score` a calibrated probability in [0, 1] or None for a rule.
    """

    stage: str
    code: str
    severity: Severity
    view: str = "original"
    score: float | None = None
    spans: tuple[Span, ...] = ()

    @property
    def reason(self) -> str:
        """The reason as callers see it, `stage.code`."""
        return f"{self.stage}.{self.code}"


class Status(StrEnum):
    """How a stage ended."""

    DONE = "done"
    FAILED = "failed"
    LATE = "late"


class Completion(msgspec.Struct, frozen=True, array_like=True):
    """Proof that a stage ran: written after it returned, or with the way it failed."""

    stage: str
    status: Status


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a finding of `stage` (and `code`, `*` for any) has at least this severity and score, and
    the origin's trust lies in [min_trust, max_trust], the effect applies.

    A finding without a score has every score: what is not measured is not let through for that.
    """

    id: Name
    stage: Name
    effect: Effect
    code: Name = "*"
    at_least: Severity = Severity.INFO
    min_trust: Trust = 0
    max_trust: Trust = MAX_TRUST
    at_score: Score = 0.0


class Enforcement(StrEnum):
    """Whether what the rules call for happens. An unsafe policy says so in its name, too."""

    FULL = "full"
    UNSAFE_MONITOR = "unsafe-monitor"
    """Rules hold and reject nothing: it is recorded that they would have."""


class Policy(msgspec.Struct, frozen=True):
    """One profile, checked on load. `version` is a digest of its text, so equal versions decide
    alike; `stages` must all have completed for a write to be allowed. `tightened_by` holds rules
    of one tenant, and may have more of them beside it: all decide, and the strictest holds (W11).
    """

    name: str
    version: str
    stages: tuple[str, ...]
    rules: tuple[Rule, ...]
    otherwise: Effect
    enforcement: Enforcement = Enforcement.FULL
    tightened_by: "Policy | None" = None

    @property
    def edition(self) -> str:
        """The version, with that of the tenant's own rules when there are some."""
        own = self.tightened_by
        return self.version if own is None else f"{self.version}+{own.edition}"

    @property
    def every_rule(self) -> tuple[Rule, ...]:
        """The rules, with the tenant's own."""
        own = self.tightened_by
        return self.rules if own is None else (*self.rules, *own.every_rule)


class Decision(msgspec.Struct, frozen=True):
    """The effect, the rules that called for it, and every reason in the order found.

    `lowered` stays when something stricter than `lower` was called for besides.
    """

    effect: Effect
    rules: tuple[str, ...]
    reasons: tuple[str, ...]
    policy: str
    lowered: bool = False
