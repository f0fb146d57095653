"""A tenant's own rules over REST: versions, what differs, what would change, what holds (Q4, W11).

What holds is the `ETag` of each answer that tells it; whoever changes it names in `If-Match` the
version that he takes to hold.
"""

import re
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from gateway import wire
from gateway.doors import Edge
from gateway.limits import Shape
from gateway.policies import (
    VERSION,
    CheckedAnswer,
    CheckPolicy,
    DiffPolicy,
    EnactmentAnswer,
    EnactmentsAnswer,
    HuntAnswer,
    HuntMemories,
    ListVersions,
    PutPolicy,
    RuleAnswer,
    SimulatePolicy,
    SimulationAnswer,
    StandingAnswer,
    VersionAnswer,
    VersionsAnswer,
)
from guard.errors import InvalidError, NotFoundError
from guard.rulebook import Difference
from memory.types import MemoryId
from policies.draft import DraftError

Incoming = Request[Any, Any, Any]

_IF_MATCH: Final = "If-Match"
_SEEN: Final = re.compile(r'"(\d{1,9})"')
_NUMBER: Final = re.compile(r"\d{1,9}")
_FIELDS: Final = {_IF_MATCH: 'The version that holds, as `ETag` told it: `"3"`, or `"0"` for none.'}


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
            return CheckedAnswer.refused(error)
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
        return HuntAnswer.of(found)

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
