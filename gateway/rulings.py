"""What reviewers send with a decision: a reason for the audit, and a comment that is sealed."""

from typing import Annotated

import msgspec
from msgspec import Meta

from gateway.wire import require_text
from guard.ruling import Because, Ruling

Comment = Annotated[str, Meta(min_length=1, max_length=1000)]


class Decide(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a reviewer decides so. `other` says nothing by itself: it needs a comment."""

    reason: Because
    comment: Comment | None = None

    def __post_init__(self) -> None:
        """Refuse a comment that says nothing, and none where the reason says nothing."""
        if self.comment is not None:
            require_text("comment", self.comment)
        elif self.reason is Because.OTHER:
            raise ValueError("comment: wanted with the reason `other`")

    def ruling(self) -> Ruling:
        """Return it as the guard takes it."""
        return Ruling(self.reason, self.comment or "")
