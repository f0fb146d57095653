"""What reviewers send with a decision: a reason for the audit, and a comment that is sealed."""

from typing import Annotated

import msgspec
from msgspec import Meta

from gateway.wire import IndexedLayer, require_text
from guard.ruling import Because, Manner, Ruling
from policies.model import Span

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


class Move(Decide, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which long-term layer a memory belongs to, and why."""

    layer: IndexedLayer


Place = Annotated[int, Meta(ge=0, le=1_000_000)]


class Release(Decide, frozen=True, forbid_unknown_fields=True):
    """Why, and how: at less trust than it had, or without some of its text.

    `redact` cuts out every place that was found in it. `spans` are places of the text as it was
    revealed, each from its first character to the one after its last.
    """

    trust: Annotated[int, Meta(ge=0, le=4)] | None = None
    redact: bool = False
    spans: Annotated[tuple[tuple[Place, Place], ...], Meta(max_length=100)] = ()

    def manner(self) -> Manner:
        """Return how the guard is to let it through."""
        return Manner(self.trust, self.redact, tuple(Span(*span) for span in self.spans))
