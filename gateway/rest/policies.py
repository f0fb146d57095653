"""A tenant's own rules over REST: versions, what differs, what would change, what holds (Q4, W11).

What holds is the `ETag` of each answer that tells it; whoever changes it names in `If-Match` the
version that he takes to hold.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from msgspec import Meta

from gateway import wire
from gateway.doors import Edge
from gateway.limits import Shape
from guard.enact import Standing
from guard.errors import InvalidError, NotFoundError
from guard.hunt import Found, Scent
from guard.rulebook import Difference
from guard.simulate import Simulation
from guard.statutes import NO_RULES, Enactment, Ruleset, name_of
from memory.origin import OriginClass
from memory.types import ClientId, MemoryId, SubjectId, TenantId
from policies.draft import MAX_DRAFT_BYTES, DraftError
from policies.model import Effect, Rule

Incoming = Request[Any, Any, Any]

VERSION = Annotated[int, Meta(ge=0, le=999_999_999)]
_Text = Annotated[str, Meta(max_length=MAX_DRAFT_BYTES)]
_Comment = Annotated[str, Meta(max_length=1000)]
_Reason = Annotated[str, Meta(min_length=1, max_length=128)]
_Limit = Annotated[int, Meta(ge=1, le=100)]
_IF_MATCH: Final = "If-Match"
_SEEN: Final = re.compile(r'"(\d{1,9})"')
_NUMBER: Final = re.compile(r"\d{1,9}")
_FIELDS: Final = {_IF_MATCH: 'The version that holds, as `ETag` told it: `"3"`, or `"0"` for none.'}


class CheckPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A draft: the tenant's own rules in TOML."""

    text: _Text


class PutPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A draft, and why it is made."""

    text: _Text
    comment: _Comment = ""

    def __post_init__(self) -> None:
        """Refuse a comment that is no text."""
        if self.comment:
            wire.require_text("comment", self.comment)


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
    """What is wrong with a draft, at which key, and in which line as far as that can be told."""

    what: str
    key: str
    line: int | None


class CheckedAnswer(msgspec.Struct, frozen=True):
    """Whether a draft can be used. With no flaws: its rules, and the policy that it would make."""

    ok: bool
    flaws: tuple[FlawAnswer, ...]
    rules: tuple[RuleAnswer, ...]
    policy: str | None


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


def policy_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/tenant/policies`, and `/v1/tenant/hunts`."""
    return [*_reading(edge), *_writing(edge), *_foreseeing(edge)]


def _reading(edge: Edge) -> list[HTTPRouteHandler]:
    doors, rooms = edge.use_cases.policies, edge.rooms

    @get(
        "/v1/tenant/policies",
        opt={"shape": Shape("List policy versions", VersionsAnswer, query=ListVersions)},
    )
    async def versions(request: Incoming) -> Response[VersionsAnswer]:
        page = wire.from_query(request.query_params.multi_items(), ListVersions)
        found = await doors.versions(request.auth, page.cursor, page.limit, rooms)
        items = tuple(VersionAnswer.of(one) for one in found.items)
        active = StandingAnswer.of(found.standing, request.auth.owner.tenant)
        return _tagged(VersionsAnswer(items, active, found.cursor), found.standing.number)

    @get(
        "/v1/tenant/policies/history",
        opt={"shape": Shape("What held, and since when", EnactmentsAnswer, query=ListVersions)},
    )
    async def history(request: Incoming) -> EnactmentsAnswer:
        page = wire.from_query(request.query_params.multi_items(), ListVersions)
        found = await doors.enactments(request.auth, page.cursor, page.limit, rooms)
        return EnactmentsAnswer(tuple(map(EnactmentAnswer.of, found.items)), found.cursor)

    @post(
        "/v1/tenant/policies/check",
        status_code=200,
        opt={"shape": Shape("Check a draft", CheckedAnswer, body=CheckPolicy)},
    )
    async def check(request: Incoming) -> CheckedAnswer:
        body = wire.from_json(await request.body(), CheckPolicy)
        try:
            found = await doors.check(request.auth, body.text, rooms)
        except DraftError as error:
            flaws = tuple(FlawAnswer(one.what, one.key, one.line) for one in error.flaws)
            return CheckedAnswer(ok=False, flaws=flaws, rules=(), policy=None)
        rules = tuple(map(RuleAnswer.of, found.rules))
        return CheckedAnswer(ok=True, flaws=(), rules=rules, policy=found.policy)

    @get(
        "/v1/tenant/policies/{id:str}",
        opt={"shape": Shape("Show a policy version", VersionAnswer, id=VERSION)},
    )
    async def version(request: Incoming, id: FromPath[str]) -> VersionAnswer:
        found = await doors.version(request.auth, _number(id), rooms)
        return VersionAnswer.of(found, text=found.text)

    @get(
        "/v1/tenant/policies/{id:str}/diff",
        opt={
            "shape": Shape("Compare policy versions", Difference, query=DiffPolicy, id=VERSION),
        },
    )
    async def diff(request: Incoming, id: FromPath[str]) -> Difference:
        asked = wire.from_query(request.query_params.multi_items(), DiffPolicy)
        return await doors.diff(request.auth, asked.against, _number(id), rooms)

    return [versions, history, check, version, diff]


