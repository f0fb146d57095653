"""What a tenant's own rules look like on the wire: drafts, versions, what holds, what would change.

Of memories there are ids here, and never a text.
"""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from guard.enact import Standing
from guard.hunt import Bag, Found, Scent
from guard.simulate import Simulation
from guard.statutes import NO_RULES, Enactment, Ruleset, name_of
from memory.origin import OriginClass
from memory.types import ClientId, MemoryId, SubjectId, TenantId
from policies.draft import MAX_DRAFT_BYTES, DraftError
from policies.model import Effect, Rule

VERSION = Annotated[int, Meta(ge=0, le=999_999_999)]
_Text = Annotated[str, Meta(max_length=MAX_DRAFT_BYTES)]
_Comment = Annotated[str, Meta(max_length=1000)]
_Reason = Annotated[str, Meta(min_length=1, max_length=128)]
_Limit = Annotated[int, Meta(ge=1, le=100)]


class CheckPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A draft: the tenant's own rules in TOML."""

    text: _Text


class PutPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A draft, and why it is made."""

    text: _Text
    comment: _Comment = ""


class ListVersions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many at most, and where to go on."""

    cursor: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    limit: _Limit = 20


class DiffPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The older version to compare with; 0 is none."""

    against: VERSION = NO_RULES


class RuleAnswer(msgspec.Struct, frozen=True):
    """One rule as it is understood."""

    id: str
    stage: str
    code: str
    at_least: str
    at_score: float
    min_trust: int
    max_trust: int
    effect: Effect

    @classmethod
    def of(cls, rule: Rule) -> "RuleAnswer":
        """Return a rule by the id that its author gave it."""
        return cls(
            rule.id.partition(":")[2],
            rule.stage,
            rule.code,
            rule.at_least.name.lower(),
            rule.at_score,
            rule.min_trust,
            rule.max_trust,
            rule.effect,
        )


class FlawAnswer(msgspec.Struct, frozen=True):
    """What is wrong with a draft, at which key, and in which line as far as that can be told.

    `code` stands for the sentence, whatever that names; it is empty where there is none.
    """

    what: str
    key: str
    line: int | None
    code: str


class CheckedAnswer(msgspec.Struct, frozen=True):
    """Whether a draft can be used. With no flaws: its rules, and the policy that it would make."""

    ok: bool
    flaws: tuple[FlawAnswer, ...]
    rules: tuple[RuleAnswer, ...]
    policy: str | None

    @classmethod
    def refused(cls, error: DraftError) -> "CheckedAnswer":
        """Return what is wrong with a draft."""
        flaws = tuple(FlawAnswer(one.what, one.key, one.line, one.code) for one in error.flaws)
        return cls(ok=False, flaws=flaws, rules=(), policy=None)


class VersionAnswer(msgspec.Struct, frozen=True):
    """One version of a tenant's own rules. `digest` is SHA-256 of the text, in hexadecimal."""

    version: int
    name: str
    author: SubjectId
    client: ClientId
    at: datetime
    comment: str
    digest: str
    text: str | None

    @classmethod
    def of(cls, one: Ruleset, *, text: str | None = None) -> "VersionAnswer":
        """Return a version; of a list, without its text."""
        return cls(
            one.number,
            one.name,
            one.author,
            one.client,
            one.at,
            one.comment,
            one.digest.hex(),
            text,
        )


class EnactmentAnswer(msgspec.Struct, frozen=True):
    """From then on a version held."""

    place: int
    version: int
    name: str
    author: SubjectId
    at: datetime

    @classmethod
    def of(cls, one: Enactment) -> "EnactmentAnswer":
        """Return a change of what holds."""
        name = name_of(one.tenant, one.number)
        return cls(one.place, one.number, name, one.author, one.at)


class StandingAnswer(msgspec.Struct, frozen=True):
    """What holds: the version of the tenant's own rules, 0 for none, and the whole policy.

    `back` is the version that rolling back would have hold.
    """

    version: int
    name: str
    policy: str
    back: int | None
    since: datetime | None
    author: SubjectId | None

    @classmethod
    def of(cls, standing: Standing, tenant: TenantId) -> "StandingAnswer":
        """Return what holds."""
        last = standing.enactment
        return cls(
            standing.number,
            name_of(tenant, standing.number),
            standing.policy,
            standing.back,
            None if last is None else last.at,
            None if last is None else last.author,
        )


class VersionsAnswer(msgspec.Struct, frozen=True):
    """One page of versions, newest first, and what holds."""

    items: tuple[VersionAnswer, ...]
    active: StandingAnswer
    cursor: int | None


class EnactmentsAnswer(msgspec.Struct, frozen=True):
    """One page of what held, newest first."""

    items: tuple[EnactmentAnswer, ...]
    cursor: int | None


class SimulatePolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Over how many of the last days, and where to go on."""

    days: Annotated[int, Meta(ge=1, le=3650)] = 30
    cursor: UUID | None = None


class SimulationAnswer(msgspec.Struct, frozen=True):
    """What would come out otherwise, of the decisions of this page; ids and no text."""

    simulation: Simulation
    cursor: MemoryId | None


class HuntMemories(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is hunted: what `version` would hold (without one, what holds now would), or what was
    found for one of these reasons, or is of one of these origins.
    """

    version: VERSION | None = None
    reasons: Annotated[tuple[_Reason, ...], Meta(max_length=32)] = ()
    origins: Annotated[tuple[OriginClass, ...], Meta(max_length=16)] = ()
    days: Annotated[int, Meta(ge=1, le=3650)] = 3650
    cursor: UUID | None = None
    limit: Annotated[int, Meta(ge=1, le=500)] = 200

    def scent(self) -> Scent:
        """Return what is hunted."""
        return Scent(self.version, frozenset(self.reasons), frozenset(self.origins), self.days)


class FoundAnswer(msgspec.Struct, frozen=True):
    """One memory that was hunted, without its text."""

    id: MemoryId
    subject: SubjectId
    origin: OriginClass
    trust: int
    stored_at: datetime
    effect: Effect
    would_be_held: bool
    rules: tuple[str, ...]
    reasons: tuple[str, ...]

    @classmethod
    def of(cls, one: Found) -> "FoundAnswer":
        """Return it as reviewers see it."""
        label, decision = one.row.sealed.label, one.decision
        return cls(
            label.id,
            SubjectId(label.subject),
            label.origin,
            label.trust,
            label.recorded_at,
            decision.effect,
            one.would_be_held,
            decision.rules,
            decision.reasons,
        )


class HuntAnswer(msgspec.Struct, frozen=True):
    """What a stretch of the tenant's active memories had, and where the next one begins."""

    policy: str
    items: tuple[FoundAnswer, ...]
    seen: int
    unreadable: int
    unfinished: int
    cursor: MemoryId | None

    @classmethod
    def of(cls, bag: Bag) -> "HuntAnswer":
        """Return a stretch as reviewers see it."""
        items = tuple(map(FoundAnswer.of, bag.items))
        return cls(bag.policy, items, bag.seen, bag.unreadable, bag.unfinished, bag.cursor)
