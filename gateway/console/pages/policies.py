"""A tenant's own rules: versions, an editor that checks, what one would change, what holds."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Redirect, Template
from msgspec import Meta

from gateway.console.cookies import Incoming
from gateway.console.forms import Forms, asked
from gateway.console.frame import Frame
from gateway.console.shield import ROOT
from gateway.doors import Edge
from guard.errors import InvalidError, NotFoundError
from guard.statutes import NO_RULES
from policies.draft import MAX_DRAFT_BYTES, DraftError

_PAGE: Final = 25
_DAYS: Final = 30
_MOST_DIGITS: Final = 9
_Seen = Annotated[int, Meta(ge=0, le=999_999_999)]
_EXAMPLE: Final = """[[rules]]
id = "no-accounts"
stage = "secrets"
code = "account"
effect = "reject"
"""


class AskPolicies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which page of versions."""

    cursor: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    done: Literal["activated", "rolled_back"] | None = None


class AskEditor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which version to begin with."""

    from_: Annotated[int, Meta(ge=0, le=999_999_999)] | None = msgspec.field(
        name="from", default=None
    )


class Draft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in the editor, and whether it is to be kept."""

    text: Annotated[str, Meta(max_length=2 * MAX_DRAFT_BYTES)] = ""
    comment: Annotated[str, Meta(max_length=1000)] = ""
    keep: bool = False

    @property
    def rules(self) -> str:
        """The text as it is kept: browsers end lines in their own way."""
        return self.text.replace("\r\n", "\n")


class Simulate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Over how many days."""

    days: Annotated[int, Meta(ge=1, le=365)] = _DAYS


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which version is taken to hold by whoever changes that."""

    seen: _Seen


def policies_pages(edge: Edge, frame: Frame, forms: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of policies."""
    return [*_reading(edge, frame, forms), *_writing(edge, frame, forms)]


def _reading(edge: Edge, frame: Frame, forms: Forms) -> list[HTTPRouteHandler]:
    doors, rooms = edge.use_cases.policies, edge.rooms

    @get("/policies")
    async def policies(request: Incoming) -> Template:
        wanted = asked(request.query_params.multi_items(), AskPolicies)
        found = await doors.versions(request.auth, wanted.cursor, _PAGE, rooms)
        past = await doors.enactments(request.auth, None, _PAGE, rooms)
        return frame.page(
            request,
            "policies.html",
            wanted=wanted,
            versions=found.items,
            standing=found.standing,
            past=past.items,
            further=None if found.cursor is None else f"{ROOT}/policies?cursor={found.cursor}",
        )

    async def shown(request: Incoming, number: int, **more: Any) -> Template:
        version = await doors.version(request.auth, number, rooms)
        standing = (await doors.versions(request.auth, None, 1, rooms)).standing
        difference = None
        if standing.number != number:
            difference = await doors.diff(request.auth, standing.number, number, rooms)
        around = {"difference": difference, "foreseen": None, "flaws": (), "days": _DAYS}
        page = {"version": version, "standing": standing} | around | more
        return frame.page(request, "policy.html", **page)

    @get("/policies/version/{id:str}")
    async def policy(request: Incoming, id: FromPath[str]) -> Template:
        return await shown(request, _number(id))

    @post("/policies/version/{id:str}/simulate", status_code=200)
    async def simulate(request: Incoming, id: FromPath[str]) -> Template:
        said = await forms.submitted(request, Simulate)
        number = _number(id)
        try:
            foreseen = await doors.foresee(request.auth, number, said.days, None, rooms)
        except DraftError as error:
            return await shown(request, number, flaws=error.flaws)
        return await shown(request, number, foreseen=foreseen, days=said.days)

    return [policies, policy, simulate]


def _writing(edge: Edge, frame: Frame, forms: Forms) -> list[HTTPRouteHandler]:
    doors, rooms = edge.use_cases.policies, edge.rooms

    @get("/policies/new")
    async def editor(request: Incoming) -> Template:
        wanted = asked(request.query_params.multi_items(), AskEditor)
        text = _EXAMPLE
        if wanted.from_:
            text = (await doors.version(request.auth, wanted.from_, rooms)).text
        return frame.page(request, "policy_new.html", draft=Draft(text), flaws=(), checked=None)

    @post("/policies/new", status_code=200)
    async def put(request: Incoming) -> Template | Response[Any]:
        draft = await forms.submitted(request, Draft)
        page: dict[str, Any] = {"draft": draft, "flaws": (), "checked": None}
        try:
            if not draft.keep:
                checked = await doors.check(request.auth, draft.rules, rooms)
                return frame.page(request, "policy_new.html", **page | {"checked": checked})
            made = await doors.put(request.auth, draft.rules, draft.comment, rooms)
        except DraftError as error:
            return frame.page(request, "policy_new.html", 400, **page | {"flaws": error.flaws})
        return Redirect(f"{ROOT}/policies/version/{made.number}", status_code=303)

    @post("/policies/version/{id:str}/activate", status_code=303)
    async def activate(request: Incoming, id: FromPath[str]) -> Response[Any]:
        said = await forms.submitted(request, Change)
        try:
            await doors.activate(request.auth, _number(id), said.seen, rooms)
        except DraftError as error:
            raise InvalidError(str(error)) from None
        return Redirect(f"{ROOT}/policies?done=activated", status_code=303)

    @post("/policies/rollback", status_code=303)
    async def roll_back(request: Incoming) -> Response[Any]:
        said = await forms.submitted(request, Change)
        try:
            await doors.roll_back(request.auth, said.seen, rooms)
        except DraftError as error:
            raise InvalidError(str(error)) from None
        return Redirect(f"{ROOT}/policies?done=rolled_back", status_code=303)

    return [editor, put, activate, roll_back]


def _number(id: str) -> int:
    """Return a version's number. What is none names no version."""
    if not (id.isascii() and id.isdigit() and len(id) <= _MOST_DIGITS) or int(id) == NO_RULES:
        raise NotFoundError
    return int(id)