def _writing(edge: Edge) -> list[HTTPRouteHandler]:
    doors, rooms = edge.use_cases.policies, edge.rooms

    @post(
        "/v1/tenant/policies",
        opt={"shape": Shape("Put a policy draft", VersionAnswer, 201, body=PutPolicy)},
    )
    async def put(request: Incoming) -> VersionAnswer:
        body = wire.from_json(await request.body(), PutPolicy)
        try:
            made = await doors.put(request.auth, body.text, body.comment, rooms)
        except DraftError as error:
            raise InvalidError(str(error)) from None
        return VersionAnswer.of(made, text=made.text)

    @post(
        "/v1/tenant/policies/{id:str}/activate",
        status_code=200,
        opt={"shape": Shape("Have a version hold", StandingAnswer, fields=_FIELDS, id=VERSION)},
    )
    async def activate(request: Incoming, id: FromPath[str]) -> Response[StandingAnswer]:
        seen = _seen(request.headers.getall(_IF_MATCH, []))
        try:
            standing = await doors.activate(request.auth, _number(id), seen, rooms)
        except DraftError as error:
            raise InvalidError(str(error)) from None
        answer = StandingAnswer.of(standing, request.auth.owner.tenant)
        return _tagged(answer, standing.number)

    @post(
        "/v1/tenant/policies/rollback",
        status_code=200,
        opt={"shape": Shape("Have the version before hold", StandingAnswer, fields=_FIELDS)},
    )
    async def roll_back(request: Incoming) -> Response[StandingAnswer]:
        seen = _seen(request.headers.getall(_IF_MATCH, []))
        try:
            standing = await doors.roll_back(request.auth, seen, rooms)
        except DraftError as error:
            raise InvalidError(str(error)) from None
        answer = StandingAnswer.of(standing, request.auth.owner.tenant)
        return _tagged(answer, standing.number)

    return [put, activate, roll_back]


def _foreseeing(edge: Edge) -> list[HTTPRouteHandler]:
    doors, rooms = edge.use_cases.policies, edge.rooms

    @post(
        "/v1/tenant/policies/{id:str}/simulate",
        status_code=200,
        opt={
            "shape": Shape(
                "What a version would change", SimulationAnswer, body=SimulatePolicy, id=VERSION
            )
        },
    )
    async def simulate(request: Incoming, id: FromPath[str]) -> SimulationAnswer:
        asked = wire.from_json(await request.body(), SimulatePolicy)
        what = _number(id), asked.days, _place(asked.cursor)
        try:
            found = await doors.foresee(request.auth, *what, rooms)
        except DraftError as error:
            raise InvalidError(str(error)) from None
        return SimulationAnswer(found.simulation, found.cursor)

    @post(
        "/v1/tenant/hunts",
        status_code=200,
        opt={"shape": Shape("Hunt through what is stored", HuntAnswer, body=HuntMemories)},
    )
    async def hunt(request: Incoming) -> HuntAnswer:
        asked = wire.from_json(await request.body(), HuntMemories)
        what = asked.scent(), _place(asked.cursor), asked.limit
        try:
            found = await doors.hunt(request.auth, *what, rooms)
        except DraftError as error:
            raise InvalidError(str(error)) from None
        return HuntAnswer(
            found.policy,
            tuple(map(FoundAnswer.of, found.items)),
            found.seen,
            found.unreadable,
            found.unfinished,
            found.cursor,
        )

    return [simulate, hunt]


def _place(cursor: UUID | None) -> MemoryId | None:
    return None if cursor is None else MemoryId(str(cursor))


def _tagged(answer: Any, number: int) -> Response[Any]:
    return Response(answer, headers={"ETag": f'"{number}"'})


def _seen(values: Sequence[str]) -> int:
    """Return the version that the caller takes to hold. Raises InvalidError without one."""
    found = _SEEN.fullmatch(values[0].strip()) if len(values) == 1 else None
    if found is None:
        raise InvalidError(
            f'{_IF_MATCH}: send the version that holds, such as "3", or "0" for none'
        )
    return int(found[1])


def _number(value: str) -> int:
    """Return a version's number. What is none names no version."""
    if _NUMBER.fullmatch(value) is None:
        raise NotFoundError
    return int(value)
