"""One table from what went wrong to what the caller is told (E9): status, code, title.

REST answers RFC 9457 problem details, MCP tools the same code and detail. A detail comes from
errors that are made for the caller alone; of anything else only its kind is told.
"""

import logging
import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from gateway.answers import OriginAnswer, WriteAnswer
from gateway.resources import FIRST_SCOPES, Resource, resource_at
from gateway.scopes import requirement
from guard.enact import PolicyMovedError
from guard.errors import (
    ConflictError,
    ForbiddenError,
    GuardError,
    InvalidError,
    LimitedError,
    NotFoundError,
    UnauthenticatedError,
    UnavailableError,
    UnreadableError,
)
from guard.held import QuarantineFullError
from guard.once import KeyReusedError
from guard.outcomes import (
    Merged,
    Quarantined,
    Queued,
    Redacted,
    Rejected,
    Skipped,
    Stored,
    Superseded,
    WriteOutcome,
)
from guard.principal import Scope

_LOGGER: Final = logging.getLogger("memguard")
MEDIA_TYPE: Final = "application/problem+json"
REPLAYED: Final = "Idempotency-Replayed"
_OK: Final = 200
_CREATED: Final = 201
_REFUSED: Final = 400
_FALLBACK: Final = 500


class TooLargeError(InvalidError):
    """The request body exceeds the limit."""

    code = "too_large"


class MediaTypeError(InvalidError):
    """The request body is of a kind that is not read here."""

    code = "unsupported_media_type"


class SlowRequestError(InvalidError):
    """The request body did not arrive in time."""

    code = "request_timeout"


