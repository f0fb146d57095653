"""What reviewers send and are told when they decide on many cases at once."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from gateway.rulings import Decide
from gateway.wire import ListHeld
from guard.bulk import MOST, Became, Done, Preview, Verdict
from guard.docket import Search
from memory.types import MemoryId


class DecideAll(Decide, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to decide and why, and on which cases: first `ids`, or a `filter` with what the list's
    query has but `cursor`; then the token of that `preview`.
    """

    decision: Verdict
    ids: Annotated[tuple[UUID, ...], Meta(min_length=1, max_length=MOST)] | None = None
    filter: ListHeld | None = None
    preview: Annotated[str, Meta(min_length=1, max_length=32_768)] | None = None

    def __post_init__(self) -> None:
        """Refuse what names its cases in no way, or in several."""
        super().__post_init__()
        if sum(one is not None for one in (self.ids, self.filter, self.preview)) != 1:
            raise ValueError("say one of `ids`, `filter` and `preview`")
        if self.filter is not None and self.filter.cursor is not None:
            raise ValueError("filter: takes no cursor")

    def of(self) -> Search | tuple[MemoryId, ...]:
        """Return which cases are asked for, before there is a preview."""
        if self.filter is not None:
            return self.filter.search()
        return tuple(MemoryId(str(one)) for one in self.ids or ())


class DoneAnswer(msgspec.Struct, frozen=True):
    """One case of a preview, and what became of it."""

    id: str
    became: Became


class BulkAnswer(msgspec.Struct, frozen=True):
    """How many cases are meant. Before the decision: some of them, whether `more` fit, and the
    token that decides until it expires. After it: what became of each.
    """

    count: int
    more: bool = False
    sample: tuple[str, ...] = ()
    preview: str | None = None
    expires_at: datetime | None = None
    results: tuple[DoneAnswer, ...] = ()

    @classmethod
    def before(cls, preview: Preview) -> Self:
        """Return what would be decided on."""
        return cls(
            count=preview.count,
            more=preview.more,
            sample=preview.sample,
            preview=preview.token,
            expires_at=preview.expires_at,
        )

    @classmethod
    def after(cls, done: tuple[Done, ...]) -> Self:
        """Return what was decided."""
        return cls(len(done), results=tuple(DoneAnswer(one.id, one.became) for one in done))
