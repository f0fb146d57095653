"""Broken guarantees and refused calls. Policy decisions are values, not exceptions.

One family, at most eight leaves; `gateway.problems` maps each to a status. No message carries
content, and none says more than its type does about why a secret check failed.
"""

from typing import ClassVar


class GuardError(Exception):
    """Base of every error this service raises on purpose."""

    code: ClassVar[str] = "internal"


class UnauthenticatedError(GuardError):
    """The caller's token did not verify. One opaque reason for all causes."""

    code = "unauthenticated"


class ForbiddenError(GuardError):
    """The caller is known and may not do this; `scope` names what is missing, if a scope is."""

    code = "forbidden"

    def __init__(self, scope: str | None = None) -> None:
        super().__init__("forbidden")
        self.scope = scope


class NotFoundError(GuardError):
    """No such thing in the caller's scope. Another owner's id looks exactly the same (E5)."""

    code = "not_found"


class InvalidError(GuardError):
    """The call is wrong in a way its sender can mend. The message names fields, never values."""

    code = "invalid"


class UnreadableError(GuardError):
    """A stored memory failed to open. Says nothing of why, by design."""

    code = "unreadable"


class ConflictError(GuardError):
    """The world moved between reading and committing; gather again and retry."""

    code = "conflict"


class LimitedError(GuardError):
    """Too much at once; `retry_after` in seconds."""

    code = "limited"

    def __init__(self, retry_after: float) -> None:
        super().__init__("limited")
        self.retry_after = retry_after


class UnavailableError(GuardError):
    """Something the gateway needs does not answer; nothing was written, unless `what` is `commit`:
    then the answer to a commit was lost, and what was asked for may have been done.

    `retry_after` in seconds.
    """

    code = "unavailable"

    def __init__(self, what: str, retry_after: float = 1.0) -> None:
        super().__init__(what)
        self.what = what
        self.retry_after = retry_after
