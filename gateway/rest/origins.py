"""Origins over REST: how far one reaches, who was shown what of it, and its quarantine (Q5).

What writers named stands in bodies and never in paths: it may hold any character, and paths end in
the logs of every proxy. A source or session is named as its writer did, or by the keyed id that
cases and lists show.
"""

from datetime import datetime
from typing import Annotated, Any, Self

import msgspec
from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from msgspec import Meta

from gateway import wire
from gateway.doors import Edge
from gateway.limits import Shape
from guard.ban import Impact, Lifted
from guard.blast import Reached, Report, Viewing
from guard.nouns import Label
from guard.origins import GROUPED, Ban, Group, Groups, Kind, Place, Tally
from memory.origin import OriginClass
from memory.types import Layer, State

Incoming = Request[Any, Any, Any]

_Limit = Annotated[int, Meta(ge=1, le=200)]
_Cursor = Annotated[str, Meta(min_length=1, max_length=512)]


class ListOrigins(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to group by, and which page."""

    by: Annotated[Kind, Meta(description="`source`, `session` or `client`.")] = Kind.SOURCE
    cursor: _Cursor | None = None
    limit: _Limit = 50

    def __post_init__(self) -> None:
        """Refuse what nothing is grouped by."""
        if self.by not in GROUPED:
            raise ValueError("by: source, session or client")


class NameOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One origin."""

    by: Kind
    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=2048,
            description="A source or session as its writer named it, or its keyed id; a client's "
            "or a memory's id.",
        ),
    ]

    def __post_init__(self) -> None:
        """Refuse what can't be a name."""
        wire.require_text("name", self.name)

    def place(self) -> Place:
        """Return the origin as it is named here."""
        return Place(self.by, self.name)


class ReportOrigin(NameOrigin, frozen=True, forbid_unknown_fields=True):
    """One origin, and which page of the memories that it reaches."""

    cursor: wire.Id | None = None
    limit: _Limit = 50


class QuarantineOrigin(NameOrigin, frozen=True, forbid_unknown_fields=True):
    """One origin, and whether only to tell what would be held: unless told otherwise, yes."""

    dry_run: bool = True