class QuotaError(LimitedError):
    """One or more rate limits are used up; `violated` names them, as the headers do."""

    def __init__(
        self,
        retry_after: float,
        *,
        violated: tuple[str, ...],
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(retry_after)
        self.violated = violated
        self.headers = headers or {}


class Kind(NamedTuple):
    """How one family of errors is told."""

    status: int
    title: str


_ERRORS: Final[dict[type[GuardError], Kind]] = {
    UnauthenticatedError: Kind(401, "Authentication required"),
    ForbiddenError: Kind(403, "Not allowed"),
    NotFoundError: Kind(404, "Not found"),
    SlowRequestError: Kind(408, "The request took too long to arrive"),
    PolicyMovedError: Kind(412, "Another version holds by now; look again"),
    ConflictError: Kind(409, "Changed meanwhile; try again"),
    KeyReusedError: Kind(409, "The idempotency key was used for another request"),
    TooLargeError: Kind(413, "Request too large"),
    MediaTypeError: Kind(415, "Unsupported media type"),
    InvalidError: Kind(400, "Invalid request"),
    QuarantineFullError: Kind(429, "Too much waits for review; nothing was written"),
    LimitedError: Kind(429, "Too many requests"),
    UnreadableError: Kind(500, "A stored memory did not pass verification"),
    UnavailableError: Kind(503, "Temporarily unavailable; nothing was written"),
    GuardError: Kind(_FALLBACK, "Internal error"),
}

_HTTP: Final[dict[int, tuple[str, str]]] = {
    400: ("invalid", "Invalid request"),
    401: ("unauthenticated", "Authentication required"),
    403: ("forbidden", "Not allowed"),
    404: ("not_found", "Not found"),
    405: ("method_not_allowed", "Method not allowed"),
    413: ("too_large", "Request too large"),
    415: ("unsupported_media_type", "Unsupported media type"),
}

_UNDECIDED: Final = "Temporarily unavailable; whether it was written is not known: look, or repeat"

STATUS_OF_OUTCOME: Final[dict[type[WriteOutcome], int]] = {
    Stored: _CREATED,
    Redacted: _CREATED,
    Superseded: _CREATED,
    Merged: _OK,
    Skipped: _OK,
    Quarantined: 202,
    Queued: 202,
    Rejected: 422,
}


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """RFC 9457 problem details, with a code for programs."""

    type: str
    title: str
    status: int
    code: str
    detail: str | None = None
    scope: str | None = None
    unavailable: str | None = None
    violated: tuple[str, ...] = msgspec.field(name="violated-policies", default=())


class Refusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """A write that policy rejected: problem details and the outcome in one."""

    type: str
    title: str
    status: int
    code: str
    outcome: str
    origin: OriginAnswer
    reasons: tuple[str, ...]


def problem_of(error: Exception) -> Problem:
    """Return what the caller is told; of an unforeseen error nothing but that there was one."""
    if isinstance(error, GuardError):
        kind = next(_ERRORS[cls] for cls in type(error).__mro__ if cls in _ERRORS)
        return Problem(
            type=_type(error.code),
            title=_UNDECIDED if is_undecided(error) else kind.title,
            status=kind.status,
            code=error.code,
            detail=str(error) or None if isinstance(error, InvalidError) else None,
            scope=error.scope if isinstance(error, ForbiddenError) else None,
            unavailable=error.what if isinstance(error, UnavailableError) else None,
            violated=error.violated if isinstance(error, QuotaError) else (),
        )
    if isinstance(error, HTTPException) and _REFUSED <= error.status_code < _FALLBACK:
        # The framework's own details quote paths and values; its status is all that is kept.
        code, title = _HTTP.get(error.status_code, ("refused", "Request refused"))
        return Problem(type=_type(code), title=title, status=error.status_code, code=code)
    return Problem(
        type=_type("internal"), title="Internal error", status=_FALLBACK, code="internal"
    )


def is_undecided(error: Exception) -> bool:
    """Tell whether a commit's answer was lost: what was asked for may have been done."""
    return isinstance(error, UnavailableError) and error.what == "commit"


def _type(code: str) -> str:
    return f"urn:memguard:problem:{code}"


def retry_after(error: Exception) -> int | None:
    """Return the whole seconds after which trying again makes sense, if it does."""
    if isinstance(error, LimitedError | UnavailableError):
        return max(1, math.ceil(error.retry_after))
    return 1 if isinstance(error, ConflictError) else None


def challenge(
    error: Exception, *, metadata_url: str, attempted: bool, wanted: str = ""
) -> str | None:
    """Return the `WWW-Authenticate` value for an error that a better token would mend.

    Without an attempt there is no error code to tell (RFC 6750, 3.1); with one there is a single
    opaque one. `wanted` are the scopes that whoever comes without a token should ask for.
    """
    parts = [f'resource_metadata="{metadata_url}"']
    if isinstance(error, UnauthenticatedError):
        parts = [*parts, f'scope="{wanted}"'] if wanted else parts
        if attempted:
            parts = ['error="invalid_token"', *parts]
    elif isinstance(error, ForbiddenError) and error.scope is not None:
        parts = ['error="insufficient_scope"', f'scope="{error.scope}"', *parts]
    else:
        return None
    return "Bearer " + ", ".join(parts)


class ProblemHandler:
    """Turns every exception into problem details; the one that Litestar is given."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __call__(self, request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
        """Return the response for `error`; one that nobody foresaw is logged, by kind and place."""
        problem = problem_of(error)
        if problem.code == "internal":
            _LOGGER.error("unforeseen error", exc_info=error)
        headers: dict[str, str] = {"Cache-Control": "no-store"}
        wait = retry_after(error)
        if wait is not None:
            headers["Retry-After"] = str(wait)
        if isinstance(error, QuotaError):
            headers |= error.headers
        known = challenge(
            error,
            metadata_url=metadata_url(self._url, request.scope.get("path", "")),
            attempted=b"authorization" in dict(request.scope["headers"]),
            wanted=_wanted(request),
        )
        if known is not None:
            headers["WWW-Authenticate"] = known
        if isinstance(error, HTTPException) and error.headers:
            allow = {name.lower(): value for name, value in error.headers.items()}.get("allow")
            headers |= {"Allow": _taken(allow)} if allow else {}
        return Response(problem, status_code=problem.status, headers=headers, media_type=MEDIA_TYPE)


def _taken(allow: str) -> str:
    """Return the methods that a route takes, always in one order; the framework adds OPTIONS."""
    return ", ".join(sorted({one.strip() for one in allow.split(",")} - {"OPTIONS"}))


def metadata_url(url: str, path: str) -> str:
    """Return where the RFC 9728 metadata of the resource at `path` is."""
    return url + resource_at(path).metadata_path


def _wanted(request: Request[Any, Any, Any]) -> str:
    """Return the scopes to ask for at the route of a request; none where there is no route."""
    if resource_at(request.scope.get("path", "")) is not Resource.REST:
        return " ".join(FIRST_SCOPES)
    needed = requirement(request.scope) if request.scope.get("path_template") else None
    return needed if isinstance(needed, Scope) else ""


def answer_of(outcome: WriteOutcome) -> WriteAnswer:
    """Return a write's outcome as clients see it."""
    return WriteAnswer(
        outcome=str(type(outcome).__struct_config__.tag),
        origin=OriginAnswer(outcome.origin, outcome.trust),
        reasons=outcome.reasons,
        id=None if isinstance(outcome, Skipped | Rejected) else outcome.id,
        supersedes=outcome.supersedes if isinstance(outcome, Superseded) else None,
    )


def written(
    outcome: WriteOutcome, *, creates: bool, replayed: bool = False
) -> Response[WriteAnswer | Refusal]:
    """Return the response to a write. What creates nothing says 200 where a write would say 201.

    `replayed` says that it is the first answer to the same idempotency key, told again.
    """
    status = STATUS_OF_OUTCOME[type(outcome)]
    answer = answer_of(outcome)
    headers = {REPLAYED: "true"} if replayed else {}
    if status >= _REFUSED:
        refusal = Refusal(
            type=_type("rejected"),
            title="Refused by policy",
            status=status,
            code="rejected",
            outcome=answer.outcome,
            origin=answer.origin,
            reasons=answer.reasons,
        )
        return Response(refusal, status_code=status, headers=headers, media_type=MEDIA_TYPE)
    if isinstance(outcome, Queued):
        headers |= {"Location": f"/v1/writes/{outcome.id}", "Preference-Applied": "respond-async"}
    if status == _CREATED:
        status = _CREATED if creates else _OK
        headers |= {"Location": f"/v1/memories/{answer.id}"} if creates else {}
    return Response(answer, status_code=status, headers=headers)