class ListBans(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which page."""

    cursor: wire.Id | None = None
    limit: _Limit = 50


class PlaceAnswer(msgspec.Struct, frozen=True):
    """One origin: the keyed id of a source or session, else a client's or memory's id."""

    by: Kind
    name: str

    @classmethod
    def of(cls, place: Place) -> Self:
        """Return the origin as reviewers see it."""
        return cls(place.kind, place.name)


class GroupAnswer(msgspec.Struct, frozen=True):
    """What came from one origin: how many memories stand, how many are held, and when the newest
    was written. `class` is told of clients.
    """

    by: Kind
    name: str
    class_: OriginClass | None = msgspec.field(name="class")
    active: int
    held: int
    newest_at: datetime

    @classmethod
    def told(cls, group: Group) -> Self:
        """Return the group as reviewers see it."""
        place = group.place
        return cls(place.kind, place.name, group.class_, group.active, group.held, group.newest)


class OriginsAnswer(msgspec.Struct, frozen=True):
    """One page of origins, those first that wrote last, and the cursor of the next one."""

    items: tuple[GroupAnswer, ...]
    cursor: str | None

    @classmethod
    def of(cls, groups: Groups) -> Self:
        """Return the page as reviewers see it."""
        return cls(tuple(map(GroupAnswer.told, groups.items)), groups.cursor)


class ReachedAnswer(msgspec.Struct, frozen=True):
    """One memory that an origin reaches, without its text: its own, or derived from such."""

    id: str
    derived: bool
    subject: str
    layer: Layer
    state: State
    origin: OriginClass
    trust: int
    client: str
    source: str
    session: str
    stored_at: datetime

    @classmethod
    def of(cls, label: Label, *, derived: bool) -> Self:
        """Return the memory as reviewers see it."""
        return cls(
            id=label.id,
            derived=derived,
            subject=label.subject,
            layer=label.layer,
            state=label.state,
            origin=label.origin,
            trust=label.trust,
            client=label.client,
            source=label.source,
            session=label.session,
            stored_at=label.recorded_at,
        )

    @classmethod
    def reached(cls, one: Reached) -> Self:
        """Return the memory as reviewers see it."""
        return cls.of(one.label, derived=one.derived)


class TallyAnswer(msgspec.Struct, frozen=True):
    """How far an origin reaches: memories of its own and derived ones, by state; the subjects that
    have them; and how many others gave way to one of them.
    """

    own: int
    derived: int
    subjects: int
    replaced: int
    states: dict[State, int]

    @classmethod
    def of(cls, tally: Tally) -> Self:
        """Return the numbers as reviewers see them."""
        states = dict(tally.states)
        return cls(tally.own, tally.derived, tally.subjects, tally.replaced, states)


class ViewingAnswer(msgspec.Struct, frozen=True):
    """That a recall showed a memory: to whom, over which client, in which trace, and when."""

    memory: str
    subject: str
    client: str
    trace: str
    at: datetime

    @classmethod
    def of(cls, one: Viewing) -> Self:
        """Return it as reviewers see it."""
        return cls(one.memory, one.subject, one.client, one.trace, one.at)


class BanAnswer(msgspec.Struct, frozen=True):
    """An origin that is, or was, under quarantine."""

    id: str
    origin: PlaceAnswer
    at: datetime
    lifted_at: datetime | None

    @classmethod
    def of(cls, ban: Ban) -> Self:
        """Return the ban as reviewers see it."""
        return cls(ban.id, PlaceAnswer.of(ban.place), ban.at, ban.lifted_at)


class BansAnswer(msgspec.Struct, frozen=True):
    """One page of quarantines of origins in the order they were made, and the next one's cursor."""

    items: tuple[BanAnswer, ...]
    cursor: str | None


class ReportAnswer(msgspec.Struct, frozen=True):
    """How far an origin reaches, one page of it, and the newest recalls that showed any of it.

    Not `complete`, some of what was derived before derivations were kept is still being read.
    """

    origin: PlaceAnswer
    quarantine: BanAnswer | None
    reach: TallyAnswer
    items: tuple[ReachedAnswer, ...]
    cursor: str | None
    recalls: tuple[ViewingAnswer, ...]
    more_recalls: bool
    complete: bool

    @classmethod
    def of(cls, report: Report) -> Self:
        """Return the report as reviewers see it."""
        return cls(
            origin=PlaceAnswer.of(report.place),
            quarantine=None if report.ban is None else BanAnswer.of(report.ban),
            reach=TallyAnswer.of(report.tally),
            items=tuple(map(ReachedAnswer.reached, report.items)),
            cursor=report.cursor,
            recalls=tuple(map(ViewingAnswer.of, report.viewings)),
            more_recalls=report.more_viewings,
            complete=report.complete,
        )


class ImpactAnswer(msgspec.Struct, frozen=True):
    """What quarantining an origin holds: `held` by this call, `remaining` still to be held by the
    next. `samples` stood before. A dry run has no quarantine and holds nothing.
    """

    origin: PlaceAnswer
    quarantine: BanAnswer | None
    held: int
    remaining: int
    reach: TallyAnswer
    samples: tuple[ReachedAnswer, ...]
    complete: bool

    @classmethod
    def of(cls, impact: Impact) -> Self:
        """Return the impact as reviewers see it."""
        place = impact.place
        return cls(
            origin=PlaceAnswer.of(place),
            quarantine=None if impact.ban is None else BanAnswer.of(impact.ban),
            held=impact.held,
            remaining=impact.remaining,
            reach=TallyAnswer.of(impact.tally),
            samples=tuple(
                ReachedAnswer.of(label, derived=not place.covers(label)) for label in impact.samples
            ),
            complete=impact.complete,
        )


class LiftedAnswer(msgspec.Struct, frozen=True):
    """What lifting a quarantine released, and left to reviewers; `own` memories of the caller
    somebody else must release. With `more`, call again.
    """

    quarantine: BanAnswer
    released: int
    left: int
    own: int
    more: bool

    @classmethod
    def of(cls, lifted: Lifted) -> Self:
        """Return it as reviewers see it."""
        ban = BanAnswer.of(lifted.ban)
        return cls(ban, lifted.released, lifted.left, lifted.own, lifted.more)


def origin_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/origins`."""
    doors, rooms = edge.use_cases.origins, edge.rooms

    @get("/v1/origins", opt={"shape": Shape("List origins", OriginsAnswer, query=ListOrigins)})
    async def listed(request: Incoming) -> OriginsAnswer:
        page = wire.from_query(request.query_params.multi_items(), ListOrigins)
        found = await doors.origins(request.auth, page.by, page.cursor, page.limit, rooms)
        return OriginsAnswer.of(found)

    @post(
        "/v1/origins/report",
        status_code=200,
        opt={"shape": Shape("How far an origin reaches", ReportAnswer, body=ReportOrigin)},
    )
    async def report(request: Incoming) -> ReportAnswer:
        body = wire.from_json(await request.body(), ReportOrigin)
        after = None if body.cursor is None else wire.memory_id(body.cursor)
        return ReportAnswer.of(
            await doors.report(request.auth, body.place(), after, body.limit, rooms)
        )

    @post(
        "/v1/origins/quarantine",
        status_code=200,
        opt={"shape": Shape("Quarantine an origin", ImpactAnswer, body=QuarantineOrigin)},
    )
    async def quarantine(request: Incoming) -> ImpactAnswer:
        body = wire.from_json(await request.body(), QuarantineOrigin)
        door = doors.preview if body.dry_run else doors.quarantine
        return ImpactAnswer.of(await door(request.auth, body.place(), rooms))

    @get(
        "/v1/origins/quarantines",
        opt={"shape": Shape("List quarantines of origins", BansAnswer, query=ListBans)},
    )
    async def bans(request: Incoming) -> BansAnswer:
        page = wire.from_query(request.query_params.multi_items(), ListBans)
        found = await doors.bans(request.auth, page.cursor, page.limit + 1, rooms)
        items = tuple(map(BanAnswer.of, found[: page.limit]))
        return BansAnswer(items, items[-1].id if len(found) > page.limit else None)

    @post(
        "/v1/origins/quarantines/{id:str}/lift",
        status_code=200,
        opt={"shape": Shape("Lift an origin's quarantine", LiftedAnswer)},
    )
    async def lift(request: Incoming, id: FromPath[str]) -> LiftedAnswer:
        return LiftedAnswer.of(await doors.lift(request.auth, wire.memory_id(id), rooms))

    return [listed, report, quarantine, bans, lift]
